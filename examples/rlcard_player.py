"""An agent of RLCard as a player of ours; this one leads its longest move and answers with its
lowest.

    python evaluate.py a=rhcp b=rlcard b.agent=examples.rlcard_player:make decks=100

Agents that RLCard has trained are made the same way: ``return torch.load("landlord.pth")``.
``python examples/rlcard_player.py`` plays the same match from Python.
"""

import sys
from typing import Any


class Simple:
    """Plays by lengths."""

    use_raw = True

    def eval_step(self, state: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Returns a move of ``state["raw_legal_actions"]``, and no reasons."""
        moves = [move for move in state["raw_legal_actions"] if move != "pass"]
        leads = "pass" not in state["raw_legal_actions"]
        return max(moves, key=len) if leads else moves[0] if moves else "pass", {}


def make(env: Any, seat: int) -> Simple:
    """Returns the agent of a seat in RLCard's environment."""
    return Simple()


if __name__ == "__main__":
    from fpmcts.evaluation.duplicate import duplicate_match
    from fpmcts.players import load_player
    from games import make as make_game

    game = make_game("doudizhu")
    simple = load_player("rlcard", game, agent="examples.rlcard_player:make")
    sys.stdout.write(
        f"{duplicate_match(game, load_player('rhcp', game), simple, num_decks=20, seed=0)}\n"
    )
