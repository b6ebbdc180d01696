"""What every game is to Python: its specification, the class that it derives from, and the records
of its moves.

The class documents the interface; a game documents what is its own. Its defaults know states as
named arrays only; a game whose views and records are to be read by people writes its own.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np

from games.base.settings import typed
from games.kernels import Stream, deal_seeds, kernel, mix64, random_below, streams
from games.kernels.generic import (
    HIDDEN_MOVE,
    current_seat,
    erase,
    is_legal,
    legal,
    observe,
    role,
    stake,
    step,
    team_return,
)
from games.kernels.rows import Rules, States, concatenate, copied, each, named, num_rows, take
from games.play.tables import Tables

Json = dict[str, Any]
"""Fields with values that JSON can hold."""
LISTED = "expected a small game, such as kuhn, leduc, goofspiel or phantom_tictactoe"
RANDOM_GAMES = 1024
MOST_NAMED = 12
"""Legal moves that a message names."""


class ScoreUnit(NamedTuple):
    """The unit in which the mean return of a match is reported.

    Attributes:
        name: In texts and tables.
        key: In JSON.
        per_return: Value of a return of 1 in this unit.
        digits: Decimal places in tables; elsewhere one more.
        reports_wins: Whether the share of games won is reported as well, and first. In poker it
            means little: a player that folds well loses most hands, but cheaply.
    """

    name: str
    key: str
    per_return: float
    digits: int
    reports_wins: bool


POINTS = ScoreUnit(name="points", key="points", per_return=1.0, digits=2, reports_wins=True)


class GameSpec(NamedTuple):
    """The sizes and conventions of a game.

    Attributes:
        name: As in ``game=NAME``.
        num_seats: Number of players.
        teams: Team of each seat; the seats of one team share their return.
        num_actions: Size of the action set; action ids fit int16.
        observation_shape: (C, L): planes and positions of an observation.
        observation_scale: float32 ``[C]``, factors of the int8 planes before the network.
        scalar_planes: How many of the last planes have one value at all positions; a dense network
            reads it once.
        policy_size: Number of policy outputs that the decoder sums over.
        max_legal: Upper bound on the number of legal actions in any state.
        max_moves: Upper bound on the number of moves in a game.
        max_return: Largest absolute return, in the game's unit.
        team_names: Names of the teams.
        seat_names: Names of the seats.
        score: Unit in which match results are reported.
        mixes: Whether good play must sometimes be random, since an opponent that predicted its
            moves would exploit them.
        stake_factors: Classes of the value head ``win_stakes``: the possible sizes of a return, in
            units of the stake, ascending and >= 0; a return counts as the nearest by ratio. () =
            networks predict only the mean.
        hidden_counts: How many cards of one position (of the observation) a seat may hide, 0 to
            ``hidden_counts - 1``: networks predict how many it is (``hidden_targets`` of the game).
            0 = they do not.
        has_private_moves: Whether some seat sees some move only partly or not at all
            (``seen_move``).
        hidden_words: W, words of 64 bits that a world adds to a view (``list_hidden``).
        hidden_kinds: Names of the things that other seats may hold unseen (``count_hidden``):
            ranks, or whole hands.
        hidden_most: Largest number of one kind in a seat.
        roles: How many roles there are (``games.kernels.generic.role``), each with a network of its
            own; 0: one for each seat.
        factors_of_roles: ``stake_factors`` of the roles that have others.
    """

    name: str
    num_seats: int
    teams: tuple[int, ...]
    num_actions: int
    observation_shape: tuple[int, int]
    observation_scale: np.ndarray
    policy_size: int
    max_legal: int
    max_moves: int
    max_return: float
    team_names: tuple[str, ...]
    seat_names: tuple[str, ...]
    score: ScoreUnit = POINTS
    mixes: bool = False
    stake_factors: tuple[float, ...] = ()
    hidden_counts: int = 0
    has_private_moves: bool = False
    hidden_words: int = 1
    hidden_kinds: tuple[str, ...] = ()
    hidden_most: int = 1
    roles: int = 0
    factors_of_roles: Mapping[int, tuple[float, ...]] = {}  # noqa: RUF012
    scalar_planes: int = 0

    @property
    def num_roles(self) -> int:
        """Returns the number of roles."""
        return self.roles or self.num_seats

    @classmethod
    def of(
        cls,
        name: str,
        num_actions: int,
        max_moves: int,
        max_return: float,
        observation_shape: tuple[int, int],
        num_seats: int = 2,
        **more: Any,
    ) -> Self:
        """Returns the specification of a game in which each seat plays for itself and each action
        has an output of its own; ``more`` are other fields. The names of teams are those of seats.
        """
        names = more.get("seat_names", tuple(f"seat {seat}" for seat in range(num_seats)))
        usual = {
            "teams": tuple(range(num_seats)),
            "policy_size": num_actions,
            "max_legal": num_actions,
            "observation_scale": np.ones(observation_shape[0], np.float32),
            "team_names": names,
            "seat_names": names,
            "mixes": True,
        }
        return cls(
            name=name,
            num_seats=num_seats,
            num_actions=num_actions,
            max_moves=max_moves,
            max_return=max_return,
            observation_shape=observation_shape,
            **{**usual, **more},
        )

    @property
    def num_teams(self) -> int:
        """Returns the number of teams."""
        return max(self.teams) + 1

    @property
    def has_partners(self) -> bool:
        """Returns whether some seats share a team, so that returns of seats do not sum to 0."""
        return self.num_teams < len(self.teams)

    @property
    def has_hidden_head(self) -> bool:
        """Returns whether networks predict hidden cards."""
        return self.hidden_counts > 0


class PlayedGame(NamedTuple):
    """A finished game.

    Attributes:
        deals: Deals.
        row: That of the game.
        moves: Its actions, to its end.
        players: Names by seat; may be empty.
        table: Name of the session, which differs between sessions.
    """

    deals: States
    row: int
    moves: np.ndarray
    players: Sequence[str] = ()
    table: str = ""


@kernel
def _erase_all(rules: Rules, states: States, seats: np.ndarray) -> None:
    for i in range(seats.size):
        erase(rules, states, i, seats[i])


@kernel
def _mean_square(rules: Rules, states: States, rng: np.ndarray, actions: np.ndarray) -> float:
    """Plays every row to its end by random moves; returns the mean square of the returns, in units
    of the stakes at the start.
    """
    total = 0.0
    for i in range(rng.size):
        unit = stake(rules, states, i)
        first = current_seat(rules, states, i)
        while current_seat(rules, states, i) >= 0:
            choice = random_below(rng, i, legal(rules, states, i, actions))
            step(rules, states, i, actions[choice])
        total += (team_return(rules, states, i, first) / unit) ** 2
    return total / rng.size


@dataclass(frozen=True)
class NoOptions:
    """The options of a game that has none."""


class EndgameSolver(Protocol):
    """Corrects choices near the end of a game, where outcomes can be solved."""

    def is_near(self, views: States) -> np.ndarray:
        """Returns whether the end of each view's game is near (bool ``[n]``)."""
        ...

    def choose(
        self,
        worlds: States,
        actions: np.ndarray,
        policy: np.ndarray,
        num_legal: np.ndarray,
        choice: np.ndarray,
    ) -> np.ndarray:
        """Returns the moves to play (int16 ``[n]``); where the end is not near, the choices.

        Args:
            worlds: Equally many worlds of each of n positions, in their order.
            actions: int16 ``[n, A]``, the legal moves.
            policy: float32 ``[n, A]``: of moves of equal worth, the likelier is played.
            num_legal: int32 ``[n]``.
            choice: int16 ``[n]``, the moves that are played unless others are worth clearly more.
        """
        ...


