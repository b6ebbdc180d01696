"""What every game is to Python: its specification, its face, and the records of its moves."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import numpy as np

from games.batches import Rules, States, num_rows
from games.generic import HIDDEN_MOVE, current_seat, is_legal
from games.kernels import kernel


class ScoreUnit(NamedTuple):
    """What the mean return of a match is told in.

    Attributes:
        name: In texts and tables.
        key: In JSON.
        per_return: What a return of 1 is in this unit.
        digits: Decimal places in tables; elsewhere one more.
        tells_wins: Whether the share of games won is told as well, and first. In poker it means little: who folds well loses
            most hands, and cheaply.
    """

    name: str
    key: str
    per_return: float
    digits: int
    tells_wins: bool


POINTS = ScoreUnit(name="points", key="points", per_return=1.0, digits=2, tells_wins=True)


class GameSpec(NamedTuple):
    """The sizes and conventions of a game.

    Attributes:
        name: As in ``game=NAME``.
        num_seats: Number of players.
        teams: Team of each seat; the seats of one team share their return.
        num_actions: Size of the action set; action ids fit int16.
        observation_shape: (C, L): planes and positions of an observation.
        observation_scale: float32 ``[C]``, what the int8 planes are multiplied by before the network.
        policy_size: Number of policy outputs that the decoder sums over.
        max_legal: Upper bound on the number of legal actions in any state.
        max_moves: Upper bound on the number of moves in a game.
        max_return: Largest absolute return, in the game's unit.
        team_names: What the game calls its teams.
        seat_names: What it calls its seats.
        score: How matches are told.
        mixes: Whether a good player must at times choose at random, since whoever knew its moves would exploit them.
        stake_factors: What the value head ``win_stakes`` tells apart: the sizes that a return can have, in units of the stake,
            ascending and above 0; a return counts as the nearest by ratio. () = networks tell the mean alone.
        hidden_counts: How many cards of one position (of the observation) a seat may hide, 0 to ``hidden_counts - 1``: networks
            predict how many it is (``hidden_targets`` of the game). 0 = they do not.
        has_private_moves: Whether some seat sees some move only in part, or not at all (``seen_move``).
        hidden_words: W, words of 64 bits that tell a world from a view (``list_hidden``).
        hidden_kinds: Names of the things that other seats may hold unseen (``count_hidden``): ranks, or whole hands.
        hidden_most: The most that a seat may hold of one kind.
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

    @property
    def num_teams(self) -> int:
        """Returns the number of teams."""
        return max(self.teams) + 1

    @property
    def has_hidden_head(self) -> bool:
        """Returns whether networks predict hidden cards."""
        return self.hidden_counts > 0


class PlayedGame(NamedTuple):
    """A finished game.

    Attributes:
        deals: Deals. row: That of the game.
        moves: Its actions, to its end.
        players: Names by seat; may be empty.
        table: What tells sessions apart.
    """

    deals: States
    row: int
    moves: np.ndarray
    players: Sequence[str] = ()
    table: str = ""


