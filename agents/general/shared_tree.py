"""IS-MCTS with one tree of the information sets of all seats (Lisy 2014, algorithm 1), kept from move to move.

Iterations start from states of the player's information set, all as likely ("uniform", the text) or weighed by what the tree
says of the moves of others ("belief", ``beliefs.py``). The move is drawn from the output strategy of the selection: n_i / n for
UCT, the mean of p for Exp3 and Regret Matching.

Each seat of each game has a tree of its own, forgotten at ``start``. A tree that has filled its memory lets go of the sets that
were visited least, until half of it is free.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from agents.agent import Agent
from agents.decision import RETURN, WINS, Decision, Limits, Question, RootMove
from agents.general import beliefs
from agents.general.ismcts import Clock, ISMCTSOptions, SingleObserverAgent, TreeAgent
from agents.registry import Host, player
from games.batches import Rules, States, take
from games.generic import hidden_of, log_prior_hidden
from games.interface import Game, Records
from games.kernels import kernel, random_u64, streams
from inference.positions import make_positions
from inference.prior import prior_worlds
from runtime.settings import ConfigError
from tabular.hash_table import HEADER, HashTable, Rows, append, find, num_actions_of, seat_key, seat_of, visits_of
from tabular.hashed_learner import IsMctsOptions, make_selection
from tabular.search import search
from tabular.selection import UCT, WIDTHS, values, weights
from tabular.walks import walk_of

CHUNK = 1024
"""Iterations between two looks at the clock; each starts from a state of its own."""
POOL = 1024
"""Histories that are drawn and weighed for a decision, with ``draws=belief``."""
OWN = ("selection", "draws", "form", "tie_margin", "gamma", "rewards", "store_exploration")
"""Options that the single-observer tree does not have."""


@kernel
def _hides_from_the_start(rules: Rules, deals: States, num_seats: int, hidden: np.ndarray) -> bool:
    for seat in range(num_seats):
        hidden_of(rules, deals, 0, seat, hidden)
        if log_prior_hidden(rules, deals, 0, seat, hidden) < -1e-9:
            return True
    return False


def hides_moves_alone(game: Game) -> bool:
    """Returns whether some moves are hidden and nothing else: before the first move every seat knows the whole state."""
    if not game.spec.has_private_moves:
        return False
    deals, words = game.deal(np.zeros(1, np.uint64)), np.zeros(game.spec.hidden_words, np.uint64)
    return not _hides_from_the_start(game.rules, deals, game.spec.num_seats, words)


def is_shared(game: Game, options: ISMCTSOptions) -> bool:
    """Returns whether options mean the shared tree.

    Raises:
        ValueError: They mean the single-observer tree, or the shared one, and have options that it does not have.
    """
    shared = hides_moves_alone(game) if options.tree == "auto" else options.tree == "shared"
    given = [f.name for f in fields(options) if getattr(options, f.name) != f.default]
    wrong = [name for name in given if (name == "objective" if shared else name in OWN)]
    if wrong:
        name, kind, other = wrong[0], *(("shared", "single_observer") if shared else ("single_observer", "shared"))
        raise ValueError(
            f"{name}={getattr(options, name)}: no option of the {kind.replace('_', '-')} tree, which tree={options.tree} means "
            f"in {game.spec.name}; expected none, or tree={other}"
        )
    return shared


@kernel
def _root(
    rules: Rules,
    view: States,
    seat: int,
    selection: Any,
    rows: Rows,
    width: int,
    is_uct: bool,
    out: np.ndarray,
    means: np.ndarray,
) -> int:
    """Returns the visits of the set of a view; writes the weights of its policy, and mean rewards (-inf or NaN where unknown)."""
    place = find(rows, seat_key(rules, view, 0, seat))
    if place < 0:
        out[:] = 1.0
        means[:] = np.nan
        return 0
    weights(selection, rows, place, out.size, out)
    if is_uct:
        values(selection, rows, place, out.size, means)
    else:  # the first word of an action is the sum of its rewards over their probabilities
        for slot in range(out.size):
            means[slot] = rows.words[place + HEADER + width * slot] / visits_of(rows, place)
    return visits_of(rows, place)


@kernel
def thin(rows: Rows, width: int, least: int, kept: Rows) -> None:
    """Copies the rows with at least so many visits to an empty table with room for them."""
    place = 0
    while place < rows.used[0]:
        num_actions = num_actions_of(rows, place)
        size = HEADER + width * num_actions
        if visits_of(rows, place) >= least:
            to = append(kept, rows.bits[place], seat_of(rows, place), num_actions, width)
            kept.words[to : to + size] = rows.words[place : place + size]
        place += size


@kernel
def _seeds(rng: np.ndarray, lane: int, out: np.ndarray) -> None:
    for k in range(out.size):
        out[k] = random_u64(rng, lane) & ~np.uint64(1)


class Place(NamedTuple):
    """Where a search stands.

    Attributes:
        view: One row.
        moves: int16, the moves so far as the seat to move saw them.
        lane: Whose stream of ``rng`` is drawn from.
        rng: uint64 streams, for states and the move. path: uint64 ``[1]``, for selections and play-outs.
        table: The tree.
    """

    view: States
    moves: np.ndarray
    lane: int
    rng: np.ndarray
    path: np.ndarray
    table: HashTable


class SharedTreeAgent(TreeAgent):
    """IS-MCTS with a tree that all seats share, kept from move to move.

    Args:
        game: The game.
        options: See ISMCTSOptions.
        name: For reports.

    Raises:
        ValueError: An option is out of range.
    """

    def __init__(self, game: Game, options: ISMCTSOptions, name: str = "ismcts") -> None:
        super().__init__(game, options, name)
        self.temperature = 1.0 if options.temperature is None else options.temperature
        known = {f.name for f in fields(IsMctsOptions)}
        given = {key: value for key, value in asdict(options).items() if key in known and value is not None}
        self._learner_options = IsMctsOptions(**given)
        self._selection = make_selection(self._learner_options, game.spec.max_return)
        self._unit = WINS if game.spec.score.tells_wins and game.spec.max_return == 1.0 else RETURN
        self._worlds, self._counter = game.empty(CHUNK), np.zeros(1, np.int64)
        self._trees: dict[tuple[int, int], HashTable] = {}
        self._paths = np.zeros(0, np.uint64)

    def start(self, num_games: int, seed: int) -> None:
        """Prepares for games 0 .. num_games - 1, with empty trees."""
        super().start(num_games, seed)
        self._paths = streams(seed, num_games, 1)
        self._trees = {}

    def _new_table(self) -> HashTable:
        return HashTable(WIDTHS[type(self._selection)], self.options.memory)

    def _move(self, game: int, view: States, records: Records, actions: np.ndarray) -> int:
        seat = int(make_positions(self.game, np.zeros(1, np.int64), view).seats[0])
        table = self._trees.setdefault((game, seat), self._new_table())
        moves = records.moves[game, : records.lengths[game]]
        place = Place(view, moves, game, self._rng, self._paths[game : game + 1], table)
        self._search(place, Clock(self.options, Limits()))
        return int(actions[self._drawn(self._output(place, actions, actions)[0], self._rng, game)])

    def answer(self, question: Question, limits: Limits) -> Decision:
        """Returns the decision with the moves of the root, from a tree of its own; given moves share out the policy."""
        moves = question.records.moves[0, : question.records.lengths[0]]
        place = Place(question.view, moves, 0, streams(question.seed, 1), streams(question.seed, 1, 1), self._new_table())
        clock = Clock(self.options, limits)

        def told(done: int) -> None:
            if limits.report is not None:
                limits.report(self._decided(question, place, done, None), done, clock.total(done))

        done = self._search(place, clock, told)
        policy = self._output(place, question.legal, question.stands_for)[0]
        return self._decided(question, place, done, int(question.asked[self._drawn(policy, place.rng, 0)]))

    def _search(self, place: Place, clock: Clock, told: Callable[[int], None] | None = None) -> int:
        """Returns the iterations of a search, at least one chunk; ``told`` is called after each."""
        game, spec = self.game, self.game.spec
        positions = make_positions(game, np.array([place.lane]), place.view)
        seat, by_belief, done = int(positions.seats[0]), self.options.draws == "belief", 0
        # A tree that is new in the middle of a game knows nothing of the moves before: half of the search is from the start.
        from_start = (clock.most + 1) // 2 if by_belief and place.table.num_rows == 0 and place.moves.size else 0
        pool = None
        while done < clock.most:
            count = min(CHUNK, clock.most - done)
            starting = done < from_start and not clock.is_late(0.5)
            if starting:
                count = min(count, from_start - done)
                starts = self._deals(place, count)
            elif by_belief:
                pool = self._pool(place, seat) if pool is None else pool
                beliefs.drawn_worlds(game.rules, place.view, seat, *pool, place.rng, place.lane, count, self._worlds)
                starts = self._worlds
            else:
                prior_worlds(game.rules, positions, place.rng, count, spec.hidden_words, self._worlds)
                starts = self._worlds
            self._run(place, starts, count)
            done += count
            if told is not None:
                told(done)
            if clock.is_over():
                break
        return done

    def _run(self, place: Place, starts: States, count: int) -> None:
        """Runs an iteration from each of the first ``count`` starts."""
        spec, table = self.game.spec, place.table
        done = 0
        while True:
            rest = take(starts, np.arange(done, count)) if done else starts
            walk = walk_of(self.game, rest, np.empty(0), table)
            done += search(
                walk, self._selection, spec.num_seats, spec.max_moves, place.path, self._counter, count - done,
                True, None,
            )  # fmt: skip
            if done == count:
                return
            self._make_room(table)

    def _make_room(self, table: HashTable) -> None:
        """Grows a tree, or thins it where it has filled its memory. Raises ConfigError where it has no room for one iteration."""
        spec = self.game.spec
        words = HEADER + table.width * spec.max_legal
        try:
            table.grow(spec.num_seats, words)
            return
        except ValueError:
            least, goal = 2, int(table.rows.used[0]) // 2
        while table.rows.used[0] > goal:
            kept = HashTable(table.width, 2**20)
            kept.grow(table.num_rows, -(-int(table.rows.used[0]) // max(table.num_rows, 1)))
            thin(table.rows, table.width, least, kept.rows)
            table.set_words(kept.words_in_use())
            least *= 2
        try:
            table.grow(spec.num_seats, words)
        except ValueError as error:
            raise ConfigError(f"{self.name}: {error}") from error

    def _deals(self, place: Place, count: int) -> States:
        """Returns starts of the game."""
        seeds = np.empty(count, np.uint64)
        _seeds(place.rng, place.lane, seeds)
        return self.game.deal(seeds)

    def _pool(self, place: Place, seat: int) -> tuple[np.ndarray, np.ndarray]:
        """Returns worlds of the information set (hidden words, uint64 ``[POOL, W]``) and their cumulative probabilities."""
        game, spec = self.game, self.game.spec
        hidden, log_weights = np.empty((POOL, spec.hidden_words), np.uint64), np.empty(POOL)
        beliefs.draw_words(game.rules, place.view, seat, place.rng, place.lane, hidden)
        beliefs.log_likelihoods(
            game.rules, place.view, seat, place.moves, hidden, self._selection, place.table.rows, game.empty(2), spec.max_legal,
            log_weights,
        )  # fmt: skip
        return hidden, beliefs.cumulative_of(log_weights)

    def _output(self, place: Place, legal: np.ndarray, asked: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        """Returns the probabilities of the moves that are asked about, their means in the unit, and the visits of the set."""
        shares, means = np.empty(len(legal)), np.empty(len(legal))
        seat = int(make_positions(self.game, np.zeros(1, np.int64), place.view).seats[0])
        visits = _root(
            self.game.rules, place.view, seat, self._selection, place.table.rows, place.table.width,
            isinstance(self._selection, UCT), shares, means,
        )  # fmt: skip
        shares = shares / shares.sum() if shares.sum() > 0.0 else np.full(len(legal), 1.0 / len(legal))
        o = self._learner_options
        if o.store_exploration and o.selection != "uct":
            shares = (1.0 - o.gamma) * shares + o.gamma / len(legal)
        among = np.searchsorted(legal, asked)
        some = shares[among] if shares[among].sum() > 0.0 else np.ones(len(asked))
        returns = (means[among] - self._selection.shift) / self._selection.gain
        if self._unit == WINS:
            returns = 0.5 + 0.5 * returns
        return self._policy(some), np.where(np.isfinite(returns), returns, np.nan), visits

    def _decided(self, question: Question, place: Place, done: int, action: int | None) -> Decision:
        """Returns what a search says, so far or in the end; the likeliest move where none is given."""
        policy, means, visits = self._output(place, question.legal, question.stands_for)
        chosen = int(question.asked[policy.argmax()]) if action is None else action
        root = tuple(
            RootMove(
                move=question.text(move),
                prior=1.0 / len(question.asked),
                visits=round(visits * float(policy[k])),
                mean=None if np.isnan(means[k]) else float(means[k]),
                standard_error=None,
            )
            for k, move in enumerate(question.asked)
        )
        known = ~np.isnan(means)
        weight = policy[known].sum()
        return Decision(
            move=question.text(chosen),
            action=chosen,
            policy={row.move: float(p) for row, p in zip(root, policy, strict=True)},
            value=float((policy[known] * means[known]).sum() / weight) if weight > 0.0 else None,
            unit=self._unit,
            root=root,
            playouts=done,
        )


@player("ismcts", slow=True)
@dataclass
class ISMCTS(ISMCTSOptions):
    """Information Set MCTS without networks: play-outs are random."""

    def make(self, host: Host) -> Agent:
        """Returns the player of the tree that the options mean."""
        kind = SharedTreeAgent if is_shared(host.game, self) else SingleObserverAgent
        return kind(host.game, self)
