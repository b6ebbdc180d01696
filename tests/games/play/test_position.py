"""Tables from what one seat knows."""

import shlex

import numpy as np
import pytest
import yaml

from games import Choice, make
from games.base.settings import typed
from games.doudizhu.cards import DECK
from games.play.position import table_at
from games.play.question import ask
from games.play.table import Table

GAMES = (
    "doudizhu",
    "doudizhu:bidding=call,doubling=true",
    "kuhn",
    "leduc",
    "limit_holdem",
    "no_limit_holdem",
    "examples.sealed_bids",
)


@pytest.mark.parametrize("name", GAMES)
def test_a_player_is_asked_the_same_as_at_the_table(name: str) -> None:
    """The table is filled in from what ``describe`` says, at every move of random games."""
    game, random = Choice.from_text(name).make(), np.random.default_rng(1)
    hidden_differs = False
    for seed in range(3):
        table = Table(game, seed=seed)
        while not table.is_over:
            filled = table_at(game, table.describe())
            asked, again = ask(table, 0), ask(filled, 0)
            assert asked.seed == again.seed and asked.seat == again.seat
            assert table.describe() == filled.describe()
            hidden_differs |= any(
                not np.array_equal(*pair) for pair in zip(table.deal, filled.deal, strict=True)
            )
            table.play(random.choice([move.text for move in table.legal()]))
    assert hidden_differs


def test_a_move_that_was_not_seen() -> None:
    table = Table(make("goofspiel"), seed=1)
    table.play("3")
    position = table.describe()
    assert position["moves"] == [None]
    assert ask(table_at(table.game, position), 0).seed == ask(table, 0).seed


@pytest.mark.parametrize("rounds", ["won, won", "lost, lost"])
def test_unseen_moves_that_decide_what_the_seat_sees(rounds: str) -> None:
    """With the results of the rounds the position is clear; it was answered for the luckiest."""
    won = rounds.startswith("won")
    table = Table(make("goofspiel", cards=5), seed=1)
    for move in ("3", "1", "2", "0") if won else ("3", "4", "1", "2"):
        table.play(move)
    position = table.describe()
    given = {key: position[key] for key in ("hand", "prize", "moves")}
    with pytest.raises(ValueError, match="does not say what seat 0 sees: rounds"):
        table_at(table.game, given)
    filled = table_at(table.game, {**given, "rounds": position["rounds"]})
    assert filled.describe() == position


def test_unseen_moves_with_too_many_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.play.position.MOST_CHOICES", 200)
    table = Table(make("goofspiel", cards=13), seed=1)
    for move in "0516273849":
        table.play(move)
    position = table.describe()
    assert table_at(table.game, position).describe() == position
    del position["points"]  # nothing else could differ, but only all choices show it
    with pytest.raises(ValueError, match="moves: the unseen ones allow more than 200 choices"):
        table_at(table.game, position)


def test_unseen_moves_are_tried_until_the_later_ones_are_legal() -> None:
    """X sees ``5 ? 2 1 ?``. With the first ``?`` on 1, that square would be tried twice by O."""
    table = Table(make("phantom_tictactoe"), seed=1)
    for move in "52213":
        table.play(move)
    position = table.describe()
    assert position["moves"] == ["5", None, "2", "1", None]
    assert table_at(table.game, position).describe() == position


def test_fields_as_a_person_types_them() -> None:
    table = table_at(
        make("doudizhu"), {"hand": "b2 kkqqjt9 866 6 443 3", "bottom": "T77", "moves": "3"}
    )
    assert table.seat == 1 and table.describe()["hand"] == "334466689TJQQKK2B"
    holdem = {"hand": "AsKd", "public": "7c8c9c", "moves": "call call"}
    assert table_at(make("limit_holdem"), holdem).describe()["hand"] == ["As", "Kd"]
    paid = {"hand": "Ks", "public": "Kh", "moves": "call call", "paid": [1, 1]}
    assert table_at(make("leduc"), paid).describe()["paid"] == [1.0, 1.0]


