"""The player ``mcts``: Monte-Carlo tree search with expected reward distributions and a model of
the opponents.

With its defaults it is NEWBOT of Van den Broeck, Driessens & Ramon 2009, 5.1;
``backpropagation=sample_weighted`` is STDBOT, which takes equation 3 at every node. The tree and
its formulas: ``fpmcts/no_limit_holdem/expected_reward/README.md``.
"""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from fpmcts.no_limit_holdem.expected_reward.moments import Backpropagation
from fpmcts.no_limit_holdem.expected_reward.search import Found, RewardSettings, Searcher
from fpmcts.no_limit_holdem.expected_reward.selection import Selection
from fpmcts.no_limit_holdem.opponents.model import OpponentModel, untrained
from fpmcts.no_limit_holdem.opponents.model_file import MODEL_FILE, ModelError, load
from fpmcts.no_limit_holdem.opponents.statistics import (
    WINDOW,
    count_action,
    count_hand,
    new_counts,
    smooth,
)
from games.base.files import shipped
from games.base.settings import setting
from games.kernels import kernel, streams
from games.kernels.rows import States, take
from games.no_limit_holdem.betting import amount_of, step
from games.no_limit_holdem.state import FIRST_AMOUNT, FIRST_SIZE, Rules
from games.play.agent import Agent
from games.play.decision import RETURN, Decision, RootMove
from games.play.interface import Game, Records
from games.play.question import Limits, Question
from games.play.registry import Host, PlayerOptions, player
from networks.checkpoint import CheckpointError, is_there

SHIPPED = shipped("models") / "no_limit_holdem-mixed-opponents.safetensors"
UNTRAINED = "untrained"
ITERATIONS, MOST_ITERATIONS = 25_000, 10**9
STACKS = 2.5
"""C of equation 1 in starting stacks: the text's 50,000 where stacks are 20,000."""
UNWEIGHTED = "backpropagation=max_distribution or maximum"


