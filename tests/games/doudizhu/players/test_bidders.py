"""Rules for the auction, and players of cards in the whole game."""

import numpy as np
import pytest

from fpmcts.evaluation.measures import match
from fpmcts.players import load_player
from games import make
from games.doudizhu.cards import COPIES, pack, parse_cards, unpack
from games.doudizhu.players import bidders
from games.doudizhu.players.lookahead import LookaheadAgent
from games.doudizhu.state import start_auction
from games.kernels.rows import States
from games.play.agent import Agent
from games.play.decision import RETURN, Decision, RootMove
from games.play.interface import Game
from games.play.question import Limits, Question
from games.play.registry import PLAYERS, Entrant, Host, PlayerOptions, Values
from games.play.table import Table
from tests.tables import rows


def with_hand(game: Game, hand: str) -> Table:
    """Returns a table whose first seat holds a hand; the rest is dealt by rank."""
    own = unpack(parse_cards(hand))
    rest = np.repeat(np.arange(15), COPIES - own)
    parts = [pack(np.bincount(cards, minlength=15)) for cards in np.split(rest, [17, 34])]
    return Table(game, deal=start_auction(np.array([[pack(own), *parts[:2]]]), parts[2][None]))


@pytest.mark.parametrize(
    ("hand", "points", "call", "rob"),
    rows(
        """
3456789TJ3456782A | 2 | no call | no call
3456789TJ345678AL | 3 | call 1  | no call
3456789TJ345678AB | 4 | call 1  | no call
3456789TJ3456722A | 4 | call 1  | no call
3456789TJ345672AL | 5 | call 2  | call
3333456789TJQKKAA | 6 | call 2  | call
3456789TJ345622AL | 7 | call 3  | call
3456789TJQK3456LB | 8 | call 3  | call
"""
    ),
)
def test_the_rule_of_thumb(hand: str, points: str, call: str, rob: str) -> None:
    assert bidders.thumb(parse_cards(hand)) == int(points)
    for bidding, said in (("call", call), ("rob", rob)):
        game = make("doudizhu", bidding=bidding)
        table = with_hand(game, hand)
        player = load_player("bidder", game, rule="thumb")
        assert player.decide(table).move == said

        assert load_player("bidder", game, rule="never").decide(table).move == "no call"
        top = "call 3" if bidding == "call" else "call"
        assert load_player("bidder", game, rule="three").decide(table).move == top


def test_a_higher_call_or_a_rob_needs_a_better_hand() -> None:
    game = make("doudizhu", bidding="call")
    table = with_hand(game, "3456789TJ345672AL")
    for seat_0 in ("no call", "call 1"):
        again = table.copy()
        for move in (seat_0, "call 2", "no call"):
            again.play(move)
        assert load_player("bidder", game, rule="thumb").decide(again).move == "no call"
        assert load_player("bidder", game, rule="three").decide(again).move == "call 3"


@pytest.mark.parametrize(
    ("worth", "call", "doubles"), [(0.1, "call 3", "double"), (-0.1, "no call", "no double")]
)
def test_value_calls_and_doubles_where_the_network_expects_points(
    monkeypatch: pytest.MonkeyPatch, worth: float, call: str, doubles: str
) -> None:
    bottoms = []

    def values(options: PlayerOptions, host: Host) -> Values:
        def of(views: States) -> np.ndarray:
            own, bottom = unpack(views.hands[:, 0]), unpack(views.bottom)
            assert (own.sum(axis=1) == 20).all() and (own >= bottom).all()
            assert host.game.spec.teams == (0, 1, 1) and not views.hands[:, 1:].any()
            bottoms.append(len(set(views.bottom.tolist())))
            return worth + np.tile([-1.0, 1.0], 16)

        return of

    monkeypatch.setattr(PLAYERS["policy"], "values", values)
    game = make("doudizhu", bidding="call", doubling=True)
    player = load_player("bidder", game, rule="value")
    table = with_hand(game, "3456789TJ345672AL")
    assert player.decide(table).move == call
    for move in ("call 3", "double", "no double"):
        table.play(move)
    assert player.decide(table).move == doubles
    assert bottoms[0] > 16 and bottoms[1] == 1


def test_a_rule_bids_for_a_player_that_knows_the_auction() -> None:
    game = make("doudizhu", bidding="call")
    cards = Entrant(PLAYERS["random"](), "random")
    player = PLAYERS["bidder"](cards="own", rule="three").make(Host(game, {"own": cards}))
    table = Table(game, seed=1)
    while not table.is_over:
        table.play(player.decide(table).move)
    assert table.record()["moves"][0] == "call 3" and len(table.moves) > 5


