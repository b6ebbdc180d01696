"""The search: from a seat's view to the values of its actions (Van den Broeck, Driessens & Ramon
2009).

    select ──▶ expand, down to the end of the hand ──▶ value of the leaf ──▶ means and variances
    back up

By default the tree contains betting only: an iteration descends to the end of the hand, and cards
enter at the leaf, where a model predicts the hands that the others show. The model also predicts
opponents' actions, each time on a newly drawn board: the probabilities of a node are means over its
first visits. With ``cards``, chance nodes stand where cards are dealt, each with that many sampled
boards, weighted by samples (equation 3), and the player's later decisions know the board.

The parts of an iteration are inlined: passing a ``Task`` to a function takes longer than most of
them.

There is one stream of random numbers, so a decision depends only on its seed and settings.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fpmcts.no_limit_holdem.expected_reward import sizes
from fpmcts.no_limit_holdem.expected_reward.moments import (
    add_sample,
    update_decision,
    update_mixed,
    update_opponent,
    variance_of_mean,
)
from fpmcts.no_limit_holdem.expected_reward.selection import (
    Selection,
    crazystone,
    predefined,
    uct,
    uct_plus,
)
from fpmcts.no_limit_holdem.expected_reward.showdown import (
    BINS,
    Boards,
    complete,
    drawn_net,
    empty_boards,
    expected_net,
    fill_board,
    fill_boards,
)
from fpmcts.no_limit_holdem.expected_reward.sizes import universal_sample
from fpmcts.no_limit_holdem.expected_reward.tree import (
    BettingTree,
    Node,
    add_child,
    children,
    clear,
    empty_tree,
)
from fpmcts.no_limit_holdem.opponents.model import (
    OpponentModel,
    action_probabilities,
    showdown_bins,
)
from games.kernels import borrowed, kernel, random_below, random_float
from games.kernels.generic import copy_row
from games.no_limit_holdem.betting import num_left, pot, raise_bounds, step, to_call
from games.no_limit_holdem.settlement import settle
from games.no_limit_holdem.state import (
    CALL,
    FIRST_AMOUNT,
    FOLD,
    NUM_BOARD,
    OVER,
    Rules,
    States,
    empty,
)

MOST_CHILDREN = 40
"""Maximum children of a node: fold, call, and sizes or boards."""
MOST_DEPTH, SAFE_DEPTH = 512, 432
"""Maximum nodes of a path; from the second number on, the only raise is all-in, so the hand soon
ends.
"""
CHUNK = 1024
"""Iterations between two checks of the clock."""
TRIALS = 4
"""Samples of a decision node's child below which it is drawn with predefined probabilities."""
SIZES, TABLE = 5, sizes.table()
"""Bet sizes sampled for a node, and their overall frequencies."""
LEAF_BOARDS = 4
"""Boards sampled at the first visit of a leaf, and for the probabilities of an opponent's node."""
BOARDS = 256
"""Boards sampled for a decision in a tree of betting only."""
NODES = 500_000
"""Maximum nodes of a tree; the search ends when it is full."""


class RewardSettings(NamedTuple):
    """Settings of the search, explained in ``fpmcts.no_limit_holdem.mcts``.

    Attributes:
        selection: See ``selection.Selection``.
        c: Its constant: chips in equation 1, standard errors in equation 5.
        backpropagation: See ``moments.Backpropagation``.
        threshold: Samples before that rule applies.
        by_model: Whether opponent nodes weight their children by the model (§4.2) or by samples
            (equation 3).
        independent: Whether their variance is Σ p² σ².
        hands: Hands sampled for the others on each board; 0: their expectation.
        cards: Boards of a chance node; 0: no chance nodes.
    """

    selection: int
    c: float
    backpropagation: int
    threshold: int
    by_model: bool
    independent: bool
    hands: int
    cards: int


class Position(NamedTuple):
    """The decision that is searched.

    Attributes:
        root: One row, the view of the seat to move.
        seat: The seat to move.
        statistics: float32 ``[S, F]``, the players' statistics.
        boards: Completions of the board, ``showdown.fill_boards``; with chance nodes only the last
            row is used, as scratch.
        num_boards: Number of rows filled.
        given: int64 ``[n]``, the actions of the root, raises by their amounts; if empty, they are
            sampled as elsewhere.
    """

    root: States
    seat: int
    statistics: np.ndarray
    boards: Boards
    num_boards: int
    given: np.ndarray


