"""IS-MCTS with the shared tree as a player: its output, what it keeps and forgets, and what it
refuses.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import yaml

from fpmcts.evaluation.duplicate import evaluation_decks
from fpmcts.evaluation.match import play_games
from fpmcts.players import load_player, single_observer
from fpmcts.players.shared_tree import CHUNK, SharedTreeAgent, hides_moves_alone
from fpmcts.players.single_observer import SingleObserverAgent
from fpmcts.players.tree_search import Place, SearchClock
from fpmcts.tabular.hash_table import HashTable, Rows, find, seat_key, visits_of
from fpmcts.tabular.hashed_learner import fill_policy
from games import make
from games.base.settings import ConfigError
from games.kernels import kernel, streams
from games.play.question import ask
from games.play.table import Table
from tests.games import driver
from tests.tables import rows

SELECTIONS = ("uct", "exp3", "regret_matching")


@kernel
def place_of(rules: Any, states: Any, seat: int, rows: Rows) -> int:
    return find(rows, seat_key(rules, states, 0, seat), seat)


@kernel
def visits_at(rows: Rows, place: int) -> int:
    return visits_of(rows, place)


def mean_policy(agent: SharedTreeAgent, table: HashTable) -> Rows:
    """Returns the policies of a tree as the learners tell them."""
    made = HashTable(1, 2**20)
    made.grow(table.num_rows, 32)
    fill_policy(agent._selection, table.rows, table.width, made.rows, False, 0.0)
    return made.rows


def shares(game: Any, policy: Rows, states: Any, seat: int) -> np.ndarray:
    """Returns the policy of a seat to move, even where there is none."""
    count = len(driver.legal_actions(game, states, 0))
    place = place_of(game.rules, states, seat, policy)
    return np.full(count, 1 / count) if place < 0 else policy.words[place + 3 : place + 3 + count]


def searched(game: Any, table: Table, **options: Any) -> tuple[SharedTreeAgent, Place]:
    """Returns a player and where it stands after a search for the seat to move."""
    agent: Any = load_player("ismcts", game, **options)
    place = agent.place(ask(table, 0), streams(3, 1), streams(3, 1, 1), agent.new_tree())
    agent.search(place, SearchClock(agent.iterations))
    return agent, place


def test_the_tree_follows_from_what_is_hidden() -> None:
    assert hides_moves_alone(make("phantom_tictactoe", reveal=False))
    assert not any(hides_moves_alone(make(name)) for name in ("kuhn", "examples.sealed_bids"))
    assert isinstance(load_player("ismcts", make("goofspiel")), SharedTreeAgent)
    assert isinstance(load_player("ismcts", make("leduc")), SingleObserverAgent)
    assert isinstance(
        load_player("ismcts", make("goofspiel"), tree="single_observer"), SingleObserverAgent
    )


@pytest.mark.parametrize("selection", SELECTIONS)
def test_the_output_is_the_mean_policy(selection: str) -> None:
    """The player's output against that of the learner's table; a stored exploration adds its
    share.
    """
    game: Any = make("goofspiel", cards=4)
    table = Table(game, seed=0)
    table.play("2")
    agent, place = searched(game, table, selection=selection, iterations=3000)
    root = agent.root(place)
    expected = shares(game, mean_policy(agent, place.tree), place.question.view, 1)
    assert abs(root.visits.sum() - 3000) <= 2 and root.policy == pytest.approx(expected)
    assert np.all((root.means > -0.2) & (root.means < 1.2))
    if selection != "uct":
        stored, same = searched(
            game, table, selection=selection, iterations=3000, store_exploration=True
        )
        assert stored.root(same).policy == pytest.approx(0.9 * expected + 0.1 / len(expected))


def test_games_are_independent_and_repeat() -> None:
    """The same games one after the other and side by side."""
    game: Any = make("goofspiel")
    seating, deals = np.tile([0, 1], (4, 1)), evaluation_decks(game, 1, 4)
    player = load_player("ismcts", game, selection="regret_matching", iterations=200)
    players = player, load_player("random", game)
    alone, together = (
        play_games(game, players, seating, deals, 5, at_once=at_once).records.moves
        for at_once in (1, None)
    )
    np.testing.assert_array_equal(alone, together)


def test_trees_of_a_match_keep_to_their_memory() -> None:
    """No more games at a time than there is room for, and no trees of games that are over."""
    game: Any = make("goofspiel", cards=3)
    agent: Any = load_player("ismcts", game, iterations=20, memory=300)
    kept, tree_of = [], agent.tree_of
    agent.tree_of = lambda *place: (tree_of(*place), kept.append(len(agent._trees)))[0]
    seating, deals = np.tile([0, 0], (6, 1)), evaluation_decks(game, 1, 6)
    play_games(game, [agent], seating, deals, 5)
    assert max(kept) == 2 and not agent._trees  # one of each seat


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        # Other bids of the first player that lose and win as well.
        ("goofspiel", (0, 3, 5), (1, 3, 4)),
        ("phantom_tictactoe", (0,), (8,)),
    ],
)
def test_hidden_moves_change_nothing(
    name: str, first: tuple[int, ...], second: tuple[int, ...]
) -> None:
    game: Any = make(name)
    told = []
    for moves in (first, second):
        table = Table(game, seed=0)
        for move in moves:
            table.play(move)
        told.append(load_player("ismcts", game, iterations=500).decide(table))
    assert replace(told[0], seconds=0.0) == replace(told[1], seconds=0.0)


def test_the_tree_is_kept_from_move_to_move_and_forgotten_at_the_start() -> None:
    game: Any = make("goofspiel", cards=4)
    agent: Any = load_player("ismcts", game, iterations=2000, selection="regret_matching")
    table, visits = Table(game, seed=0), []
    for moves, is_new in (((), True), (("1", "2"), False), ((), True)):
        for move in moves:
            table.play(move)
        if is_new:
            agent.start(1, 0)
        agent.act(np.zeros(1, np.int64), table.view(0), table.seen(0))
        rows = agent._trees[0, 0].rows
        visits.append(visits_at(rows, place_of(game.rules, table.view(0), 0, rows)))
    assert visits[0] == visits[2] == 2000 < visits[1]


def test_a_full_tree_lets_go_of_what_was_visited_least() -> None:
    game: Any = make("goofspiel", cards=13)
    agent, place = searched(game, Table(game, seed=0), iterations=20_000, memory=1)
    assert 0 < place.tree.num_bytes <= 1_000_000
    assert (
        visits_at(place.tree.rows, place_of(game.rules, place.question.view, 0, place.tree.rows))
        == 20_000
    )
    roomy, other = searched(game, Table(game, seed=0), iterations=20_000)
    assert other.tree.num_rows > 2 * place.tree.num_rows
    with pytest.raises(ConfigError, match="ismcts: memory=0: 0 information sets"):
        agent._make_room(HashTable(2, 0))


@pytest.mark.parametrize(
    ("name", "chunk", "given"),
    [("goofspiel", CHUNK, ["2", "3"]), ("leduc", single_observer.CHUNK, ["call"])],
)
def test_decide_reports_cancels_and_keeps_to_given_moves(
    name: str, chunk: int, given: list[str]
) -> None:
    game: Any = make(name)
    table, seen = Table(game, seed=1), []
    player = load_player("ismcts", game, iterations=3 * chunk)
    decision = player.decide(
        table, report=lambda so_far, done, total: seen.append((done, total, so_far.playouts))
    )
    assert seen == [(k * chunk, 3 * chunk, k * chunk) for k in (1, 2, 3)]
    root = decision.root or ()
    assert abs(sum(row.visits for row in root) - 3 * chunk) <= 3
    assert {row.prior for row in root} == {None}, "it has no policy without search"
    assert player.decide(table, cancel=lambda: True).playouts == chunk
    only = player.decide(table, moves=given).policy or {}
    assert set(only) == {*given} and sum(only.values()) == pytest.approx(1.0)
    player.temperature = 0.0
    visits = [row.visits for row in player.decide(table).root or ()]
    assert sum(visits) > max(visits), "of all moves, though one has the whole policy"
    timed = load_player("ismcts", game, seconds=0.05, iterations=10**9).decide(table)
    assert timed.seconds < 2.0 and timed.playouts is not None and timed.playouts % chunk == 0


REFUSED = """
leduc selection=exp3 | selection=exp3: not an option of tree=single_observer
goofspiel objective=wp | objective=wp: not an option of tree=shared
leduc memory=64 | memory=64: not an option of tree=single_observer
goofspiel gamma=0.2 | gamma=0.2: selection=uct has no gamma
goofspiel selection=exp3 c=1.0 | c=1.0: selection=exp3 has no c
goofspiel c=0.0 | c=0.0: expected at least 1e-06
"""


@pytest.mark.parametrize(("given", "message"), rows(REFUSED))
def test_options_that_a_tree_does_not_have(given: str, message: str) -> None:
    game, *options = given.split()
    pairs = (option.split("=") for option in options)
    with pytest.raises(ValueError, match=message):
        load_player("ismcts", game, **{key: yaml.safe_load(value) for key, value in pairs})
