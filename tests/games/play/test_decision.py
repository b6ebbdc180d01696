"""What a decision recommends: the order of its moves, which are equal, and the sentence that says
why, against sums by hand.
"""

import math
from dataclasses import replace

import numpy as np
import pytest

from fpmcts.players.search_agent import pooled
from games.play.decision import RETURN, SOLVED, WINS, Decision, RootMove


def searched(*rows: tuple[str, float, float, int, float | None, float | None]) -> Decision:
    """Returns the decision of 64 playouts over (move, share, prior, visits, mean, error)."""
    policy = {move: share for move, share, *_ in rows}
    root = tuple(RootMove(move, *row) for move, _, *row in rows)
    likeliest = max(policy, key=lambda move: policy[move])
    return Decision(likeliest, 0, policy, 0.5, WINS, root, playouts=64, value_error=0.01)


def exact(policy: dict[str, float], *values: float, move: str) -> Decision:
    rows = zip(policy, values, strict=True)
    root = tuple(RootMove(text, policy[text], 0, value, 0.0) for text, value in rows)
    return Decision(move, 0, policy, 1.0, RETURN, root, playouts=None, value_error=0.0)


def order(decision: Decision) -> list[str]:
    return [row.move for row in decision.ranking()]


def test_the_likeliest_move_that_none_clearly_beats_is_first() -> None:
    """Of two errors of 3 and 4 points, that of the difference is 5: 10 points more are no clear
    difference, 11 are.
    """
    pair = ("a", 0.7, 0.9, 40, 0.60, 0.03), ("b", 0.3, 0.1, 24, 0.695, 0.04)
    close = searched(*pair, ("c", 0.0, 0.0, 2, 0.1, 0.04))
    assert order(close) == ["a", "b", "c"] and close.equal == {"a", "b"}
    told = close.why()
    assert told == ("same", "a", 0.9, 2, 64)
    assert str(close).splitlines()[1] == "instinct 90 %; 64 playouts find no better move"
    assert [row["value"][:1] for row in close.rows()] == ["≈", "≈", "1"]
    clear = searched(pair[0], ("b", 0.3, 0.1, 24, 0.71, 0.04))
    assert order(clear) == ["b", "a"] and clear.equal == {"b"} and clear.move == "a"
    assert str(clear).splitlines()[1] == "instinct 90 % for a; 64 playouts find a better move"
    alone = searched(("a", 1.0, 1.0, 64, 0.60, 0.03), ("b", 0.0, 0.0, 0, 0.0, 0.0))
    assert str(alone).splitlines()[1] == "instinct 100 %; the search tried no other move"
    lean = searched(("a", 0.4, 0.9, 40, 0.60, 0.03), ("b", 0.6, 0.1, 24, 0.695, 0.04))
    assert lean.best == "b" and "lean elsewhere, within the error" in str(lean)


def test_no_first_move_is_clearly_beaten_however_the_numbers_fall() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        shares, means, errors = rng.dirichlet(np.ones(5)), rng.random(5), rng.random(5) / 5
        columns = zip("abcde", shares, shares, [9] * 5, means, errors, strict=True)
        decision = searched(*columns)
        first, *rest = decision.ranking()
        for row in rest:
            gap = math.hypot(row.standard_error or 0.0, first.standard_error or 0.0)
            clear = abs((row.mean or 0.0) - (first.mean or 0.0)) > 2.0 * gap + 0.0005
            assert (row.move in decision.equal) == (not clear)
            assert row.move in decision.equal or (row.mean or 0.0) < (first.mean or 0.0)
        shares_after = [(decision.policy or {})[row.move] for row in rest]
        assert shares_after == sorted(shares_after, reverse=True)


def test_moves_without_a_known_error_are_not_told_apart() -> None:
    decision = searched(
        ("a", 0.9, 0.9, 63, 0.4, 0.01),
        ("b", 0.1, 0.1, 1, 1.0, None),
        ("c", 0.0, 0.0, 0, None, None),
    )
    assert order(decision) == ["a", "b", "c"] and decision.equal == {"a", "b"}
    assert [row["value"] for row in decision.rows()] == ["≈ 40.00 % ± 1.00", "≈ 100.00 % ± ?", ""]


def test_exact_ties_go_to_the_likelier_move_and_the_mix_is_told() -> None:
    """Kuhn, K first to act: check and bet are worth the same, 27 : 73. The player drew the rarer
    one, and a stored table is only close to an equilibrium.
    """
    tie = exact({"call": 0.27, "raise": 0.73}, 1.1701, 1.1669, move="call")
    assert tie.best == "raise" and tie.equal == {"call", "raise"}
    assert "2 moves are worth the same" in str(tie) and " ± " not in tie.rows()[0]["value"]
    clear = exact({"call": 0.4, "raise": 0.6}, 1.17, 1.10, move="raise")
    assert clear.best == "call" and clear.equal == {"call"} and clear.why() is None


def test_what_is_solved_stands_and_policies_alone_have_an_order() -> None:
    rows = ("a", 0.9, 0.9, 60, 0.9, 0.01), ("b", 0.1, 0.1, 4, 0.5, 0.01)
    solved = replace(searched(*rows), move="b", reason=SOLVED)
    assert order(solved) == ["b", "a"] and solved.why() == (SOLVED, "", None, 0, 0)
    alone = Decision("b", 1, {"b": 0.2, "a": 0.5, "c": 0.3})
    assert order(alone) == ["a", "c", "b"] and alone.why() is None
    assert not alone.equal and [*alone.rows()[0]] == ["move", "policy"]


def test_few_returns_say_little_of_their_spread() -> None:
    """Means of 4, 16 and 9 returns with errors of 0.2, 0.05 and 0: variances 0.16, 0.04 and 0 a
    return, of all (4 · 0.16 + 16 · 0.04) / 29, which counts as two returns more of each.
    """
    visits, errors = np.array([4, 16, 9, 1, 0]), np.array([0.2, 0.05, 0.0, np.nan, np.nan])
    both = 2 * 1.28 / 29
    found = pooled(errors, visits)
    few, many = math.sqrt((0.64 + both) / 6 / 4), math.sqrt((0.64 + both) / 18 / 16)
    assert found[:4] == pytest.approx([few, many, math.sqrt(both / 11 / 9), math.sqrt(both / 2)])
    assert np.isnan(found[4])
    assert np.isnan(pooled(np.array([0.0, np.nan]), np.array([3, 1]))).all()
