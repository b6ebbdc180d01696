"""The rulebook over the games of the project: views of every game, deals of an editor."""

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from fpmcts.web.engine.answering import Answering
from fpmcts.web.engine.asking import EngineQuestion
from fpmcts.web.errors import RefusedError
from fpmcts.web.tables.lobby import Lobby
from fpmcts.web.tables.rulebook import Rulebook, table_at
from fpmcts.web.tables.views import view_of
from games.play.table import Table
from tests.web.fake import FakeClock, FakeEngine, services

GAMES = ("doudizhu", "kuhn", "leduc", "limit_holdem", "no_limit_holdem:players=3")


@pytest.fixture(scope="module")
def games() -> Rulebook:
    return Rulebook()


def played(games: Rulebook, game: str, seed: int) -> Any:
    """Returns a finished game of random moves."""
    table, chance = games.table(game, seed=seed), random.Random(seed)
    while not table.is_over:
        table.play(chance.choice([move.text for move in table.legal()]))
    return table


@pytest.mark.parametrize("game", GAMES)
def test_views_of_every_game(games: Rulebook, game: str) -> None:
    info = games.info(game)
    names = [name for name, _ in info.seats]
    end = played(games, game, 5)
    movers = [move.seat for move in end.moves]
    for ply in range(len(end.moves) + 1):
        table = table_at(end, ply)
        for viewer in range(len(names)):
            view = view_of(table, info, names, viewer)
            others = [seat["cards"] for seat in view["seats"] if seat["seat"] != viewer]
            assert others == [None] * len(others) and view["seats"][viewer]["cards"] is not None
            legal = [move.text for move in table.legal()] if table.seat == viewer else []
            assert view["legal"] == legal and [row["seat"] for row in view["moves"]] == movers[:ply]
            json.dumps(view, allow_nan=False)
        view = view_of(table, info, names, None, everything=True)
        assert all(seat["cards"] is not None for seat in view["seats"])
    assert view["returns"] == list(end.returns) and view["over"] and view["to_move"] is None


def test_a_position_without_its_moves(games: Rulebook) -> None:
    """As a client sends it, through the engine's process."""
    shown = {
        "hand": "3445688TJQKK2",
        "played": ["33", "7799", "TT"],
        "to_beat": "TT",
        "to_beat_seat": 2,
    }
    assert games.table("doudizhu", position=shown).seat == 1
    with pytest.raises(RefusedError, match="played is missing"):
        games.table("doudizhu", position={"hand": "3", "to_beat": "TT"})
    question = EngineQuestion("doudizhu", {}, "policy", {}, 0, moves=("KK", "pass"), position=shown)
    told = Answering().decide(question, lambda answer: None, lambda: False).fields()
    assert told["knows_moves"] is False and told["policy"].keys() == {"KK", "pass"}


@pytest.mark.parametrize("game", GAMES[:4])
def test_a_deal_of_the_editor_is_that_of_the_record(games: Rulebook, game: str) -> None:
    record = games.table(game, seed=3).record()
    deal = {name: record[name] for name in games.info(game).deal or {}}
    assert games.table(game, deal=deal).record() == record
    assert games.read(record)[0] == game
    with pytest.raises(RefusedError, match="unknown field of a deal"):
        games.table(game, deal={**deal, "winner": 0})
    with pytest.raises(RefusedError, match="deal: missing hands"):
        games.table(game, deal={name: deal[name] for name in deal if name != "hands"})
    with pytest.raises(RefusedError):
        games.table(game, deal={**deal, "hands": deal["hands"][::-1] + deal["hands"]})


def test_an_opened_record_is_read_once(games: Rulebook, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand records of a file wait for each other."""
    record, made, real = played(games, "leduc", 1).record(), list[object](), Table.__init__
    games.info("leduc")

    def count(self: Table, *args: Any, **given: Any) -> None:
        made.append(self)
        real(self, *args, **given)

    monkeypatch.setattr(Table, "__init__", count)
    lobby = Lobby(replace(services(FakeEngine(), FakeClock()), rulebook=games))
    assert lobby.open_record("me", json.dumps(record)).summary()["game"] == "leduc"
    assert len(made) == 1


def test_a_game_that_describes_nothing_is_shown_seat_by_seat() -> None:
    games = Rulebook(["examples.sealed_bids"])
    info = games.info("examples.sealed_bids")
    table = games.table(info.name, deal={"deal": {"cards": [1, 2], "bids": [-1, -1], "turn": 0}})
    for move in ("bid 2", "bid 1"):
        table.play(move)
    mine, known = {"cards": 1, "bids": 2}, {"cards": 2, "bids": 1}
    for viewer, facts, move in ((0, dict.fromkeys(known), None), (None, known, "bid 1")):
        view = view_of(table, info, ["you", "random"], viewer, everything=viewer is None)
        assert [seat["facts"] for seat in view["seats"]] == [mine, facts]
        assert [made["move"] for made in view["moves"]] == ["bid 2", move]
        assert view["facts"] == {"turn": 2}


NO_LIMIT = ("no_limit_holdem", "no_limit_holdem:players=3", "no_limit_holdem:players=6")


@pytest.mark.parametrize("name", NO_LIMIT)
def test_its_players_are_taken_from_their_rooms(games: Rulebook, name: str) -> None:
    """Whoever of ``fpmcts.players`` plays the game with their usual options stands in the lobby,
    for each number of players; and networks, where weights come with the project.
    """
    from fpmcts.players.lookup import PLAYERS
    from fpmcts.web.tables.catalogue import Catalogue
    from fpmcts.web.tables.offers import OTHERS, of_rooms, offers

    catalogue = Catalogue(offers(), OTHERS)
    entries = of_rooms(name, games.game(name))
    catalogue.add(name, entries)
    found = [entry.name for entry in catalogue.offer(name).entries]
    assert {entry.name for entry in entries} | {"mcts", "random"} <= {*found}
    assert ("policy" in found) == (catalogue.offer(name).analyst == "fpmcts") == ("6" not in name)
    for entry in entries:
        assert PLAYERS[entry.kind].plays("no_limit_holdem") and entry.budget < entry.delay
        assert PLAYERS[entry.kind].slow == (entry.delay > 1)


def test_variants_stand_in_the_lobby(games: Rulebook) -> None:
    """Names with options are games of their own, with tables, records and descriptions of
    theirs.
    """
    told = {name: games.info(name) for name in games.names()}
    assert told["goofspiel:cards=4"].variant == "4 cards" and told["leduc"].variant is None
    for name in ("goofspiel:cards=4", "phantom_tictactoe", "phantom_tictactoe:variant=small"):
        record = played(games, name, 1).record()
        assert (
            games.read(record)[0] == name
            and games.table(name, record=record).is_over
            and told[name].deal is None
        )
    with pytest.raises(RefusedError):
        games.info("goofspiel:cards=5")


@pytest.mark.parametrize("moves", [[], ["no call"]])
def test_a_record_opens_as_the_game_whose_options_it_states(
    games: Rulebook, moves: list[str]
) -> None:
    name = "doudizhu:bidding=call,doubling=true"
    record = games.table(name, seed=1).record() | {"moves": moves}
    assert games.read(record)[0] == name
    with pytest.raises(RefusedError, match="doubling"):
        games.read(record | {"moves": ["no call"], "doubling": False})
    assert games.read(record | {"bidding": "rob", "doubling": "each", "moves": []})[0] == (
        "doudizhu:bidding=rob,doubling=each"
    )
