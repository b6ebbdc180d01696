"""What every game must satisfy, whatever its rules.

``pytest tests/games/test_conformance.py tests/games/test_hidden_cards.py --game NAME`` tries one
game, in the tree or outside it.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from games import make
from games.kernels import streams
from games.kernels.rows import States, take
from games.play.interface import Game
from games.play.table import Table
from tests.games import driver

LANES = 12


def copies(game: Game, states: States, i: int) -> States:
    """Returns a batch of one with a copy of lane ``i``."""
    row = game.empty(1)
    driver.copy_row(game.rules, states, i, row, 0)
    return row


@pytest.fixture(scope="module")
def positions(game: Game) -> list[States]:
    """All positions of some random games, one row each, the last of each game over."""
    rng = np.random.default_rng(1)
    states = game.deal(streams(1, LANES))
    found = []
    for i in range(LANES):
        found.append(copies(game, states, i))
        while driver.current_seat(game.rules, states, i) >= 0:
            driver.step(
                game.rules, states, i, int(rng.choice(driver.legal_actions(game, states, i)))
            )
            found.append(copies(game, states, i))
    return found


@pytest.fixture(scope="module")
def running(game: Game, positions: list[States]) -> list[States]:
    return [row for row in positions if driver.current_seat(game.rules, row, 0) >= 0]


def test_legal_actions_ascend_and_have_texts(game: Game, running: list[States]) -> None:
    for row in running:
        actions = driver.legal_actions(game, row, 0)
        assert len(actions) > 0 and (game.decoder[actions, 0] >= 0).all()
        assert (np.diff(actions) > 0).all()
        assert 0 <= actions[0] and actions[-1] < game.spec.num_actions
        view = game.view(row, np.array([driver.current_seat(game.rules, row, 0)]))
        for action in actions.tolist():
            assert game.parse_action(game.action_text(action)) == action
            assert game.is_legal(view, action)
        assert not game.is_legal(view, -1) and not game.is_legal(view, game.spec.num_actions)
        sure, forced = driver.sure_win(game.rules, row, 0), driver.forced_win(game.rules, row, 0)
        assert forced in (-1, *actions) and sure in (-1, forced)
    for action in (-1, game.spec.num_actions):
        with pytest.raises(ValueError, match=str(action)):
            game.action_text(action)


def test_games_end_within_bounds_and_returns_sum_to_zero(
    game: Game, positions: list[States]
) -> None:
    spec, length = game.spec, 0
    for row in positions:
        length += 1
        assert (
            np.isfinite(driver.stake(game.rules, row, 0)) and driver.stake(game.rules, row, 0) > 0
        )
        if driver.current_seat(game.rules, row, 0) >= 0:
            continue
        returns = [driver.team_return(game.rules, row, 0, seat) for seat in range(spec.num_seats)]
        by_team = dict(zip(spec.teams, returns, strict=True))
        assert returns == [by_team[team] for team in spec.teams]
        assert sum(by_team.values()) == pytest.approx(0)
        assert max(abs(value) for value in returns) <= spec.max_return
        assert length - 1 <= spec.max_moves
        length = 0


def test_deals_depend_on_their_seed_alone(game: Game) -> None:
    seeds = streams(2, LANES)
    batch = game.deal(seeds)
    assert all(
        driver.equal(game.deal(seeds[i : i + 1]), take(batch, slice(i, i + 1)))
        for i in range(LANES)
    )


def test_records_and_decks_go_there_and_back(
    game: Game, positions: list[States], tmp_path: Path
) -> None:
    """With and without moves; notes that were added to a record are not looked at."""
    deals = game.deal(streams(1, LANES))
    fields = [game.record(deals, i, np.zeros(0, np.int16)) for i in range(LANES)]
    path = tmp_path / "decks"
    path.write_text("".join(json.dumps(line) + "\n" for line in fields))
    assert driver.equal(game.read_decks(path), deals)
    saved = [{"match": ["a", "b"], "deck": i, **line} for i, line in enumerate(fields)]
    path.write_text("".join(2 * (json.dumps(line) + "\n") for line in saved))
    assert driver.equal(game.read_decks(path), deals), "every deck of a saved match once"
    for i, line in enumerate(fields):
        deal, moves = game.parse_record(
            {"match": ["a", "b"], "deck": 3, "players": ["a", "b", "b"], **line}
        )
        assert driver.equal(deal, take(deals, slice(i, i + 1))) and moves == []
    with pytest.raises(ValueError):
        game.parse_record({})


def test_lanes_are_independent(game: Game) -> None:
    seeds = streams(3, LANES)
    batch = game.deal(seeds)
    single = game.deal(seeds[5:6])
    while driver.current_seat(game.rules, single, 0) >= 0:
        for i in range(LANES):
            if driver.current_seat(game.rules, batch, i) >= 0:
                actions = driver.legal_actions(game, batch, i)
                driver.step(game.rules, batch, i, int(actions[len(actions) // 2]))
        actions = driver.legal_actions(game, single, 0)
        driver.step(game.rules, single, 0, int(actions[len(actions) // 2]))
        assert driver.equal(single, take(batch, slice(5, 6)))


def test_a_copied_row_is_on_its_own(game: Game, running: list[States]) -> None:
    for row in running[::5]:
        before, copy = copies(game, row, 0), copies(game, row, 0)
        assert driver.equal(row, copy)
        driver.step(game.rules, copy, 0, int(driver.legal_actions(game, copy, 0)[0]))
        assert driver.equal(row, before)
        assert not driver.equal(row, copy)


def test_a_view_shows_the_same(game: Game, positions: list[States]) -> None:
    for row in positions:
        before = copies(game, row, 0)
        mover = driver.current_seat(game.rules, row, 0)
        for seat in range(game.spec.num_seats):
            view = game.view(row, np.array([seat]))
            np.testing.assert_array_equal(
                driver.observation(game, view, 0, seat), driver.observation(game, row, 0, seat)
            )
            assert driver.current_seat(game.rules, view, 0) == mover
            assert driver.infoset_key(game.rules, view, 0, seat) == driver.infoset_key(
                game.rules, row, 0, seat
            )
            assert driver.stake(game.rules, view, 0) == driver.stake(game.rules, row, 0)
            if seat == mover:
                np.testing.assert_array_equal(
                    driver.legal_actions(game, view, 0), driver.legal_actions(game, row, 0)
                )
                assert driver.sure_win(game.rules, view, 0) == driver.sure_win(game.rules, row, 0)
                assert driver.forced_win(game.rules, view, 0) == driver.forced_win(
                    game.rules, row, 0
                )
        assert driver.equal(row, before)


def test_views_of_moves_are_moves_of_views(game: Game, running: list[States]) -> None:
    """Unless the move is followed by a card on the table, which no view can know."""
    same = 0
    for row in running[::3]:
        action = int(driver.legal_actions(game, row, 0)[-1])
        after = copies(game, row, 0)
        driver.step(game.rules, after, 0, action)
        for seat in range(game.spec.num_seats):
            view = game.view(row, np.array([seat]))
            driver.step(game.rules, view, 0, action)
            if not driver.equal(view, game.view(after, np.array([seat]))):
                continue
            same += 1
            assert driver.current_seat(game.rules, view, 0) == driver.current_seat(
                game.rules, after, 0
            )
            np.testing.assert_array_equal(
                driver.observation(game, view, 0, seat), driver.observation(game, after, 0, seat)
            )
    assert same > 0


def test_observations_write_every_element(game: Game, positions: list[States]) -> None:
    assert game.spec.observation_scale.shape == game.spec.observation_shape[:1]
    for row in positions[::7]:
        for seat in range(game.spec.num_seats):
            once, twice = (driver.observation(game, row, 0, seat, fill) for fill in (77, -77))
            np.testing.assert_array_equal(once, twice)
            scalars = once[len(once) - game.spec.scalar_planes :]
            assert (scalars == scalars[:, :1]).all()


def test_keys_tell_histories_apart(game: Game, running: list[States]) -> None:
    for row in running[::3]:
        seat = driver.current_seat(game.rules, row, 0)
        keys = {driver.infoset_key(game.rules, row, 0, seat)}
        actions = driver.legal_actions(game, row, 0)
        for action in actions:
            after = copies(game, row, 0)
            driver.step(game.rules, after, 0, int(action))
            keys.add(driver.infoset_key(game.rules, after, 0, seat))
        assert len(keys) == len(actions) + 1


def test_keys_are_equal_exactly_when_a_seat_cannot_tell(game: Game) -> None:
    """What a seat can tell is its view and what it saw of the moves."""
    rng, deals = np.random.default_rng(3), game.deal(streams(4, 4 * LANES))
    known: list[set[tuple[object, int]]] = [set() for _ in range(game.spec.num_seats)]
    for i in range(4 * LANES):
        table = Table(game, deal=take(deals, slice(i, i + 1)))
        while not table.is_over:
            state = table.states
            for seat, pairs in enumerate(known):
                seen = table.seen(seat)
                label = (
                    *(a.tobytes() for a in table.view(seat)),
                    seen.moves[0, : seen.lengths[0]].tobytes(),
                )
                pairs.add((label, int(driver.infoset_key(game.rules, state, 0, seat))))
            table.play(int(rng.choice([move.action for move in table.legal()])))
    for pairs in known:
        labels, keys = zip(*pairs, strict=True)
        assert len(set(labels)) == len(pairs), "a key tells apart what the seat cannot tell apart"
        assert len(set(keys)) == len(pairs), "a key merges what the seat can tell apart"


def test_the_decoder_tells_actions_apart(game: Game) -> None:
    decoder = game.decoder
    assert decoder.dtype == np.int16 and len(decoder) == game.spec.num_actions
    assert decoder.min() >= -1 and decoder.max() == game.spec.policy_size - 1
    listed = decoder[decoder[:, 0] >= 0]  # amounts that are played but never listed have no outputs
    assert len(listed) >= game.spec.max_legal
    assert len(np.unique(np.sort(listed, axis=1), axis=0)) == len(listed)


def test_unknown_game() -> None:
    with pytest.raises(ValueError, match="expected one of"):
        make("tarock")
