"""The common base of Information Set MCTS: the search in chunks, the move, and its report."""

import time
from abc import abstractmethod
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from games.kernels import random_index, streams
from games.kernels.rows import States, take
from games.play.agent import Agent
from games.play.decision import Decision, RootMove, known
from games.play.interface import Game, Records, seats_to_move
from games.play.question import Limits, Question
from inference.positions import Positions, make_positions

ITERATIONS = 10_000
"""Iterations per move if neither iterations nor seconds are given."""
MOST_ITERATIONS = 10**9
Tree = TypeVar("Tree")


class SearchClock:
    """The progress and the end of a search.

    Args:
        iterations: Maximum iterations; None: 10,000, or no limit with ``seconds``.
        seconds: Time limit; None: no limit.
        limits: Limits of the question.
    """

    def __init__(
        self, iterations: int | None, seconds: float | None = None, limits: Limits | None = None
    ) -> None:
        self.begin, self.limits = time.perf_counter(), limits or Limits()
        self.most = iterations or (ITERATIONS if seconds is None else MOST_ITERATIONS)
        own = None if seconds is None else self.begin + seconds
        self.end = min(
            (end for end in (own, self.limits.deadline) if end is not None), default=None
        )

    def is_over(self) -> bool:
        """Returns whether to stop before all iterations are done."""
        is_late = self.end is not None and time.perf_counter() >= self.end
        return is_late or (self.limits.cancel is not None and self.limits.cancel())

    def total(self, done: int) -> int:
        """Returns the expected number of iterations; if time decides, from the rate so far."""
        if self.end is None or self.most < MOST_ITERATIONS:
            return self.most
        share = (time.perf_counter() - self.begin) / max(self.end - self.begin, 1e-9)
        return max(done, int(done / min(max(share, 1e-9), 1.0)))


class Root(NamedTuple):
    """A tree's results for the n moves asked about.

    Attributes:
        policy: float64 ``[n]``, the distribution of the move; at temperature 0 the largest is
            played.
        visits: int ``[n]``.
        means: float64 ``[n]``, mean results in the unit of the player; NaN where unknown.
        errors: float64 ``[n]``, their standard errors; NaN where unknown.
        value: Value of the position, in that unit; None if unknown.
    """

    policy: np.ndarray
    visits: np.ndarray
    means: np.ndarray
    errors: np.ndarray
    value: float | None


@dataclass
class Place(Generic[Tree]):
    """The state of a search.

    Attributes:
        question: The question.
        positions: Its view, for drawing worlds.
        rng: uint64 ``[1]``, a random stream.
        path: uint64 ``[1]``, another random stream.
        tree: The tree, which grows.
    """

    question: Question
    positions: Positions
    rng: np.ndarray
    path: np.ndarray
    tree: Tree


