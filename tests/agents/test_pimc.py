"""The PIMC player: legal, blind to hidden cards, the same in any batch, and right where the answer
is known.
"""

import numpy as np
import pytest

from agents.doudizhu.double_dummy import DoubleDummySolver
from agents.doudizhu.pimc import PIMC
from agents.doudizhu.rhcp import RHCP
from agents.doudizhu.rhcp_kernels import choose, new_memo
from agents.doudizhu.teamplay import choose_for_team
from evaluation.duplicate import duplicate_match
from games import make
from games.batches import concatenate, num_rows, take
from games.doudizhu.cards import COPIES, RANK_NAMES
from games.doudizhu.legal import legal_moves
from games.doudizhu.moves import MAX_LEGAL
from games.doudizhu.state import States, step
from games.interface import Records
from games.kernels import streams
from tests.agents.test_double_dummy import position
from tests.games.positions import deal_hidden, texts

GAME = make("doudizhu")
NO_RECORDS = Records(np.zeros((1, 1), np.int16), np.zeros(1, np.int16))
AGENT = PIMC(worlds=8, candidates=6).at(GAME)


def random_positions(count: int, seed: int) -> States:
    """Returns full states after a random number of moves of RHCP."""
    states, agent = GAME.deal(streams(seed, count)), RHCP().at(GAME)
    lengths = np.random.default_rng(seed).integers(0, 30, count)
    for length in range(30):
        rows = np.flatnonzero((states.winner < 0) & (lengths > length))
        moves = agent.act(rows, GAME.view(take(states, rows), states.seat[rows]), NO_RECORDS)
        for i, move in zip(rows, moves, strict=True):
            step(GAME.rules, states, i, int(move))
    return take(states, np.flatnonzero(states.winner < 0))


def moves_of(
    agent: PIMC, games: np.ndarray, states: States, total: int, seed: int = 5
) -> np.ndarray:
    """Returns the moves from fresh streams."""
    agent.start(total, seed)
    return agent.act(games, GAME.view(states, states.seat), NO_RECORDS)


def choice(agent: PIMC, states: States) -> str:
    return texts([int(moves_of(agent, np.zeros(1, np.int64), states, 1)[0])])[0]


def test_moves_are_legal() -> None:
    states = random_positions(60, 1)
    scratch = np.empty(MAX_LEGAL, np.int16)
    for i, move in enumerate(
        moves_of(AGENT, np.arange(num_rows(states)), states, num_rows(states))
    ):
        n = legal_moves(GAME.rules, states.hands[i, states.seat[i]], states.target[i], scratch)
        assert move in scratch[:n]


@pytest.mark.parametrize("objective", ["wp", "adp"])
def test_whole_games(objective: str) -> None:
    """The match raises on an illegal move; the same match twice is the same, whatever is kept from
    game to game.
    """
    agent = PIMC(worlds=4, candidates=4, objective=objective).at(GAME)
    first, second = (duplicate_match(GAME, agent, RHCP().at(GAME), 3, seed=2) for _ in range(2))
    np.testing.assert_array_equal(first.games.records.moves, second.games.records.moves)


def test_hidden_cards_change_nothing() -> None:
    """States that differ in the hidden hands alone are the same view, and the full state is
    answered like the view.
    """
    rng = np.random.default_rng(3)
    states = random_positions(30, 3)
    n = num_rows(states)
    others = concatenate(
        [deal_hidden(take(states, slice(i, i + 1)), int(states.seat[i]), rng) for i in range(n)]
    )
    assert (states.hands != others.hands).any()
    moves = moves_of(AGENT, np.arange(n), states, n)
    np.testing.assert_array_equal(moves, moves_of(AGENT, np.arange(n), others, n))
    for full in (states, others):
        AGENT.start(n, 5)
        np.testing.assert_array_equal(moves, AGENT.act(np.arange(n), full, NO_RECORDS))


def test_batches_change_nothing() -> None:
    states = random_positions(8, 4)
    n = num_rows(states)
    together = moves_of(AGENT, np.arange(n), states, n)
    fresh = PIMC(worlds=8, candidates=6).at(GAME)
    fresh.start(n, 5)
    views = GAME.view(states, states.seat)
    for i in np.random.default_rng(0).permutation(n):
        assert fresh.act(np.array([i]), take(views, np.array([i])), NO_RECORDS)[0] == together[i]


def test_seeds_matter() -> None:
    """Of some positions with few worlds, at least one is answered differently under another
    seed.
    """
    states = random_positions(40, 5)
    agent, games = PIMC(worlds=1, candidates=8).at(GAME), np.arange(num_rows(states))
    first, second = (moves_of(agent, games, states, len(games), seed) for seed in (1, 2))
    assert (first != second).any()


