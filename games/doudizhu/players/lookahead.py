"""Bids by the expected points of each bid; the cards are played by FPMCTS.

A bid is tried in worlds drawn from the deal alone: the others' earlier bids are not evidence. In
each world all bid on by the rule ``fitted``, and the value network of card play says what the
landlord may expect of the hand and the bottom cards. All bids are tried in the same worlds, so that
their comparison is paired. Springs are left out.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from games.base.settings import setting
from games.doudizhu import state
from games.doudizhu.auction import NOBODY, Phase, role_of, share
from games.doudizhu.cards import NUM_SEATS
from games.doudizhu.players.bidders import BiddingAgent, card_play_of, cards_host
from games.kernels import Stream, kernel, streams
from games.kernels.generic import draw_hidden, fill_world, step
from games.kernels.rows import Rules, States, copied, take
from games.play.agent import Agent
from games.play.decision import RETURN, Decision, RootMove
from games.play.interface import Game, Records
from games.play.question import Limits, Question
from games.play.registry import PLAYERS, Host, PlayerOptions, Values, player

WORLDS = 8
"""Worlds in which bids are tried, per playout: a network's value takes far less than a playout's
share of a search.
"""


@kernel
def _draw(
    rules: Rules,
    views: States,
    i: int,
    seat: int,
    rng: np.ndarray,
    lane: int,
    worlds: States,
) -> None:
    """Fills worlds of a view, drawn from its prior."""
    hidden = np.zeros((len(worlds.seat), 2), np.uint64)
    draw_hidden(rules, views, i, seat, rng, lane, hidden)
    for k in range(len(hidden)):
        fill_world(rules, views, i, seat, hidden[k], worlds, k)


@kernel
def _play(rules: Rules, states: States, rows: np.ndarray, actions: np.ndarray) -> None:
    """Plays an action in each of some rows."""
    for k in range(len(rows)):
        step(rules, states, rows[k], actions[k])


@kernel
def _shares(rules: Rules, states: States, rows: np.ndarray, seat: int, shares: np.ndarray) -> None:
    """Writes how many times ``factor`` a seat wins with the landlord in each of some rows (float64
    ``[n]``).
    """
    for k in range(len(rows)):
        role = role_of(states, rows[k], seat)
        shares[k] = share(rules, states, rows[k], role) * (1.0 if role == 0 else -1.0)


class LookaheadAgent(BiddingAgent):
    """Bids by the expected points of each bid.

    Args:
        game: A game with an auction.
        cards: A player of its card play.
        values: Returns the expected points of the seat to move in card play.
        num_worlds: Worlds in which each bid is tried.
    """

    def __init__(self, game: Game, cards: Agent, values: Values, num_worlds: int) -> None:
        super().__init__(game, cards, "fitted")
        self._of_landlord, self._num_worlds = values, num_worlds

    def start(self, num_games: int, seed: int) -> None:
        """Prepares the player of cards, and the random streams of the worlds."""
        super().start(num_games, seed)
        self.rng = streams(seed, num_games, Stream.PLAY)  # the player of cards has the first

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view."""
        actions = super().act(games, views, records)
        for row in np.flatnonzero(views.phase != Phase.PLAYING):
            seat = int(views.seat[row] + views.landlord[row]) % NUM_SEATS
            legal = self.game.legal_actions(views, row)
            points = self._points(views, row, seat, legal, self.rng, games[row])
            actions[row] = legal[points.mean(axis=0).argmax()]
        return actions

    def _points(
        self, views: States, row: int, seat: int, bids: np.ndarray, rng: np.ndarray, lane: int
    ) -> np.ndarray:
        """Returns a seat's points in each world after each of n bids: float64 ``[W, n]``."""
        worlds = take(views, np.full(self._num_worlds, row))
        _draw(self.game.rules, views, row, seat, rng, lane, worlds)
        return np.stack([self._after(copied(worlds), seat, bid) for bid in bids], axis=1)

    def _after(self, worlds: States, seat: int, bid: int) -> np.ndarray:
        """Returns the points of a seat that now bids (float64 ``[W]``); worlds are changed."""
        rows, actions = np.arange(self._num_worlds), np.full(self._num_worlds, bid, np.int16)
        while rows.size:
            _play(self.game.rules, worlds, rows, actions)
            rows = np.flatnonzero((worlds.phase != Phase.PLAYING) & (worlds.winner != NOBODY))
            actions = self._bids(take(worlds, rows))
        points, rows = np.zeros(self._num_worlds), np.flatnonzero(worlds.phase == Phase.PLAYING)
        if rows.size:
            seen = state.start(np.zeros((rows.size, NUM_SEATS), np.uint64), np.uint64(0))
            seen.hands[:, 0], seen.bottom[:] = worlds.hands[rows, 0], worlds.bottom[rows]
            shares = np.empty(rows.size)
            _shares(self.game.rules, worlds, rows, seat, shares)
            points[rows] = worlds.factor[rows] * shares * self._of_landlord(seen)
        return points

    def answer(self, question: Question, limits: Limits) -> Decision:
        """Returns the bid that expects most points, or what the player of cards says, in points."""
        if question.view.phase[0] == Phase.PLAYING:
            return super().answer(question, limits)
        rng = streams(question.seed, 1, Stream.PLAY)
        points = self._points(question.view, 0, question.seat, question.asked, rng, 0)
        means = points.mean(axis=0)
        spread = points.std(axis=0, ddof=1) / np.sqrt(len(points))
        # The landlord's value is the same in all worlds, and no less uncertain for that.
        errors = [float(error) if error > 0.0 else None for error in spread]
        best = int(means.argmax())
        texts = [question.text(action) for action in question.asked]
        root = tuple(
            RootMove(texts[k], None, len(points), float(means[k]), errors[k])
            for k in range(len(texts))
        )
        return Decision(
            texts[best],
            int(question.asked[best]),
            {text: float(k == best) for k, text in enumerate(texts)},
            float(means[best]),
            RETURN,
            root,
            playouts=len(points),
            value_error=errors[best],
        )


@player("lookahead", games=["doudizhu"], slow=True)
@dataclass
class Lookahead(PlayerOptions):
    """Bids by the points that the value network expects of each bid, and plays cards like FPMCTS.

    Attributes:
        playouts: Of FPMCTS per move; a bid is tried in 8 times as many worlds.
        solve: As of FPMCTS.
        checkpoint: As of FPMCTS.
    """

    bids: ClassVar[bool] = True
    playouts: int = setting(64, least=2, most=100_000)
    solve: bool = True
    checkpoint: str | None = None

    def _of_cards(self, **given: object) -> PlayerOptions:
        """Returns the player of the cards."""
        own = {"playouts": self.playouts, "solve": self.solve, "checkpoint": self.checkpoint}
        return PLAYERS["fpmcts"].parse(own | given, "lookahead.")

    def file(self, game: Game) -> Path | None:
        """Returns the file of the networks."""
        return self._of_cards().file(card_play_of(game))

    def searches(self, game: Game) -> tuple[Game, str] | None:
        """Returns the card play, and the rule of its searches."""
        return self._of_cards().searches(card_play_of(game))

    def make(self, host: Host) -> Agent:
        """Returns the player; without an auction, FPMCTS."""
        at_cards = cards_host(host)
        if at_cards is host:
            return self._of_cards().make(host)
        cards = self._of_cards(objective="adp")
        made, values = cards.make(at_cards), cards.values(at_cards)
        return LookaheadAgent(host.game, made, values, WORLDS * self.playouts)
