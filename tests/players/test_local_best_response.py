"""A local best response: its range and its gains against naive ones, its value by enumeration, and
the bound it is made for.
"""

import numpy as np
import pytest

from fpmcts.players.tabular import TabularAgent, TabularPolicy
from fpmcts.tabular.best_response import best_response_values, profile_values
from games import make
from games.play.interface import Records
from games.play.tables import Tables, sequences
from games.poker.betting import Action
from games.poker.game import LimitPoker
from games.poker.players.always_call import AlwaysCall
from games.poker.players.local_best_response import LocalBestResponse
from games.poker.state import HIDDEN, States
from tests.evaluation.poker_games import poker as make_poker
from tests.evaluation.poker_games import random_table
from tests.games.poker import poker_oracle as oracle

NO_RECORDS = Records(np.zeros((1, 1), np.int16), np.zeros(1, np.int16))
NAMES = ["kuhn", "leduc"]


def agent_against(game: LimitPoker, table: np.ndarray, boards: int = 100) -> LocalBestResponse:
    return LocalBestResponse(game, TabularAgent(TabularPolicy.of_table(game.tables, table)), boards)


def all_views(game: LimitPoker) -> tuple[Tables, States]:
    """Returns the game in which suits differ, and a view for each of its information sets."""
    full = game.tables if game.spec.name == "kuhn" else make("leduc", suits=True).tables
    states = game.empty(full.num_infosets)
    for node in range(len(full.betting.player)):
        rows = full.betting.base[node] + full.deals.buckets[:, full.betting.hand[node]]
        states.cards[rows], states.node[rows] = full.deals.cards, node
    return full, game.view(states, full.betting.player[states.node])


def moves_at(agent: LocalBestResponse, views: States, seed: int = 0) -> np.ndarray:
    agent.start(len(views.node), seed)
    return agent.act(np.arange(len(views.node)), views, NO_RECORDS)


def exact_values(game: LimitPoker, table: np.ndarray, boards: int = 100) -> np.ndarray:
    """Returns what a local best response wins in each seat, in chips, by the full tree: it is a
    pure policy of views.
    """
    full, views = all_views(game)
    moves = moves_at(agent_against(game, table, boards), views)
    slots = moves - full.betting.actions[views.node, 0]
    pure, other = np.eye(full.max_actions)[slots], game.tables.full_policy(table)
    owner = full.infoset_player[:, None]
    return np.array(
        [profile_values(full, np.where(owner == seat, pure, other))[seat] for seat in range(2)]
    )


@pytest.mark.parametrize("name", NAMES)
def test_it_wins_at_most_what_a_best_response_wins(name: str) -> None:
    game = make_poker(name)
    for seed in range(4):
        table = random_table(game.tables, seed, sharp=(0.3, 1.0, 3.0, 6.0)[seed % 4])
        for boards in (100, 2):
            assert (
                exact_values(game, table, boards) <= best_response_values(game.tables, table) + 1e-9
            ).all()


def naive_range(
    game: LimitPoker, table: np.ndarray, view: np.ndarray, played: str
) -> dict[int, float]:
    """Returns the weight of each card of the opponent: the product of the probabilities of its
    moves.
    """
    name, rows = game.spec.name, {text: row for row, text in enumerate(game.tables.infoset_texts())}
    position = oracle.replay(name, played)
    assert position.player is not None
    cards = [oracle.CARDS[name][card] if card != HIDDEN else "" for card in view]
    weights = {}
    for number, card in enumerate(oracle.CARDS[name]):
        if card in cards:
            continue
        held = (cards[0][0], card[0]) if position.player == 0 else (card[0], cards[1][0])
        weight = 1.0
        for k, move in enumerate(played):
            before = oracle.replay(name, played[:k])
            if before.player == 1 - position.player:
                seen = oracle.seen(
                    (*held, cards[2][:1] if len(cards) > 2 else ""), before.player, before
                )
                weight *= table[rows[seen], before.legal.index(move)]
        weights[number] = weight
    total = sum(weights.values())
    return {number: weight / total for number, weight in weights.items()}


def naive_gain(game: LimitPoker, view: np.ndarray, card: int, played: str, then: str) -> float:
    """Returns what some further moves, and checks to the end, win more than folding: the mean over
    the cards to come.
    """
    name = game.spec.name
    before = oracle.replay(name, played)
    mover = before.player
    assert mover is not None
    played += then
    while (position := oracle.replay(name, played)).player is not None:
        played += "c"
    cards = [*view]
    cards[1 - mover] = card
    boards = [cards[2]] if len(cards) > 2 else [0]
    if len(cards) > 2 and cards[2] == HIDDEN:
        boards = [number for number in range(6) if number not in cards]
    deals = [
        [oracle.CARDS[name][c] for c in ([*cards[:2], board] if len(cards) > 2 else cards)]
        for board in boards
    ]
    won = np.mean([oracle.wins(name, position, tuple(deal)) for deal in deals]) * (
        1 if mover == 0 else -1
    )
    return float(won + before.paid[mover])


@pytest.mark.parametrize("name", NAMES)
def test_ranges_and_gains_against_naive_ones(name: str) -> None:
    """At every information set, suits told apart."""
    game = make_poker(name)
    table = random_table(game.tables, 7)
    agent, (_, views) = agent_against(game, table), all_views(game)
    games = np.arange(len(views.node))
    agent.start(len(games), 0)
    ranges = agent.ranges(games, views, NO_RECORDS)
    gains, _ = agent.gains(ranges, games, views)
    rows = {text: row for row, text in enumerate(game.tables.infoset_texts())}
    texts = sequences(game.betting)[0]
    for i in games:
        view, played = views.cards[i], texts[views.node[i]].replace("/", "")
        position, expected = oracle.replay(name, played), naive_range(game, table, view, played)
        assert dict(enumerate(ranges[i])) == pytest.approx(
            {card: expected.get(card, 0.0) for card in range(len(ranges[i]))}
        )
        mover = position.player
        assert mover is not None
        assert gains[i, Action.FOLD] == (0.0 if "f" in position.legal else -np.inf)
        call = sum(
            weight * naive_gain(game, view, card, played, "c") for card, weight in expected.items()
        )
        assert gains[i, Action.CALL] == pytest.approx(call)
        if "r" not in position.legal:
            assert gains[i, Action.RAISE] == -np.inf
            continue
        raised, facing = 0.0, oracle.replay(name, played + "r")
        for card, weight in expected.items():
            cards = [*view]
            cards[1 - mover] = card
            ranks = tuple(oracle.CARDS[name][c][0] if c != HIDDEN else "" for c in cards)
            folds = table[rows[oracle.seen(ranks, 1 - mover, facing)], 0]
            pot = sum(position.paid)
            raised += weight * (
                folds * pot + (1 - folds) * naive_gain(game, view, card, played, "rc")
            )
        assert gains[i, Action.RAISE] == pytest.approx(raised)


def test_refusals() -> None:
    game = make_poker("kuhn")
    agent = LocalBestResponse(game, AlwaysCall().at(game))
    agent.start(1, 0)
    node = sequences(game.betting)[0].index("cr")
    bet = States(np.array([[0, HIDDEN]], np.int8), np.array([node], np.int32))
    with pytest.raises(ValueError, match="in game 0 the opponent made a move that the policy"):
        agent.act(np.zeros(1, np.int64), bet, NO_RECORDS)