class Scratch(NamedTuple):
    """Scratch arrays of an iteration: ``work`` is one row of States, ``path`` int64; kernels write
    to the others.
    """

    work: States
    path: np.ndarray
    actions: np.ndarray
    amounts: np.ndarray
    weights: np.ndarray
    bins: np.ndarray
    ties: np.ndarray
    strengths: np.ndarray
    net: np.ndarray


def make_scratch(seats: int) -> Scratch:
    """Returns scratch arrays for searches among ``seats`` seats."""
    return Scratch(
        empty(1, seats),
        np.zeros(MOST_DEPTH, np.int64),
        np.zeros(3),
        np.zeros(MOST_CHILDREN, np.int64),
        np.zeros(MOST_CHILDREN),
        np.zeros((seats, BINS)),
        np.zeros(seats + 1),
        np.zeros(seats, np.int32),
        np.zeros(seats),
    )


@kernel
def num_shown(round_: int) -> int:
    """Returns the number of public cards in a round."""
    return np.int64(0 if round_ == 0 else min(round_ + 2, NUM_BOARD))


class Task(NamedTuple):
    """Data shared by the kernels of a search.

    Attributes:
        model: Model of the opponents.
        rules: Rules of the game.
        position: The decision.
        settings: Settings of the search.
        tree: Changed in place; the root must be there (``tree.clear``).
        room: Changed in place.
        rng: uint64 ``[1]``, changed in place.
    """

    model: OpponentModel
    rules: Rules
    position: Position
    settings: RewardSettings
    tree: BettingTree
    room: Scratch
    rng: np.ndarray


@kernel(forceinline=True)
def _sizes(task: Task, depth: int) -> int:
    """Writes the amounts that the seat to move may raise to, and their shares; returns their
    number.
    """
    _, rules, _, _, _, room, rng = task
    least, most = raise_bounds(rules, room.work, 0)
    if most == 0:
        return 0
    if depth >= SAFE_DEPTH:
        room.amounts[0], room.weights[0] = most, 1.0
        return 1
    return universal_sample(
        TABLE,
        sizes.TABLE_EDGES,
        least,
        most,
        SIZES,
        random_float(rng, 0),
        room.amounts,
        room.weights,
    )


@kernel(forceinline=True)
def _expand(task: Task, node: int, depth: int, parent_round: int) -> None:
    """Determines the kind of a NEW node and appends its children; ``room.work`` is its state."""
    model, rules, position, settings, tree, room, rng = task
    work = room.work
    chips = pot(rules, work, 0)
    tree.pot[node] = chips
    tree.first[node] = tree.size[0]
    if work.folded[0, position.seat]:
        tree.kind[node] = Node.SETTLED
        tree.mean[node] = -work.paid[0, position.seat]
        return
    if settings.cards > 0 and 0 <= parent_round < work.round[0] < OVER:
        tree.kind[node] = Node.CHANCE
        for _ in range(settings.cards):
            complete(work.hole[0, position.seat], work.board[0], num_shown(parent_round), rng)
            code = 0
            for k in range(5):
                code |= np.int64(work.board[0, k]) << (6 * k)
            add_child(tree, code, 1.0 / settings.cards, chips)
        tree.count[node] = settings.cards
        return
    if work.seat[0] < 0:
        if num_left(rules, work, 0) == 1:
            tree.kind[node] = Node.SETTLED
            settle(rules, work, 0, room.strengths, room.net)
            tree.mean[node] = room.net[position.seat]
        else:
            tree.kind[node] = Node.SHOWDOWN
        return
    if work.seat[0] == position.seat:
        tree.kind[node] = Node.DECISION
        if node == 0 and position.given.size > 0:
            for k in range(position.given.size):
                add_child(tree, position.given[k], 1.0 / position.given.size, chips)
            tree.count[node] = position.given.size
            return
        room.actions[:] = 1.0
        if to_call(rules, work, 0) == 0:
            room.actions[FOLD] = 0.0
    else:
        tree.kind[node] = Node.OPPONENT
        action_probabilities(model, rules, work, 0, position.statistics, room.actions)
        tree.samples[node] = 1
    for action in range(FOLD, CALL + 1):
        if room.actions[action] > 0.0:
            add_child(tree, action, room.actions[action], chips)
    raised = room.actions[2]
    if raised > 0.0:
        for k in range(_sizes(task, depth)):
            add_child(tree, FIRST_AMOUNT + room.amounts[k], raised * room.weights[k], chips)
    tree.count[node] = tree.size[0] - tree.first[node]


