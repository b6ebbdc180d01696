"""Players of no-limit Hold'em: their rules on positions that are known, legality in whole games, statistics from lot to lot."""

import numpy as np
import pytest

from agents import load_player
from agents.poker.mcts import MCTSAgent, MCTSOptions
from evaluation.decks import evaluation_decks
from evaluation.table_match import orders, play_table, scores_by_deck, table_match
from games import make
from games.no_limit_holdem.state import CALL, FIRST_AMOUNT
from games.poker.hands import parse_cards
from games.table import Table
from opponent_models.model import untrained
from opponent_models.statistics import HANDS

RULES = ("hand_only", "best_hand", "maniac", "always_call", "random")


def table(own: str, *moves: str, players: int = 2, board: str = "2c 7d Kh 3s 8c") -> Table:
    """Returns a table at which seat 0 holds ``own``."""
    game = make("no_limit_holdem", players=players, stacks=20000)
    deal = game.deal(np.array([3], np.uint64))
    cards = parse_cards(board)
    deal.board[0] = [*sorted(cards[:3], reverse=True), *cards[3:]]
    others = [card for card in range(52) if card not in parse_cards(own) + cards]
    hands = [sorted(parse_cards(own), reverse=True), *([others[2 * k + 1], others[2 * k]] for k in range(players - 1))]
    deal.hole[0] = hands
    at = Table(game, deal=deal)
    for move in moves:
        at.play(move)
    return at


@pytest.mark.parametrize("players", [2, 3, 6, 10])
@pytest.mark.parametrize("kind", RULES)
def test_rule_players_play_whole_games(kind: str, players: int) -> None:
    game = make("no_limit_holdem", players=players, stacks=3000)
    agents = [load_player(kind, game) for _ in range(players)]
    games = play_table(game, agents, evaluation_decks(game, 1, 2), 1)
    assert games.returns.sum(axis=1) == pytest.approx(np.zeros(len(games.returns)))


def test_hand_only_goes_by_its_two_cards() -> None:
    assert load_player("hand_only", table("2d 3d").game).decide(table("Ah Ad", "r5000")).action == CALL  # before the flop
    cases = {"Ah Ad": (200, 400), "Ac 5d": (100, 300), "9s 5d": (0, 200)}
    for own, (low, high) in cases.items():
        for seed in range(20):
            at = table(own, "call", "call")
            action = load_player("hand_only", at.game, seed=seed).decide(at).action
            bet = action - FIRST_AMOUNT if action > CALL else 0
            assert low - 100 <= bet <= high + 100
    after_bet = [table(own, "call", "call", "call", "r900") for own in ("Ah Ad", "9s 5d")]
    assert [load_player("hand_only", at.game).decide(at).move for at in after_bet] == ["call", "fold"]


def test_best_hand_bets_half_of_what_it_expects() -> None:
    at = table("Kc Ks", "call", "call")
    moves = {load_player("best_hand", at.game, seed=seed).decide(at).action - FIRST_AMOUNT for seed in range(5)}
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


@pytest.mark.parametrize("players", [2, 3, 4, 6, 10])
def test_each_player_sits_equally_often_in_each_seat(players: int) -> None:
    rows = orders(players, 1)
    for player in range(players):
        counts = (rows == player).sum(axis=0)
        assert (counts == counts[0]).all()


def test_equal_players_without_chance_share_nothing_out() -> None:
    """What a deck brings to its seats comes to everybody in turn."""
    game = make("no_limit_holdem", players=3)
    games = play_table(game, [load_player("always_call", game) for _ in range(3)], evaluation_decks(game, 1, 5), 1)
    assert scores_by_deck(game, games, 5) == pytest.approx(np.zeros((5, 3)))


def test_mcts_counts_players_from_lot_to_lot() -> None:
    game = make("no_limit_holdem", players=3, stacks=2000)
    options = MCTSOptions(iterations=50, checkpoint="untrained", pool=8, nodes=20_000)
    agent = MCTSAgent(game, options, untrained())
    agents = [agent, load_player("always_call", game), load_player("maniac", game)]
    result = table_match(game, lambda: agents, ("mcts", "always_call", "maniac"), 4, 1, lot=2)
    assert result is not None
    assert result.num_games == 24
    assert agent.counts[:, HANDS] == pytest.approx(np.full(3, 24), rel=0.03)
    contexts = agent.counts[:, 5:32].reshape(3, 9, 3).sum(axis=1)
    assert contexts[1, 0] == contexts[1, 2] == 0.0  # the caller neither folds nor raises
    assert contexts[2, 0] == 0.0  # nor does the maniac fold
    assert contexts[2, 2] > contexts[2, 1]
