"""Information Set MCTS as a player: no networks, random play-outs. Its options, and the single-observer tree.

The tree that all seats share is in ``shared_tree.py``.
"""

import time
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from agents.agent import Agent
from agents.decision import RETURN, WINS, Decision, Limits, Question, RootMove
from agents.general import single_observer
from agents.general.single_observer import Edges
from agents.registry import PlayerOptions
from games.batches import Rules, States, take
from games.generic import legal
from games.interface import Game, Records
from games.kernels import kernel, random_index, streams
from inference.positions import make_positions
from inference.prior import prior_worlds
from runtime.settings import setting
from tabular.hashed_learner import FORMS, REWARDS, SELECTIONS

CHUNK = 256
"""Iterations between two looks at the clock; each has a deal of its own."""
PLACES = 1024
"""Of the hash table of a new tree."""
ITERATIONS = 10_000
"""Where nothing is said of iterations or seconds."""
MOST_ITERATIONS = 10**9
TREES = ("auto", "shared", "single_observer")
DRAWS = ("uniform", "belief")


@dataclass
class ISMCTSOptions(PlayerOptions):
    """Information Set MCTS without networks: play-outs are random.

    Attributes:
        iterations: Per move; with ``seconds`` the most there may be. None: 10,000, with ``seconds`` no limit.
        seconds: Time per move in place of a number of iterations; such a match cannot be repeated exactly. None: iterations
            alone.
        tree: "shared": statistics of the information sets of all seats, kept from move to move (Lisy 2014, algorithm 1);
            "single_observer": those of the player's own sets, over drawn deals (Cowling, Powley & Whitehouse 2012). "auto":
            shared where nothing but moves is hidden, since it ends after a move where all hands are.
        selection: "uct"; of the shared tree also "exp3" or "regret_matching".
        draws: Of the shared tree: which state of the player's information set an iteration begins in. "uniform": each is as
            likely, as in the text; "belief": as likely as the tree's mean policy makes the moves of the others.
        form: Of UCT in the shared tree: "text" or "authors" (``tabular.hashed_learner.IsMctsOptions``); None, here and below:
            as in ``algorithm=ismcts``.
        c: Exploration constant. Single observer: in units of the span of results, None: 0.7, as in its paper; shared: in rewards.
        tie_margin: Of UCT in the shared tree: actions so near to the best count as equal.
        gamma: Of Exp3 and Regret Matching: share of uniform exploration, above 0.
        rewards: Of the shared tree: "signed" or "unit".
        store_exploration: Of Exp3 and Regret Matching: whether the exploration is played, too.
        memory: Of the shared tree of one game, MB. What is full lets go of the sets that were visited least.
        objective: Single observer: "wp", the chance to win, or "adp", points; "auto": what the game's matches are told in first.
        temperature: 0 plays the move that was visited most, T > 0 draws in proportion to visits^(1/T), or mean policy^(1/T).
            None: 1 in the shared tree and in games where a good player mixes, else 0.
    """

    iterations: int | None = setting(None, least=1, most=MOST_ITERATIONS)
    seconds: float | None = setting(None, least=1e-3, most=3600)
    tree: str = setting("auto", choices=TREES)
    selection: str = setting("uct", choices=SELECTIONS)
    draws: str = setting("uniform", choices=DRAWS)
    form: str | None = setting(None, choices=(None, *FORMS))
    c: float | None = setting(None, least=0, most=1000)
    tie_margin: float | None = setting(None, least=0, most=1000)
    gamma: float | None = setting(None, least=1e-9, most=1)
    rewards: str | None = setting(None, choices=(None, *REWARDS))
    store_exploration: bool | None = None
    memory: int = setting(64, least=1, most=1_000_000)
    objective: str = setting("auto", choices=("auto", "wp", "adp"))
    temperature: float | None = setting(None, least=0, most=100)

    def most(self) -> int:
        """Returns the most iterations of a move."""
        return self.iterations or (ITERATIONS if self.seconds is None else MOST_ITERATIONS)


class Clock:
    """When a search ends, and how far it is.

    Args:
        options: Of the player.
        limits: Of the question.
    """

    def __init__(self, options: ISMCTSOptions, limits: Limits) -> None:
        self.begin, self.limits, self.most = time.perf_counter(), limits, options.most()
        own = None if options.seconds is None else self.begin + options.seconds
        self.end = min((end for end in (own, limits.deadline) if end is not None), default=None)

    def is_over(self) -> bool:
        """Returns whether to stop before all iterations are made."""
        return self.is_late(1.0) or (self.limits.cancel is not None and self.limits.cancel())

    def is_late(self, share: float) -> bool:
        """Returns whether a share of the time, where there is a limit, has gone by."""
        return self.end is not None and time.perf_counter() >= self.begin + share * (self.end - self.begin)

    def total(self, done: int) -> int:
        """Returns how many iterations there will be; where time decides, as the rate so far has it."""
        if self.end is None or self.most < MOST_ITERATIONS:
            return self.most
        share = (time.perf_counter() - self.begin) / max(self.end - self.begin, 1e-9)
        return max(done, int(done / min(max(share, 1e-9), 1.0)))


@kernel
def _legal(rules: Rules, views: States, row: int, actions: np.ndarray) -> int:
    return legal(rules, views, row, actions)


