"""Matches: a deck worked out by hand, known answers, and what the agents are allowed to see."""

from collections.abc import Sequence

import numpy as np
import pytest

from fpmcts.evaluation import duplicate
from fpmcts.evaluation.duplicate import duplicate_games, duplicate_match, evaluation_decks
from fpmcts.evaluation.match import IllegalMoveError, play_games
from fpmcts.evaluation.match_result import MatchResult
from fpmcts.players import load_player
from fpmcts.players.random_agent import Random
from games import make
from games.doudizhu.cards import parse_cards
from games.doudizhu.game import Doudizhu
from games.doudizhu.state import start
from games.kernels.rows import States, put, take
from games.play.interface import Game, Records
from tests.games import driver

C, D, E = range(3)


@pytest.fixture(scope="module")
def game() -> Game:
    return Doudizhu()


class Script:
    """Plays written games: the moves of game i, whoever makes them."""

    name = "script"

    def __init__(self, game: Game, texts: Sequence[str]) -> None:
        self.moves = [[game.parse_action(text) for text in line.split()] for line in texts]

    def start(self, num_games: int, seed: int) -> None:
        assert num_games == len(self.moves)

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        return np.array([self.moves[g][records.lengths[g]] for g in games], np.int16)


class Largest:
    """Plays the legal move with the largest id: deterministic."""

    name = "largest"

    def __init__(self, game: Game) -> None:
        self.game = game

    def start(self, num_games: int, seed: int) -> None:
        pass

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        legal = [driver.legal_actions(self.game, views, row) for row in range(len(games))]
        assert min(map(len, legal)) > 1, "forced moves are not asked for"
        return np.array([moves[-1] for moves in legal], np.int16)


def test_deck_worked_out_by_hand(game: Game) -> None:
    """One deck, both games.

    Game 0, A is the landlord: 2222, the rocket, 9999, AAAA, 6666 and TTTT are six bombs; D plays
    TTTT last: A scores -2^6 = -64. Game 1, A are the peasants: QQQQ is the only bomb (KKKKAA22 is
    four + two pairs); E plays 22 last: A scores +2^1 = 2.
    """
    hands = [
        parse_cards(text)
        for text in ("3333444455556666" + "77LB", "77888899" + "99TTTTJJJ", "JQQQQKKKKAAAA2222")
    ]
    deal = start(np.array([hands], np.uint64), np.array([parse_cards("345")], np.uint64))
    texts = (
        # C, D, E, C ...
        "77 88 2222 BL pass pass 33334455 9999 pass pass JJJ8 AAAA pass pass J 6666 pass pass 44 "
        "77 pass pass 8 pass pass TTTT",
        "34567 789TJ pass pass 7 J L pass pass B pass pass 333444555666 pass QQQQ pass pass "
        "KKKKAA22 pass pass AA pass pass 22",
    )
    seating = np.array([[0, 1, 1], [1, 0, 0]])
    games = play_games(
        game,
        (Script(game, texts), Script(game, texts)),
        seating,
        take(deal, np.zeros(2, np.int64)),
        seed=0,
    )
    assert games.returns.tolist() == [[-64, 64, 64], [-2, 2, 2]]
    assert games.last_seats.tolist() == [D, E]

    result = MatchResult(("a", "b"), game.spec, games)
    landlord, peasants = result.by_team
    assert (result.total.wp.mean, result.total.adp.mean) == (0.5, -31.0)
    assert (landlord.wp.mean, landlord.adp.mean) == (0.0, -64.0)
    assert (peasants.wp.mean, peasants.adp.mean) == (1.0, 2.0)
    assert result.finishers == [{"C": 0.0}, {"D": 0.0, "E": 1.0}]


def test_number_of_games_at_once_changes_nothing(game: Game) -> None:
    players, seen = (Random().at(game), Largest(game)), list[int]()
    deals, seating = evaluation_decks(game, 3, 40), np.tile([[0, 1, 1], [1, 0, 0]], (20, 1))
    whole = play_games(game, players, seating, deals, 3)
    few = play_games(game, players, seating, deals, 3, at_once=7, tick=seen.append)
    for first, second in zip(whole.records, few.records, strict=True):
        assert (first == second).all()
    assert (whole.returns == few.returns).all()
    assert seen == sorted(seen) and seen[-1] == 40
    assert few.usage[0].decisions == whole.usage[0].decisions
    assert sum(used.decisions + used.forced for used in few.usage) == few.records.lengths.sum()