@kernel(forceinline=True)
def _refine(task: Task, node: int) -> None:
    """Averages the probabilities of an opponent's node over one more board."""
    model, rules, position, _, tree, room, _ = task
    action_probabilities(model, rules, room.work, 0, position.statistics, room.actions)
    raised = 0.0
    for k in children(tree, node):
        raised += tree.weight[k] if tree.action[k] >= FIRST_AMOUNT else 0.0
    tree.samples[node] += 1
    share = 1.0 / tree.samples[node]
    for k in children(tree, node):
        action = tree.action[k]
        if action >= FIRST_AMOUNT:
            chance = room.actions[2] * tree.weight[k] / raised
        else:
            chance = room.actions[action]
        tree.weight[k] += share * (chance - tree.weight[k])


@kernel(forceinline=True)
def _drawn_child(tree: BettingTree, node: int, rng: np.ndarray) -> int:
    """Returns a child drawn by weight."""
    left, chosen = random_float(rng, 0), np.int64(0)
    for k in children(tree, node):
        chosen = k
        left -= tree.weight[k]
        if left < 0.0:
            break
    return chosen


@kernel(forceinline=True)
def _selected(tree: BettingTree, node: int, settings: RewardSettings, rng: np.ndarray) -> int:
    """Returns the child of a decision node that an iteration goes to."""
    k = predefined(tree, node, TRIALS, rng)
    if k >= 0:
        return k
    if settings.selection == Selection.UCT:
        return uct(tree, node, settings.c)
    if settings.selection == Selection.UCT_PLUS:
        return uct_plus(tree, node, settings.c)
    return crazystone(tree, node, rng)


@kernel(forceinline=True)
def _visit_showdown(task: Task, node: int, row: int, known: int) -> None:
    """Adds samples to a leaf: ``LEAF_BOARDS`` at the first visit, one at each later one.

    Args:
        row: The board that the iteration drew.
        known: With chance nodes, the cards of the board that its path has fixed.
    """
    model, rules, position, settings, tree, room, rng = task
    work, boards, seat = room.work, position.boards, position.seat
    exact = settings.hands == 0 and (
        position.num_boards == 1 if settings.cards == 0 else known == 5
    )
    if exact and tree.samples[node] > 0:
        return
    count = 1 if exact or tree.samples[node] > 0 else LEAF_BOARDS
    # The model evaluates only the first board of a visit: it takes longer than everything else
    # together.
    for s in range(len(room.net)):
        if s != seat and not work.folded[0, s]:
            showdown_bins(model, rules, work, 0, s, position.statistics, room.bins[s])
    for k in range(count):
        if settings.cards > 0:
            row = len(boards.own) - 1
            if k > 0:
                complete(work.hole[0, seat], work.board[0], known, rng)
            boards.cards[row] = work.board[0]
            fill_board(rules.hands, work.hole[0, seat], boards, row)
        elif k > 0:
            row = random_below(rng, 0, position.num_boards)
            work.board[0] = boards.cards[row]
        if settings.hands > 0:
            x = drawn_net(
                rules,
                work,
                boards,
                row,
                room.bins,
                seat,
                settings.hands,
                rng,
                room.strengths,
                room.net,
            )
        else:
            paid, ante, folded = work.paid[0], work.ante[0], work.folded[0]
            x = expected_net(boards, row, room.bins, paid, ante, folded, seat, room.ties)
        tree.samples[node] += 1
        tree.mean[node], tree.squares[node] = add_sample(
            tree.mean[node], tree.squares[node], tree.samples[node], x
        )
    single = 0.0 if exact else tree.pot[node] ** 2
    tree.variance[node] = variance_of_mean(tree.squares[node], tree.samples[node], single)


