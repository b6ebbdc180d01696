"""Doudizhu with an auction: against an oracle, against OpenSpiel, and what a seat may know."""

import re
from itertools import product
from typing import Any

import numpy as np
import pytest

from games import make
from games.doudizhu.auction import Phase, WholeStates
from games.doudizhu.cards import unpack
from games.generic import legal
from games.interface import Game
from games.kernels import kernel, random_below, streams
from games.lockstep import Lockstep
from games.rows import copied
from tests.games import auction_oracle, driver

CHOICES = tuple(product(("call", "rob"), (False, True)))


@pytest.fixture(scope="module", params=CHOICES, ids=str)
def game(request: pytest.FixtureRequest) -> Game:
    bidding, doubling = request.param
    return make("doudizhu", bidding=bidding, doubling=doubling)


@kernel
def _draw(
    rules: Any,
    states: Any,
    lanes: np.ndarray,
    rng: np.ndarray,
    scratch: np.ndarray,
    actions: np.ndarray,
) -> None:
    for k in range(lanes.size):
        n = legal(rules, states, lanes[k], scratch)
        actions[k] = scratch[random_below(rng, lanes[k], n)]


def random_games(game: Game, count: int) -> Lockstep:
    """Plays random games to their ends."""
    games = Lockstep(game, game.deal(streams(0, count)), ask_forced=True)
    rng, scratch = streams(1, count), np.empty(game.spec.max_legal, np.int16)

    def decide(lanes: np.ndarray) -> np.ndarray:
        actions = np.empty(len(lanes), np.int16)
        _draw(game.rules, games.states, lanes, rng, scratch, actions)
        return actions

    for _ in games.run(decide):
        pass
    return games


def test_every_auction_is_as_the_oracle_says(game: Game) -> None:
    """Speakers, legal words, landlords and factors in all auctions."""
    options, ended = game.options, 0
    deal = game.deal(streams(4, 1))
    waiting: list[tuple[WholeStates, list[str]]] = [(deal, [])]
    while waiting:
        state, words = waiting.pop()
        auction = auction_oracle.Auction(options.bidding, options.doubling)
        for word in words:
            auction.say(word)
        seat = driver.current_seat(game.rules, state, 0)
        if auction.speaker is None:
            ended += 1
            if auction.landlord is None:
                assert seat == -1
                continue
            assert seat == state.landlord[0] == auction.landlord
            assert state.phase[0] == Phase.PLAYING and state.factor[0] == auction.stake
            for other in range(3):
                given = deal.talon[0] if other == seat else 0
                assert state.hands[0, (other - seat) % 3] == deal.hands[0, other] + given
            continue
        assert seat == auction.speaker and game.legal_texts(state, 0) == auction.legal()
        for action in game.legal_actions(state, 0):
            after = copied(state)
            driver.step(game.rules, after, 0, int(action))
            waiting.append((after, [*words, game.action_text(int(action))]))
    assert ended > 10


def test_random_games_pay_what_the_oracle_says(game: Game) -> None:
    games = random_games(game, 2_500)
    returns, options = games.returns(), game.options
    texts = {
        action: game.action_text(action)
        for action in np.unique(games.records.moves[:, :])
        if action >= 0
    }
    kinds = set()
    for lane, count in enumerate(games.records.lengths):
        moves = [texts[action] for action in games.records.moves[lane, :count]]
        points = auction_oracle.points(options.bidding, options.doubling, moves)
        assert returns[lane].tolist() == points
        kinds.add(abs(points[0]))
    assert 0 in kinds and max(kinds) >= 24


def _as_ours(text: str, calls: bool) -> str:
    """Returns the text of a move of OpenSpiel as ours."""
    if text == "Pass":
        return "no call" if calls else "pass"
    if re.search(r"-.*(.)\1\1", text):
        return "?"  # a trio among the kickers of a plane: there may be two readings
    for there, here in (("Bid", "call"), ("(BWJ)", "L"), ("(CJ)", "B"), ("-", "")):
        text = text.replace(there, here)
    return text


def compare_with_open_spiel(count: int) -> list[float]:
    """Plays games of moves that both accept in OpenSpiel and here; returns the landlords' points, 0
    where a game was thrown in."""
    theirs = pytest.importorskip("pyspiel").load_game("dou_dizhu")
    rng, game, found = np.random.default_rng(7), make("doudizhu", bidding="call"), []
    rules, states, known = game.rules, game.deal(streams(7, count)), dict[tuple[int, bool], int]()
    for i in range(count):
        state = theirs.new_initial_state()
        state.apply_action(0)  # the first card is face up: player 0 speaks first
        hands = [unpack(hand) for hand in states.hands[i]]
        cards = [np.repeat(np.arange(15), hand).tolist() for hand in hands]
        for k in range(51):
            rank = cards[k % 3].pop()
            suits = [13 * suit + rank for suit in range(4)] if rank < 13 else [39 + rank]
            state.apply_action(next(51 + c for c in suits if 51 + c in state.legal_actions()))
        while (seat := driver.current_seat(rules, states, i)) >= 0:
            assert state.current_player() == seat
            calls, both = states.phase[i] == Phase.CALLING, []
            ours = set(game.legal_actions(states, i).tolist())
            for action in state.legal_actions():
                if (action, calls) not in known:
                    text = _as_ours(state.action_to_string(seat, action), calls)
                    known[action, calls] = -1 if text == "?" else game.parse_action(text)
                if known[action, calls] in ours:
                    both.append((known[action, calls], action))
            assert not calls or len(both) == len(ours)
            pair = both[0 if calls else -1] if rng.random() < 0.5 else both[rng.integers(len(both))]
            driver.step(rules, states, i, pair[0])
            state.apply_action(pair[1])
        returns = [driver.team_return(rules, states, i, seat) for seat in range(3)]
        assert state.is_terminal() and state.returns() == returns
        found.append(max(returns, key=abs))
    return found


def test_open_spiel_has_the_same_auction_and_points() -> None:
    assert {0, 2, -2, 4, 6, 12} <= set(compare_with_open_spiel(80))
