"""IS-MCTS with one tree of the information sets of all seats (Lisy 2014, algorithm 1), kept from
move to move.

Iterations start from states of the player's information set, equally likely as in the text. The
move is drawn from the output strategy of the selection: n_i / n for UCT, the mean of p for Exp3 and
Regret Matching.

Each seat of each game has its own tree, discarded after the game. A full tree drops its least
visited sets until half of it is free.
"""

from collections.abc import Sequence

import numpy as np

from fpmcts.players.tree_search import Place, Root, SearchClock, TreeAgent
from fpmcts.tabular.hash_table import (
    HEADER,
    HashTable,
    Rows,
    append,
    find,
    num_actions_of,
    seat_key,
    seat_of,
    visits_of,
)
from fpmcts.tabular.hashed_learner import IsMctsOptions, make_selection
from fpmcts.tabular.search import search
from fpmcts.tabular.selection import UCT, values, weights
from fpmcts.tabular.walks import walk_of
from games.base.settings import ConfigError
from games.kernels import kernel
from games.kernels.generic import hidden_of, log_prior_hidden
from games.kernels.rows import Rules, States, take
from games.play.decision import RETURN, WINS
from games.play.interface import Game
from inference.prior import prior_worlds

CHUNK = 1024
"""Iterations between two checks of the clock; each starts from its own state."""
MEMORY = 1000
"""MB for the trees of all games in progress, at least one game."""


def hides_moves_alone(game: Game) -> bool:
    """Returns whether moves are all that is hidden: before the first move every seat knows the
    whole state.
    """
    if not game.spec.has_private_moves:
        return False
    deals, words = game.deal(np.zeros(1, np.uint64)), np.zeros(game.spec.hidden_words, np.uint64)
    for seat in range(game.spec.num_seats):
        hidden_of(game.rules, deals, 0, seat, words)
        if log_prior_hidden(game.rules, deals, 0, seat, words) < -1e-9:
            return False
    return True


@kernel
def _root(
    rules: Rules,
    view: States,
    seat: int,
    selection: object,
    rows: Rows,
    width: int,
    is_uct: bool,
    out: np.ndarray,
    means: np.ndarray,
) -> int:
    """Returns the visits of a view's set; writes the weights of its policy, and mean rewards (-inf
    or NaN where unknown).
    """
    place = find(rows, seat_key(rules, view, 0, seat), seat)
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
    """Copies the rows with at least ``least`` visits to an empty table with room for them."""
    place = 0
    while place < rows.used[0]:
        num_actions = num_actions_of(rows, place)
        size = HEADER + width * num_actions
        if visits_of(rows, place) >= least:
            to = append(kept, rows.bits[place], seat_of(rows, place), num_actions, width)
            kept.words[to : to + size] = rows.words[place : place + size]
        place += size


class SharedTreeAgent(TreeAgent[HashTable]):
    """IS-MCTS with a tree that all seats share, kept from move to move.

    Args:
        game: The game.
        options: Options of the learner: the selection and its parameters, and the memory of a tree.
    """

    def __init__(self, game: Game, options: IsMctsOptions) -> None:
        unit = WINS if game.spec.score.reports_wins and game.spec.max_return == 1.0 else RETURN
        super().__init__(game, unit)
        self.options = options
        self.most_games = max(1, MEMORY // (options.memory * game.spec.num_seats))
        self._selection = make_selection(options, game.spec.max_return)
        self._worlds, self._counter = game.empty(CHUNK), np.zeros(1, np.int64)
        self._trees: dict[tuple[int, int], HashTable] = {}

    def start(self, num_games: int, seed: int) -> None:
        """Prepares for games 0 .. num_games - 1, with empty trees."""
        super().start(num_games, seed)
        self._trees = {}

    def end(self, games: Sequence[int]) -> None:
        """Forgets the trees of finished games."""
        for game in games:
            for seat in range(self.game.spec.num_seats):
                self._trees.pop((game, seat), None)

    def new_tree(self) -> HashTable:
        """Returns an empty tree."""
        return HashTable(self._selection.width, self.options.memory)

    def tree_of(self, game: int, seat: int) -> HashTable:
        """Returns the tree of a seat of a game."""
        if (game, seat) not in self._trees:
            self._trees[game, seat] = self.new_tree()
        return self._trees[game, seat]

    def iterate(self, place: Place[HashTable], done: int, clock: SearchClock) -> int:
        """Runs an iteration from each of a chunk of states of the information set."""
        spec, table, count = self.game.spec, place.tree, min(CHUNK, clock.most - done)
        prior_worlds(
            self.game.rules, place.positions, place.rng, count, spec.hidden_words, self._worlds
        )
        done = 0
        while True:
            rest = take(self._worlds, np.arange(done, count)) if done else self._worlds
            walk = walk_of(self.game, rest, np.empty(0), table)
            done += search(
                walk,
                self._selection,
                spec.num_seats,
                spec.max_moves,
                place.path,
                self._counter,
                count - done,
                True,
                None,
            )
            if done == count:
                return count
            self._make_room(table)

    def _make_room(self, table: HashTable) -> None:
        """Grows a tree, or thins it if its memory is full. Raises ConfigError if there is no room
        for one iteration.
        """
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

    def root(self, place: Place[HashTable]) -> Root:
        """Returns the policy of the position's set, normalised over the moves asked about."""
        q, tree, o = place.question, place.tree, self.options
        shares, means = np.empty(len(q.legal)), np.empty(len(q.legal))
        visits = _root(
            self.game.rules,
            q.view,
            q.seat,
            self._selection,
            tree.rows,
            tree.width,
            isinstance(self._selection, UCT),
            shares,
            means,
        )
        shares = (
            shares / shares.sum()
            if shares.sum() > 0.0
            else np.full(len(q.legal), 1.0 / len(q.legal))
        )
        if o.store_exploration and o.selection != "uct":
            shares = (1.0 - o.gamma) * shares + o.gamma / len(q.legal)
        among = np.searchsorted(q.legal, q.stands_for)
        own = shares[among]
        policy = self.policy_of(own if own.sum() > 0.0 else np.ones(len(among)))
        returns = (means[among] - self._selection.shift) / self._selection.gain
        if self.unit == WINS:
            returns = 0.5 + 0.5 * returns
        returns = np.where(np.isfinite(returns), returns, np.nan)
        known = ~np.isnan(returns)
        weight = policy[known].sum()
        value = float((policy[known] * returns[known]).sum() / weight) if weight > 0.0 else None
        return Root(policy, np.rint(visits * own), returns, np.full(len(among), np.nan), value)
