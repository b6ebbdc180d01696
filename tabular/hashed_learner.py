"""Algorithms that learn any game by its generic kernels, in a hashed table of information sets (``tabular.hash_table``).

``ismcts`` is Information Set Monte Carlo tree search from the beginning of the game (Lisy 2014); UCT and Smooth UCT are those of
Heinrich & Silver 2015 where there is no betting tree to lay dense tables on.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from games.batches import States
from games.interface import Game
from games.kernels import kernel
from runtime.settings import ConfigError
from tabular import selection as selections
from tabular.hash_table import HEADER, HashTable, Rows, append, num_actions_of, seat_of
from tabular.ismcts import search
from tabular.learner import GOLDEN, Learner
from tabular.listed_game import Listing, listing, nash_conv
from tabular.running_ties import RunningUCT
from tabular.selection import values, weights
from tabular.self_play import SmoothUCTOptions, UCTOptions

SELECTIONS = ("uct", "exp3", "regret_matching")
FORMS = ("text", "authors")
REWARDS = ("signed", "unit")
TIES = ("all", "running")
MEASURED = 2 * 10**8
"""Decisions of all histories up to which curves tell NashConv: about half a minute for each point."""
DEALS = 1024
"""Deals that are drawn at a time where they cannot be listed."""
COUNTING = (selections.UCT, RunningUCT, selections.Smooth)
"""Selections that count actions in 32 bits."""
_MOST_EPISODES = 2**32


@dataclass(frozen=True)
class IsMctsOptions:
    """Options of Information Set Monte Carlo tree search.

    Attributes:
        selection: ``uct``, ``exp3`` or ``regret_matching``.
        form: Of UCT: ``text``: x̄_i + c sqrt(2 ln n / n_i), as printed; ``authors``: without the 2, as their program has it.
        c: Of UCT, at least 1e-6, in rewards.
        tie_margin: Of UCT, at least 0, in rewards: the action is drawn evenly among those within it of the best. The text says
            nothing of it (0); the authors' program has 0.01, without which the fall and rise of figure 2 do not show.
        ties: Of UCT: ``all``: those within the margin of the best; ``running``: those that one scan over the actions keeps, each
            compared with the best so far (``tabular.running_ties``), which repeats the rise of figure 2.
        gamma: Of Exp3 and Regret Matching, in (0, 1]: share of uniform exploration.
        rewards: ``signed``: returns divided by the game's largest, in [-1, 1]; ``unit``: the same in [0, 1]. None: as in the
            authors' program, ``signed`` for UCT and ``unit`` for the others.
        store_exploration: Of Exp3 and Regret Matching: whether the policy is the mean of p', with the exploration, in place of p.
        memory: The most that the table may take, MB, at least 1. A run may go on with more.

    Raises:
        ValueError: On construction, for values out of range.
    """

    selection: str = "uct"
    form: str = "authors"
    c: float = 2.0
    tie_margin: float = 0.01
    ties: str = "all"
    gamma: float = 0.1
    rewards: str | None = None
    store_exploration: bool = False
    memory: int = 2000

    def __post_init__(self) -> None:
        for name, known in (("selection", SELECTIONS), ("form", FORMS), ("ties", TIES), ("rewards", (*REWARDS, None))):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} = {getattr(self, name)!r}: expected one of {', '.join(str(k) for k in known if k)}")
        if not 1e-6 <= self.c < math.inf:
            raise ValueError(f"c = {self.c}: expected at least 1e-6")
        if not 0 <= self.tie_margin < math.inf:
            raise ValueError(f"tie_margin = {self.tie_margin}: expected at least 0")
        if not 0 < self.gamma <= 1:
            raise ValueError(f"gamma = {self.gamma}: expected a number in (0, 1]")
        if self.memory < 1:
            raise ValueError(f"memory = {self.memory}: expected at least 1")


def make_selection(options: IsMctsOptions, max_return: float) -> Any:
    """Returns the selection (``tabular.selection``) of options, for a game of that largest absolute return."""
    rewards = options.rewards or ("signed" if options.selection == "uct" else "unit")
    gain, shift = (1.0 / max_return, 0.0) if rewards == "signed" else (0.5 / max_return, 0.5)
    if options.selection == "exp3":
        return selections.Exp3(float(options.gamma), gain, shift)
    if options.selection == "regret_matching":
        return selections.RegretMatching(float(options.gamma), gain, shift)
    factor = options.c * (math.sqrt(2.0) if options.form == "text" else 1.0)
    made = selections.UCT if options.ties == "all" else RunningUCT
    return made(factor, float(options.tie_margin), 1, gain, shift, *selections.roots())


@kernel
def fill_policy(selection: Any, rows: Rows, width: int, policy: Rows, greedy: bool, mixed: float) -> None:
    """Writes the policy of every row to an empty table of width 1 with room for them: mean or greedy, mixed with uniform."""
    out = np.empty(1 << 16)
    place = 0
    while place < rows.used[0]:
        num_actions = num_actions_of(rows, place)
        to = append(policy, rows.bits[place], seat_of(rows, place), num_actions, 1) + HEADER
        if greedy:
            values(selection, rows, place, num_actions, out)
            policy.words[to + np.argmax(out[:num_actions])] = 1.0
        else:
            weights(selection, rows, place, num_actions, out)
            total = out[:num_actions].sum()
            for slot in range(num_actions):
                share = out[slot] / total if total > 0.0 else 1.0 / num_actions
                policy.words[to + slot] = (1.0 - mixed) * share + mixed / num_actions
        place += HEADER + width * num_actions


class HashedLearner(Learner):
    """Self-play search on any game; a table row for each information set that was met.

    Attributes:
        game: The game.
        selection: Of ``tabular.selection``.
        table: The rows.
    """

    shared: ClassVar[bool]
    """Whether the first new set of an iteration ends the selections of all players (``tabular.ismcts``)."""

    def __init__(self, game: Game, seed: int, options: Any, selection: Any, memory: int) -> None:
        super().__init__(game.spec.name, seed, options)
        self.game, self.selection = game, selection
        self.table = HashTable(selections.WIDTHS[type(selection)], memory)
        self._lane = game.empty(1)
        self._most_new = game.spec.num_seats  # rows that an episode may add
        self._starts: States | None = None
        self._cumulative = np.empty(0)
        try:
            self._starts, chances = game.starts()
            self._cumulative = np.cumsum(chances)
        except ValueError:
            self.chunk = DEALS

    def _run_chunk(self, count: int) -> None:
        spec, table = self.game.spec, self.table
        if isinstance(self.selection, COUNTING) and self.episodes + count >= _MOST_EPISODES:
            raise ValueError(f"{self.name}: expected fewer than 2**32 episodes, the most that its counters hold")
        words = HEADER + table.width * spec.max_legal
        done = 0
        starts = self._deals(count) if self._starts is None else self._starts
        while True:
            done += self._iterate(starts, count - done)
            if done == count:
                return
            try:
                table.grow(self._most_new, words)
            except ValueError as error:
                raise ConfigError(f"algorithm.{error}") from error
            if self._starts is None:
                starts = self._deals(count - done)

    def _iterate(self, starts: States, count: int) -> int:
        """Runs so many episodes, or as many as the table has room for; returns how many."""
        spec, table = self.game.spec, self.table
        return int(
            search(
                self.game.rules, starts, self._cumulative, self._lane, self.selection, table.rows, self.shared, spec.num_seats,
                spec.max_legal, spec.max_moves, table.width, self.rng, self.counter, count,
            )
        )  # fmt: skip

    def _deals(self, count: int) -> States:
        """Returns the deals of the next episodes; each depends on the seed and its number alone."""
        numbers = np.arange(self.episodes, self.episodes + count, dtype=np.uint64)
        x = (numbers + np.uint64(self.seed + 1) * np.uint64(0xD1342543DE82EF95)) * GOLDEN
        x = (x ^ (x >> np.uint64(32))) * np.uint64(0xDABA0B6EB09322E3)
        return self.game.deal((x ^ (x >> np.uint64(29))) & ~np.uint64(1))

    def policy(self, greedy: bool = False) -> Rows:
        """Returns the average policy, or the greedy one, as a table of probabilities; sets without a row play evenly."""
        words = self.table.rows.used[0] - (self.table.width - 1) * self._num_slots()
        made = HashTable(1, 2**20)
        made.grow(self.table.num_rows, -(-int(words) // max(self.table.num_rows, 1)) + 1)
        fill_policy(self.selection, self.table.rows, self.table.width, made.rows, greedy, 0.0 if greedy else self._mixed())
        return made.rows

    def _num_slots(self) -> int:
        return int(self.table.rows.used[0] - HEADER * self.table.num_rows) // self.table.width

    def _mixed(self) -> float:
        """Returns the share of uniform exploration that the average policy is told with."""
        return 0.0

    @cached_property
    def listed(self) -> Listing | None:
        """Returns the game's deals where they can be listed."""
        return None if self._starts is None else listing(self.game)

    def size_text(self) -> str:
        """Returns how many information sets there are so far."""
        return f"{self.table.num_rows:,} information sets in {self.table.num_bytes / 1e6:,.0f} MB"

    def measures(self) -> dict[str, float]:
        """Returns the number of information sets, their memory, and NashConv of the policies where the game is small."""
        found = {"table/information_sets": float(self.table.num_rows), "table/bytes_per_set": self.table.bytes_per_set}
        if self.listed is not None and self.listed.histories <= MEASURED:
            found["nash_conv/average_policy"] = nash_conv(self.listed, self.policy())
        return found

    def _arrays(self) -> dict[str, np.ndarray]:
        return {"rows": self.table.words_in_use()} | super()._arrays()

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """As for every algorithm; the table becomes that of the state. ConfigError where it is larger than ``memory``."""
        self._check_state(state, self._arrays(), free=("rows",))
        try:
            self.table.set_words(state["rows"])
        except ValueError as error:
            raise ConfigError(f"state of {self.name} on {self.game_name}: {error}") from error
        self.rng[...], self.counter[...] = state["rng"], state["episodes"]


