"""Stated chances to win beside results."""

import numpy as np

from fpmcts.evaluation.calibration import calibration
from fpmcts.evaluation.duplicate import duplicate_games, evaluation_decks
from fpmcts.players import load_player
from games import make
from games.kernels.rows import States


def test_it_compares_the_landlords_first_decision_with_the_result() -> None:
    game = make("doudizhu", bidding="call", doubling=True)
    decks, count = evaluation_decks(game, 0, 4), 6
    a, b = (load_player("bidder", game, rule=rule) for rule in ("three", "never"))
    games = duplicate_games(game, a, b, decks, 0)

    def values(views: States) -> np.ndarray:
        assert len(views.led) == 4 * count and not views.led.any() and not views.hands[:, 1:].any()
        return np.where(np.arange(4 * count) < 9, -0.9, 0.5).astype(np.float32)

    planned = evaluation_decks(game, 0, 7)  # a sequential test may end before all are played
    told = calibration("three", game, values, planned, games, 0)
    landlords = games.returns[np.arange(4 * count), np.abs(games.returns).argmax(axis=1)]
    assert told.decks.tolist() == np.repeat(np.arange(4), count).tolist()
    assert told.won.tolist() == (landlords > 0).tolist()
    lines = str(told).splitlines()
    assert len(lines) == 4 and "0 to 10 %     5.0 %" in lines[2] and "(15 games)" in lines[3]
    assert not len(calibration("never", game, lambda v: np.zeros(0), decks, games, 1).won)
