"""Luck taken out of results: corrections of mean 0, exactly where that can be counted; less
variance; weights without bias."""

from collections.abc import Iterator

import numpy as np
import pytest

from fpmcts.evaluation.aivat import CHANCES, FEWEST, controlled, corrections
from fpmcts.evaluation.duplicate import duplicate_games, evaluation_decks
from fpmcts.evaluation.match import PlayedGames
from fpmcts.evaluation.match_result import MatchResult
from fpmcts.players.random_agent import Random
from games import make
from games.kernels.generic import current_seat, team_return
from games.kernels.rows import States, num_rows, take
from games.play.agent import Agent
from games.play.interface import Game, Records
from games.poker.players.always_call import AlwaysCall
from tests.games import driver

Moves = tuple[tuple[int, int], ...]


class Mixing(Agent):
    """States the same probabilities at every decision."""

    name = "mixing"

    def probabilities(self, views: States) -> np.ndarray:
        return np.tile([0.3, 0.7], (num_rows(views), 1))


class Silent(Agent):
    """States nothing."""

    name = "silent"


def histories(game: Game) -> Iterator[tuple[int, Moves, States]]:
    """Yields the number of the deal, the moves as (place among the legal ones, action), and the
    position.
    """
    starts, chances = game.starts()
    left: list[tuple[int, Moves, States]]
    left = [(deal, (), take(starts, np.array([deal]))) for deal in range(len(chances))]
    while left:
        deal, moves, position = left.pop()
        yield deal, moves, position
        if driver.current_seat(game.rules, position, 0) >= 0:
            for made in enumerate(driver.legal_actions(game, position, 0).tolist()):
                after = take(position, np.zeros(1, np.int64))
                driver.step(game.rules, after, 0, made[1])
                left.append((deal, (*moves, made), after))


def every_game(game: Game) -> tuple[PlayedGames, np.ndarray, States]:
    """Returns all games of two moves a decision, the probability of each if both mix as above, and
    the deals.
    """
    starts, chances = game.starts()
    deals, played, probabilities, moves = [], [], [], list[list[int]]()
    for deal, made, position in histories(game):
        if current_seat(game.rules, position, 0) < 0:
            deals.append(deal)
            moves.append([action for _, action in made])
            played.append([team_return(game.rules, position, 0, seat) for seat in range(2)])
            probabilities.append(chances[deal] * np.prod([(0.3, 0.7)[k] for k, _ in made]))
    lengths = np.array([*map(len, moves)], np.int16)
    rows = [one + [-1] * (game.spec.max_moves - len(one)) for one in moves]
    records, seating = Records(np.array(rows, np.int16), lengths), np.tile([0, 1], (len(deals), 1))
    last, none = np.zeros(len(deals), np.int8), np.zeros((len(deals), 2, 0))
    seats, used = seating.astype(np.int8), np.zeros((1, 2, 3))
    games = PlayedGames(seats, np.array(played), last, records, used, none)
    return games, np.array(probabilities), take(starts, np.array(deals))


def test_corrections_of_kuhn_have_mean_0() -> None:
    """All 30 games, counted: nothing comes to the table, so no number is drawn."""
    game = make("kuhn")
    games, probabilities, deals = every_game(game)
    assert len(probabilities) == 30
    assert probabilities.sum() == pytest.approx(1.0)
    found = corrections(game, [Mixing(), Mixing()], games, deals, 0)
    assert found.shape == (30, 2, CHANCES + 2)
    np.testing.assert_allclose(np.einsum("g,gsk->sk", probabilities, found), 0.0, atol=1e-12)
    np.testing.assert_allclose(
        found.sum(axis=1), 0.0, atol=1e-12
    )  # what one seat wins by luck, the other loses
    for kind in (0, CHANCES, CHANCES + 1):
        assert np.abs(found[:, :, kind]).max() > 0.5
    silent = corrections(game, [Mixing(), Silent()], games, deals, 0)
    np.testing.assert_array_equal(silent[:, :, CHANCES], found[:, :, CHANCES])
    assert not silent[:, :, CHANCES + 1].any()


def match(decks: int) -> tuple[Game, PlayedGames, np.ndarray]:
    game = make("leduc")
    players, dealt = (Random().at(game), AlwaysCall().at(game)), evaluation_decks(game, 3, decks)
    games = duplicate_games(game, *players, dealt, 1)
    return (
        game,
        games,
        corrections(game, players, games, take(dealt, np.repeat(np.arange(decks), 2)), 2),
    )


@pytest.mark.slow
def test_corrections_of_leduc_are_fair_and_take_most_of_the_variance_away() -> None:
    game, games, luck = match(1500)
    by_deck = (
        luck[:, 0].reshape(-1, 2, luck.shape[2]).mean(axis=1)
    )  # both games of a deck have its cards
    means, errors = by_deck.mean(axis=0), by_deck.std(axis=0) / np.sqrt(len(by_deck))
    assert (np.abs(means) <= 3.5 * errors + 1e-12).all()
    assert errors[1] > 0  # the card that comes to the table
    told = MatchResult(("a", "b"), game.spec, games._replace(luck=luck)).sides[0]
    assert told.luck_free is not None
    assert told.luck_free.error < 0.75 * told.total.adp.error
    single = told.returns.ravel()
    assert told.luck_free.error < 0.5 * single.std() / np.sqrt(single.size)
    assert abs(told.luck_free.mean - told.total.adp.mean) < 3.5 * told.total.adp.error


def test_weights_are_fitted_on_other_decks() -> None:
    """Corrections that explain nothing change no mean on average: with weights of the same decks
    the error would look smaller."""
    rng = np.random.default_rng(5)
    luck = rng.normal(size=(2000, 3))
    scores = 1.0 + luck @ [2.0, -1.0, 0.0] + rng.normal(size=2000)
    found = controlled(scores, luck)
    assert found.std() == pytest.approx(1.0, abs=0.05)
    assert found.mean() == pytest.approx(1.0, abs=0.07)
    noise = rng.normal(size=(60, 20))
    assert np.std(controlled(rng.normal(size=60), noise)) > 1.0
    few = controlled(scores[: FEWEST - 1], luck[: FEWEST - 1])
    np.testing.assert_allclose(few, scores[: FEWEST - 1] - luck[: FEWEST - 1].sum(axis=1))
