"""Games of no-limit Hold'em saved as hand histories, read by PokerKit and by this project."""

from pathlib import Path

import numpy as np
import pytest

from fpmcts.evaluation.saved_games import SaveError, check_file, write_games
from games import make
from games.no_limit_holdem.phh import read
from tests.evaluation.test_tournament import plan_of, played

pokerkit = pytest.importorskip("pokerkit", reason="pip install -e '.[dev]'")


def check(path: Path, returns: np.ndarray) -> list[object]:
    """Asserts that PokerKit plays the hands of a file to the same stacks; returns its histories."""
    with path.open("rb") as file:
        histories = list(pokerkit.HandHistory.load_all(file))
    assert len(histories) == len(returns)
    for history, won in zip(histories, returns, strict=True):
        *_, end = history
        assert not end.status
        assert end.payoffs == won.tolist()
        assert history.finishing_stacks == end.stacks
    return histories


def test_a_match_as_hand_histories(tmp_path: Path) -> None:
    words = "game=no_limit_holdem least_stack=300 ante=5 a=random b=random seed=2"
    plan = plan_of(tmp_path, *words.split(), decks=6)
    results, tournament = played(plan), plan.tournament
    path = tmp_path / "hands.phhs"
    check_file(path, make("no_limit_holdem"))
    write_games(path, tournament, plan.decks, results)
    (result,) = results.values()
    for history, seating in zip(
        check(path, result.games.returns), result.games.seating, strict=True
    ):
        labels = [tournament.players[tournament.labels[k]].name for k in seating]
        assert history.players == labels  # type: ignore[attr-defined]
    hands = list(read([path]))
    assert [hand.number for hand in hands] == [str(k + 1) for k in range(12)]
    assert all(one.hole == two.hole for one, two in zip(hands[::2], hands[1::2], strict=True))


def test_other_games_have_no_hand_histories(tmp_path: Path) -> None:
    with pytest.raises(SaveError, match="game=no_limit_holdem, not leduc"):
        check_file(tmp_path / "hands.phhs.xz", make("leduc"))
