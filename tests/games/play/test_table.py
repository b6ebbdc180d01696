"""A table, in every game: play, undo, records there and back, what each seat may know, and messages
for what is illegal."""

import json
import pickle

import numpy as np
import pytest

from games import GAMES, make
from games.kernels.generic import HIDDEN_MOVE
from games.play.history import History
from games.play.interface import Game, move_texts
from games.play.table import IllegalMove, Table


@pytest.fixture(scope="module", params=sorted(GAMES))
def game(request: pytest.FixtureRequest) -> Game:
    return make(request.param)


def played(game: Game, seed: int, most: int = 10_000) -> Table:
    """Returns the table after some random moves."""
    rng, table = np.random.default_rng(seed), Table(game, seed=seed)
    while not table.is_over and len(table.moves) < most:
        legal = table.legal()
        table.play(legal[rng.integers(len(legal))].text)
    return table


def same(first: Table, second: Table) -> bool:
    def facts(table: Table) -> tuple:
        told = [table.describe(seat) for seat in range(table.game.spec.num_seats)]
        return table.seat, table.moves, table.returns, table.record(), told

    return facts(first) == facts(second)


def test_records_go_there_and_back(game: Game) -> None:
    for seed in range(4):
        for most in (0, 2, 10_000):
            table = played(game, seed, most)
            record = json.loads(json.dumps(table.record()))
            assert record == table.record()
            assert same(table, Table(game, record={"match": ["a", "b"], **record}))
            assert same(Table(game, deal=table.deal), Table(game, seed=seed))


def test_a_table_can_be_sent_to_another_process(game: Game) -> None:
    table = played(game, 3, 2)
    if game.has_tree:
        assert game.tables.num_infosets  # which the game keeps
    assert same(pickle.loads(pickle.dumps(table)), table)


def test_undo_and_copy(game: Game) -> None:
    for seed in range(3):
        table = played(game, seed)
        whole, count = table.copy(), len(table.moves)
        last = table.moves[-1]
        table.undo()
        assert len(table.moves) == count - 1 and len(whole.moves) == count
        assert same(table, played(game, seed, count - 1))
        assert table.play(last.action) == last
        assert same(table, whole)
        table.undo(count)
        assert same(table, Table(game, seed=seed))
        with pytest.raises(ValueError, match="no move was played yet"):
            table.undo()


def test_what_is_illegal_is_said_with_the_seat_and_what_was_legal(game: Game) -> None:
    tables = (played(game, seed, most) for seed in range(99) for most in range(6))
    table = next(table for table in tables if 0 < len(table.legal()) < game.spec.num_actions)
    before = table.record()
    illegal = next(
        a for a in range(game.spec.num_actions) if a not in [move.action for move in table.legal()]
    )
    for move in ("no such move", illegal, game.action_text(illegal)):
        with pytest.raises(IllegalMove) as caught:
            table.play(move)
        message = str(caught.value)
        assert (
            str(move) in message
            and f"Seat {table.seat} ({game.spec.seat_names[table.seat]})" in message
        )
        assert table.legal()[0].text in message and len(message) < 400 and "\n" not in message
    for action in (-1, 99_999):
        with pytest.raises(IllegalMove):
            table.play(action)
    with pytest.raises(TypeError):
        table.play(table.legal()[0].action + 0.5)  # type: ignore[arg-type]
    assert table.record() == before
    over = played(game, 5)
    with pytest.raises(IllegalMove, match="the game is over"):
        over.play(over.moves[-1].text)


def test_any_seat_is_described_at_any_time(game: Game) -> None:
    table = Table(game, seed=4)
    whole = played(game, 4)
    for move in (*whole.moves, None):
        assert json.loads(json.dumps(table.describe())) == table.describe()
        for seat in range(game.spec.num_seats):
            told = table.describe(seat)
            assert told["game"] == game.spec.name and told["seat"] == seat
            assert told["to_move"] == (None if table.is_over else table.seat)
            if game.spec.has_private_moves:
                seen = table.seen(seat)
                assert told["moves"] == move_texts(game, seen.moves[0, : seen.lengths[0]])
            else:
                assert told["moves"] == [done.text for done in table.moves]
            assert told["legal"] == (
                [move.text for move in table.legal()] if seat == table.seat else []
            )
            assert (told["returns"] is None) != table.is_over
            assert ("hands" in told) == table.is_over
        if move is not None:
            table.play(move.text)


