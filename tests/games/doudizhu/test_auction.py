"""Doudizhu with an auction: against an oracle, and what a seat may know."""

from itertools import product

import numpy as np
import pytest

from fpmcts.evaluation.match import play_games
from fpmcts.players.random_agent import Random
from games import Choice, make
from games.base.settings import ConfigError
from games.doudizhu.auction import Phase, share
from games.doudizhu.cards import COPIES, pack, parse_cards, unpack
from games.doudizhu.state import States, start_auction
from games.kernels import streams
from games.kernels.rows import copied, take
from games.play.interface import Game, Records
from games.play.position import table_at
from games.play.table import Table
from tests.games import driver, hidden_cards
from tests.games.doudizhu import auction_oracle

CHOICES = (
    *product(("call", "rob"), (False, True), (False,)),
    ("call", False, True),
    ("rob", True, True),
    ("rob", "each", False),
    ("call", "each", True),
)


@pytest.fixture(scope="module", params=CHOICES, ids=str)
def game(request: pytest.FixtureRequest) -> Game:
    bidding, doubling, forced = request.param
    return make("doudizhu", bidding=bidding, doubling=doubling, forced=forced)


def test_every_auction_is_as_the_oracle_says(game: Game) -> None:
    """Speakers, legal words, landlords and factors in all auctions."""
    options, ended = game.options, 0
    deal = game.deal(streams(4, 1))
    waiting: list[tuple[States, list[str]]] = [(deal, [])]
    while waiting:
        state, words = waiting.pop()
        auction = auction_oracle.Auction(options.bidding, options.doubling, options.forced)
        for word in words:
            auction.say(word)
        seat = driver.current_seat(game.rules, state, 0)
        if auction.speaker is None:
            ended += 1
            if auction.landlord is None:
                assert seat == -1 and not options.forced
                continue
            assert seat == state.landlord[0] == auction.landlord
            assert state.phase[0] == Phase.PLAYING
            for other in range(3):
                points = share(game.rules, state, 0, (other - seat) % 3) * state.factor[0]
                assert points == auction.stakes()[other]
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
    seating = np.zeros((2_500, 3), np.int64)
    games = play_games(game, [Random().at(game)], seating, game.deal(streams(0, 2_500)), 1)
    returns, options = games.returns, game.options
    texts = {
        action: game.action_text(action)
        for action in np.unique(games.records.moves[:, :])
        if action >= 0
    }
    kinds = set()
    for lane, count in enumerate(games.records.lengths):
        moves = [texts[action] for action in games.records.moves[lane, :count]]
        points = auction_oracle.points(options.bidding, options.doubling, moves, options.forced)
        assert returns[lane].tolist() == points
        kinds.add(abs(points[0]))
    assert (0 in kinds) != options.forced and max(kinds) >= 24


def test_a_bid_says_nothing_of_cards_that_its_seat_does_not_see(game: Game) -> None:
    """Other hands and bottom cards are swapped at bids and doublings of random auctions."""
    rng, num = np.random.default_rng(5), 40
    states = game.deal(streams(5, num))
    for i in range(num):
        state = take(states, np.array([i]))
        while driver.current_seat(game.rules, state, 0) >= 0 and state.phase[0] != Phase.PLAYING:
            for seat in range(3):
                view = game.view(state, np.array([seat]))
                words = hidden_cards.drawn(game, view, seat, 1, seed=i)[0]
                swapped = hidden_cards.world(game, view, seat, words)
                for a, b in zip(game.view(swapped, np.array([seat])), view, strict=True):
                    np.testing.assert_array_equal(a, b)
                told = [game.describe_view(s, 0, np.zeros(0, int), seat) for s in (swapped, view)]
                assert told[0] == told[1]
                seen = [driver.observation(game, s, 0, seat) for s in (swapped, state)]
                np.testing.assert_array_equal(*seen)
            action = int(rng.choice(game.legal_actions(state, 0)))
            driver.step(game.rules, state, 0, action)


