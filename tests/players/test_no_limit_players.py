"""Players of no-limit Hold'em: their rules on positions that are known, legality in whole games,
statistics from lot to lot.
"""

from dataclasses import replace

import numpy as np
import pytest

from fpmcts.evaluation.duplicate import duplicate_match, evaluation_decks, table_games
from fpmcts.no_limit_holdem.mcts import SHIPPED, MCTSAgent, MCTSOptions
from fpmcts.no_limit_holdem.opponents.model import untrained
from fpmcts.no_limit_holdem.opponents.model_file import load
from fpmcts.no_limit_holdem.opponents.statistics import HANDS
from fpmcts.players import load_player
from fpmcts.web.engine.answering import Answering
from fpmcts.web.engine.asking import Earlier, EngineQuestion
from games import make
from games.no_limit_holdem.state import CALL, FIRST_AMOUNT
from games.play.question import ask
from games.play.table import IllegalMove, Table
from tests.games.no_limit_holdem.positions import at_table

RULES = ("hand_only", "best_hand", "maniac", "always_call", "random")


def table(own: str, *moves: str, board: str = "2c 7d Kh 3s 8c") -> Table:
    """Returns a table at which seat 0 holds ``own``."""
    return at_table([own], board, *moves, stacks=20000)


@pytest.mark.parametrize("players", [2, 3, 10])
@pytest.mark.parametrize("kind", RULES)
def test_rule_players_play_whole_games(kind: str, players: int) -> None:
    game = make("no_limit_holdem", players=players, stacks=3000)
    agents = [load_player(kind, game) for _ in range(players)]
    games = table_games(game, agents, evaluation_decks(game, 1, 2), 1)
    assert games.returns.sum(axis=1) == pytest.approx(np.zeros(len(games.returns)))


def test_hand_only_goes_by_its_two_cards() -> None:
    assert (
        load_player("hand_only", table("2d 3d").game).decide(table("Ah Ad", "r5000")).action == CALL
    )  # before the flop
    cases = {"Ah Ad": (200, 400), "Ac 5d": (100, 300), "9s 5d": (0, 200)}
    for own, (low, high) in cases.items():
        for seed in range(20):
            at = table(own, "call", "call")
            action = load_player("hand_only", at.game, seed=seed).decide(at).action
            bet = action - FIRST_AMOUNT if action > CALL else 0
            assert low - 100 <= bet <= high + 100
    after_bet = [table(own, "call", "call", "call", "r900") for own in ("Ah Ad", "9s 5d")]
    assert [load_player("hand_only", at.game).decide(at).move for at in after_bet] == [
        "call",
        "fold",
    ]


def test_best_hand_bets_half_of_what_it_expects() -> None:
    at = table("Kc Ks", "call", "call")
    moves = {
        load_player("best_hand", at.game, seed=seed).decide(at).action - FIRST_AMOUNT
        for seed in range(5)
    }
    assert all(95 <= amount <= 100 for amount in moves) or moves == {CALL - FIRST_AMOUNT}
    facing = table("Kc Ks", "call", "call", "call", "r150")
    action = load_player("best_hand", facing.game).decide(facing).action
    assert action == CALL  # E = 0.98 (350 + 150): half of it is no raise, a call of 150 is worth it
    weak = table("4d 5h", "call", "call", "call", "r2000")
    assert load_player("best_hand", weak.game).decide(weak).move == "fold"


def test_maniac_never_folds_and_mostly_raises() -> None:
    at = table("4d 5h", "r2000")
    moves = [load_player("maniac", at.game, seed=seed).decide(at).move for seed in range(40)]
    assert "fold" not in moves
    assert 20 < sum(move != "call" for move in moves) < 40


@pytest.mark.slow  # a minute of compiling
def test_mcts_counts_players_of_pairs_whatever_their_seats() -> None:
    """Of 5 decks of three players each is dealt into 9 hands a deck: 3 alone, 6 in pairs; the table
    after is one of strangers.
    """
    game = make("no_limit_holdem", players=3, stacks=2000)
    agent = MCTSAgent(game, MCTSOptions(iterations=50), untrained())
    duplicate_match(game, agent, load_player("maniac", game), 5, 1)
    assert agent.counts[:, HANDS] == pytest.approx([45.0, 45.0, 0.0], rel=0.03)
    assert (
        agent.counts[1, 5] == agent.counts[1, 8] == 0.0 < agent.counts[0, 5:12].sum()
    )  # the maniac never folds