@kernel
def search(held: Task, iterations: int) -> int:
    """Runs iterations from the root; returns how many, fewer than ``iterations`` if the tree is
    full.
    """
    task = borrowed(held)
    _, rules, position, settings, tree, room, rng = task
    work, path, limit = room.work, room.path, len(tree.kind) - MOST_CHILDREN
    root_round = position.root.round[0]
    for done in range(iterations):
        copy_row(rules, position.root, 0, work, 0)
        row, known = 0, num_shown(root_round)
        if settings.cards == 0:
            row = random_below(rng, 0, position.num_boards)
            work.board[0] = position.boards.cards[row]
        else:
            complete(work.hole[0, position.seat], work.board[0], known, rng)
        node, depth, before = 0, 0, -1
        path[0] = 0
        while True:
            if tree.kind[node] == Node.NEW:
                if tree.size[0] >= limit:
                    return done
                _expand(task, node, depth, before)
            elif (
                tree.kind[node] == Node.OPPONENT
                and tree.samples[node] < LEAF_BOARDS
                and known < num_shown(work.round[0])
            ):
                _refine(task, node)
            kind = tree.kind[node]
            if kind == Node.SETTLED or kind == Node.SHOWDOWN:
                break
            before = np.int64(work.round[0])
            if kind == Node.CHANCE:
                child = tree.first[node] + random_below(rng, 0, tree.count[node])
                for k in range(5):
                    work.board[0, k] = (tree.action[child] >> (6 * k)) & 63
                known = num_shown(work.round[0])
                complete(work.hole[0, position.seat], work.board[0], known, rng)
            else:
                child = (
                    _selected(tree, node, settings, rng)
                    if kind == Node.DECISION
                    else _drawn_child(tree, node, rng)
                )
                step(rules, work, 0, tree.action[child])
            depth += 1
            path[depth] = child
            node = child
        tree.visits[node] += 1
        if tree.kind[node] == Node.SHOWDOWN:
            _visit_showdown(task, node, row, known)
        for k in range(depth - 1, -1, -1):
            node = path[k]
            tree.visits[node] += 1
            kind = tree.kind[node]
            if kind == Node.DECISION:
                update_decision(tree, node, settings.backpropagation, settings.threshold)
            elif kind == Node.OPPONENT and settings.by_model:
                update_opponent(tree, node, settings.independent)
            else:
                update_mixed(tree, node)
    return iterations


class Found(NamedTuple):
    """Result of a search, for n actions.

    Attributes:
        actions: int64 ``[n]``.
        visits: int64 ``[n]``.
        mean: float64 ``[n]``, expected net chips of the hand.
        error: float64 ``[n]``, standard error of ``mean``; both are 0 for actions without visits.
        value: V of the root.
        value_error: Its standard error.
        iterations: Number of iterations.
        nodes: Number of nodes in the tree.
    """

    actions: np.ndarray
    visits: np.ndarray
    mean: np.ndarray
    error: np.ndarray
    value: float
    value_error: float
    iterations: int
    nodes: int

    def best(self) -> int:
        """Returns the index of the action with the highest mean among those with visits."""
        return int(np.where(self.visits > 0, self.mean, -np.inf).argmax())


class Searcher:
    """Runs searches, reusing their arrays.

    Args:
        rules: Rules of the game.
        model: Model of the opponents.
        settings: Settings of the search.
    """

    def __init__(self, rules: Rules, model: OpponentModel, settings: RewardSettings) -> None:
        self.rules, self.model, self.settings = rules, model, settings
        self.tree = empty_tree(NODES)
        self._boards = empty_boards(1 if settings.cards else BOARDS)
        self._room = make_scratch(len(rules.stacks))

    def run(
        self,
        view: States,
        seat: int,
        statistics: np.ndarray,
        seed: np.ndarray,
        iterations: int,
        stopping: Callable[[int], bool] = lambda done: False,
        given: np.ndarray | None = None,
    ) -> Found:
        """Returns the values of a seat's actions.

        Args:
            view: One row, the view of the seat to move.
            seat: The seat to move.
            statistics: float32 ``[S, F]``, the players' statistics.
            seed: uint64 ``[1]``, a stream; changed in place.
            iterations: Maximum iterations.
            stopping: Called with the number of iterations after every ``CHUNK`` of them; True stops
                the search.
            given: int64 ``[n]``, the actions to consider, raises by their amounts (repeats are
                allowed); None: as the settings say.
        """
        own = np.ascontiguousarray(view.hole[0, seat])
        count = 0
        if not self.settings.cards:
            known = int(num_shown(view.round[0]))
            count = fill_boards(
                self.rules.hands, own, view.board[0].copy(), known, self._boards, seed
            )
        given = np.zeros(0, np.int64) if given is None else given
        position = Position(view, seat, statistics, self._boards, count, given)
        clear(self.tree)
        task = Task(self.model, self.rules, position, self.settings, self.tree, self._room, seed)
        done = 0
        while done < iterations:
            some = min(CHUNK, iterations - done)
            made = search(task, some)
            done += made
            if made < some or stopping(done):
                break
        return self._found(done)

    def _found(self, done: int) -> Found:
        tree = self.tree
        rows = slice(tree.first[0], tree.first[0] + tree.count[0])
        return Found(
            tree.action[rows].astype(np.int64),
            tree.visits[rows].copy(),
            tree.mean[rows].copy(),
            np.sqrt(tree.variance[rows]),
            float(tree.mean[0]),
            float(np.sqrt(tree.variance[0])),
            done,
            int(tree.size[0]),
        )
