"""The choice among moves near the end of a game, against the definition."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from examples.double_dummy import DoubleDummySolver
from fpmcts.players import load_player
from fpmcts.players.policy import EndgameAgent, PolicyAgent
from games import make
from games.doudizhu.cards import pack, unpack
from games.doudizhu.solver.endgame import MARGIN, Endgame
from games.doudizhu.state import States
from games.kernels.rows import concatenate, copied, take
from games.play.decision import CHOSEN, FORCED, SOLVED
from games.play.question import ask
from games.play.table import Table
from tests.games import driver
from tests.games.doudizhu.positions import GAME
from tests.games.doudizhu.solver.test_double_dummy import random_endgame
from tests.inference.endgames import FakeEvaluator, random_games, running, views

SOLVERS = [DoubleDummySolver(GAME, points) for points in (False, True)]
WORLDS = 6


def other_worlds(states: States, rng: np.random.Generator) -> States:
    """A position and others in which the two unseen hands are dealt again."""
    seat = int(states.seat[0])
    following, previous = (seat + 1) % 3, (seat + 2) % 3
    worlds = [states]
    for _ in range(WORLDS - 1):
        hands = unpack(states.hands[0]).astype(np.int64)
        unseen = hands[following] + hands[previous]
        dealt = rng.multivariate_hypergeometric(unseen, hands[following].sum())
        world = copied(states)
        world.hands[0, [following, previous]] = pack(np.stack([dealt, unseen - dealt]))
        worlds.append(world)
    return concatenate(worlds)


def worth(worlds: States, move: int, points: bool) -> float:
    """The sum over the worlds of what a move is worth to the mover's team."""
    total = 0.0
    for w in range(WORLDS):
        after = take(worlds, np.array([w]))
        driver.step(GAME.rules, after, 0, move)
        over = after.winner[0] >= 0
        value = 1.0 - 2.0 * (after.winner[0] > 0) if over else SOLVERS[points].values(after)[0]
        total += value * 2.0 ** (points * int(after.bombs[0] - worlds.bombs[w]))
    return total if worlds.seat[0] == 0 else -total


@pytest.mark.parametrize("points", [False, True])
def test_a_move_that_is_worth_clearly_more_is_played(points: bool) -> None:
    """With few nodes only where that is proved."""
    # With this seed five choices depend on whether points count.
    rng, changed = np.random.default_rng(54), np.zeros(2, np.int64)
    endgames = [Endgame(GAME.rules, GAME.empty(1), points, 26, nodes) for nodes in (50_000, 20)]
    for _ in range(150):
        worlds = other_worlds(random_endgame(rng).states, rng)
        legal = driver.legal_actions(GAME, worlds, 0)
        target = rng.permutation(len(legal)).astype(np.float32)
        choice = int(rng.choice(legal))
        others = [int(move) for move in np.array(legal)[np.argsort(-target)] if move != choice]
        found = [worth(worlds, move, points) for move in others]
        least = worth(worlds, choice, points) + MARGIN * WORLDS
        expected = choice
        if others and max(found) > least:
            expected = others[found.index(max(found))]
        made, hasty = (
            int(
                endgame.choose(
                    worlds,
                    np.array([legal], np.int16),
                    target[None],
                    np.array([len(legal)], np.int32),
                    np.array([choice], np.int16),
                )[0]
            )
            for endgame in endgames
        )
        assert made == expected
        assert hasty == choice or found[others.index(hasty)] > least
        changed += np.array([made, hasty]) != choice
    assert changed[0] > changed[1] > 10


@pytest.mark.parametrize(
    ("options", "solves"),
    [
        ({}, True),
        ({"solve": False}, False),
        ({"temperature": 1}, False),
        ({"objective": "adp"}, True),
        ({"seconds": 1}, False),
    ],
)
def test_who_solves(options: dict[str, object], solves: bool) -> None:
    """Drawn moves and limits of time leave the search's choice."""
    player = load_player("fpmcts", make("doudizhu"), **options)
    assert (player._endgame is not None) == solves


def test_choices_of_a_policy_are_corrected_earlier() -> None:
    views = GAME.empty(4)
    for k, left in enumerate((33, 32, 27, 26)):
        ranks = np.arange(54 - left) % 13
        views.played[k, 0] = pack(np.bincount(ranks, minlength=15))
    for searched, near in ((False, [False, True, True, True]), (True, [False, False, False, True])):
        assert GAME.endgame(points=False, searched=searched).is_near(views).tolist() == near


def test_the_policy_wins_what_its_worlds_show() -> None:
    """Given the true hands, it changes choices only near the end, and only to moves that win."""
    played = random_games(600, 5, most_cards=16)
    lanes = running(played)
    positions, truth = views(played, lanes), take(played.states, lanes)
    positions.played[0] = 0  # so many cards that nothing is solved
    networks = PolicyAgent(GAME, FakeEvaluator(seed=3).evaluate, solve=True)

    def true_hands(_: int) -> SimpleNamespace:
        def worlds(games: np.ndarray, *rest: Any) -> tuple[States, None]:
            return take(truth, np.repeat(np.searchsorted(lanes, games), WORLDS)), None

        return SimpleNamespace(worlds=worlds)

    player = EndgameAgent(networks, GAME.endgame(points=False, searched=True), true_hands)
    player.start(600, 1)
    moves = player.act(lanes, positions, played.records)
    usual = networks.act(lanes, positions, played.records)
    assert moves[0] == usual[0] and (moves != usual).sum() > 5
    for k in np.flatnonzero(moves != usual):
        here = take(truth, np.full(WORLDS, k))
        assert worth(here, moves[k], False) == WORLDS == -worth(here, usual[k], False)


def test_endgames_of_the_policy() -> None:
    """Its decisions at a table are its moves, and options without meaning are refused."""
    player, table = load_player("policy", make("doudizhu"), endgames=True), Table(GAME, seed=9)
    reasons = []
    while not table.is_over:
        decision, question = player.decide(table), ask(table, player.seed)
        player.start(1, question.seed)
        if decision.reason != FORCED:
            move = player.act(np.zeros(1, np.int64), question.view, question.records)
            assert move[0] == decision.action
        reasons.append(decision.reason)
        table.play(decision.action)
    assert SOLVED in reasons
    for game, options in (("doudizhu", {"temperature": 1}), ("no_limit_holdem", {})):
        with pytest.raises(ValueError, match="endgames=true: expected Doudizhu"):
            load_player("policy", make(game), endgames=True, **options)


def test_a_corrected_decision_says_so() -> None:
    """Only where all moves were asked about."""
    player, table = load_player("fpmcts", make("doudizhu"), playouts=2), Table(GAME, seed=3)
    usual = player.decide(table)
    legal = [move.action for move in table.legal()]
    other = next(action for action in legal if action != usual.action)
    player._endgame = SimpleNamespace(choose=lambda *given: np.array([other], np.int16))
    decision = player.decide(table)
    assert (decision.action, decision.reason, usual.reason) == (other, SOLVED, CHOSEN)
    assert player.decide(table, moves=legal[:2]).reason == CHOSEN
