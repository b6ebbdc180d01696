"""Information Set MCTS as a player: no networks, random play-outs."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from agents.agent import Agent
from agents.decision import RETURN, WINS, Decision, Limits, Question, RootMove
from agents.general import single_observer
from agents.general.single_observer import Edges
from games.batches import Rules, States, take
from games.generic import legal
from games.interface import Game, Records
from games.kernels import kernel, random_index, streams
from inference.positions import make_positions
from inference.prior import prior_worlds
from runtime.settings import setting

CHUNK = 256
"""Iterations between two looks at the clock; each has a deal of its own."""
PLACES = 1024
"""Of the hash table of a new tree."""


@dataclass
class ISMCTSOptions:
    """Information Set MCTS without networks: play-outs are random.

    Attributes:
        iterations: Per move; with ``seconds`` the most there may be.
        seconds: Time per move in place of a number of iterations; such a match cannot be repeated exactly. None: iterations
            alone.
        c: Exploration constant, in units of the span of results. The paper of single-observer IS-MCTS: 0.7.
        objective: "wp", the chance to win, or "adp", points; "auto": what the game's matches are told in first.
        temperature: 0 plays the move that was visited most, T > 0 draws in proportion to visits^(1/T). None: 0; 1 in games where
            a good player mixes.
    """

    iterations: int = setting(10_000, least=1, most=1_000_000_000)
    seconds: float | None = setting(None, least=1e-3, most=3600)
    c: float = setting(0.7, least=0, most=1000)
    objective: str = setting("auto", choices=("auto", "wp", "adp"))
    temperature: float | None = setting(None, least=0, most=100)


@kernel
def _legal(rules: Rules, views: States, row: int, actions: np.ndarray) -> int:
    return legal(rules, views, row, actions)


@kernel
def _draw(weights: np.ndarray, rng: np.ndarray, lane: int) -> int:
    return random_index(rng, lane, weights, weights.size, weights.sum())


class SingleObserverAgent(Agent):
    """Single-observer IS-MCTS (Cowling, Powley & Whitehouse 2012), with a new tree for every decision.

    Args:
        game: The game.
        options: See ISMCTSOptions.
        name: For reports.
    """

    def __init__(self, game: Game, options: ISMCTSOptions, name: str = "ismcts") -> None:
        spec = game.spec
        self.game, self.options, self.name = game, options, name
        self.wins_only = spec.score.tells_wins if options.objective == "auto" else options.objective == "wp"
        self.temperature = float(spec.mixes) if options.temperature is None else options.temperature
        self._rng = np.zeros(0, np.uint64)
        self._worlds = game.empty(CHUNK)
        self._scratch = (
            game.empty(1), np.empty(spec.max_moves, np.int64), np.empty(spec.max_moves, np.int64),
            np.empty(spec.max_legal, np.int16), np.empty(spec.max_legal, np.int64),
        )  # fmt: skip

    def start(self, num_games: int, seed: int) -> None:
        """Prepares for games 0 .. num_games - 1."""
        self._rng = streams(seed, num_games)

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view; row k belongs to game ``games[k]``.

        Raises:
            RuntimeError: ``start`` was not called for so many games.
        """
        if len(games) and max(games) >= len(self._rng):
            raise RuntimeError(f"{self.name}: act for game {max(games)} before start: call start(num_games, seed) first")
        moves = np.empty(len(games), np.int16)
        for k, game in enumerate(games):
            view = take(views, np.array([k]))
            actions = self._legal(view)
            if len(actions) == 1:
                moves[k] = actions[0]
                continue
            edges, _ = self._search(view, int(game), self._rng, actions, Limits())
            moves[k] = self._choice(edges, view, actions, self._rng, int(game))
        return moves

    def answer(self, question: Question, limits: Limits) -> Decision:
        """Returns the decision with the moves of the root."""
        rng = streams(question.seed, 1)

        def told(edges: Edges, done: int) -> None:
            if limits.report is not None:
                limits.report(self._decided(question, edges, done, None), done, self.options.iterations)

        edges, done = self._search(question.view, 0, rng, question.asked, limits, told)
        return self._decided(question, edges, done, self._choice(edges, question.view, question.asked, rng, 0))

    def _legal(self, view: States) -> np.ndarray:
        """Returns the legal actions of the seat to move in a view of one row."""
        actions = np.empty(self.game.spec.max_legal, np.int16)
        return actions[: _legal(self.game.rules, view, 0, actions)]

    def _search(
        self, view: States, lane: int, rng: np.ndarray, asked: np.ndarray, limits: Limits,
        told: Callable[[Edges, int], None] | None = None,
    ) -> tuple[Edges, int]:  # fmt: skip
        """Returns the tree of a search and its iterations.

        Args:
            view: One row. lane: Whose stream of ``rng`` is drawn from. asked: The moves to consider.
            limits: When to stop; at least one chunk is run. told: Called after each chunk.
        """
        game, spec, begin = self.game, self.game.spec, time.perf_counter()
        ends = [limits.deadline] if limits.deadline is not None else []
        if self.options.seconds is not None:
            ends.append(begin + self.options.seconds)
        positions = make_positions(game, np.array([lane]), view)
        considered = np.zeros(spec.num_actions, np.bool_)
        considered[asked] = True
        edges, done = single_observer.empty_edges(PLACES), 0
        state, path, movers, actions, places = self._scratch
        while done < self.options.iterations:
            count = min(CHUNK, self.options.iterations - done)
            if 2 * (int(edges.used[0]) + count) > len(edges.keys):
                larger = single_observer.empty_edges(4 * len(edges.keys))
                single_observer.grow(edges, larger)
                edges = larger
            prior_worlds(game.rules, positions, rng, count, spec.hidden_words, self._worlds)
            single_observer.iterate(
                game.rules, self._worlds, 0, count, int(positions.seats[0]), self.wins_only, self.options.c, considered, edges,
                state, rng, lane, path, movers, actions, places,
            )  # fmt: skip
            done += count
            if told is not None:
                told(edges, done)
            if (ends and time.perf_counter() >= min(ends)) or (limits.cancel is not None and limits.cancel()):
                break
        return edges, done

    def _root(self, edges: Edges, view: States, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns visits (int64), means and standard errors of moves at the root (``[n]``)."""
        visits, means, errors = np.empty(len(actions), np.int64), np.empty(len(actions)), np.empty(len(actions))
        single_observer.root_statistics(self.game.rules, view, 0, edges, actions, len(actions), visits, means, errors)
        return visits, means, errors

    def _policy(self, visits: np.ndarray) -> np.ndarray:
        """Returns the probabilities that visits stand for (float64 ``[n]``)."""
        if self.temperature <= 0.0:
            return np.asarray(np.arange(len(visits)) == visits.argmax(), np.float64)
        weights: np.ndarray = (visits / visits.max()) ** (1.0 / self.temperature)
        return weights / weights.sum()

    def _choice(self, edges: Edges, view: States, actions: np.ndarray, rng: np.ndarray, lane: int) -> int:
        """Returns the move that is played."""
        policy = self._policy(self._root(edges, view, actions)[0])
        return int(actions[_draw(policy, rng, lane) if self.temperature > 0.0 else policy.argmax()])

    def _decided(self, question: Question, edges: Edges, done: int, action: int | None) -> Decision:
        """Returns what a search says, so far or in the end; the move is the most visited one where none is given."""
        visits, means, errors = self._root(edges, question.view, question.asked)
        policy = self._policy(visits)
        shift, scale, unit = (0.5, 0.5, WINS) if self.wins_only else (0.0, 1.0, RETURN)
        root = tuple(
            RootMove(
                move=question.text(move),
                prior=1.0 / len(question.asked),
                visits=int(visits[k]),
                mean=None if np.isnan(means[k]) else shift + scale * float(means[k]),
                standard_error=None if np.isnan(errors[k]) else scale * float(errors[k]),
            )
            for k, move in enumerate(question.asked)
        )
        chosen = int(question.asked[policy.argmax()]) if action is None else action
        tried = visits > 0
        return Decision(
            move=question.text(chosen),
            action=chosen,
            policy={row.move: float(p) for row, p in zip(root, policy, strict=True)},
            value=shift + scale * float((visits[tried] * means[tried]).sum() / visits.sum()),
            unit=unit,
            root=root,
            playouts=done,
        )