@kernel
def _draw(weights: np.ndarray, rng: np.ndarray, lane: int) -> int:
    return random_index(rng, lane, weights, weights.size, weights.sum())


class TreeAgent(Agent):
    """What the two kinds of trees share.

    Args:
        game: The game.
        options: See ISMCTSOptions.
        name: For reports.
    """

    def __init__(self, game: Game, options: ISMCTSOptions, name: str = "ismcts") -> None:
        self.game, self.options, self.name = game, options, name
        self.temperature = float(game.spec.mixes) if options.temperature is None else options.temperature
        self._rng = np.zeros(0, np.uint64)

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
            moves[k] = actions[0] if len(actions) == 1 else self._move(int(game), view, records, actions)
        return moves

    @abstractmethod
    def _move(self, game: int, view: States, records: Records, actions: np.ndarray) -> int:
        """Returns one of several legal actions for a view of one row."""

    def _legal(self, view: States) -> np.ndarray:
        """Returns the legal actions of the seat to move in a view of one row."""
        actions = np.empty(self.game.spec.max_legal, np.int16)
        return actions[: _legal(self.game.rules, view, 0, actions)]

    def _policy(self, weights: np.ndarray) -> np.ndarray:
        """Returns the probabilities (float64 ``[n]``) that weights, not all 0, stand for at the temperature."""
        if self.temperature <= 0.0:
            return np.asarray(np.arange(len(weights)) == weights.argmax(), np.float64)
        powers: np.ndarray = (weights / weights.max()) ** (1.0 / self.temperature)
        return powers / powers.sum()

    def _drawn(self, policy: np.ndarray, rng: np.ndarray, lane: int) -> int:
        """Returns the index of the move that is played."""
        return int(_draw(policy, rng, lane) if self.temperature > 0.0 else policy.argmax())


class SingleObserverAgent(TreeAgent):
    """Single-observer IS-MCTS (Cowling, Powley & Whitehouse 2012), with a new tree for every decision."""

    def __init__(self, game: Game, options: ISMCTSOptions, name: str = "ismcts") -> None:
        super().__init__(game, options, name)
        spec = game.spec
        self.wins_only = spec.score.tells_wins if options.objective == "auto" else options.objective == "wp"
        self.c = 0.7 if options.c is None else options.c
        self._worlds = game.empty(CHUNK)
        self._scratch = (
            game.empty(1), np.empty(spec.max_moves, np.int64), np.empty(spec.max_moves, np.int64),
            np.empty(spec.max_legal, np.int16), np.empty(spec.max_legal, np.int64),
        )  # fmt: skip

    def _move(self, game: int, view: States, records: Records, actions: np.ndarray) -> int:
        edges, _ = self._search(view, game, self._rng, actions, Clock(self.options, Limits()))
        return self._choice(edges, view, actions, self._rng, game)

    def answer(self, question: Question, limits: Limits) -> Decision:
        """Returns the decision with the moves of the root."""
        rng, clock = streams(question.seed, 1), Clock(self.options, limits)

        def told(edges: Edges, done: int) -> None:
            if limits.report is not None:
                limits.report(self._decided(question, edges, done, None), done, clock.total(done))

        edges, done = self._search(question.view, 0, rng, question.asked, clock, told)
        return self._decided(question, edges, done, self._choice(edges, question.view, question.asked, rng, 0))

    def _search(
        self, view: States, lane: int, rng: np.ndarray, asked: np.ndarray, clock: Clock,
        told: Callable[[Edges, int], None] | None = None,
    ) -> tuple[Edges, int]:  # fmt: skip
        """Returns the tree of a search and its iterations.

        Args:
            view: One row. lane: Whose stream of ``rng`` is drawn from. asked: The moves to consider.
            clock: When to stop; at least one chunk is run. told: Called after each chunk.
        """
        game, spec = self.game, self.game.spec
        positions = make_positions(game, np.array([lane]), view)
        edges, done = single_observer.empty_edges(PLACES), 0
        state, path, movers, actions, places = self._scratch
        while done < clock.most:
            count = min(CHUNK, clock.most - done)
            if 2 * (int(edges.used[0]) + count) > len(edges.keys):
                larger = single_observer.empty_edges(4 * len(edges.keys))
                single_observer.grow(edges, larger)
                edges = larger
            prior_worlds(game.rules, positions, rng, count, spec.hidden_words, self._worlds)
            single_observer.iterate(
                game.rules, self._worlds, 0, count, int(positions.seats[0]), self.wins_only, self.c, asked, edges,
                state, rng, lane, path, movers, actions, places,
            )  # fmt: skip
            done += count
            if told is not None:
                told(edges, done)
            if clock.is_over():
                break
        return edges, done

    def _root(self, edges: Edges, view: States, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns visits (int64), means and standard errors of moves at the root (``[n]``)."""
        visits, means, errors = np.empty(len(actions), np.int64), np.empty(len(actions)), np.empty(len(actions))
        single_observer.root_statistics(self.game.rules, view, 0, edges, actions, len(actions), visits, means, errors)
        return visits, means, errors

    def _choice(self, edges: Edges, view: States, actions: np.ndarray, rng: np.ndarray, lane: int) -> int:
        """Returns the move that is played."""
        return int(actions[self._drawn(self._policy(self._root(edges, view, actions)[0]), rng, lane)])

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