@pytest.mark.parametrize("fewer", [False, True])
def test_a_position_without_its_moves(fewer: bool) -> None:
    """From what a screen shows, the seat sees the same but the moves and, if not told, the bottom
    cards and the bombs.
    """
    game, random = make("doudizhu"), np.random.default_rng(1)
    own = {"moves", "bottom", "bombs"}
    for seed in range(4):
        table = Table(game, seed=seed)
        while not table.is_over:
            shown = table.describe()
            del shown["moves"]
            if fewer and table.moves:
                shown = {key: shown[key] for key in ("hand", "role", "played", "to_beat")}
                shown |= {"to_beat_seat": table.describe()["to_beat_seat"]}
            filled = table_at(game, shown)
            told, true = filled.describe(), table.describe()
            unknown = own if fewer else {"moves"}
            assert all(told[key] == true[key] for key in true.keys() - unknown)
            assert filled.knows_moves == (not table.moves)
            if table.moves:
                assert told["moves"] is None
                assert not filled.copy().knows_moves
                with pytest.raises(ValueError, match="no record"):
                    filled.record()
            hands = filled.states.hands[0] + filled.states.played[0]
            assert hands.sum() == DECK and (fewer or filled.states.bombs == table.states.bombs)
            table.play(random.choice([move.text for move in table.legal()]))


SHOWN = {
    "hand": "3445688TJQKK2",
    "played": "33,7799,TT",
    "to_beat": "TT",
    "to_beat_seat": 2,
}


DOUDIZHU = {"hand": "334466689TJQQKK2B", "bottom": "77T", "moves": "3"}
LONG = " pass pass ".join(("AAAA", "5555", "222", "888", "999", "JJ"))
"""The landlord has played 19 cards, and none of the bottom cards."""


REFUSED = """
moves hand=33 | hand: 2 cards; expected the 17
moves bottom='' | bottom: 0 cards; expected the 3
moves moves="'66'" | more cards 6
moves moves=LONG | 22 cards of the landlord; expected at most 20
moves moves='3 3' | move 2 of 2.*not legal
moves to_beat=4 | to_beat=4: .* give 3
moves botom=77T | botom: unknown .*bottom
moves hand=R | did you mean B, the big joker .*RLCard
moves hand=X | did you mean L, the
moves hand=10 | did you mean T
doudizhu hand=3 bottom=77T | the 20 that.*moves are missing
doudizhu hand=3 cards_left=2,2,2 | played is missing: without moves
doudizhu hand=34 played=3,3,3 | does not say whose turn it is
shown role=landlord | expected the 18 that the landlord
shown to_beat_seat=1 | role: the position does not say
shown to_beat_seat=0 | to_beat_seat=0: 0 other seats may have played
shown to_beat=pass | to_beat: pass
shown to_beat=null | to_beat_seat=2: to_beat is missing
shown bombs=1 | bombs=1: played allows 0 to 0
shown bombs=x | bombs=x: expected whole numbers
shown cards_left=9,9,9 | cards_left=.9,9,9.: .* give .18,13,15
shown played=33,7799 | played: 2 seats; expected 3
shown played=KK,7799,KTT | more cards K than the deck
doudizhu:bidding=call hand=3445688TJQKK2 played=33,7799,TT | moves are missing; .* bidding=none
leduc moves=call | hand: nothing; expected 1 of
leduc hand=5 | hand: 5; expected 1 of
leduc hand=Qh public=Js | public: Js; expected 0 of
kuhn hand=J moves='raise fold' | the moves end the game
no_limit_holdem hand=5 | hand: cards '5'.*expected a rank
no_limit_holdem moves=cr200c/kk | give each move of the line by itself
no_limit_holdem hand=AsKs stacks=[9,9,9] paid=[1,2] | stacks .9, 9, 9., paid .1, 2.: expected
examples.sealed_bids | does not say what seat 0 sees: view is
"""


@pytest.mark.parametrize("line", REFUSED.strip().splitlines())
def test_a_position_that_cannot_be(line: str) -> None:
    given, message = line.split(" | ")
    name, *fields = shlex.split(given.replace("LONG", f"'{LONG}'"))
    base = {"moves": DOUDIZHU, "shown": SHOWN}.get(name, {})
    pairs = [field.split("=") for field in fields]
    position = base | {key: yaml.safe_load(value) if value else "" for key, value in pairs}
    with pytest.raises(ValueError, match=message):
        table_at(Choice.from_text("doudizhu" if base else name).make(), position)


def test_a_single_bid_and_switches_as_text() -> None:
    table = Table(make("doudizhu", bidding="call", doubling=True), seed=1)
    table.play("call 1")
    position = {key: typed(value) for key, value in table.describe().items() if key != "moves"}
    for moves in ("call 1", "call 1,"):
        assert table_at(table.game, {**position, "moves": moves}).describe() == table.describe()