def test_mcts_looks_back_as_far_as_its_model() -> None:
    game, window = make("no_limit_holdem"), load(SHIPPED).window
    assert [load_player("mcts", game, **own).options.window for own in ({}, {"window": 50})] == [
        window,
        50,
    ]


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("random", {}),
        ("always_call", {}),
        ("mcts", {"iterations": 300, "checkpoint": "untrained"}),
    ],
)
def test_players_are_asked_about_any_amount(kind: str, options: dict[str, object]) -> None:
    """Amounts that no listed size comes to, one that comes to what a listed size does, and those
    that are not allowed.
    """
    at = table("Ah Ad", "r333", board="2c 7d 9h 3s 8c")
    least, most = at.describe()["raise"]
    player = load_player(kind, at.game, seed=1, **options)
    asked = ["r777", "r4321", f"r{least}", "least", "call"]
    decision = player.decide(at, moves=asked)
    assert decision == replace(player.decide(at, moves=asked), seconds=decision.seconds)
    assert decision.move in asked and decision.action == at.game.parse_action(decision.move)
    assert player.decide(at, moves=["r4321"]).move == "r4321"
    if decision.policy is not None:
        assert sum(decision.policy[text] for text in asked) == pytest.approx(1.0)
        assert set(asked) <= set(decision.policy)
    if decision.root is not None:
        assert sorted(row.move for row in decision.root) == sorted(asked)
        assert all(row.visits > 0 and row.mean is not None for row in decision.root)
    for wrong in (f"r{least - 1}", f"r{most + 1}"):
        with pytest.raises(
            ValueError, match=f"moves: expected legal ones, at least one; got {wrong}"
        ):
            player.decide(at, moves=["call", wrong])
    with pytest.raises(ValueError, match=r"moves: 40 given; expected at most 7"):
        player.decide(at, moves=[f"r{least + k}" for k in range(40)])


def test_amounts_have_the_probability_of_what_stands_for_them() -> None:
    """After a raise to 333 the pot after a call is 666 chips, so a raise of the pot is one to
    999.
    """
    question = ask(table("Ah Ad", "r333"), 0, ["r1000", "r19000", "call"])
    texts = [[question.text(k) for k in row] for row in (question.asked, question.stands_for)]
    assert dict(zip(*texts, strict=True)) == {"r1000": "1 pot", "r19000": "all-in", "call": "call"}


def test_records_are_not_longer_than_a_game() -> None:
    """Stacks of 10,000 big blinds allow more raises than the moves of a hand have room for."""
    game = make("no_limit_holdem")
    record = Table(game, seed=1).record()
    record["deal"] |= {"big_blind": 1, "blinds": [1, 1]}
    at = Table(game, record=record)
    with pytest.raises(
        IllegalMove, match=f"{game.spec.max_moves} moves were played, the most that a game may have"
    ):
        for k in range(game.spec.max_moves + 1):
            at.play(f"r{k + 2}")
    assert len(at.moves) == game.spec.max_moves
    with pytest.raises(ValueError, match=f"expected at most {game.spec.max_moves}"):
        Table(game, record=at.record() | {"moves": ["call"] * (game.spec.max_moves + 1)})


def test_the_engine_of_the_web_tells_of_earlier_hands() -> None:
    """A player that has seen the maniac plays the same table differently, and as before once it is
    told of nobody.
    """
    game = make("no_limit_holdem")
    records = []
    for seed in range(30):
        at = Table(game, seed=seed)
        player = [load_player(kind, game, seed=seed) for kind in ("maniac", "always_call")]
        while not at.is_over:
            at.play(player[(at.seat + seed) % 2].decide(at).move)
        records.append(at.record())
    seating = tuple((seed % 2, 1 - seed % 2) for seed in range(31))
    engine, made = Answering(), Table(game, seed=77)
    options = {"iterations": 200}
    asked = EngineQuestion("no_limit_holdem", made.record(), "mcts", options, 3)
    rows = engine.decide(asked, lambda answer: None, lambda: False).decision.root
    told = replace(asked, earlier=Earlier(tuple(records), seating))
    known = engine.decide(told, lambda answer: None, lambda: False).decision.root
    counts = next(iter(engine._players.values())).counts
    assert counts[:, HANDS] == pytest.approx([30.0, 30.0], rel=0.03)
    assert (
        counts[0, 5:32].reshape(9, 3).sum(axis=0)[2]
        > counts[1, 5:32].reshape(9, 3).sum(axis=0)[2]
        == 0.0
    )
    assert (
        known != rows
        and engine.decide(told, lambda answer: None, lambda: False).decision.root == known
    )
    assert engine.decide(asked, lambda answer: None, lambda: False).decision.root == rows
