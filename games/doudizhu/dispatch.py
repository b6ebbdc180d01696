"""Registers Doudizhu's kernels as the implementations of the generic ones in ``games/interface.py``."""

from games import interface
from games.doudizhu import observe, state, sure_win
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