class Game(Protocol):
    """The Python face of a game; the kernels above do the work. ``games.base.BaseGame`` has defaults for most of it."""

    spec: GameSpec
    rules: Rules
    decoder: np.ndarray
    """int16 ``[num_actions, K]``: the logit of action a is the sum of the policy outputs at ``decoder[a, k]``; -1 = none."""
    has_tables: bool = False
    """Whether tabular algorithms can learn the game."""
    has_tree: bool = False
    """Whether it is so small that its policies can be measured exactly, over all information states (``information_states``)."""
    variants: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    """What a lobby offers of it: options by a name for people, one without options for the usual game. Empty: that one alone."""

    def learned_options(self) -> dict[str, Any]:
        """Returns the options that networks depend on: those that learned it with others are refused."""
        ...

    @property
    def tables(self) -> Any:
        """Returns the game as tabular algorithms see it (``games.poker.tables.PokerTables``), where ``has_tables``."""
        ...

    passive: int | None = None
    """The move that only goes along, legal at every decision (in poker: check or call); None: there is none."""

    def check_for_networks(self) -> None:
        """Raises ValueError where the game was made with options that networks cannot follow."""
        ...

    def deal(self, seeds: np.ndarray) -> States:
        """Returns random deals; row i depends on ``seeds[i]`` (uint64 ``[B]``) alone."""
        ...

    def starts(self) -> tuple[States, np.ndarray]:
        """Returns all deals, one row each, and their probabilities (float64 ``[B]``, they sum to 1).

        Raises:
            ValueError: They cannot be listed.
        """
        ...

    def empty(self, count: int) -> States:
        """Returns ``count`` rows of zeros."""
        ...

    def view(self, states: States, seats: np.ndarray) -> States:
        """Returns a copy in which what ``seats[i]`` (int ``[B]``) cannot see in row i is erased."""
        ...

    def action_text(self, action: int) -> str:
        """Returns the text of an action that a person can read and type."""
        ...

    def parse_action(self, text: str) -> int:
        """Returns the action of a text. Raises ValueError naming the text and what was expected."""
        ...

    def is_legal(self, view: States, move: str | int) -> bool:
        """Returns whether the seat to move in a view (one row, of a running game) may play a move: a text, or an action."""
        try:
            action = self.parse_action(move) if isinstance(move, str) else int(move)
        except ValueError:
            return False
        return 0 <= action < self.spec.num_actions and bool(is_legal(self.rules, view, 0, action))

    def legal_besides(self, views: States, row: int) -> str:
        """Returns in words what may be played besides the listed moves, such as bets of any amount; "" where there is nothing."""
        return ""

    @property
    def has_histories(self) -> bool:
        """Returns whether its games can be written as hand histories (``write_histories``)."""
        return False

    def write_histories(self, path: Path, games: Iterable[PlayedGame]) -> None:
        """Writes games in a format for hand histories. Raises OSError, and TypeError where the game has none."""
        raise TypeError(f"{self.spec.name} has no hand histories; read has_histories first")

    def describe_view(self, views: States, row: int, moves: np.ndarray, seat: int | None = None) -> dict[str, Any]:
        """Returns what a seat knows, in words and numbers that JSON can hold.

        Every game has the fields ``game`` (its name), ``seat`` (whose view it is), ``moves`` (so far) and ``legal`` (none where
        the seat is not to move); the moves in both are texts of ``action_text``, None a move of which the seat saw only that it
        was made. The other fields are the game's own. Nothing depends on cards that the seat cannot see. Once the game is over
        there is ``hands``, one for each seat: what is then face up, None where it is not.

        Args:
            views: Rows as ``view`` returns them; of games that are over the states themselves, to tell what is then face up.
            row: The row.
            moves: int ``[n]``, the moves since the deal, as the seat saw them (``Records``).
            seat: Whose view it is; None: that of the seat to move.
        """
        ...

    def record(self, deals: States, row: int, moves: np.ndarray) -> dict[str, Any]:
        """Returns a game for JSON: the deal in a row, the moves (int ``[n]``) in texts, and the result; it can be replayed."""
        ...

    def parse_record(self, fields: Mapping[str, Any]) -> tuple[States, list[int]]:
        """Returns the deal (one row) and the moves of a record of this game. Fields that ``record`` does not write are notes.

        Raises:
            ValueError: It is no record of this game, the deal is no deck, or a move or the result is not that of the rules.
        """
        ...

    def read_decks(self, path: Path | str) -> States:
        """Returns the decks of a file: the states before the first move, in its order.

        Raises:
            ValueError: The file cannot be read as decks; the message names it, the line or entry, and what was expected.
            OSError: It cannot be opened.
        """
        ...

    def information_states(self) -> States:
        """Returns a view for each information state, in the order of ``tables``, where ``has_tree``."""
        ...

    def cards_left(self, states: States) -> np.ndarray:
        """Returns how many cards (int64 ``[B]``) the seat to move has still to play; 0 where cards are not played."""
        ...

    def final_curves(self, finals: States) -> dict[str, float]:
        """Returns means over games that are over, by name: what the games of self-play looked like."""
        ...

    def hidden_targets(self, states: States, seats: np.ndarray) -> tuple[np.ndarray, ...]:
        """Returns what the hidden head learns about the seat after ``seats[i]`` in row i, where ``spec.hidden_counts``.

        Returns:
            Int arrays by position (L, as in observations): unseen, fewest, most, truth, each ``[B, L]``: the cards of a position
            that the seat does not see, bounds on how many of them the next seat holds, and how many it does; and ``[B]``, how
            many cards it holds in all.
        """
        ...


@kernel
def _seats_to_move(rules: Rules, states: States, seats: np.ndarray) -> None:
    for i in range(seats.size):
        seats[i] = current_seat(rules, states, i)


def seats_to_move(game: Game, states: States) -> np.ndarray:
    """Returns the seat to move of every row (int64 ``[B]``), -1 where the game is over."""
    seats = np.empty(num_rows(states), np.int64)
    _seats_to_move(game.rules, states, seats)
    return seats


class Records(NamedTuple):
    """The moves of N games, as they were or as a seat saw them.

    Attributes:
        moves: int16 ``[N, max_moves]``, the moves since the deal, passes included; -1 after the last. As a seat saw them:
            HIDDEN_MOVE for a move of which it saw only that it was made; moves that it did not see are left out.
        lengths: int16 ``[N]``, the number of moves so far.
    """

    moves: np.ndarray
    lengths: np.ndarray


def empty_records(num_games: int, max_moves: int) -> Records:
    """Returns the records of games in which nothing was played."""
    return Records(np.full((num_games, max_moves), -1, np.int16), np.zeros(num_games, np.int16))


def move_texts(game: Game, moves: Iterable[int]) -> list[str | None]:
    """Returns the texts of moves as a seat saw them, None for a hidden one."""
    return [None if move == HIDDEN_MOVE else game.action_text(int(move)) for move in moves]