def test_a_table_starts_from_one_thing(game: Game) -> None:
    table = played(game, 1, 1)
    for given in (
        {},
        {"seed": 1, "deal": table.deal},
        {"seed": -1},
        {"deal": table.states},
        {"record": {}},
        {"record": []},
    ):
        with pytest.raises(ValueError):
            Table(game, **given)
    with pytest.raises(ValueError, match="expected"):
        Table(game, record={**table.record(), "moves": ["no such move"]})
    for seat in (-1, game.spec.num_seats):
        with pytest.raises(ValueError, match=f"seat {seat}: expected"):
            table.view(seat)


def test_a_seat_learns_nothing_that_it_cannot_see() -> None:
    """The hands of the peasants exchanged: what the landlord sees is the same, what they are told
    is not.
    """
    game = make("doudizhu")
    table = Table(game, seed=9)
    other = table.deal
    other.hands[0, 1], other.hands[0, 2] = table.deal.hands[0, 2], table.deal.hands[0, 1]
    swapped = Table(game, deal=other)
    for move in (table.legal()[0].text, "pass", "pass"):
        assert table.describe(0) == swapped.describe(0) and table.describe(1) != swapped.describe(1)
        for first, second in zip(
            (*table.view(0), *table.seen(0)), (*swapped.view(0), *swapped.seen(0)), strict=True
        ):
            np.testing.assert_array_equal(first, second)
        table.play(move), swapped.play(move)


def test_private_moves_are_hidden_from_the_other_seat() -> None:
    """X sees that O puts a mark, not where; that O has first tried a taken square it does not see
    at all."""
    game = make("phantom_tictactoe")
    table, other = Table(game, seed=1), Table(game, seed=1)
    for text in ("5", "5", "1"):
        table.play(text)
    for text in ("5", "1"):
        other.play(text)
    for seat, moves in ((0, [4, HIDDEN_MOVE]), (1, [HIDDEN_MOVE, 4, 0])):
        seen = table.seen(seat)
        assert seen.moves[0, : seen.lengths[0]].tolist() == moves
        assert (seen.moves[0, seen.lengths[0] :] == -1).all()
    assert table.describe(0)["moves"] == ["5", None]
    assert table.describe(1)["moves"] == [None, "5", "1"]
    assert other.describe(0) == table.describe(0) and other.describe(1) != table.describe(1)
    for first, second in zip(
        (*table.view(0), *table.seen(0)), (*other.view(0), *other.seen(0)), strict=True
    ):
        np.testing.assert_array_equal(first, second)
    table.undo(2)
    assert table.describe(1)["moves"] == [None] and same(table, Table(game, record=table.record()))


def test_a_driver_hands_every_mover_what_it_saw() -> None:
    game = make("phantom_tictactoe")
    states, history = game.deal(np.arange(3, dtype=np.uint64)), History(game, 3)
    for rows, actions in (([0, 1], [4, 8]), ([1], [8]), ([1], [0])):
        history.play(states, np.array(rows), np.array(actions))
    told = history.of_movers(np.arange(3), np.array([1, 0, 0]))
    assert told.lengths.tolist() == [1, 2, 0]
    assert told.moves[0, 0] == HIDDEN_MOVE and told.moves[1, :2].tolist() == [8, HIDDEN_MOVE]
    public = History(make("kuhn"), 2)
    assert (
        public.of(0) is public.records
        and public.of_movers(np.arange(2), np.zeros(2)) is public.records
    )


def test_a_deal_is_enough_of_a_record() -> None:
    game = make("doudizhu")
    whole = Table(game, seed=4)
    deal = game.record_head() | game.deal_fields(whole.deal)
    assert Table(game, record=deal).record() == whole.record()
    with pytest.raises(ValueError, match="moves 'pass': expected a list"):
        Table(game, record=deal | {"moves": "pass"})
    with pytest.raises(ValueError, match="expected a row of states"):
        Table(game, deal=game.deal(np.arange(5, dtype=np.uint64))[3])
