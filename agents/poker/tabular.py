"""Plays by the tables of a run of a tabular algorithm: ``train.py game=leduc algorithm=smooth_uct``."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from agents.agent import Agent
from games import make
from games.batches import States
from games.interface import Records
from games.kernels import kernel, random_float, streams
from games.poker.game import LimitPoker
from games.poker.tables import PokerTables
from networks.checkpoint import CHECKPOINT, PREVIOUS, CheckpointError, load
from runtime.settings import setting
from tabular import algorithms

POLICIES = ("average", "greedy")


@dataclass
class TabularOptions:
    """What a run of a tabular algorithm has learned (``python train.py game=leduc algorithm=smooth_uct``); poker only.

    Attributes:
        run: Folder of the run, or its checkpoint.
        policy: "average", which approaches an equilibrium, each move drawn from it; or "greedy": in UCT and Smooth UCT the
            action of the highest value, else the most probable one.
    """

    run: str = ""
    policy: str = setting("average", choices=POLICIES)

    def file(self, game: str) -> Path:
        """Returns the file of the tables. Raises CheckpointError."""
        if not self.run:
            raise CheckpointError("expected run=FOLDER, the folder of a run of train.py algorithm=…")
        path = run_file(self.run)
        if not path.is_file():
            raise CheckpointError(f"there is no run of a tabular algorithm at {self.run}; give the folder of one")
        return path


@dataclass(frozen=True)
class TabularPolicy:
    """A policy from tables, which need not have rows for all information states.

    Attributes:
        game: The poker game with the information states of the tables.
        rows: float64 ``[any, game.max_actions]``, the probabilities of the legal actions; zeros stand for the uniform policy.
        places: int32 ``[D]``, where the rows of each node of the betting tree begin; -1 = nowhere, the policy is uniform there.
    """

    game: PokerTables
    rows: np.ndarray
    places: np.ndarray

    @classmethod
    def of_table(cls, game: PokerTables, table: np.ndarray) -> Self:
        """Returns the policy of a table of all information states (``[game.num_infosets, game.max_actions]``).

        Raises:
            ValueError: It is no policy.
        """
        return cls(game, game.check_policy(table), game.betting.base)

    def probabilities(self, cards: np.ndarray, nodes: np.ndarray) -> np.ndarray:
        """Returns the probabilities of the actions (float64 ``[n, A]``) of the mover at each position, as in ``infosets``."""
        betting, starts = self.game.betting, self.places[nodes]
        offsets = self.game.infosets(cards, nodes) - betting.base[nodes]
        found = self.rows[np.where(starts >= 0, starts + offsets, 0)] * (starts >= 0)[:, None]
        count = betting.num_actions[nodes][:, None]
        uniform = (np.arange(self.game.max_actions) < count) / count
        return np.asarray(np.where(found.any(axis=1, keepdims=True), found, uniform))


def run_file(path: Path | str) -> Path:
    """Returns the file that holds the tables: the path itself, or the last checkpoint in it where it is the folder of a run."""
    path = Path(path)
    if not path.is_dir():
        return path
    # While the latest is being replaced, the previous one is there alone.
    return path / PREVIOUS if (path / PREVIOUS).exists() and not (path / CHECKPOINT).exists() else path / CHECKPOINT


def load_tabular(path: Path | str, game: LimitPoker, policy: str = "average") -> TabularPolicy:
    """Returns the policy that a run of a tabular algorithm has learned.

    Args:
        path: A checkpoint, or the folder of a run.
        game: What it is to play.
        policy: "average", which is the one that approaches an equilibrium, or "greedy".

    Raises:
        CheckpointError: The file is missing or damaged, or holds no tables of this game.
    """
    file = run_file(path)
    arrays, meta = load(file)
    if not isinstance(meta.get("algorithm"), dict) or not isinstance(meta.get("game"), dict):
        raise CheckpointError(f"{file} holds no tables: expected a run of {', '.join(algorithms.ALGORITHMS)}; "
                              "networks are played by policy and fpmcts")  # fmt: skip
    settings, options = dict(meta["game"]), dict(meta["algorithm"])
    learned = settings.pop("name", None)
    if learned != game.spec.name:
        raise CheckpointError(f"{file} plays {learned}; expected a run of {game.spec.name}")
    try:
        tables = make(learned, **{key: value for key, value in settings.items() if value is not None}).tables
        learner = algorithms.make(options.pop("name", None), tables, **options)
        learner.set_state({name.removeprefix("learner."): array for name, array in arrays.items()})
    except ValueError as error:
        raise CheckpointError(f"{file} cannot be used: {error}") from error
    if not np.array_equal(tables.betting.child, game.betting.child):
        raise CheckpointError(f"{file} has {tables.num_players} players; this match has {game.spec.num_seats}")
    return TabularPolicy(tables, *learner.policy_rows(greedy=policy == "greedy"))


@kernel
def _draw(
    actions: np.ndarray, nodes: np.ndarray, probabilities: np.ndarray, games: np.ndarray, rng: np.ndarray, moves: np.ndarray
) -> None:
    """Writes an action for each row to ``moves``, drawn from its probabilities with the stream of its game."""
    for k in range(len(games)):
        left, slot = random_float(rng, games[k]), 0
        last = 0
        while slot < probabilities.shape[1]:
            if probabilities[k, slot] > 0.0:
                last = slot  # rounding can leave a remainder, which belongs to an action that is played
                if left < probabilities[k, slot]:
                    break
                left -= probabilities[k, slot]
            slot += 1
        moves[k] = actions[nodes[k], last]


class TabularAgent(Agent):
    """Draws its moves from a table.

    Args:
        policy: The table.
        name: For reports.
    """

    def __init__(self, policy: TabularPolicy, name: str = "tabular") -> None:
        self.policy, self.name = policy, name
        self._rng = np.zeros(0, np.uint64)

    def start(self, num_games: int, seed: int) -> None:
        """Prepares for games 0 .. num_games - 1."""
        self._rng = streams(seed, num_games)

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view; row k belongs to game ``games[k]``."""
        moves = np.empty(len(games), np.int16)
        _draw(self.policy.game.betting.actions, views.node, self.probabilities(views), games, self._rng, moves)
        return moves

    def probabilities(self, views: States) -> np.ndarray:
        """Returns the probability of each legal action at each view, see ``agents.agent.OpenPolicy``."""
        return self.policy.probabilities(views.cards, views.node)
