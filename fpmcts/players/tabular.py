"""Plays by the tables of a run of a tabular algorithm, ``train.py game=leduc
algorithm=smooth_uct``, or by those of ``models/``.

``fpmcts export RUN FILE`` writes the average policy of a run to such a file.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from fpmcts.players.luck import (
    DEALS,
    Cancelled,
    Luck,
    before_the_deal,
    luck_of,
    made_at,
    play_out,
    repeated,
)
from fpmcts.tabular import algorithms, stored_policy
from fpmcts.tabular.best_response import nash_conv
from fpmcts.tabular.dense_table import by_infoset
from fpmcts.tabular.hash_table import HEADER, Rows, find, seat_key
from fpmcts.tabular.learner import DenseLearner
from fpmcts.tabular.values import PolicyValues
from games import Choice
from games.base.estimate import Estimate, estimate, estimates
from games.base.files import shipped
from games.base.settings import setting
from games.kernels import kernel, random_index
from games.kernels.generic import current_seat, legal
from games.kernels.rows import Rules, States, num_rows
from games.play.agent import Agent
from games.play.decision import RETURN, Decision, HiddenCards, RootMove
from games.play.interface import Game, Records
from games.play.question import Limits, Question
from games.play.registry import Host, PlayerOptions, player
from games.play.table import Table
from games.play.tables import Tables
from networks.checkpoint import (
    CHECKPOINT,
    PREVIOUS,
    Arrays,
    CheckpointError,
    entry,
    file_of,
    is_there,
    load,
    naming,
    save,
)

POLICIES = ("average", "greedy")
SAVED = (CHECKPOINT, PREVIOUS)
"""Files of a run; while the latest is being replaced, only the previous one exists."""
EXACT_ENOUGH = 1e-4
"""NashConv in chips below which a stored policy is exact enough."""


@player("tabular", states_policy=True)
@dataclass
class TabularOptions(PlayerOptions):
    """The policy learned by a run of a tabular algorithm.

    Train one with ``python train.py game=leduc algorithm=smooth_uct``.

    Attributes:
        run: Run folder or checkpoint; None: the tables that come with the project.
        policy: "average": draws moves from the average policy, which approaches an equilibrium;
            "greedy": plays the action of highest value in runs of UCT and Smooth UCT, else the most
            probable one.
        playouts: Worlds in which the value of each move is estimated, in two-player poker without
            exact values; 0 or 1: none. They do not affect the move played.
    """

    run: str = ""
    policy: str = setting("average", choices=POLICIES)
    playouts: int = setting(0, least=0, most=100_000)

    def make(self, host: Host) -> Agent:
        """Returns the player."""
        path, game = self.file(host.game), host.game
        policy = host.once((path, self.policy), lambda: load_tabular(path, game, self.policy))
        agent = TabularAgent(policy, playouts=self.playouts)
        agent.game = game
        return agent

    def file(self, game: Game) -> Path:
        """Returns the file of the tables. Raises CheckpointError."""
        given = self.run or shipped("models") / f"{game.spec.name}-tables.safetensors"
        file = file_of(given, *SAVED)
        if is_there(file):
            return file
        raise CheckpointError(
            f"there is no run of a tabular algorithm at {self.run}; give the folder of one"
            if self.run
            else f"no tables come with the project for {game.spec.name}; train some and give "
            "run=RUN_DIR"
        )


@dataclass(frozen=True)
class TabularPolicy:
    """A policy in dense tables, possibly without rows for some information sets.

    Attributes:
        game: The tables of the game.
        rows: float64 ``[any, game.max_actions]``, the probabilities of the legal actions; zeros
            stand for the uniform policy.
        places: int32 ``[D]``, first row of each node of the public tree; -1 = none, the policy is
            uniform there.
    """

    game: Tables
    rows: np.ndarray
    places: np.ndarray

    @classmethod
    def of_table(cls, game: Tables, table: np.ndarray) -> Self:
        """Returns the policy of a table of all information sets (``[game.num_infosets,
        game.max_actions]``).

        Raises:
            ValueError: It is not a policy.
        """
        return cls(game, game.check_policy(table), game.betting.base)

    def table(self) -> np.ndarray:
        """Returns a row for every information set, zeros for the uniform policy
        (``[game.num_infosets, game.max_actions]``).
        """
        return by_infoset(self.game, self.rows, self.places)

    def look(self, views: States) -> tuple[np.ndarray, np.ndarray]:
        """Returns the legal actions at each view, and their probabilities (``[n, A]``)."""
        betting, nodes = self.game.betting, views.node
        starts = self.places[nodes]
        offsets = self.game.infosets(views.cards, nodes) - betting.base[nodes]
        found = self.rows[np.where(starts >= 0, starts + offsets, 0)] * (starts >= 0)[:, None]
        count = betting.num_actions[nodes][:, None]
        uniform = (np.arange(self.game.max_actions) < count) / count
        none = ~found.any(axis=1, keepdims=True)
        return betting.actions[nodes], np.where(none, uniform, found)


@dataclass(frozen=True)
class HashedPolicy:
    """A policy in a hashed table of probabilities; sets without a row play uniformly."""

    game: Game
    rows: Rows

    def look(self, views: States) -> tuple[np.ndarray, np.ndarray]:
        """Returns the legal actions at each view, and their probabilities (``[n, A]``)."""
        shape = (num_rows(views), self.game.spec.max_legal)
        actions, probabilities = np.zeros(shape, np.int16), np.zeros(shape)
        _read_rows(self.game.rules, views, self.rows, actions, probabilities)
        return actions, probabilities


@kernel
def _read_rows(
    rules: Rules, views: States, rows: Rows, actions: np.ndarray, probabilities: np.ndarray
) -> None:
    for k in range(len(actions)):
        count = legal(rules, views, k, actions[k])
        seat = current_seat(rules, views, k)
        place = find(rows, seat_key(rules, views, k, seat), seat)
        for slot in range(count):
            known = place >= 0 and count > 1
            probabilities[k, slot] = rows.words[place + HEADER + slot] if known else 1.0 / count


def load_tabular(
    path: Path | str, game: Game, policy: str = "average"
) -> TabularPolicy | HashedPolicy:
    """Returns the policy that a run of a tabular algorithm has learned.

    Args:
        path: A checkpoint, a run folder, or a file written by ``export``.
        game: The game to play.
        policy: "average", which approaches an equilibrium, or "greedy".

    Raises:
        CheckpointError: The file is missing or damaged, or holds no tables of this game.
    """
    file = file_of(path, *SAVED)
    arrays, meta = _read(file)
    if (name := entry(meta, "game.name", str, file)) != game.spec.name:
        raise CheckpointError(f"{file} plays {name}; expected a run of {game.spec.name}")
    made, found = _policy(file, arrays, meta, policy)
    for what, own, expected in (
        ("players", made.spec.num_seats, game.spec.num_seats),
        ("options", made.learned_options(), game.learned_options()),
    ):
        if own != expected:
            raise CheckpointError(f"{file} has {own} {what}; this match has {expected}")
    return found


def _read(file: Path) -> tuple[Arrays, dict[str, Any]]:
    """Returns the arrays and the metadata of a file of tables. Raises CheckpointError."""
    arrays, meta = load(file)
    if not isinstance(meta.get("algorithm"), dict) or not isinstance(meta.get("game"), dict):
        raise CheckpointError(
            f"{file} holds no tables: expected a run of {', '.join(algorithms.ALGORITHMS)}; "
            "networks are played by policy and fpmcts"
        )
    return arrays, meta


def _policy(
    file: Path, arrays: Arrays, meta: dict[str, Any], policy: str
) -> tuple[Game, TabularPolicy | HashedPolicy]:
    """Returns the game of a file that was read, and its policy. Raises CheckpointError."""
    options, greedy = dict(meta["algorithm"]), policy == "greedy"
    name = entry(meta, "algorithm.name", str, file)
    del options["name"]
    with naming(file):
        game = Choice.parse(meta["game"]).make()
        if "stored" in meta:
            rows = stored_policy.unpack(arrays, game.tables)
            rows = stored_policy.without_rare_moves(rows, 1.0) if greedy else rows
            return game, TabularPolicy(game.tables, rows, game.tables.betting.base)
        learner = algorithms.make(name, game, **options)
        learner.set_state({name.removeprefix("learner."): array for name, array in arrays.items()})
    if isinstance(learner, DenseLearner):
        return game, TabularPolicy(learner.game, *learner.policy_rows(greedy))
    return game, HashedPolicy(game, learner.policy(greedy))


def export(source: Path | str, target: Path | str, threshold: float = 0.0) -> str:
    """Writes the average policy of a run to a small file; returns a line that describes it.

    In a game with a full tree the weights have the smallest type whose NashConv is below
    ``EXACT_ENOUGH``, else float32; in other games uint8.

    Args:
        source: The folder of the run, or its checkpoint.
        target: The file.
        threshold: Probabilities below it become 0 (``stored_policy.without_rare_moves``).

    Raises:
        CheckpointError: The run cannot be read, or the file cannot be written.
    """
    file, measured = file_of(source, *SAVED), None
    arrays, meta = _read(file)
    if "stored" in meta:
        raise CheckpointError(f"{file} was exported before; expected a run")
    learned = _policy(file, arrays, meta, "average")[1]
    if not isinstance(learned, TabularPolicy):
        raise CheckpointError(f"{file} has hashed tables: only dense ones can be exported")
    tables, table = learned.game, stored_policy.without_rare_moves(learned.table(), threshold)
    for kind in stored_policy.TYPES:
        packed = stored_policy.pack(table, kind)
        if not tables.has_tree:
            break
        measured = nash_conv(tables, tables.completed(stored_policy.unpack(packed, tables)))
        if measured < EXACT_ENOUGH:
            break
    episodes, states = int(arrays["learner.episodes"][0]), len(packed["weights"])
    kept = {key: meta.get(key) for key in ("game", "algorithm", "code", "seconds")}
    stored = {"threshold": threshold, "episodes": episodes, "nash_conv": measured}
    save(target, packed, kept | {"stored": {"policy": "average", **stored}})
    distance = "" if measured is None else f", NashConv {measured:.2g} chips"
    return (
        f"{target}: {episodes:,} episodes, {states:,} of {tables.num_infosets:,} information "
        "sets, "
        f"{packed['weights'].dtype}, {Path(target).stat().st_size:,} bytes{distance}"
    )


@kernel
def _draw(
    actions: np.ndarray,
    probabilities: np.ndarray,
    games: np.ndarray,
    rng: np.ndarray,
    moves: np.ndarray,
) -> None:
    """Writes an action for each row to ``moves``, drawn from its probabilities with the stream of
    its game.
    """
    for k in range(len(games)):
        row = probabilities[k]
        moves[k] = actions[k, random_index(rng, games[k], row, row.size, 1.0)]


class TabularAgent(Agent):
    """Draws its moves from a table.

    Args:
        policy: The table.
        playouts: See ``TabularOptions``.
    """

    game: Game
    """Set for players made by name."""

    name = "tabular"

    def __init__(self, policy: TabularPolicy | HashedPolicy, playouts: int = 0) -> None:
        self.policy, self.playouts = policy, playouts
        self._starts: dict[int, list[Estimate]] = {}

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view; row k belongs to game
        ``games[k]``.
        """
        moves = np.empty(len(games), np.int16)
        _draw(*self.policy.look(views), games, self.rng, moves)
        return moves

    def probabilities(self, views: States) -> np.ndarray:
        """Returns the probability of each legal action at each view, see
        ``games.play.agent.OpenPolicy``.
        """
        return self.policy.look(views)[1]

    @cached_property
    def exact(self) -> PolicyValues | None:
        """Returns the values of all moves against this policy; None if the game is too large."""
        if not isinstance(self.policy, TabularPolicy) or not self.policy.game.has_tree:
            return None
        game = self.policy.game
        return PolicyValues(game, game.completed(self.policy.table()))

    def answer(self, question: Question, limits: Limits) -> Decision:
        """Returns the decision with its policy, beliefs about the hidden cards and the value of
        each move: exact in small games, else from rollouts if requested.

        Exact values are against this policy in the other seats, see ``fpmcts.tabular.values``; a
        root row's prior is the policy, its regret the difference of its mean to the largest. The
        value of the decision is the mean over its policy.
        """
        decision = super().answer(question, limits)
        asked = np.searchsorted(question.legal, question.stands_for)
        priors = self.probabilities(question.view)[0, asked]
        if self.exact is not None:
            found = self.exact.at(question.view.cards[0], int(question.view.node[0]))
            moves, num = [Estimate(float(value), 0.0) for value in found.values[asked]], 0
            value = Estimate(float(found.policy @ found.values), 0.0)
            hidden = _hidden(question.game, question.seat, found.cards)
        else:
            num = self.playouts if isinstance(self.policy, TabularPolicy) else 0
            if num < 2 or question.game.spec.num_seats != 2:
                return decision
            try:
                returns, hidden = self.simulate(question, num, limits.cancel)
            except Cancelled:
                return decision
            moves, value = estimates(returns), estimate(returns @ priors)
        root = tuple(
            RootMove(question.text(action), float(prior), num, move.mean, move.error)
            for action, prior, move in zip(question.asked, priors, moves, strict=True)
        )
        return replace(
            decision,
            value=value.mean,
            unit=RETURN,
            root=root,
            hidden=hidden,
            playouts=num or decision.playouts,
            value_error=value.error,
        )

    def simulate(
        self, question: Question, num: int, cancel: Callable[[], bool] | None = None
    ) -> tuple[np.ndarray, HiddenCards]:
        """Returns the mover's returns of the moves asked about in ``num`` worlds (at least 2) of
        poker for two (float64 ``[num, moves]``), and the hidden cards of these worlds.

        All moves are tried in the same worlds with the same random numbers, so that their
        comparison is paired. After the move this policy plays in every seat, the mover's included.

        Raises:
            Cancelled: ``cancel`` returned True.
        """
        rng, seed = np.random.default_rng(question.seed), question.seed
        after, hidden = question.game.rollouts.after_moves(self, question, num, rng)
        played = (play_out(question.game, self, states, seed, cancel) for states in after)
        return np.stack([returns[:, question.seat] for returns in played], axis=1), hidden

    def luck(
        self, table: Table, num: int, seed: int, cancel: Callable[[], bool] | None = None
    ) -> Luck:
        """Returns the luck of the cards in a finished hand: exactly if possible, else by ``num``
        rollouts.

        Raises:
            Cancelled: ``cancel`` returned True.
        """
        game: Any = table.game
        if self.exact is None:
            if num not in self._starts:
                self._starts[num] = before_the_deal(
                    game, self, DEALS * num, win_only=False, cancel=cancel
                )
            before = self._starts[num]
            if isinstance(self.policy, TabularPolicy):
                rng = np.random.default_rng(seed)
                dealt, later, moves = game.rollouts.of_table(table, num, rng)
            else:
                dealt, later, moves = repeated(table.deal, num), (), made_at(table, num)
            return luck_of(game, self, table, before, dealt, later, moves, seed, False, cancel)
        betting, slots, node = game.betting, list[int](), 0
        losses, moved = np.zeros((2, game.spec.num_seats))
        movers = []
        for move in table.moves:
            slots.append(move.action - int(betting.actions[node, 0]))
            movers.append(int(betting.player[node]))
            node = int(betting.child[node, slots[-1]])
        found = self.exact.account(table.deal.cards[0], slots)
        np.add.at(losses, movers, found.regrets)
        np.add.at(moved, movers, found.moves[range(len(movers)), movers])
        changes = (found.start, found.deal, found.later, moved)
        start, deal, later, own = (tuple(change.tolist()) for change in changes)
        none = (0.0,) * game.spec.num_seats
        won, lost = table.returns or none, tuple(losses.tolist())
        return Luck(RETURN, won, start, deal, later, own, *(none,) * 5, lost)


def _hidden(game: Game, seat: int, cards: np.ndarray) -> HiddenCards:
    """Returns a seat's beliefs about the others' one-card hands, from the probability of each
    card.
    """
    others = [(seat + 1 + k) % game.spec.num_seats for k in range(game.spec.num_seats - 1)]
    probabilities = [[[1.0 - p, p] for p in cards[other].tolist()] for other in others]
    return HiddenCards(
        tuple(others), game.spec.hidden_kinds, probabilities, None, listed=True, prior_only=False
    )
