"""FPMCTS with inference as a player."""

import time
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from fpmcts.players.match_search import match_changes, match_inference, match_search
from fpmcts.players.pace import Determinizers
from fpmcts.players.sure_wins import immediate_moves, sure_win
from fpmcts.players.trained import NetworkOptions, Trained
from fpmcts.search.result import SearchResult, sample_targets
from fpmcts.search.search import LONE_SLOTS, Search, SearchSettings
from games.base.settings import check_used, setting
from games.kernels import streams
from games.kernels.generic import stake
from games.kernels.rows import States, take
from games.play.agent import Agent
from games.play.decision import RETURN, SOLVED, WINS, Decision, HiddenCards, RootMove, known
from games.play.interface import Game, Records
from games.play.question import Limits, Question
from games.play.registry import Host, player
from inference.determinizer import Determinizer, InferenceSettings
from networks.checkpoint import CheckpointError, load
from networks.device import one_thread

MOST_TIMED, ROOM_TIMED = 4096, 1 << 18
"""Most playouts of a move, and of all positions searched at once, if only its time is given."""
LONE_ROUNDS = 4
"""Times that a search of a single position sees returns before it is over, at least: p-UCT does not
learn from simulations in flight. As often as in training; its strength was not compared. *Measured*
with 64 playouts in Doudizhu on a busy machine with AVX2, processor time of a decision (median of
13): 1.48, 0.96, 0.66 and 0.43 s with 16, 8, 4 and 2.
"""