@player("mcts", games=["no_limit_holdem"], slow=True)
@dataclass
class MCTSOptions(PlayerOptions):
    """Monte-Carlo tree search with a model of the opponents, in no-limit Hold'em.

    Source: Van den Broeck, Driessens & Ramon 2009.

    Attributes:
        iterations: Iterations per move; with ``seconds``, their maximum. None: 25,000 (the text,
            5.5), or no limit with ``seconds``.
        seconds: Time per move; such a match cannot be repeated exactly. None: no limit of time.
        selection: "uct_plus" (equation 5), "uct" (equation 1) or "crazystone" (equation 2).
        c: Standard errors in equation 5, None: 2; starting stacks in equation 1, None: 2.5.
        backpropagation: Rule at the player's own nodes: "max_distribution" (§4.1), "maximum"
            (equation 4), "sample_weighted" (equation 3).
        threshold: Samples below which one of the player's own nodes is weighted by samples.
        opponents: How nodes of the others are weighted: "model" (§4.2), "samples" (equation 3);
            "auto": samples where ``backpropagation`` is sample_weighted, else the model.
        variance: Variance of nodes weighted by the model: "independent", sum of p² σ², or "text",
            sum of p σ².
        hands: Hands sampled for the others on each board; 0: their expectation.
        cards: Boards sampled at a node where public cards are dealt; 0: a tree of betting only.
        adapt: Whether it keeps statistics of the players from the hands it has seen; if not,
            everyone is treated as the average player.
        window: Approximate number of earlier hands that those statistics cover. None: as when the
            model was learned.
        checkpoint: The opponent model, or the run folder that it is in; None: the one that comes
            with the project; "untrained": everything is equally likely.
    """

    depends: ClassVar[dict[str, str]] = {
        "c": "selection=uct_plus or uct",
        "variance": f"opponents=auto or model and opponents=model, {UNWEIGHTED}",
        "threshold": UNWEIGHTED,
        "window": "adapt=true",
    }
    iterations: int | None = setting(None, least=1, most=MOST_ITERATIONS)
    seconds: float | None = setting(None, least=1e-3, most=3600)
    selection: str = setting("uct_plus", choices=("uct_plus", "uct", "crazystone"))
    c: float | None = setting(None, least=0, most=1e6)
    backpropagation: str = setting(
        "max_distribution", choices=("max_distribution", "maximum", "sample_weighted")
    )
    threshold: int = setting(200, least=1, most=10**9)
    opponents: str = setting("auto", choices=("auto", "model", "samples"))
    variance: str = setting("independent", choices=("independent", "text"))
    hands: int = setting(0, least=0, most=10_000)
    cards: int = setting(0, least=0, most=30)
    adapt: bool = True
    window: int | None = setting(None, least=1, most=10**9)
    checkpoint: str | None = None

    def make(self, host: Host) -> Agent:
        """Returns the player."""
        model, window = host.once(("opponent model", self.checkpoint), self.model)
        return MCTSAgent(host.game, replace(self, window=self.window or window), model)

    def file(self, game: Game) -> Path | None:
        """Returns the file of the model. Raises CheckpointError if there is none."""
        return self._file()

    def _file(self) -> Path | None:
        if self.checkpoint == UNTRAINED:
            return None
        path = SHIPPED if self.checkpoint is None else Path(self.checkpoint)
        path = path / MODEL_FILE if path.is_dir() else path
        if not is_there(path):
            raise CheckpointError(
                f"there is no opponent model at {path}; give checkpoint=FILE of a run with "
                "algorithm=opponent_model, or "
                f"checkpoint={UNTRAINED}"
            )
        return path

    def model(self) -> tuple[OpponentModel, int]:
        """Returns the model and the window it was learned with. Raises CheckpointError if it cannot
        be read.
        """
        path = self._file()
        try:
            if path is None:
                return untrained(), WINDOW
            learned = load(path)
            return learned.model, learned.window
        except ModelError as error:
            raise CheckpointError(str(error)) from error

    def settings(self, stack: int) -> RewardSettings:
        """Returns the kernel's settings for a mover that began the hand with ``stack`` chips."""
        selection = Selection[self.selection.upper()]
        default, unit = (STACKS, stack) if selection == Selection.UCT else (2.0, 1)
        by_samples = self.opponents == "samples" or (
            self.opponents == "auto" and self.backpropagation == "sample_weighted"
        )
        return RewardSettings(
            int(selection),
            float((default if self.c is None else self.c) * unit),
            int(Backpropagation[self.backpropagation.upper()]),
            self.threshold,
            not by_samples,
            self.variance == "independent",
            self.hands,
            self.cards,
        )


@kernel
def _count_games(
    rules: Rules,
    states: States,
    moves: np.ndarray,
    lengths: np.ndarray,
    seating: np.ndarray,
    keep: float,
    counts: np.ndarray,
) -> None:
    """Plays G games from their deals and counts what each player does.

    Args:
        states: G deals, changed in place.
        moves: int16 ``[G, M]``.
        lengths: int16 ``[G]``.
        seating: int64 ``[G, S]``, the player in each seat; a player in several seats is counted in
            each.
        keep: Factor on the counts of earlier games, in [0, 1].
        counts: float32 ``[P, COUNTS]``, changed in place.
    """
    own = np.zeros((seating.shape[1], counts.shape[1]), np.float32)
    for g in range(len(lengths)):
        own[:] = 0.0
        for k in range(lengths[g]):
            count_action(rules, states, g, min(np.int64(moves[g, k]), 2), own)
            step(rules, states, g, np.int64(moves[g, k]))
        count_hand(states, g, own)
        for s in range(len(own)):
            for k in range(own.shape[1]):
                counts[seating[g, s], k] = np.float32(keep) * counts[seating[g, s], k] + own[s, k]


