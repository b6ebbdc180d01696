"""Registers Doudizhu's kernels as the implementations of the generic ones in ``games/interface.py``."""

from games import interface
from games.doudizhu import marginal, observe, state, sure_win, worlds
from games.doudizhu.moves import Rules
from games.interface import register

register(interface.legal, Rules, state.legal)
register(interface.step, Rules, state.step)
register(interface.current_seat, Rules, state.current_seat)
register(interface.team_return, Rules, state.team_return)
register(interface.stake, Rules, state.stake)
register(interface.observe, Rules, observe.observe)
register(interface.infoset_key, Rules, state.infoset_key)
register(interface.sure_win, Rules, sure_win.sure_win)
register(interface.copy_row, Rules, state.copy_row)
register(interface.list_hidden, Rules, worlds.list_hidden)
register(interface.draw_hidden, Rules, worlds.draw_hidden)
register(interface.log_prior_hidden, Rules, worlds.log_prior_hidden)
register(interface.fill_world, Rules, worlds.fill_world)
register(interface.hidden_of, Rules, worlds.hidden_of)
register(interface.start_view, Rules, worlds.start_view)
register(interface.start_hidden, Rules, worlds.start_hidden)
register(interface.count_hidden, Rules, worlds.count_hidden)
register(interface.shortest_hand, Rules, worlds.shortest_hand)
register(interface.draw_corrected, Rules, marginal.draw_corrected)
register(interface.log_corrected, Rules, marginal.log_corrected)