class IsMcts(HashedLearner):
    """Information Set Monte Carlo tree search from the beginning of the game."""

    name: ClassVar[str] = "ismcts"
    shared: ClassVar[bool] = True

    def __init__(self, game: Game, seed: int, options: IsMctsOptions) -> None:
        super().__init__(game, seed, options, make_selection(options, game.spec.max_return), options.memory)

    def _mixed(self) -> float:
        return self.options.gamma if self.options.store_exploration and self.options.selection != "uct" else 0.0


class HashedUCT(HashedLearner):
    """Extensive-form UCT on any game; c is ``exploration``, or half of the game's largest return."""

    name: ClassVar[str] = "uct"
    shared: ClassVar[bool] = False

    def __init__(self, game: Game, seed: int, options: UCTOptions) -> None:
        factor = max(game.spec.max_return / 2 if options.exploration is None else options.exploration, 1e-6)
        super().__init__(game, seed, options, self._selection(factor, options), 2000)

    def _selection(self, factor: float, options: Any) -> Any:
        return selections.UCT(factor, 0.0, 0, 1.0, 0.0, *selections.roots())


class HashedSmoothUCT(HashedUCT):
    """Extensive-form Smooth UCT on any game."""

    name: ClassVar[str] = "smooth_uct"

    def _selection(self, factor: float, options: SmoothUCTOptions) -> Any:
        decay = 1 / 20000 if options.d is None else options.d
        return selections.Smooth(
            factor, 0.0, 0, 1.0, 0.0, *selections.roots(), float(options.gamma), float(options.eta), float(decay)
        )