class TreeAgent(Agent, Generic[Tree]):
    """Information Set MCTS; the trees are those of the subclasses.

    Args:
        game: The game.
        unit: Unit of the reported values, WINS or RETURN.

    Attributes:
        iterations, seconds: See ``SearchClock``.
        temperature: 0 plays the likeliest move, T > 0 draws in proportion to weights^(1/T).
    """

    name = "ismcts"
    iterations: int | None = None
    seconds: float | None = None
    temperature = 0.0

    def __init__(self, game: Game, unit: str) -> None:
        self.game, self.unit = game, unit

    @abstractmethod
    def new_tree(self) -> Tree:
        """Returns an empty tree."""

    def tree_of(self, game: int, seat: int) -> Tree:
        """Returns the tree for a move of a seat; here: a new one."""
        return self.new_tree()

    @abstractmethod
    def iterate(self, place: Place[Tree], done: int, clock: SearchClock) -> int:
        """Runs a chunk of iterations after the ``done`` first ones, within the limits of ``clock``;
        returns their number.
        """

    @abstractmethod
    def root(self, place: Place[Tree]) -> Root:
        """Returns the tree's results for the position."""

    def start(self, num_games: int, seed: int) -> None:
        """Prepares for games 0 .. num_games - 1."""
        super().start(num_games, seed)
        self._paths = streams(seed, num_games, 1)

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view; row k belongs to game ``games[k]``.

        Raises:
            RuntimeError: ``start`` was not called for that many games.
        """
        if len(games) and max(games) >= len(self.rng):
            raise RuntimeError(f"{self.name}: game {max(games)} was not started: call start first")
        moves = np.empty(len(games), np.int16)
        for k, game in enumerate(games.tolist()):
            view = take(views, np.array([k]))
            actions = self.game.legal_actions(view, 0)
            moves[k] = actions[0] if len(actions) == 1 else self._move(game, view, records, actions)
        return moves

    def _move(self, game: int, view: States, records: Records, actions: np.ndarray) -> int:
        """Returns one of several legal actions for a view of one row."""
        row, seat = slice(game, game + 1), int(seats_to_move(self.game, view)[0])
        seen = Records(records.moves[row], records.lengths[row])
        question = Question(self.game, seat, view, seen, actions, actions, actions, 0)
        tree = self.tree_of(game, seat)
        place = self.place(question, self.rng[row], self._paths[row], tree)
        self.search(place, SearchClock(self.iterations, self.seconds))
        return int(actions[self._drawn(self.root(place).policy, place)])

    def place(
        self, question: Question, rng: np.ndarray, path: np.ndarray, tree: Tree
    ) -> Place[Tree]:
        """Returns the initial state of a search for a question."""
        positions = make_positions(self.game, np.zeros(1, np.int64), question.view)
        return Place(question, positions, rng, path, tree)

    def answer(self, question: Question, limits: Limits) -> Decision:
        """Returns the decision with the moves of the root, from a new tree."""
        rng, path = streams(question.seed, 1), streams(question.seed, 1, 1)
        place = self.place(question, rng, path, self.new_tree())
        done, root = (
            self.search(place, SearchClock(self.iterations, self.seconds, limits)),
            self.root(place),
        )
        return self._decided(question, root, done, self._drawn(root.policy, place))

    def search(self, place: Place[Tree], clock: SearchClock) -> int:
        """Returns the iterations of a search, at least one chunk."""
        done, report = 0, clock.limits.report
        while done < clock.most:
            done += self.iterate(place, done, clock)
            if report is not None:
                root = self.root(place)
                so_far = self._decided(place.question, root, done, int(root.policy.argmax()))
                report(so_far, done, clock.total(done))
            if clock.is_over():
                break
        return done

    def policy_of(self, weights: np.ndarray) -> np.ndarray:
        """Returns the probabilities (float64 ``[n]``) of weights, not all 0, at the player's
        temperature.
        """
        if self.temperature <= 0.0:
            return np.asarray(np.arange(len(weights)) == weights.argmax(), np.float64)
        powers: np.ndarray = (weights / weights.max()) ** (1.0 / self.temperature)
        return powers / powers.sum()

    def _drawn(self, policy: np.ndarray, place: Place[Tree]) -> int:
        """Returns the index of the move that is played."""
        if self.temperature > 0.0:
            return int(random_index(place.rng, 0, policy, len(policy), policy.sum()))
        return int(policy.argmax())

    def _decided(self, question: Question, root: Root, done: int, chosen: int) -> Decision:
        """Returns the decision of a search, so far or at its end.

        Args:
            question: The question.
            root: The results at its root.
            done: Playouts so far.
            chosen: Index of the move in ``question.asked``.
        """
        texts = [question.text(move) for move in question.asked]
        columns = zip(texts, root.visits, root.means, root.errors, strict=True)
        return Decision(
            move=texts[chosen],
            action=int(question.asked[chosen]),
            policy=dict(zip(texts, root.policy.tolist(), strict=True)),
            value=root.value,
            unit=self.unit,
            root=tuple(
                RootMove(text, None, int(visits), known(mean), known(error))
                for text, visits, mean, error in columns
            ),
            playouts=done,
        )
