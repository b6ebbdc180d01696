"""FPMCTS with inference as a player."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch

from agents.agent import Agent
from agents.decision import (
    RETURN,
    WINS,
    Decision,
    HiddenCards,
    Limits,
    Question,
    RootMove,
    sure_win_decision,
)
from agents.match_search import match_inference, match_search
from agents.registry import Host, PlayerOptions, player
from agents.trained import checkpoint_of, trained_networks
from fpmcts.search import LONE_SLOTS, Search, SearchResult, SearchSettings
from fpmcts.selfplay import sample_targets
from games.batches import Rules, States, take
from games.generic import forced_win, legal, stake
from games.interface import Game, Records
from games.kernels import kernel, streams
from inference.determinizer import Determinizer, InferenceSettings
from networks.checkpoint import CheckpointError
from networks.evaluator import Evaluator
from networks.precision import PRECISIONS
from runtime.settings import setting


@player("fpmcts", slow=True, compiles=True)
@dataclass
class FPMCTSOptions(PlayerOptions):
    """Fictitious-Play MCTS with inference. Settings of the search that are not given: as conf/match
    has them, else as trained.

    Attributes:
        checkpoint: A checkpoint or the folder of a run; none: the weights that come with the
            project.
        seconds: Time per move in place of a number of playouts; such a match cannot be repeated
            exactly. None: playouts alone.
        inference: false deals the hidden cards from the prior.
        objective: "wp" or "adp"; "trained": as in training.
        temperature: 0 plays the search's choice, T > 0 draws from its policy^(1/T).
        precision: Of the networks: "float32", "bfloat16", "int8" (CPUs with AVX-512 VNNI); "auto":
            by the processor and the size of the networks (``networks/precision.py``); int8 in long
            matches alone.
    """

    checkpoint: str | None = None
    seconds: float | None = setting(None, least=1e-3, most=3600)
    inference: bool = True
    objective: str = setting("trained", choices=("trained", "wp", "adp"))
    temperature: float = setting(0.0, least=0, most=100)
    precision: str = setting("auto", choices=PRECISIONS)
    search: dict[str, Any] = field(default_factory=dict)
    beliefs: dict[str, Any] = field(default_factory=dict)

    borrowed: ClassVar[dict[str, type]] = {"search": SearchSettings, "beliefs": InferenceSettings}

    @property
    def playouts(self) -> int | None:
        """The playouts of a move, None if they are not given."""
        return self.search.get("playouts")

    def file(self, game: str) -> Path:
        """Returns the file of the networks. Raises CheckpointError."""
        return checkpoint_of(game, self.checkpoint)

    def make(self, host: Host) -> Agent:
        """Returns the search."""
        objective = None if self.objective == "trained" else self.objective
        trained = trained_networks(host, self.checkpoint, objective, self.precision)
        if not trained.has_values:
            raise CheckpointError(
                f"{self.checkpoint} holds policies and no values: no search; it plays as "
                "LABEL=policy"
            )
        search = match_search(trained.search, host.game.spec.name, self.search)
        off = {} if self.inference else {"phase1": "none", "phase2": False}
        inference = match_inference(trained.inference, search.playouts, self.beliefs | off)
        return SearchAgent(
            trained.game,
            trained.evaluator,
            trained.determinizer_maker(inference),
            search,
            trained.objective == "wp",
            max_positions=host.lanes,
            seconds=self.seconds,
            temperature=self.temperature,
            table_slots=self.search.get("slots", LONE_SLOTS),
        )


@kernel
def _short_cuts(
    rules: Rules, views: States, solve: bool, actions: np.ndarray, scratch: np.ndarray
) -> None:
    """Writes the move of each row where it is forced or wins for sure, else -1."""
    for i in range(actions.size):
        n = legal(rules, views, i, scratch)
        actions[i] = scratch[0] if n == 1 else (forced_win(rules, views, i) if solve else -1)


@kernel
def _stake(rules: Rules, views: States) -> float:
    """Returns the stake of the first row."""
    return stake(rules, views, 0)


def _value_error(result: SearchResult, scale: float) -> float | None:
    """Returns the standard error of the value of the first position, a mean over its policy; None
    where no move has one.

    Moves that were tried once at most are left out: their share of the policy is small.
    """
    errors, shares = (
        result.standard_error[0].astype(np.float64),
        result.target[0].astype(np.float64),
    )
    known = ~np.isnan(errors) & (shares > 0.0)
    return (
        scale * float(np.sqrt(((shares[known] * errors[known]) ** 2).sum()))
        if known.any()
        else None
    )


class Pace:
    """How many playouts fit into a time, from those that were made."""

    FIRST = 16
    """Playouts of the first search, of which the rate is not known."""
    LEAST = 2

    def __init__(self) -> None:
        self._seconds_each: float | None = None

    def playouts(self, seconds: float, most: int) -> int:
        """Returns the playouts that fit into some seconds per position: at least 2, unless ``most``
        is less.
        """
        if self._seconds_each is None:
            return min(self.FIRST, most)
        return min(max(int(seconds / self._seconds_each), self.LEAST), most)

    def note(self, playouts: int, seconds: float) -> None:
        """Learns that a position's playouts took some seconds. Half of the estimate is the last
        search.
        """
        each = max(seconds / playouts, 1e-9)
        self._seconds_each = (
            each if self._seconds_each is None else 0.5 * (self._seconds_each + each)
        )


class SearchAgent(Agent):
    """Searches every unforced decision and plays the best move.

    Args:
        game: The game.
        evaluator: The networks of all seats.
        make_determinizer: Returns a determinizer for a number of games.
        search: Settings of FPMCTS.
        win_only: The objective, see Search.
        max_positions: Positions searched at once.
        name: For reports.
        seconds: Time per move, inference included, in place of a number of playouts: their number
            follows from the rate so far, up to ``search.playouts``. Where many games are searched
            together it is the mean time per position. Such matches are not repeatable. None:
            ``search.playouts``.
        temperature: 0 plays the search's choice; T > 0 draws from its policy^(1/T).
        table_slots: ``search.slots`` of ``decide``; None: as in ``search``.
    """

    def __init__(
        self,
        game: Game,
        evaluator: Evaluator,
        make_determinizer: Callable[[int], Determinizer],
        search: SearchSettings,
        win_only: bool,
        max_positions: int = 256,
        name: str = "fpmcts",
        seconds: float | None = None,
        temperature: float = 0.0,
        table_slots: int | None = None,
    ) -> None:
        if seconds is not None and seconds <= 0.0:
            raise ValueError(f"seconds is {seconds}; expected more than 0")
        self.game, self.name, self.settings, self.win_only = game, name, search, win_only
        self._evaluator, self._max_positions = evaluator, max_positions
        self._table_slots = search.slots if table_slots is None else table_slots
        self._make_determinizer = make_determinizer
        self._determinizer: Determinizer | None = None
        self._rng = np.zeros(0, np.uint64)
        self.seconds, self.temperature = seconds, temperature
        self._pace = Pace()

    @cached_property
    def search(self) -> Search:
        """Returns the search of ``act``."""
        return Search(
            self.game, self._evaluator.evaluate, self.settings, self._max_positions, self.win_only
        )

    @cached_property
    def _table_search(self) -> Search:
        """Returns the search of ``decide``: of one position, with larger batches."""
        settings = replace(self.settings, slots=self._table_slots)
        return Search(self.game, self._evaluator.evaluate, settings, 1, self.win_only)

    @cached_property
    def _table_determinizer(self) -> Determinizer:
        """Returns the determinizer of ``decide``."""
        return self._make_determinizer(1)

    def start(self, num_games: int, seed: int) -> None:
        """Prepares for games 0 .. num_games - 1."""
        self._rng = streams(seed, num_games)
        self._determinizer = self._make_determinizer(num_games)

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view; row k belongs to game ``games[k]``.

        Raises:
            RuntimeError: ``start`` was not called.
        """
        if self._determinizer is None:
            raise RuntimeError("SearchAgent.act before start: call start(num_games, seed) first")
        actions = np.full(len(games), -1, np.int16)
        scratch = np.empty(self.game.spec.max_legal, np.int16)
        _short_cuts(self.game.rules, views, self.settings.solve, actions, scratch)
        rows = np.flatnonzero(actions < 0)
        if rows.size:
            lanes = games[rows]
            begin = time.perf_counter()
            worlds, _ = self._determinizer.worlds(
                lanes, take(views, rows), records, self._rng, self.settings.worlds
            )
            inferred = time.perf_counter()
            playouts = None
            if self.seconds is not None:
                left = self.seconds - (inferred - begin) / rows.size
                playouts = self._pace.playouts(left, self.settings.playouts)
            result = self.search.run(worlds, self._rng, lanes, playouts)
            actions[rows] = result.choice
            if self.temperature > 0.0:
                actions[rows] = sample_targets(
                    result, np.full(rows.size, self.temperature), self._rng, lanes
                )
            if playouts is not None:
                self._pace.note(playouts, (time.perf_counter() - inferred) / rows.size)
        return actions

    def answer(self, question: Question, limits: Limits) -> Decision:
        """Returns the decision with the moves of the root and what is believed of the hidden cards.

        A sure win is played at once. Particles are drawn anew for every decision, so that none
        depends on those before it. Torch uses one thread meanwhile: the batches of a lone game are
        so small that threads wait for each other (*measured* on two busy cores: 1.7 s of processor
        time for 64 playouts with two, 0.16 s with one).
        """
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            return self._searched(question, limits)
        finally:
            torch.set_num_threads(threads)

    def _searched(self, question: Question, limits: Limits) -> Decision:
        """Returns the decision of a search."""
        sure, scratch = np.empty(1, np.int16), np.empty(self.game.spec.max_legal, np.int16)
        _short_cuts(self.game.rules, question.view, self.settings.solve, sure, scratch)
        if sure[0] >= 0 and sure[0] in question.asked:
            return sure_win_decision(question, int(sure[0]), self.win_only)
        begin, lanes, rng = time.perf_counter(), np.zeros(1, np.int64), streams(question.seed, 1)
        self._table_determinizer.reset(lanes)
        worlds, _ = self._table_determinizer.worlds(
            lanes, question.view, question.records, rng, self.settings.worlds
        )
        hidden = self._hidden(question, lanes, rng)
        ends = [
            end
            for end in (limits.deadline, None if self.seconds is None else begin + self.seconds)
            if end is not None
        ]

        def told(result: SearchResult, done: int, total: int) -> None:
            if limits.report is not None:
                limits.report(self._decided(question, result, hidden), done, total)

        result = self._table_search.run(
            worlds,
            rng,
            lanes,
            report=None if limits.report is None else told,
            cancel=limits.cancel,
            deadline=min(ends, default=None),
            moves=None if question.about_all else [question.asked.tolist()],
            stand_ins=[question.stands_for.tolist()],
        )
        if self.temperature > 0.0:
            drawn = sample_targets(result, np.full(1, self.temperature), rng, lanes)
            result = result._replace(choice=drawn)
        return self._decided(question, result, hidden)

    def _hidden(self, question: Question, lanes: np.ndarray, rng: np.ndarray) -> HiddenCards | None:
        """Returns what the worlds just drawn were drawn from; None in games that do not say what
        may be hidden.
        """
        spec = self.game.spec
        if not spec.hidden_kinds:
            return None
        beliefs = self._table_determinizer.marginals(lanes, question.view, question.records, rng)
        return HiddenCards(
            seats=tuple(
                (question.seat + 1 + k) % spec.num_seats for k in range(spec.num_seats - 1)
            ),
            kinds=spec.hidden_kinds,
            probabilities=beliefs.probability[0].tolist(),
            effective_samples=None if np.isnan(beliefs.ess[0]) else float(beliefs.ess[0]),
            listed=bool(beliefs.listed[0]),
            prior_only=bool(beliefs.prior_only[0]),
        )

    def _decided(
        self, question: Question, result: SearchResult, hidden: HiddenCards | None
    ) -> Decision:
        """Returns what a search says, so far or in the end, of one position."""
        unit, scale, shift = WINS, 0.5, 0.5
        if not self.win_only:
            unit, scale, shift = RETURN, _stake(self.game.rules, question.view), 0.0
        root, policy = [], {}
        for k in np.flatnonzero(np.isin(result.actions[0, : result.num_legal[0]], question.asked)):
            text, error = question.text(result.actions[0, k]), float(result.standard_error[0, k])
            visits, mean = int(result.visits[0, k]), float(result.q[0, k])
            policy[text] = float(result.target[0, k])
            root.append(
                RootMove(
                    move=text,
                    prior=float(result.prior[0, k]),
                    visits=visits,
                    mean=None if np.isnan(mean) else shift + scale * mean,
                    standard_error=None if np.isnan(error) else scale * error,
                )
            )
        return Decision(
            move=question.text(result.choice[0]),
            action=int(result.choice[0]),
            policy=policy,
            value=shift + scale * float(result.value[0]),
            unit=unit,
            root=tuple(root),
            hidden=hidden,
            playouts=int(result.done[0]),
            value_error=_value_error(result, scale),
        )