@player("fpmcts", slow=True)
@dataclass
class FPMCTSOptions(NetworkOptions):
    """Fictitious-Play MCTS with inference.

    Settings of the search that are not given come from conf/match, else from training.

    Attributes:
        match: The file of conf/match: "default", or "paper" for DeltaDou's 600 playouts of p-UCT,
            one simulation at a time.
        seconds: Time per move, up to half of it for inference, with fewer particles if need be. A
            search ends earlier after ``playouts``, for which it has memory; if they are not given,
            as many as there is room for: 2,048 at a table. Such a match is not reproducible, and
            endgames are not solved. None: playouts only.
        inference: Whether to infer the hidden cards; false samples them from the prior.
        objective: "wp" or "adp"; "trained": as in training.
        temperature: 0 plays the search's choice, T > 0 draws from its policy^(1/T).
    """

    match: str = setting("default", choices=("default", "paper"))
    seconds: float | None = setting(None, least=1e-3, most=3600)
    inference: bool = True
    objective: str = setting("trained", choices=("trained", "wp", "adp"))
    temperature: float = setting(0.0, least=0, most=100)
    search: dict[str, Any] = field(default_factory=dict)
    beliefs: dict[str, Any] = field(default_factory=dict)

    borrowed: ClassVar[dict[str, type]] = {"search": SearchSettings, "beliefs": InferenceSettings}

    @property
    def playouts(self) -> int | None:
        """The playouts of a move, None if they are not given."""
        return self.search.get("playouts")

    def searches(self, game: Game) -> tuple[Game, str]:
        """Returns the game and the rule of the checkpoint, unless an option changes it."""
        _, meta = load(self.file(game))
        trained = {"root": "puct", **meta.get("config", {}).get("search", {})}
        changed = match_changes(game.spec.name, self.match) | self.search
        return game, str((trained | changed)["root"])

    def make(self, host: Host) -> Agent:
        """Returns the search."""
        objective = None if self.objective == "trained" else self.objective
        trained = self.networks(host, objective)
        if not trained.has_values:
            raise CheckpointError(
                f"{self.checkpoint} holds policies and no values: no search; it plays as "
                "LABEL=policy"
            )
        given = self.search
        if self.seconds is not None:
            given = {"playouts": min(MOST_TIMED, max(64, ROOM_TIMED // host.lanes)), **given}
        search = match_search(trained.search, host.game.spec.name, given, self.match)
        off = {} if self.inference else {"phase1": "none", "phase2": False}
        for key in self.beliefs if off else ():
            raise ValueError(f"{key}={self.beliefs[key]}: expected none with inference=false")
        inference = match_inference(trained.inference, search.playouts, self.beliefs | off)
        parts = (search, trained.search, self.search), (inference, trained.inference, self.beliefs)
        for settings, before, own in parts:  # training gives all its settings
            check_used(settings, {k: v for k, v in own.items() if v != getattr(before, k)})
        return SearchAgent(trained, search, inference, self, host.lanes)


POOLED = 2
"""Returns with the spread of all by which the spread of each move is shrunk; ours."""


def pooled(errors: np.ndarray, visits: np.ndarray) -> np.ndarray:
    """Returns the standard errors of moves, float ``[A]``, as if ``POOLED`` more returns of each
    had the spread of all: a few returns say little of their spread. NaN without visits, or if all
    are unknown or 0.
    """
    tried = np.where(visits > 0, visits, np.nan)
    told = np.isfinite(errors * tried)
    spread = np.where(told, errors**2 * tried, 0.0)
    total = (visits * told).sum()
    overall = (visits * spread).sum() / total if spread.any() else np.nan
    draws = visits * told
    return np.sqrt((draws * spread + POOLED * overall) / (draws + POOLED) / tried)


class SearchAgent(Agent):
    """Searches every unforced decision and plays the best move.

    At a table, a move that another clearly beats, by more than two standard errors of the
    difference, is not played, whatever its prior (``Decision.best``); ``act``, which matches and
    self-play use, plays the search's choice. What this changes in strength is unmeasured; it
    concerned 2 of 32 decisions in two games of Doudizhu at 64 playouts.

    Args:
        trained: The networks of all seats.
        settings: Settings of the search.
        inference: Settings of the inference.
        options: ``seconds`` is the time per move, including inference, up to
            ``settings.playouts``. If many games are searched together, it is the mean time per
            position.
        lanes: Positions searched at once.
    """

    name = "fpmcts"
    needs_moves = False

    def __init__(
        self,
        trained: Trained,
        settings: SearchSettings,
        inference: InferenceSettings,
        options: FPMCTSOptions,
        lanes: int,
    ) -> None:
        self.game, self.settings, self.win_only = trained.game, settings, trained.objective == "wp"
        self.seconds, self.temperature = options.seconds, options.temperature
        self._evaluate, self._lanes = trained.evaluator.evaluate, lanes
        # Solving takes up to a third of a second, which a limit of time does not foresee.
        solves = settings.solve and self.temperature <= 0.0 and self.seconds is None
        self._endgame = (
            self.game.endgame(points=not self.win_only, searched=True) if solves else None
        )
        self._trained, self._inference = trained, inference
        usual = settings.slots
        if options.match == "default":
            usual = max(usual, min(LONE_SLOTS, settings.playouts // LONE_ROUNDS))
        self._table_settings = replace(settings, slots=options.search.get("slots", usual))
        self._table_determinizers = Determinizers(trained, inference, 1)
        self._determinizers: Determinizers | None = None

    @cached_property
    def _unmoved_determinizers(self) -> Determinizers:
        """Returns those of ``decide`` where moves are not known: worlds from phase 1 alone."""
        return Determinizers(self._trained, replace(self._inference, phase2=False), 1)

    @cached_property
    def search(self) -> Search:
        """Returns the search of ``act``."""
        return Search(self.game, self._evaluate, self.settings, self._lanes, self.win_only)

    @cached_property
    def _table_search(self) -> Search:
        """Returns the search of ``decide``: for one position, with larger batches (up to
        ``LONE_SLOTS`` simulations in flight) unless ``slots`` or ``match`` is given.
        """
        return Search(self.game, self._evaluate, self._table_settings, 1, self.win_only)

    def start(self, num_games: int, seed: int) -> None:
        """Prepares for games 0 .. num_games - 1."""
        super().start(num_games, seed)
        self._determinizers = Determinizers(self._trained, self._inference, num_games)

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view; row k belongs to game
        ``games[k]``.
        """
        assert self._determinizers is not None, "act before start"
        actions = immediate_moves(self.game, views, self.settings.solve)
        rows = np.flatnonzero(actions < 0)
        if rows.size:
            lanes = games[rows]
            begin = time.perf_counter()
            here = take(views, rows)
            determinizer = self._determinizers.ready(lanes, here, records, self.rng, self.seconds)
            worlds, drawn = determinizer.worlds(
                lanes, here, records, self.rng, self.settings.worlds
            )
            self._determinizers.note(drawn, time.perf_counter() - begin)
            deadline = None if self.seconds is None else begin + self.seconds * rows.size
            result = self.search.run(worlds, self.rng, lanes, deadline=deadline)
            actions[rows] = self._chosen(result, worlds, self.rng, lanes)
        return actions

    def _chosen(
        self, result: SearchResult, worlds: States | None, rng: np.ndarray, lanes: np.ndarray
    ) -> np.ndarray:
        """Returns the moves to play; given worlds, endgames are solved."""
        if self.temperature > 0.0:
            return sample_targets(result, np.full(len(lanes), self.temperature), rng, lanes)
        if self._endgame is None or worlds is None:
            return result.choice
        r = result
        return self._endgame.choose(worlds, r.actions, r.target, r.num_legal, r.choice)

    def answer(self, question: Question, limits: Limits) -> Decision:
        """Returns the decision with the root moves and the beliefs about the hidden cards.

        A sure win is played at once. Particles are drawn anew for every decision, so that decisions
        are independent of earlier ones.
        """
        if self.settings.solve and (sure := sure_win(question, self.win_only)) is not None:
            return sure
        with one_thread():
            return self._searched(question, limits)

    def _searched(self, question: Question, limits: Limits) -> Decision:
        """Returns the decision of a search."""
        begin, lanes, rng = time.perf_counter(), np.zeros(1, np.int64), streams(question.seed, 1)
        determinizers = self._table_determinizers
        if not question.knows_moves:
            determinizers = self._unmoved_determinizers
        determinizer = determinizers.ready(
            lanes, question.view, question.records, rng, self.seconds
        )
        determinizer.reset(lanes)
        worlds, drawn = determinizer.worlds(
            lanes, question.view, question.records, rng, self.settings.worlds
        )
        determinizers.note(drawn, time.perf_counter() - begin)
        hidden = self._hidden(question, determinizer, lanes, rng)
        own = None if self.seconds is None else begin + self.seconds
        report = limits.report

        def so_far(result: SearchResult, done: int, total: int) -> None:
            assert report is not None
            report(self._decided(question, result, hidden), done, total)

        result = self._table_search.run(
            worlds,
            rng,
            lanes,
            report=None if report is None else so_far,
            cancel=limits.cancel,
            deadline=min((end for end in (limits.deadline, own) if end is not None), default=None),
            moves=None if question.about_all else [question.asked.tolist()],
            stand_ins=[question.stands_for.tolist()],
            sources=drawn.sources,
        )
        may_solve = question.about_all and limits.deadline is None
        choice = self._chosen(result, worlds if may_solve else None, rng, lanes)
        decision = self._decided(question, result._replace(choice=choice), hidden)
        if self.temperature > 0.0:
            return decision
        if choice[0] != result.choice[0]:
            return replace(decision, reason=SOLVED)
        action = question.asked[[question.text(one) for one in question.asked].index(decision.best)]
        return replace(decision, move=decision.best, action=int(action))

    def _hidden(
        self, question: Question, determinizer: Determinizer, lanes: np.ndarray, rng: np.ndarray
    ) -> HiddenCards | None:
        """Returns the distribution of the worlds just drawn; None in games that do not list what
        may be hidden.
        """
        spec = self.game.spec
        if not spec.hidden_kinds:
            return None
        beliefs = determinizer.marginals(lanes, question.view, question.records, rng)
        return HiddenCards(
            seats=tuple((question.seat + k) % spec.num_seats for k in range(1, spec.num_seats)),
            kinds=spec.hidden_kinds,
            probabilities=beliefs.probability[0].tolist(),
            effective_samples=known(beliefs.ess[0]),
            listed=bool(beliefs.listed[0]),
            prior_only=bool(beliefs.prior_only[0]),
        )

    def _decided(
        self, question: Question, result: SearchResult, hidden: HiddenCards | None
    ) -> Decision:
        """Returns the decision of a search of one position, so far or at its end."""
        unit, scale, shift = WINS, 0.5, 0.5
        if not self.win_only:
            unit, scale, shift = RETURN, stake(self.game.rules, question.view, 0), 0.0
        columns = (result.actions, result.target, result.prior, result.visits, result.q)
        rows = np.isin(result.actions[0, : result.num_legal[0]], question.asked).nonzero()[0]
        actions, policy, priors, visits, q = (column[0, rows].tolist() for column in columns)
        texts = [question.text(action) for action in actions]
        errors = scale * pooled(result.standard_error[0, rows].astype(np.float64), np.array(visits))
        moves = zip(texts, priors, visits, shift + scale * np.array(q), errors, strict=True)
        return Decision(
            move=question.text(result.choice[0]),
            action=int(result.choice[0]),
            policy=dict(zip(texts, policy, strict=True)),
            value=shift + scale * float(result.value[0]),
            unit=unit,
            root=tuple(
                RootMove(text, prior, count, known(mean), known(error))
                for text, prior, count, mean, error in moves
            ),
            hidden=hidden,
            playouts=int(result.done[0]),
            value_error=known(scale * result.value_error[0]),
        )
