"""Registers Doudizhu's kernels as the implementations of the generic ones in
``games/generic.py``.
"""

from games import generic
from games.dispatch import register
from games.doudizhu import forced_win, marginal, observe, state, sure_win, worlds
from games.doudizhu.moves import Rules

register(generic.legal, Rules, state.legal)
register(generic.step, Rules, state.step)
register(generic.current_seat, Rules, state.current_seat)
register(generic.team_return, Rules, state.team_return)
register(generic.stake, Rules, state.stake)
register(generic.observe, Rules, observe.observe)
register(generic.infoset_key, Rules, state.infoset_key)
register(generic.sure_win, Rules, sure_win.sure_win)
register(generic.forced_win, Rules, forced_win.forced_win)
register(generic.copy_row, Rules, state.copy_row)
register(generic.list_hidden, Rules, worlds.list_hidden)
register(generic.draw_hidden, Rules, worlds.draw_hidden)
register(generic.log_prior_hidden, Rules, worlds.log_prior_hidden)
register(generic.fill_world, Rules, worlds.fill_world)
register(generic.hidden_of, Rules, worlds.hidden_of)
register(generic.start_view, Rules, worlds.start_view)
register(generic.start_hidden, Rules, worlds.start_hidden)
register(generic.count_hidden, Rules, worlds.count_hidden)
register(generic.shortest_hand, Rules, worlds.shortest_hand)
register(generic.draw_corrected, Rules, marginal.draw_corrected)
register(generic.log_corrected, Rules, marginal.log_corrected)
