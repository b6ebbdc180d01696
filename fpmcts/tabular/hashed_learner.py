"""Algorithms that learn any game by its generic kernels, in a hashed table of information sets.

``ismcts`` is Information Set Monte Carlo tree search from the beginning of the game (Lisy 2014);
UCT and Smooth UCT follow Heinrich & Silver 2015, for games without the betting tree that dense
tables need; Outcome Sampling is that of ``fpmcts.tabular.outcome_sampling``.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fpmcts.tabular import selection as selections
from fpmcts.tabular.hash_table import (
    HEADER,
    MOST_VISITS,
    HashTable,
    Rows,
    append,
    num_actions_of,
    seat_of,
)
from fpmcts.tabular.learner import Options, TableLearner
from fpmcts.tabular.listed_game import Listing, listing, nash_conv
from fpmcts.tabular.outcome_sampling import OutcomeSamplingOptions, Sampling, sample, sampling
from fpmcts.tabular.search import search
from fpmcts.tabular.selection import values, weights
from fpmcts.tabular.self_play import MOST_EPISODES, SmoothUCTOptions, UCTOptions, schedule
from fpmcts.tabular.walks import GOLDEN, walk_of
from games.base.settings import ConfigError, setting
from games.kernels import kernel
from games.kernels.rows import States
from games.play.interface import Game

SELECTIONS = ("uct", "exp3", "regret_matching")
FORMS = ("text", "authors")
REWARDS = ("signed", "unit")
TIES = ("all", "running")
MEMORY = 2000
"""Maximum MB of the table of an algorithm without a memory option."""
MEASURED = 2 * 10**8
"""Maximum decisions over all histories for which curves report NashConv: about half a minute per
point.
"""
DEALS = 1024
"""Deals drawn at a time if they cannot be listed."""


@dataclass(frozen=True)
class IsMctsOptions(Options):
    """Options of Information Set Monte Carlo tree search.

    Attributes:
        selection: The rule that chooses an action.
        form: For UCT: ``text``: x̄_i + c sqrt(2 ln n / n_i), as printed; ``authors``: without the
            2, as in their program.
        c: For UCT: the exploration constant, in rewards.
        tie_margin: For UCT, in rewards: the action is drawn uniformly from those within this margin
            of the best. The text mentions none (0); the authors' program has 0.01.
        ties: For UCT: ``all``: all actions within the margin of the best; ``running``: those kept
            by one scan that compares each action with the best so far (``selection.RunningUCT``),
            with which NashConv rises as in figure 2.
        gamma: For Exp3 and Regret Matching: share of uniform exploration.
        rewards: ``signed``: returns divided by the game's largest, in [-1, 1]; ``unit``: the same
            in [0, 1]. None: as in the authors' program, ``signed`` for UCT and ``unit`` for the
            others.
        store_exploration: For Exp3 and Regret Matching: whether the policy is the mean of p', which
            includes exploration, instead of p.
        memory: Maximum memory of the table, MB. A run may be resumed with more.
    """

    selection: str = setting("uct", choices=SELECTIONS)
    form: str = setting("authors", choices=FORMS)
    c: float = setting(2.0, least=1e-6, most=1e9)
    tie_margin: float = setting(0.01, least=0.0, most=1e9)
    ties: str = setting("all", choices=TIES)
    gamma: float = setting(0.1, least=1e-6, most=1.0)
    rewards: str | None = setting(None, choices=(*REWARDS, None))
    store_exploration: bool = False
    memory: int = setting(2000, least=1)

    def __post_init__(self) -> None:
        """Raises ConfigError, too, for options of the other selections that are not the default."""
        super().__post_init__()
        is_uct = self.selection == "uct"
        unused = ("gamma", "store_exploration") if is_uct else ("form", "c", "tie_margin", "ties")
        for name in unused:
            if (value := getattr(self, name)) != getattr(type(self), name):
                raise ConfigError(f"{name}={value}: selection={self.selection} has no {name}")


def make_selection(options: IsMctsOptions, max_return: float) -> Any:
    """Returns the selection that options describe, for a game whose largest absolute return is
    ``max_return``.
    """
    rewards = options.rewards or ("signed" if options.selection == "uct" else "unit")
    gain, shift = (1.0 / max_return, 0.0) if rewards == "signed" else (0.5 / max_return, 0.5)
    if options.selection == "exp3":
        return selections.Exp3(float(options.gamma), gain, shift)
    if options.selection == "regret_matching":
        return selections.RegretMatching(float(options.gamma), gain, shift)
    factor = options.c * (math.sqrt(2.0) if options.form == "text" else 1.0)
    made = selections.UCT if options.ties == "all" else selections.RunningUCT
    return made(factor, float(options.tie_margin), 1, gain, shift, *selections.roots())


@kernel
def fill_policy(
    selection: Any, rows: Rows, width: int, policy: Rows, greedy: bool, mixed: float
) -> None:
    """Writes the policy of every row to an empty table of width 1 with room for them: mean or
    greedy, mixed with uniform; uniform where nothing was learned.
    """
    out = np.empty(1 << 16)
    place = 0
    while place < rows.used[0]:
        num_actions = num_actions_of(rows, place)
        to = append(policy, rows.bits[place], seat_of(rows, place), num_actions, 1) + HEADER
        weights(selection, rows, place, num_actions, out)
        total = out[:num_actions].sum()
        if greedy and total > 0.0:
            values(selection, rows, place, num_actions, out)
            policy.words[to + np.argmax(out[:num_actions])] = 1.0
        else:
            for slot in range(num_actions):
                share = out[slot] / total if total > 0.0 else 1.0 / num_actions
                policy.words[to + slot] = (1.0 - mixed) * share + mixed / num_actions
        place += HEADER + width * num_actions


class HashedLearner(TableLearner):
    """An algorithm on any game; one table row for each information set visited.

    Args:
        shared: Whether the first new set of an episode ends the selections of all players
            (``fpmcts.tabular.search``).
        mixed: Share of uniform exploration in the reported average policy.

    Attributes:
        game: The game.
        selection: A selection of ``fpmcts.tabular.selection``, or ``Sampling``.
        table: The rows.
    """

    def __init__(
        self,
        name: str,
        game: Game,
        seed: int,
        options: Any,
        selection: Any,
        memory: int = MEMORY,
        shared: bool = False,
        mixed: float = 0.0,
    ) -> None:
        super().__init__(name, game.spec.name, seed, options)
        self.game, self.selection = game, selection
        self.table = HashTable(selection.width, memory)
        self._shared, self._mixed = shared, mixed
        self._starts: States | None = None
        self._cumulative = np.empty(0)
        try:
            self._starts, chances = game.starts()
            self._cumulative = np.cumsum(chances)
        except ValueError:
            self.chunk = DEALS

    @property
    def left(self) -> int:
        """Returns how many more episodes the counters are sure to hold; those of UCT count
        actions.
        """
        counts = isinstance(self.selection, selections.UCT)
        return (MOST_EPISODES if counts else MOST_VISITS) - 1 - self.episodes

    def _run_chunk(self, count: int) -> None:
        spec, table, samples = self.game.spec, self.table, isinstance(self.selection, Sampling)
        end = self.episodes + count
        starts = self._deals(count) if self._starts is None else self._starts
        while True:
            walk = walk_of(self.game, starts, self._cumulative, table)
            shape = (spec.num_seats, spec.max_moves)
            stream = (self.rng, self.counter, end - self.episodes)
            if samples:
                sample(walk, self.selection, *shape, *stream)
            else:
                search(walk, self.selection, *shape, *stream, self._shared, None)
            if self.episodes == end:
                return
            try:
                table.grow(spec.max_moves if samples else spec.num_seats, walk.most_words)
            except ValueError as error:
                raise ConfigError(f"algorithm.{error}") from error
            if self._starts is None:
                starts = self._deals(end - self.episodes)

    def _deals(self, count: int) -> States:
        """Returns the deals of the next episodes; each depends only on the seed and its number."""
        numbers = np.arange(self.episodes, self.episodes + count, dtype=np.uint64)
        first = np.uint64((self.seed + 1) * 0xD1342543DE82EF95 % 2**64)  # numpy warns of overflow
        x = (numbers + first) * GOLDEN
        x = (x ^ (x >> np.uint64(32))) * np.uint64(0xDABA0B6EB09322E3)
        return self.game.deal((x ^ (x >> np.uint64(29))) & ~np.uint64(1))

    def policy(self, greedy: bool = False) -> Rows:
        """Returns the average policy, or the greedy one, as a table of probabilities; sets without
        a row play uniformly.
        """
        rows, headers = self.table.rows, HEADER * self.table.num_rows
        made = HashTable(1, 2**20)
        made.make_room(
            self.table.num_rows, headers + (int(rows.used[0]) - headers) // self.table.width
        )
        mixed = 0.0 if greedy else self._mixed
        fill_policy(self.selection, rows, self.table.width, made.rows, greedy, mixed)
        return made.rows

    @cached_property
    def listed(self) -> Listing | None:
        """Returns the game's deals, or None if they cannot be listed."""
        return None if self._starts is None else listing(self.game)

    def size_text(self) -> str:
        """Returns the number of information sets so far, in words."""
        return f"{self.table.num_rows:,} information sets in {self.table.num_bytes / 1e6:,.0f} MB"

    def measures(self) -> dict[str, float]:
        """Returns the number of information sets, their memory, and NashConv of the policies if the
        game is small and has no partners.
        """
        found = self._sizes()
        listed = None if self.game.spec.has_partners else self.listed
        if listed is not None and listed.histories <= MEASURED:
            found["nash_conv/average_policy"] = nash_conv(listed, self.policy())
        return found

    def _sizes(self) -> dict[str, float]:
        return {
            "table/information_sets": float(self.table.num_rows),
            "table/bytes_per_set": self.table.bytes_per_set,
        }

    @property
    def tables(self) -> dict[str, np.ndarray]:
        """Returns the rows."""
        return {"rows": self.table.words_in_use()}

    def _growing(self) -> Collection[str]:
        return ("rows",)

    def _fit(self, state: Mapping[str, np.ndarray]) -> None:
        """Takes over the table of a state. Raises ConfigError if it is larger than ``memory``."""
        try:
            self.table.set_words(state["rows"])
        except ValueError as error:
            raise ConfigError(f"state of {self.name} on {self.game_name}: {error}") from error