@pytest.mark.parametrize("objective", ["wp", "adp"])
def test_finds_a_forced_win(objective: str) -> None:
    """D has 334, its partner one of 5, 8, 8 and T: any of them beats D's 3 or 4 and is its last
    card.

    RHCP leads the pair, which the partner cannot beat; if C has the 8s it takes them and is out.
    """
    states = position(("88T", "334", "5"), seat=1)
    views = GAME.view(states, np.array([1]))
    assert texts(RHCP().at(GAME).act(np.zeros(1, np.int64), views, NO_RECORDS)) == ["33"]
    assert choice(PIMC(objective=objective).at(GAME), states) in ("3", "4")


def test_perfect_where_nothing_is_hidden() -> None:
    """If all unseen cards have one rank, the only world is the truth: the move keeps the
    double-dummy value.
    """
    rng, solver, agent = (
        np.random.default_rng(6),
        DoubleDummySolver(GAME),
        PIMC(candidates=64, solver_cards=20).at(GAME),
    )
    unlike_rhcp = 0
    for _ in range(60):
        rank, seat = int(rng.integers(2, 13)), int(rng.integers(3))
        own = rng.choice(
            np.delete(np.repeat(np.arange(15), COPIES), slice(4 * rank, 4 * rank + 4)),
            5,
            replace=False,
        )
        left = int(rng.integers(1, 4))
        hands = [RANK_NAMES[rank] * left, RANK_NAMES[rank] * (4 - left)]
        hands.insert(seat, "".join(RANK_NAMES[card] for card in own))
        states = position((hands[0], hands[1], hands[2]), seat)
        value = solver.values(states)[0]
        move = int(moves_of(agent, np.zeros(1, np.int64), states, 1)[0])
        rhcp = int(RHCP().at(GAME).act(np.zeros(1, np.int64), states, NO_RECORDS)[0])
        unlike_rhcp += move != rhcp
        step(GAME.rules, states, 0, move)
        reached = (1 if seat == 0 else -1) if states.winner[0] >= 0 else solver.values(states)[0]
        assert reached == value, (hands, seat, texts([move]))
    assert unlike_rhcp > 5


@pytest.mark.parametrize(
    ("hands", "seat", "target", "rhcp", "team", "why"),
    [
        (("88T", "334", "5"), 1, "", "33", "3", "a partner with one card: the lowest solo"),
        (
            ("9", "44K", "567"),
            2,
            "",
            "5",
            "7",
            "the landlord has one card, and there is nothing but solos: the highest",
        ),
        (("9", "4JK", "566"), 2, "", "5", "66", "the landlord has one card: no solo"),
        (
            ("99", "4JK", "6677TJ"),
            2,
            "",
            "66",
            "T",
            "the landlord has two cards: no pair; the T leaves the best hand",
        ),
        (("9T", "44K55", "6788"), 2, "Q", "pass", "pass", "nothing beats the partner's queen"),
        (("9TJ", "44K55", "3682"), 2, "A", "2", "pass", "no 2 on the partner's ace"),
        (("9TJ", "44K55", "67773"), 2, "5", "6", "6", "low solos go over the partner's"),
        (("9TJ", "44K55", "777736T"), 2, "K", "7777", "pass", "no bomb on the partner's move"),
        (
            ("K", "5JQ4", "667"),
            1,
            "4",
            "5",
            "Q",
            "the landlord has one card: a solo is answered with the highest",
        ),
    ],
)
def test_team_play_by_hand(
    hands: tuple[str, str, str], seat: int, target: str, rhcp: str, team: str, why: str
) -> None:
    states = position(hands, seat, target)
    memo, scratch = new_memo(), np.empty(MAX_LEGAL, np.int16)
    assert texts([choose(GAME.rules, memo, states, 0)]) == [rhcp]
    assert texts([choose_for_team(GAME.rules, memo, states, 0, scratch)]) == [team], why


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("worlds", 0, "worlds=0: expected at least 1"),
        ("solver_cards", 55, "solver_cards=55: expected at least 0 and at most 54"),
        ("playouts", "random", "playouts=random: expected one of team, rhcp"),
        ("margin", float("nan"), "margin=nan: expected at least 0"),
    ],
)
def test_bad_settings_are_errors(setting: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PIMC.parse({setting: value})


def test_act_before_start_is_an_error() -> None:
    states = random_positions(1, 6)
    with pytest.raises(RuntimeError, match="start"):
        PIMC().at(GAME).act(np.zeros(1, np.int64), GAME.view(states, states.seat), NO_RECORDS)