class Game:
    """A game. It must define ``spec``, ``rules``, ``deal``, the kernel ``erase`` or ``view``, and
    ``action_names`` or the two methods for texts.
    """

    spec: GameSpec
    rules: Rules
    """The tables that every kernel takes."""
    Options: ClassVar[type[Any]] = NoOptions
    """A frozen dataclass of ``games.base.settings.setting``: the options, with defaults, ranges and
    a sentence for ``--help``.
    """
    options: Any
    """The options of this game."""
    variants: Mapping[str, Mapping[str, object]] = MappingProxyType({})
    """Variants in the lobby: options by a name for people, without options for the default game.
    Empty: only the default game.
    """
    action_names: tuple[str, ...] = ()
    """A text for each action."""
    has_tables: bool = False
    """Whether tabular algorithms can learn it by ``tables``."""
    has_tree: bool = False
    """Whether it is small enough to evaluate policies exactly, over all information sets
    (``information_states``).
    """
    has_histories: bool = False
    """Whether its games can be written as hand histories (``write_histories``)."""
    growing: tuple[str, ...] = ()
    """Fields of ``describe_view`` that are lists which grow at the end: they rule out unseen moves
    early (``games/play/position.py``).
    """
    result_name: str = "returns"
    """Name of the returns in a record."""
    begins_from: tuple[Mapping[str, object], ...] = ()
    """Options of related games whose networks a run may start from (``init_from``): they share the
    first planes and policy outputs, and their roles are the first ones here.
    """
    passive: int | None = None
    """The passive move that is legal at every decision (in poker: check or call); None: there is
    none.
    """

    rollouts: Any = None
    """A module of its players with ``after_moves`` and ``of_table``: positions from which rollouts
    estimate the value of moves and cards (``games/poker/players/rollouts.py``). None: none.
    """

    def __repr__(self) -> str:
        options = ", ".join(f"{key}={value!r}" for key, value in vars(self.options).items())
        return f"{self.spec.name}({options})"

    def __init__(self, options: Any = None) -> None:
        """Keeps the options, which ``games.make`` has checked; None: the defaults."""
        self.options = self.Options() if options is None else options

    @property
    def weights(self) -> str:
        """Returns the name of the networks of this game in ``models/``: its own, followed by the
        options that they depend on and that are not the default, as ``doudizhu-bidding=call``.
        """
        usual, own = asdict(self.Options()), asdict(self.options)
        learned = own.keys() & self.learned_options().keys()
        given = (f"{k}={typed(own[k])}" for k in own if k in learned and own[k] != usual[k])
        return "-".join([self.spec.name, *given])

    def learned_options(self) -> Json:
        """Returns the options that networks depend on, by default all; networks trained with others
        are refused.
        """
        return asdict(self.options)

    def adopted(self, trained: "Game") -> "Game":
        """Returns the game that networks play here, trained on ``trained``; its learned options
        differ if they cannot. By default ``trained``, in whose encoding they see it.
        """
        return trained

    def plays_like(self, other: "Game") -> bool:
        """Returns whether a player of this game can play ``other``: the name, the number of seats
        and the options that networks depend on are equal.
        """
        return self is other or (
            self.spec.name == other.spec.name
            and self.spec.num_seats == other.spec.num_seats
            and self.learned_options() == other.learned_options()
        )

    def check_for_networks(self) -> None:
        """Raises ValueError if the networks cannot represent the game with its options."""

    @cached_property
    def decoder(self) -> np.ndarray:
        """Returns int16 ``[num_actions, K]``: the logit of action a is the sum of the policy
        outputs at ``decoder[a, k]``.

        -1 = none. By default each action has its own output.
        """
        return np.arange(self.spec.num_actions, dtype=np.int16)[:, None]

    def endgame(self, points: bool, searched: bool) -> EndgameSolver | None:
        """Returns what corrects choices near the end of a game, where outcomes can be solved; None:
        nothing does.

        Args:
            points: Whether points count, or the win alone.
            searched: Whether a search made the choices; those of a policy need correcting earlier.
        """
        return None

    def theme(self, seen: Mapping[str, Any], move: str) -> str:
        """Returns what a decision is about, for puzzles (a name, see ``docs/adding-a-game.md``); ""
        if nothing is known.

        Args:
            seen: What the seat to move sees (``Table.describe``).
            move: The best move.
        """
        return ""

    @property
    def tables(self) -> Tables:
        """Returns the game for tabular algorithms, if ``has_tables``."""
        raise TypeError(
            f"{self.spec.name}: tabular algorithms do not support it; check has_tables first"
        )

    def deal(self, seeds: np.ndarray) -> States:
        """Returns random deals; row i depends on ``seeds[i]`` (uint64 ``[B]``) alone.

        By default one of ``starts``. Raises ValueError if these cannot be listed.
        """
        states, chances = self.starts()
        # Mixed, since seeds may be small numbers.
        draws = (mix64(np.asarray(seeds, np.uint64)) >> np.uint64(11)) / 2.0**53
        found = np.searchsorted(np.cumsum(chances), draws, side="right")
        return take(states, np.minimum(found, len(chances) - 1))

    def starts(self) -> tuple[States, np.ndarray]:
        """Returns all deals, one row each, and their probabilities (float64 ``[B]``, they sum to
        1).

        Raises:
            ValueError: The deals cannot be listed.
        """
        raise ValueError(f"the deals of {self.spec.name} cannot be listed: {LISTED}")

    def possible_deals(self, known: dict[str, Any], moves: Sequence[str]) -> Iterator[States]:
        """Yields deals (one row each) for a position that a seat describes
        (``games/play/position.py``), by default all. A game whose deals cannot be listed yields one
        that fits.

        Args:
            known: Fields of ``describe_view``. Those that the game reads are replaced by the form
                in which ``describe_view`` would give them.
            moves: The texts of the moves since the deal, ``?`` for one that was not seen.

        Raises:
            ValueError: The deals cannot be listed, or no deal fits.
        """
        states, _ = self.starts()
        for row in range(num_rows(states)):
            yield take(states, slice(row, row + 1))

    def standing(self, known: dict[str, Any]) -> States | None:
        """Returns a state (one row) that fits the fields of a position given without its moves; by
        default None: they are needed, or there are none yet. ``known`` is treated as by
        ``possible_deals``.

        Raises:
            ValueError: A field is missing, or no state fits.
        """
        return None

    def _played(self, deal: States, moves: Iterable[str]) -> States:
        """Returns the state after moves from a deal (one row each). Raises ValueError: not a move,
        or not a legal one.
        """
        played = copied(deal)
        for text in moves:
            move = self.parse_action(text)
            if current_seat(self.rules, played, 0) < 0 or not self.is_legal(played, move):
                raise ValueError(f"move {text!r}: not legal")
            step(self.rules, played, 0, move)
        return played

    @cached_property
    def return_unit(self) -> float:
        """Returns the size of a usual return, in units of the stake: the root mean square over
        1,024 random games; 1 if nothing is won in them.
        """
        rng, actions = streams(0, RANDOM_GAMES), np.empty(self.spec.max_legal, np.int16)
        states = self.deal(deal_seeds(0, RANDOM_GAMES, Stream.TRAINING))
        return float(np.sqrt(_mean_square(self.rules, states, rng, actions))) or 1.0

    @cached_property
    def _some_deal(self) -> States:
        """Returns a deal, for the names and the shapes of its fields."""
        return self.deal(np.zeros(1, np.uint64))

    def empty(self, count: int) -> States:
        """Returns ``count`` rows of zeros."""
        return each(lambda field: np.zeros((count, *field.shape[1:]), field.dtype), self._some_deal)

    def view(self, states: States, seats: np.ndarray) -> States:
        """Returns a copy without what ``seats[i]`` (int ``[B]``) cannot see in row i; by default
        the kernel ``erase`` removes it.
        """
        views = copied(states)
        _erase_all(self.rules, views, np.asarray(seats, np.int64))
        return views

    def action_text(self, action: int) -> str:
        """Returns the text of an action that a person can read and type. Raises ValueError if
        there is no such action.
        """
        if not 0 <= action < len(self.action_names):
            raise ValueError(f"action {action}: expected 0 to {len(self.action_names) - 1}")
        return self.action_names[action]

    def parse_action(self, text: str) -> int:
        """Returns the action of a text. Raises ValueError naming the text and what was expected."""
        words = [name.lower() for name in self.action_names]
        if text.strip().lower() not in words:
            raise ValueError(f"action {text!r}: expected one of {', '.join(self.action_names)}")
        return words.index(text.strip().lower())

    def is_legal(self, view: States, move: str | int) -> bool:
        """Returns whether the seat to move in a view (one row, of a running game) may play a move:
        a text, or an action.
        """
        try:
            action = self.parse_action(move) if isinstance(move, str) else int(move)
        except ValueError:
            return False
        return 0 <= action < self.spec.num_actions and bool(is_legal(self.rules, view, 0, action))

    def legal_actions(self, states: States, row: int) -> np.ndarray:
        """Returns the legal actions in a row (int16 ``[n]``), ascending; the game must not be
        over.
        """
        actions = np.empty(self.spec.max_legal, np.int16)
        return actions[: legal(self.rules, states, row, actions)]

    def legal_texts(self, states: States, row: int) -> list[str]:
        """Returns the texts of the legal actions in a row."""
        return [self.action_text(int(action)) for action in self.legal_actions(states, row)]

    def legal_words(self, states: States, row: int) -> str:
        """Returns the legal moves of a row in words; of many, the first ones."""
        texts, besides = self.legal_texts(states, row), self.legal_besides(states, row)
        more = f" and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else ""
        return f"{', '.join(texts[:MOST_NAMED])}{more}{besides and f'; {besides}'}"

    def legal_besides(self, views: States, row: int) -> str:
        """Returns in words which unlisted moves may be played, such as bets of any amount; "" if
        none.
        """
        return ""

    def describe_view(
        self, views: States, row: int, moves: np.ndarray, seat: int | None = None
    ) -> Json:
        """Returns the view of a seat as a JSON object.

        Every game has the fields ``game`` (its name), ``seat`` (whose view it is), ``moves`` (so
        far) and ``legal`` (none where the seat is not to move); both hold texts of ``action_text``,
        or None for a move of which the seat saw only that it was made. The other fields are
        specific to the game. Nothing depends on cards that the seat cannot see. Once the game is
        over, ``hands`` has an entry for each seat: its cards if they are then face up, else None.

        Args:
            views: Rows as ``view`` returns them; for finished games the states themselves, to show
                the cards that are then face up.
            row: The row.
            moves: int ``[n]``, the moves since the deal, as the seat saw them (``Records``).
            seat: The viewing seat; None: the seat to move.
        """
        mover = int(current_seat(self.rules, views, row))
        seat = max(mover, 0) if seat is None else seat
        return {
            "game": self.spec.name,
            "seat": seat,
            **self.view_fields(views, row, seat, moves, mover < 0),
            "moves": move_texts(self, moves),
            "legal": self.legal_texts(views, row) if seat == mover else [],
        }

    def view_fields(
        self, views: States, row: int, seat: int, moves: np.ndarray, is_over: bool
    ) -> Json:
        """Returns the fields of ``describe_view`` that are the game's own; by default the view by
        the names of its arrays.
        """
        view = self.view(take(views, slice(row, row + 1)), np.array([seat]))
        return {"view": _plain(view)}

    def record(self, deals: States, row: int, moves: np.ndarray) -> Json:
        """Returns a game for JSON: the fields that identify the game, the deal in a row, the moves
        (int ``[n]``) in texts, and the result.
        """
        played = take(deals, np.array([row]))
        for move in moves:
            step(self.rules, played, 0, int(move))
        return {
            **self.record_head(),
            **self.deal_fields(take(deals, slice(row, row + 1))),
            "moves": [self.action_text(int(move)) for move in moves],
            **self._result(played),
        }

    def _result(self, final: States) -> Json:
        return self.result_fields(final, bool(current_seat(self.rules, final, 0) < 0))

    def record_head(self) -> Json:
        """Returns the fields of a record that identify the game."""
        return {"game": self.spec.name}

    def deal_fields(self, deal: States) -> Json:
        """Returns the fields of a record that are the deal (one row)."""
        return {"deal": _plain(deal)}

    def parse_deal(self, fields: Mapping[str, object]) -> States:
        """Returns the deal in the fields of a record. Raises ValueError where it is not one."""
        like = self._some_deal
        try:
            return _from_plain(like, fields["deal"])
        except (ValueError, KeyError, TypeError, OverflowError, AttributeError) as error:
            raise ValueError(f"deal: {error!r}; expected {_shapes(like)}"[:400]) from error

    def result_fields(self, final: States, is_over: bool) -> Json:
        """Returns the fields of a record that are the result; final: one row."""
        seats = range(self.spec.num_seats)
        return {
            self.result_name: [float(team_return(self.rules, final, 0, seat)) for seat in seats]
            if is_over
            else None
        }

    def parse_record(self, fields: Mapping[str, object]) -> tuple[States, list[int]]:
        """Returns the deal (one row) and the moves of a record of this game. Fields that ``record``
        does not write are notes; without ``moves`` none were played, and a result that is not
        there is not checked.

        Raises:
            ValueError: It is not a record of this game, the deal is not a deck, or a move or the
                result violates the rules.
        """
        fields = self.native(fields)
        expected = self.record_head() | self.deal_fields(self._some_deal)
        if not isinstance(fields, Mapping) or not set(expected) <= set(fields):
            raise ValueError(f"expected an object with the fields {', '.join(expected)}")
        texts = fields.get("moves", [])
        if not isinstance(texts, list):
            raise ValueError(f"moves {texts!r}: expected a list of texts")
        for key, own in self.record_head().items():
            if fields[key] != own:
                raise ValueError(f"the record is of {key} {fields[key]!r}: expected {own!r}")
        if len(texts) > self.spec.max_moves:
            raise ValueError(f"{len(texts)} moves: expected at most {self.spec.max_moves}")
        deal = self.parse_deal(fields)
        moves = [self.parse_action(str(text)) for text in texts]
        played = copied(deal)
        for number, move in enumerate(moves, 1):
            place = f"move {number} ({self.action_text(move)})"
            if current_seat(self.rules, played, 0) < 0:
                raise ValueError(f"{place}: expected none, the game is over")
            if not self.is_legal(played, move):
                raise ValueError(
                    f"{place}: not legal; expected one of {self.legal_words(played, 0)}"
                )
            step(self.rules, played, 0, move)
        for key, result in self._result(played).items():
            if fields.get(key, result) != result:
                raise ValueError(f"{key} {fields[key]}: the moves give {result}")
        return deal, moves

    def translated(self, position: Mapping[str, Any], notation: str) -> dict[str, Any]:
        """Returns the fields of a position that are written in the notation of another program.
        Raises ValueError if the game knows none.
        """
        raise ValueError(f"notation={notation}: {self.spec.name} has one notation only")

    def native(self, fields: Any) -> Any:
        """Returns a game of another program as the fields of a record; others as they are. Raises
        ValueError if it cannot be one.
        """
        return fields

    def read_decks(self, path: Path | str) -> States:
        """Returns the decks of a file: the states before the first move, in its order.

        By default a file of JSON lines with the fields of a record that are the deal, such as saved
        games; of these, all games of a deck of a match count as one.

        Raises:
            ValueError: The file cannot be read as decks; the message names it, the line or entry,
                and what was expected.
            OSError: It cannot be opened.
        """
        known = list(self.deal_fields(self._some_deal))
        names, decks = ", ".join(known), dict[str, States]()
        for number, line in enumerate(Path(path).read_bytes().splitlines(), 1):
            if not line.strip():
                continue
            try:
                fields = json.loads(line)
            except (ValueError, RecursionError):
                fields = None
            try:
                fields = self.native(fields)
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from error
            if not isinstance(fields, dict):
                raise ValueError(f"{path}, line {number}: expected an object with fields {names}")
            deck = [fields.get("deck", f"line {number}"), *map(fields.get, known)]
            try:
                decks.setdefault(json.dumps(deck), self.parse_deal(fields))
            except (ValueError, RecursionError) as error:
                raise ValueError(f"{path}, line {number}: {error}") from error
        if not decks:
            raise ValueError(f"{path}: no deals; expected lines of JSON with the fields {names}")
        return concatenate(list(decks.values()))

    def write_histories(self, path: Path, games: Iterable[PlayedGame]) -> None:
        """Writes games in a format for hand histories. Raises OSError, and TypeError where the game
        has none.
        """
        raise TypeError(f"{self.spec.name} has no hand histories; check has_histories first")

    def information_states(self) -> States:
        """Returns a view for each information set, in the order of ``tables``, where
        ``has_tree``.
        """
        raise ValueError(f"{self.spec.name} has too many information sets to list")

    def cards_left(self, states: States) -> np.ndarray:
        """Returns how many cards (int64 ``[B]``) the seat to move has still to play; 0 where cards
        are not played.
        """
        return np.zeros(num_rows(states), dtype=np.int64)

    def final_curves(self, finals: States) -> dict[str, float]:
        """Returns statistics of finished games, by name: means that describe the games of
        self-play.
        """
        return {}

    def habits(self, records: "Records") -> dict[str, np.ndarray]:
        """Returns what seats did in G finished games that scores do not show, such as bids, by
        name: float64 ``[G, S]``, 1 where the seat did it, 0 where not, NaN where it could not.
        """
        return {}

    def hidden_targets(self, states: States, seats: np.ndarray) -> tuple[np.ndarray, ...]:
        """Returns what the hidden head learns about the seat after ``seats[i]`` in row i, where
        ``spec.hidden_counts``.

        Returns:
            Int arrays by position (L, as in observations): unseen, fewest, most, truth, each ``[B,
            L]``: the cards of a position that the seat does not see, bounds on how many of them the
            next seat holds, and how many it does; and ``[B]``, how many cards it holds in all.
        """
        raise TypeError(
            f"{self.spec.name}: there is no head for hidden cards; check spec.hidden_counts first"
        )