def test_a_position_of_the_auction() -> None:
    game = make("doudizhu", bidding="call", doubling=True)
    hand = "33445566789TJQKA2"
    table = table_at(game, {"hand": hand, "moves": "call 1, no call"})
    assert table.seat == 2 and table.describe()["hand"] == hand
    assert [move.text for move in table.legal()] == ["no call", "call 2", "call 3"]
    own = {"hand": hand + "2LB", "bottom": "2LB", "moves": "no call, call 3, double, no double"}
    told = table_at(game, own).describe()
    assert (told["seat"], told["role"], told["landlord"]) == (1, "landlord", 1)
    assert told["cards_left"] == [17, 20, 17] and told["doubled"] == [False, None, True]
    with pytest.raises(ValueError, match="16 cards; expected the 17 of seat 0"):
        table_at(game, {"hand": hand[1:]})
    with pytest.raises(ValueError, match="17 cards; expected the 20 that the landlord holds now"):
        table_at(game, own | {"hand": hand})
    with pytest.raises(ValueError, match="no card 'C' in 'call 3'"):  # after the auction
        table_at(game, own | {"moves": "call 3, double, no double, double, call 3"})


def test_a_described_spring() -> None:
    """Seat 1 robs and plays alone: 2 for the rob, a bomb, the spring."""
    game = make("doudizhu", bidding="rob")
    parts = [unpack(parse_cards(cards)) for cards in ("33456789TJQKA2222", "KKK")]
    rest = np.repeat(np.arange(15), COPIES - sum(parts))
    hands = [pack(np.bincount(cards, minlength=15)) for cards in (rest[:17], rest[17:])]
    hands.insert(1, pack(parts[0]))
    table = Table(game, deal=start_auction(np.array([hands]), pack(parts[1])[None]))
    for move in "call,rob,no rob,no rob,3456789TJQKA,pass,pass,KKK3,pass,pass,2222".split(","):
        assert not table.describe(0)["spring"]
        table.play(move)
    told, record = table.describe(2), table.record()
    assert told["returns"] == [-8, 16, -8] == record["points"] and record["winner"] == 1
    shown = {key: told[key] for key in ("landlord", "bids", "bottom", "factor", "bombs", "spring")}
    assert shown == {
        "landlord": 1,
        "bids": ["no rob", "rob", "no rob"],
        "bottom": "KKK",
        "factor": 2,
        "bombs": 1,
        "spring": True,
    }
    assert told["hands"][1] == "" and told["cards_left"] == [17, 0, 17]
    assert Table(game, record=record).record() == record


def test_what_seats_said_is_counted_where_they_were_asked() -> None:
    game = make("doudizhu", bidding="call", doubling=True)
    moves = np.full((2, 12), -1, np.int16)
    first = ["no call", "call 2", "no call", "no call", "double", "no double", "double"]
    for row, said in enumerate((first, 3 * ["no call"])):
        moves[row, : len(said)] = [game.parse_action(text) for text in said]
    told = game.habits(Records(moves, np.array([7, 3], np.int16)))
    assert {name: " ".join(done.ravel().astype(str)) for name, done in told.items()} == {
        "call 1": "0.0 0.0 0.0 0.0 0.0 0.0",
        "call 2": "0.0 1.0 0.0 0.0 0.0 0.0",
        "call 3": "0.0 0.0 0.0 0.0 0.0 0.0",
        "double": "0.0 1.0 1.0 nan nan nan",
        "landlord": "0.0 1.0 0.0 nan nan nan",
        "thrown in": "0.0 0.0 0.0 1.0 1.0 1.0",
    }


@pytest.mark.parametrize("option", ["doubling=true", "doubling=each", "forced=true"])
def test_options_that_need_an_auction(option: str) -> None:
    with pytest.raises(ConfigError, match=f"{option}: needs an auction"):
        Choice.from_text(f"doudizhu:{option}").make()
    with pytest.raises(ConfigError, match="all: expected one of false, true, each"):
        make("doudizhu", doubling="all")


def test_a_record_of_a_game_that_nobody_called() -> None:
    game = make("doudizhu", bidding="call", forced=True)
    table = Table(game, seed=1)
    for _ in range(3):
        table.play("no call")
    assert table.describe()["landlord"] == 0 and table.describe()["factor"] == 1
    table.play(table.legal()[0].text)
    assert Table(game, record=table.record()).moves == table.moves
    with pytest.raises(ValueError, match="expected none, the game is over"):
        Table(make("doudizhu", bidding="call"), record=table.record())
