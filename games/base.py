"""A class for games to derive from: defaults for all that ``games.interface.Game`` asks for besides the rules.

A game must give ``spec``, ``rules``, ``deal`` and ``view``, and ``action_names`` or its own ``action_text`` and ``parse_action``.
The defaults know states as named arrays only; a game whose views and records are to be read by people writes its own.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from games.batches import Rules, States, concatenate, num_rows, take
from games.generic import current_seat, legal, step, team_return
from games.interface import Game, move_texts
from games.kernels import kernel

LISTED = "expected a small game, such as kuhn, leduc, goofspiel or phantom_tictactoe"


@kernel
def _legal(rules: Rules, states: States, i: int, actions: np.ndarray) -> int:
    return legal(rules, states, i, actions)


@kernel
def _seat(rules: Rules, states: States, i: int) -> int:
    return current_seat(rules, states, i)


@kernel
def _play(rules: Rules, states: States, i: int, moves: np.ndarray) -> None:
    for k in range(moves.size):
        step(rules, states, i, moves[k])


@kernel
def _return(rules: Rules, states: States, i: int, seat: int) -> float:
    return team_return(rules, states, i, seat)


@dataclass(frozen=True)
class NoOptions:
    """The options of a game that has none."""


class BaseGame(Game):
    """A game with defaults (see ``games.interface.Game``).

    Attributes:
        spec: Sizes and conventions.
        rules: The tables that every kernel takes.
        action_names: A text for each action.
        has_tables: Whether tabular algorithms can learn it, by ``tables``.
        has_tree: Whether it is so small that its policies can be measured exactly, over all information states.
    """

    Options: ClassVar[type[Any]] = NoOptions
    """A frozen dataclass of ``runtime.settings.setting``: the options, with defaults, ranges and a sentence for ``--help``."""
    options: Any
    """Those that it was made with."""
    action_names: tuple[str, ...] = ()

    def __init__(self, options: Any = None) -> None:
        """Keeps the options, which ``games.make`` has checked; None: the usual ones."""
        self.options = self.Options() if options is None else options

    def learned_options(self) -> dict[str, Any]:
        """Returns the options that networks depend on: those that learned it with others are refused. By default all."""
        return asdict(self.options)

    @cached_property
    def decoder(self) -> np.ndarray:  # type: ignore[override]
        """Returns int16 ``[num_actions, 1]``: an output of the policy for each action."""
        return np.arange(self.spec.num_actions, dtype=np.int16)[:, None]

    @property
    def tables(self) -> Any:
        """Raises TypeError: tabular algorithms cannot learn this game (``has_tables``)."""
        raise TypeError(f"{self.spec.name}: tabular algorithms do not know it; read has_tables first")

    def check_for_networks(self) -> None:
        """Raises ValueError where the game was made with options that networks cannot follow; by default there are none."""

    def deal(self, seeds: np.ndarray) -> States:
        """Returns random deals; row i depends on ``seeds[i]`` (uint64 ``[B]``) alone."""
        raise NotImplementedError

    def starts(self) -> tuple[States, np.ndarray]:
        """Raises ValueError: the deals cannot be listed. A game where they can returns them all, and their probabilities."""
        raise ValueError(f"the deals of {self.spec.name} cannot be listed: {LISTED}")

    def view(self, states: States, seats: np.ndarray) -> States:
        """Returns a copy in which what ``seats[i]`` (int ``[B]``) cannot see in row i is erased."""
        raise NotImplementedError

    def empty(self, count: int) -> States:
        """Returns ``count`` rows of zeros."""
        return _zeros(self.deal(np.zeros(1, np.uint64)), count)

    def action_text(self, action: int) -> str:
        """Returns the name of an action."""
        return self.action_names[action]

    def parse_action(self, text: str) -> int:
        """Returns the action of a name, in any case. Raises ValueError naming the text and what was expected."""
        words = [name.lower() for name in self.action_names]
        if text.strip().lower() not in words:
            raise ValueError(f"action {text!r}: expected one of {', '.join(self.action_names)}")
        return words.index(text.strip().lower())

    def legal_texts(self, states: States, row: int) -> list[str]:
        """Returns the texts of the legal actions in a row."""
        actions = np.empty(self.spec.max_legal, np.int16)
        count = _legal(self.rules, states, row, actions)
        return [self.action_text(int(action)) for action in actions[:count]]

    def describe_view(self, views: States, row: int, moves: np.ndarray, seat: int | None = None) -> dict[str, Any]:
        """Returns what a seat knows, for JSON: ``game``, ``seat``, its ``view`` as lists, ``moves``, ``legal``."""
        mover = int(_seat(self.rules, views, row))
        seat = mover if seat is None else seat
        view = self.view(take(views, slice(row, row + 1)), np.array([seat]))
        return {
            "game": self.spec.name,
            "seat": seat,
            "view": _plain(view),
            "moves": move_texts(self, moves),
            "legal": self.legal_texts(views, row) if seat == mover else [],
        }

    def record(self, deals: States, row: int, moves: np.ndarray) -> dict[str, Any]:
        """Returns a game for JSON: ``deal``, its state before the first move as lists, ``moves``, and ``returns`` by seat."""
        played = take(deals, np.array([row]))
        _play(self.rules, played, 0, np.asarray(moves, np.int64))
        over = _seat(self.rules, played, 0) < 0
        returns = [float(_return(self.rules, played, 0, seat)) for seat in range(self.spec.num_seats)] if over else None
        return {
            "game": self.spec.name,
            "deal": self._deal_fields(take(deals, slice(row, row + 1))),
            "moves": [self.action_text(int(move)) for move in moves],
            "returns": returns,
        }

    def parse_record(self, fields: Mapping[str, Any]) -> tuple[States, list[int]]:
        """Returns the deal (one row) and the moves of a record.

        Raises:
            ValueError: It is no record of this game, a move is not legal, or the result is not that of the moves.
        """
        expected = ("game", "deal", "moves", "returns")
        if not isinstance(fields, Mapping) or not set(expected) <= set(fields) or not isinstance(fields["moves"], list):
            raise ValueError(f"expected an object with the fields {', '.join(expected)}")
        if fields["game"] != self.spec.name:
            raise ValueError(f"the record is of game {fields['game']!r}: expected {self.spec.name!r}")
        if len(fields["moves"]) > self.spec.max_moves:
            raise ValueError(f"{len(fields['moves'])} moves: expected at most {self.spec.max_moves}")
        deal = self._parse_deal(fields["deal"])
        moves = [self.parse_action(str(text)) for text in fields["moves"]]
        played = take(deal, np.array([0]))
        for number, move in enumerate(moves, 1):
            if _seat(self.rules, played, 0) < 0 or not self.is_legal(played, move):
                raise ValueError(f"move {number} ({self.action_text(move)}): it is not legal")
            _play(self.rules, played, 0, np.array([move]))
        if (returns := self.record(deal, 0, np.array(moves, np.int64))["returns"]) != fields["returns"]:
            raise ValueError(f"returns {fields['returns']}: the moves give {returns}")
        return deal, moves

    def _deal_fields(self, deal: States) -> dict[str, Any]:
        """Returns a deal (one row) for JSON, as ``_parse_deal`` reads it."""
        return _plain(deal)

    def _parse_deal(self, fields: Any) -> States:
        """Returns the deal of a record. Raises ValueError."""
        like = self.deal(np.zeros(1, np.uint64))
        try:
            return _from_plain(like, fields)
        except (ValueError, KeyError, TypeError, OverflowError, AttributeError) as error:
            raise ValueError(f"deal: {error!r}; expected {_shapes(like)}"[:400]) from error

    def read_decks(self, path: Path | str) -> States:
        """Returns the deals of a file of JSON lines with the field ``deal`` of ``record``.

        Raises:
            ValueError: Naming the line and what was expected.
            OSError: It cannot be opened.
        """
        rows = []
        for number, line in enumerate(Path(path).read_bytes().splitlines(), 1):
            if not line.strip():
                continue
            try:
                rows.append(self._parse_deal(json.loads(line)["deal"]))
            except (ValueError, KeyError, TypeError, RecursionError) as error:  # UnicodeDecodeError is a ValueError
                raise ValueError(f"{path}, line {number}: {error}; expected a field deal, as saved games have it") from error
        if not rows:
            raise ValueError(f"{path}: no deals; expected lines of JSON with the field deal")
        return concatenate(rows)

    def information_states(self) -> States:
        """Raises ValueError: they cannot be listed (``has_tree``)."""
        raise ValueError(f"{self.spec.name} has too many information states to list")

    def cards_left(self, states: States) -> np.ndarray:
        """Returns zeros (int64 ``[B]``): cards are not played."""
        return np.zeros(num_rows(states), dtype=np.int64)

    def final_curves(self, finals: States) -> dict[str, float]:
        """Returns no curves."""
        return {}

    def hidden_targets(self, states: States, seats: np.ndarray) -> tuple[np.ndarray, ...]:
        """Raises TypeError: there is no head for hidden cards (``spec.hidden_counts``)."""
        raise TypeError(f"{self.spec.name}: there is no head for hidden cards; read spec.hidden_counts first")


def _zeros(like: States, count: int) -> States:
    """Returns ``count`` rows of zeros with the fields of a batch."""
    return type(like)(*(_zeros(f, count) if isinstance(f, tuple) else np.zeros((count, *f.shape[1:]), f.dtype) for f in like))


def _plain(row: States) -> dict[str, Any]:
    """Returns a batch of one row by field names, for JSON."""
    return {n: _plain(f) if isinstance(f, tuple) else f[0].tolist() for n, f in zip(row._fields, row, strict=True)}


def _from_plain(like: States, fields: Any) -> States:
    """Returns the batch of one row that ``_plain`` wrote. Raises ValueError, KeyError, TypeError or OverflowError."""
    if set(fields) != set(like._fields):
        raise ValueError(f"the fields are {', '.join(map(str, fields))}")
    found = []
    for name, own in zip(like._fields, like, strict=True):
        if isinstance(own, tuple):
            found.append(_from_plain(own, fields[name]))
            continue
        value = np.array([fields[name]])
        if value.dtype.kind not in "biuf":
            raise ValueError(f"{name} holds no numbers")
        array = np.array([fields[name]], own.dtype)
        if array.shape != own.shape or not (array == value).all():
            raise ValueError(f"{name} is {fields[name]}")
        found.append(array)
    return type(like)(*found)


def _shapes(like: States) -> str:
    """Returns the names, types and shapes of a row's fields."""
    return ", ".join(
        f"{n} ({_shapes(f)})" if isinstance(f, tuple) else f"{n} {f.dtype}{list(f.shape[1:])}"
        for n, f in zip(like._fields, like, strict=True)
    )