def ismcts(name: str, game: Game, seed: int, options: IsMctsOptions) -> HashedLearner:
    """Returns Information Set Monte Carlo tree search from the beginning of the game."""
    selection = make_selection(options, game.spec.max_return)
    stores = options.store_exploration and options.selection != "uct"
    mixed = options.gamma if stores else 0.0
    return HashedLearner(name, game, seed, options, selection, options.memory, True, mixed)


def hashed_uct(name: str, game: Game, seed: int, options: UCTOptions) -> HashedLearner:
    """Returns extensive-form UCT or Smooth UCT; c is ``exploration``, or half of the game's largest
    return.
    """
    if options.betting_potential not in (None, UCTOptions().betting_potential):
        raise ConfigError(
            f"algorithm.betting_potential={options.betting_potential}: {game.spec.name} has no "
            "betting; expected none"
        )
    half = game.spec.max_return / 2
    factor = max(half if options.exploration is None else options.exploration, 1e-6)
    given = (factor, 0.0, 0, 1.0, 0.0, *selections.roots())
    selection = selections.UCT(*given)
    if isinstance(options, SmoothUCTOptions):
        selection = selections.Smooth(*given, *schedule(options, ""))
    return HashedLearner(name, game, seed, options, selection)


def hashed_sampling(
    name: str, game: Game, seed: int, options: OutcomeSamplingOptions
) -> HashedLearner:
    """Returns Outcome Sampling on any game of two seats."""
    return HashedLearner(name, game, seed, options, sampling(options))
