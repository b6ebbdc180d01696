"""Whole games as text, the goldens of ``test_playthrough.py``. Write them anew with ``python -m
tests.games.playthrough``."""

from pathlib import Path

from games.doudizhu.cards import cards_text
from tests.games import driver
from tests.games.positions import GAME, random_game

GOLDEN = Path(__file__).parent / "golden" / "doudizhu.txt"
SEEDS = (11, 12)


def playthrough(seed: int) -> str:
    """A random game: per move the length, seat, hand, number of legal moves, sure win, move and key
    before it."""
    states, moves = random_game(seed)
    lines = [f"seed {seed}, bottom {cards_text(states.bottom[0])}"]
    for move in moves:
        seat = driver.current_seat(GAME.rules, states, 0)
        sure = driver.sure_win(GAME.rules, states, 0)
        lines.append(
            f"{states.length[0]:3} {'CDE'[seat]} {cards_text(states.hands[0, seat]):20}"
            f" {len(driver.legal_actions(GAME, states, 0)):4} "
            f"{'-' if sure == -1 else GAME.action_text(sure):12}"
            f" {GAME.action_text(move):12} {states.key[0]:016x}"
        )
        driver.step(GAME.rules, states, 0, move)
    points = driver.team_return(GAME.rules, states, 0, 0)
    return "\n".join([*lines, f"winner {'CDE'[states.winner[0]]}, points of C {points:+.0f}"])


def text() -> str:
    return "\n\n".join(playthrough(seed) for seed in SEEDS) + "\n"


if __name__ == "__main__":
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(text())