@kernel
def _roles_to_move(rules: Rules, states: States, roles: np.ndarray) -> None:
    for i in range(roles.size):
        roles[i] = role(rules, states, i)


def roles_to_move(game: Game, states: States) -> np.ndarray:
    """Returns the role of the seat to move of every row (int64 ``[B]``), -1 where the game is
    over.
    """
    roles = np.empty(num_rows(states), np.int64)
    _roles_to_move(game.rules, states, roles)
    return roles


@kernel
def _seats_to_move(rules: Rules, states: States, seats: np.ndarray) -> None:
    for i in range(seats.size):
        seats[i] = current_seat(rules, states, i)


def seats_to_move(game: Game, states: States) -> np.ndarray:
    """Returns the seat to move of every row (int64 ``[B]``), -1 where the game is over."""
    seats = np.empty(num_rows(states), np.int64)
    _seats_to_move(game.rules, states, seats)
    return seats


@kernel
def _observe_movers(
    rules: Rules, states: States, rows: np.ndarray, observations: np.ndarray, roles: np.ndarray
) -> None:
    for k in range(rows.size):
        observe(rules, states, rows[k], current_seat(rules, states, rows[k]), observations[k])
        roles[k] = role(rules, states, rows[k])


def observed_by_movers(
    game: Game, states: States, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the observation (int8 ``[n, C, L]``) and the role (int8 ``[n]``) of the seat to move
    in each of ``rows``, for the networks.
    """
    observations = np.empty((len(rows), *game.spec.observation_shape), np.int8)
    roles = np.empty(len(rows), np.int8)
    _observe_movers(game.rules, states, rows, observations, roles)
    return observations, roles


class Records(NamedTuple):
    """The moves of N games, as they were or as a seat saw them.

    Attributes:
        moves: int16 ``[N, max_moves]``, the moves since the deal, passes included; -1 after the
            last. As a seat saw them: HIDDEN_MOVE for a move of which it saw only that it was made;
            moves that it did not see are left out.
        lengths: int16 ``[N]``, the number of moves so far.
    """

    moves: np.ndarray
    lengths: np.ndarray


def empty_records(num_games: int, max_moves: int) -> Records:
    """Returns empty records."""
    return Records(np.full((num_games, max_moves), -1, np.int16), np.zeros(num_games, np.int16))


def move_texts(game: Game, moves: Iterable[int]) -> list[str | None]:
    """Returns the texts of moves as a seat saw them, None for a hidden one."""
    return [None if move == HIDDEN_MOVE else game.action_text(int(move)) for move in moves]


def _plain(row: States) -> Json:
    """Returns a batch of one row by field names, for JSON."""
    return {
        n: _plain(f) if isinstance(f, tuple) else f[0].tolist()
        for n, f in zip(row._fields, row, strict=True)
    }


def _from_plain(like: States, fields: Any) -> States:
    """Returns the batch of one row that ``_plain`` wrote. Raises ValueError, KeyError, TypeError or
    OverflowError.
    """
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
    return ", ".join(f"{n} {array.dtype}{list(array.shape[1:])}" for n, array in named(like))