class Witness(Largest):
    """Looks for hidden cards in what it is given."""

    asked = 0

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        rows = np.arange(len(games))
        for other in (1, 2):
            assert not views.hands[rows, (views.seat + other) % 3].any()
        assert views.hands[rows, views.seat].all()
        assert (records.lengths[games] == views.length).all()
        assert (records.moves >= 0).sum() == records.lengths.sum()
        self.asked += len(games)
        return super().act(games, views, records)


def test_agents_see_no_hidden_card(game: Game) -> None:
    witness = Witness(game)
    play_games(game, [witness], np.zeros((30, 3), int), evaluation_decks(game, 6, 30), seed=0)
    assert witness.asked > 300


def test_agents_cannot_change_the_game(game: Game) -> None:
    """What an agent writes into its view stays with it."""

    class Vandal(Largest):
        def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
            actions = super().act(games, views, records)
            put(views, slice(None), type(views)(*(np.zeros_like(field) for field in views)))
            return actions

    honest = duplicate_match(game, Largest(game), Largest(game), num_decks=5, seed=8)
    vandal = duplicate_match(game, Vandal(game), Vandal(game), num_decks=5, seed=8)
    assert (honest.games.records.moves == vandal.games.records.moves).all()


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.array([-1], np.int16), r"agent faulty answered -1 \(no move\) in game 0.*\"hand\": \""),
        (np.array([2.0]), "type float64; expected one integer each"),
    ],
)
def test_illegal_answers_end_the_match(game: Game, answer: np.ndarray, message: str) -> None:
    class Faulty(Largest):
        name = "faulty"

        def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
            return answer

    with pytest.raises(IllegalMoveError, match=message):
        play_games(game, [Faulty(game)], np.zeros((1, 3), int), evaluation_decks(game, 0, 1), 0)


class Watcher(Largest):
    """Records what it receives."""

    name, adapts, seed = "watcher", True, 0

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.told = list[tuple[str, list[list[int]]]]()

    def start(self, num_games: int, seed: int) -> None:
        self.told.append(("start", [[num_games]]))

    def forget(self) -> None:
        self.told.append(("forget", []))

    def meet(self, seating: np.ndarray) -> None:
        self.told.append(("meet", seating.tolist()))

    def observe(self, deals: States, records: Records) -> None:
        self.told.append(("observe", records.moves.tolist()))


def test_players_that_learn_see_earlier_lots_alone() -> None:
    """Three decks in lots of two: strangers first, then the moves of the first four games; the
    games are those of no lots."""
    leduc = make("leduc")
    decks, caller = evaluation_decks(leduc, 1, 3), load_player("always_call", leduc)
    one = duplicate_games(leduc, Watcher(leduc), caller, decks, 5)
    watcher, counted = Watcher(leduc), list[int]()
    games = duplicate_games(leduc, watcher, caller, decks, 5, lot=2, tick=counted.append)
    lot, seats = ["meet", "start", "observe"], [[0, 1], [1, 0]]
    assert [what for what, _ in watcher.told] == ["forget", *lot, *lot]
    assert [told for what, told in watcher.told if what == "meet"] == [seats * 2, seats]
    shown = [moves for what, told in watcher.told if what == "observe" for moves in told]
    width = games.records.moves.shape[1]
    assert [moves[:width] for moves in shown] == games.records.moves.tolist()
    assert counted == sorted(counted) and counted[-1] == 6
    for name in ("seating", "returns", "last_seats"):
        assert np.array_equal(getattr(games, name), getattr(one, name))


def test_a_long_match_is_played_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Particles of all games at once would need gigabytes; the first part is the shorter match."""
    kuhn = make("kuhn")
    players = [Random().at(kuhn) for _ in range(2)]
    short = duplicate_match(kuhn, *players, num_decks=8, seed=3)
    monkeypatch.setattr(duplicate, "MOST_DECKS", 8)
    long = duplicate_match(kuhn, *players, num_decks=20, seed=3)
    assert long.num_decks == 20 and np.array_equal(long.games.returns[:16], short.games.returns)
    assert max(len(player.rng) for player in players) == 8  # of the last part, 4 decks