def test_a_match_tells_how_the_players_bid() -> None:
    game = make("doudizhu", bidding="call")
    a, b = (load_player("bidder", game, rule=rule) for rule in ("three", "never"))
    result = match(game, a, b, decks=1)
    of_a, of_b = ([told["landlord"] for told in side.habits_by_team] for side in result.sides)
    assert (of_a, of_b) == ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0])
    assert str(result).count("call 3 100.0 %, landlord 100.0 %, thrown in 0.0 %") == 3
    assert result.as_dict()["by_team"]["Y"]["habits"]["call 3"] == 1.0  # type: ignore[index]


@pytest.mark.parametrize("name", ["rhcp", "team_play", "pimc"])
def test_a_player_of_cards_plays_as_without_an_auction(name: str) -> None:
    """The same cards, the landlord in another seat: every move, every reason."""
    game, alone = make("doudizhu", bidding="call", doubling=True), make("doudizhu")
    whole = Table(game, seed=3)
    for move in ("no call", "call 1", "call 2", "no call", "no call", "double", "no double"):
        whole.play(move)
    whole.play("no double")
    hands = [str(whole.record()["hands"][seat]) for seat in (2, 0, 1)]
    fields = {"hands": hands, "bottom": whole.record()["bottom"]}
    cards = Table(alone, deal=alone.parse_deal(fields))
    player, other = load_player(name, game, seed=1), load_player(name, alone, seed=1)
    while not whole.is_over and len(cards.moves) < 12:
        assert (whole.seat - 2) % 3 == cards.seat
        told, expected = player.decide(whole), other.decide(cards)
        assert told.move == expected.move or name == "pimc"  # its seed is what its seat has seen
        cards.play(told.move)
        whole.play(told.move)


class Cards(Agent):
    name = "cards"

    def answer(self, question: Question, limits: Limits) -> Decision:
        move, action = question.text(question.legal[0]), int(question.legal[0])
        root = (RootMove(move, 1.0, 2, 0.5, 0.1),)
        return Decision(move, action, value=0.5, unit=RETURN, root=root)


def test_bids_are_compared_by_the_points_that_they_lead_to() -> None:
    """A constant expectation of the landlord: what remains is who becomes it, and at what stake."""
    game = make("doudizhu", bidding="call")
    agent = LookaheadAgent(game, Cards(), lambda views: np.full(len(views.seat), 0.5), 16)
    table = with_hand(game, "3456789TJ34567LB2")

    def points() -> dict[str, float | None]:
        return {one.move: one.mean for one in agent.decide(table).root or ()}

    assert points()["call 3"] == agent.decide(table).value == 3.0 * 2.0 * 0.5
    assert (points()["no call"] or 0.0) < 0.0, "another seat may become the landlord"
    table.play("call 1")
    assert points()["call 3"] == 3.0 and points()["no call"] < -0.5, "a peasant pays once"
    table.undo()
    for move in ("no call", "no call"):
        table.play(move)
    assert points()["no call"] == 0.0, "thrown in"
    table.play("call 3")
    for player in (agent, bidders.BiddingAgent(game, Cards(), "fitted")):
        (lead,) = player.decide(table).root or ()
        assert (lead.mean, lead.standard_error) == (3.0, pytest.approx(0.6)), "points at the stake"


def test_the_landlords_points_are_those_of_both_peasants() -> None:
    """One of them has doubled alone: 3 times the card play's, and 6 times after a double."""
    game = make("doudizhu", bidding="rob", doubling="each")
    table = with_hand(game, "3456789TJ34567LB2")
    for move in ("call", "no rob", "no rob", "double", "no double"):
        table.play(move)
    agent = LookaheadAgent(game, Cards(), lambda views: np.full(len(views.seat), 0.5), 16)
    root = agent.decide(table).root or ()
    assert {one.move: one.mean for one in root} == {"no double": 1.5, "double": 3.0}
    table.play("double")
    for move, value in (("3", 3.0), ("pass", 2.0), ("pass", 1.0)):
        assert agent.decide(table).value == value
        table.play(move)


def test_a_rule_cannot_be_restricted_to_given_bids() -> None:
    table = Table(make("doudizhu", bidding="call", doubling=True), seed=1)
    player = load_player("rhcp", table.game)
    assert player.decide(table).move in [move.text for move in table.legal()]
    with pytest.raises(ValueError, match="restricted"):
        player.decide(table, moves=["call 3"])