class MCTSAgent(Agent):
    """The player.

    Args:
        game: No-limit Hold'em.
        options: See MCTSOptions.
        model: Model of the opponents.
    """

    name = "mcts"

    def __init__(self, game: Game, options: MCTSOptions, model: OpponentModel) -> None:
        self.game, self.options, self.model = game, options, model
        self.adapts = options.adapt
        self._searcher: Searcher | None = None
        self.counts = new_counts(game.spec.num_seats)
        """Statistics of the players before the hand (``opponents.statistics``)."""
        self._seating: np.ndarray | None = None

    def forget(self) -> None:
        """Forgets all players."""
        self.counts[:] = 0.0
        self._seating = None

    def meet(self, seating: np.ndarray) -> None:
        """Sets the player in each seat of the coming games (``seating``, int ``[G, S]``), by the
        numbers that ``observe`` counts under.
        """
        self._seating = np.asarray(seating, np.int64)

    def observe(self, deals: States, records: Records) -> None:
        """Counts the players' actions in the games announced by ``meet``, from public information
        only.

        Args:
            deals: ``[G]``, changed in place.
            records: All moves.
        """
        assert self._seating is not None
        keep = 1.0 - 1.0 / (self.options.window or WINDOW)
        _count_games(
            self.game.rules, deals, records.moves, records.lengths, self._seating, keep, self.counts
        )
        self._seating = None

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view; row k belongs to game
        ``games[k]``.
        """
        moves = np.empty(len(games), np.int16)
        for k, game in enumerate(games):
            found = self.search(
                take(views, np.array([k])),
                self.rng[game : game + 1],
                Limits(),
                self._known(int(game)),
            )
            moves[k] = found.actions[found.best()]
        return moves

    def _known(self, game: int) -> np.ndarray:
        """Returns the counts of a game's players by seat; those of strangers where the players are
        unknown.
        """
        if self._seating is None:
            return new_counts(self.game.spec.num_seats)
        return self.counts[self._seating[game]]

    def search(
        self,
        view: States,
        rng: np.ndarray,
        limits: Limits,
        counts: np.ndarray,
        given: np.ndarray | None = None,
    ) -> Found:
        """Returns the values of the actions of the seat to move.

        Args:
            view: One row.
            rng: uint64 ``[1]``, a stream; changed in place.
            limits: When to stop.
            counts: float32 ``[S, COUNTS]``, the players' counts by seat.
            given: int64 ``[n]``, the actions to consider, raises by their amounts; None: all.
        """
        o, seat = self.options, int(view.seat[0])
        settings = o.settings(int(view.stacks[0, seat] + view.paid[0, seat]))
        if self._searcher is None:
            self._searcher = Searcher(self.game.rules, self.model, settings)
        self._searcher.settings = settings
        statistics = np.empty((self.game.spec.num_seats, len(self.model.prior)), np.float32)
        smooth(counts, self.model.prior, statistics)
        end = min(limits.deadline or np.inf, time.perf_counter() + (o.seconds or np.inf))
        most = o.iterations or (ITERATIONS if o.seconds is None else MOST_ITERATIONS)

        def stopping(done: int) -> bool:
            late = time.perf_counter() >= end
            return late or (limits.cancel is not None and limits.cancel())

        return self._searcher.run(view, seat, statistics, rng, most, stopping, given)

    def answer(self, question: Question, limits: Limits) -> Decision:
        """Returns the decision at a table, with the searched moves: only the given ones, by their
        amounts, if any are given.

        After ``meet``, the players at the table are taken to be those of the first game.
        """
        given = (
            None
            if question.about_all
            else np.array([self._exact(question, int(action)) for action in question.asked])
        )
        found = self.search(question.view, streams(question.seed, 1), limits, self._known(0), given)
        actions = found.actions if given is None else question.asked.astype(np.int64)
        if not (found.visits > 0).any():
            action = int(question.asked[-1])  # no time for one iteration
            return Decision(question.text(action), action, playouts=found.iterations)
        best = int(actions[found.best()])
        root = tuple(
            RootMove(
                question.text(action),
                None,
                int(visits),
                float(mean) if visits else None,
                float(error) if visits else None,
            )
            for action, visits, mean, error in zip(
                actions, found.visits, found.mean, found.error, strict=True
            )
        )
        return Decision(
            question.text(best),
            best,
            value=found.value,
            value_error=found.value_error,
            unit=RETURN,
            root=root,
            playouts=found.iterations,
        )

    def _exact(self, question: Question, action: int) -> int:
        """Returns the action as encoded in the tree: raises by their amounts."""
        if action < FIRST_SIZE:
            return action
        return FIRST_AMOUNT + int(amount_of(self.game.rules, question.view, 0, action))
