"""A table built from one seat's knowledge of a game.

    table = table_at(make("doudizhu"), {"hand": "334466689TJQQKK2B", "bottom": "77T", "moves": "3"})

The cards that the seat cannot see are filled in, in any way that fits. A player sees a table only
through the seat to move, so its answer does not depend on how.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from games.base.settings import did_you_mean, typed
from games.kernels.rows import States
from games.play.interface import Game
from games.play.table import IllegalMove, Table

UNSEEN = "?"
"""A move of which the seat saw only that it was made."""
MOST_CHOICES = 100_000


class UnclearError(ValueError):
    """A position that does not determine what the seat sees, or not in a reasonable time."""


def table_at(game: Game, position: Mapping[str, Any]) -> Table:
    """Returns a table at a position, as the seat to move knows it.

    Args:
        game: The game.
        position: Fields of ``Table.describe``, enough to determine what the seat sees: in Doudizhu
            ``hand``, the cards that it holds now, ``bottom`` and ``moves``; in poker ``hand``,
            ``public`` and ``moves``. Moves are a list, or a text with spaces (or commas, if a move
            has spaces) between them; ``?`` or None is a move that the seat did not see. The card
            play of Doudizhu can be described without moves, by ``hand`` and ``played`` (see
            ``games.doudizhu.without_moves``); the table then has no moves, and says so
            (``Table.knows_moves``).

    Raises:
        ValueError: A field is unknown or missing, the fields contradict each other or the rules, or
            they do not determine what the seat sees; or the unseen moves allow more than
            ``MOST_CHOICES`` choices.
    """
    known = {key: value for key, value in position.items() if key != "moves"}
    moves = split_moves(game, position.get("moves") or ())
    names = [*Table(game, seed=0).describe()]
    for key in known:
        if key not in names:
            hint = did_you_mean(key, names) or f"; expected some of {', '.join(names)}"
            raise ValueError(f"{key}: unknown field of a position of {game.spec.name}{hint}")
    if "moves" not in position and (states := game.standing(known)) is not None:
        table = Table.without_moves(game, states)
        if wrong := _contradiction(table, known):
            raise ValueError(wrong)
        return table
    try:
        return _found(game, known, moves)
    except ValueError as error:
        if "moves" in position:
            raise
        raise ValueError(f"{error} (moves are missing: without them the game begins)") from None


def _found(game: Game, known: dict[str, Any], moves: list[str]) -> Table:
    """Returns the table of ``table_at``, with the fields but ``moves``. Raises ValueError."""
    found: Table | None = None
    error = ValueError(f"no deal of {game.spec.name} fits")
    tried = iter(range(MOST_CHOICES))
    for deal in game.possible_deals(known, moves):
        try:
            for table in _fitting(game, deal, moves, known, tried):
                if found is not None and (differing := _differing(found, table)):
                    seat = table.seat
                    raise UnclearError(
                        f"the position does not say what seat {seat} sees: {differing}"
                    )
                found = found or table
                if known.keys() >= table.describe().keys() - {"moves"}:
                    return found  # others cannot differ
        except UnclearError:
            raise
        except ValueError as reason:
            error = reason
    if found is None:
        raise ValueError(str(error))
    return found


def split_moves(game: Game, given: str | Sequence[str | None]) -> list[str]:
    """Returns the texts of moves: a list of them, or a text with spaces or commas between them."""
    if isinstance(given, str):
        parts = [part for part in given.split("," if "," in given else None) if part.strip()]
        is_one = len(parts) > 1 and not _is_move(game, parts[0]) and _is_move(game, given)
        given = [given] if is_one else parts  # a single bid, such as "call 1"
    return [UNSEEN if move is None else str(move).strip() for move in given]


def _is_move(game: Game, text: str) -> bool:
    """Returns whether a text is a move of the game."""
    try:
        game.parse_action(text)
    except ValueError:
        return False
    return True


def _fitting(
    game: Game,
    deal: States,
    moves: Sequence[str],
    known: Mapping[str, Any],
    tried: Iterator[int],
) -> Iterator[Table]:
    """Yields the tables after the moves that fit. Raises ValueError if the deal does not fit."""
    error, fits = ValueError("no choice of the unseen moves fits"), False
    for table in _played(Table(game, deal=deal), moves, known, tried):
        if table.is_over:
            error = ValueError("the moves end the game; expected a position with a seat to move")
            continue
        if not (wrong := _contradiction(table, known)):
            fits = True
            yield table
            continue
        error = ValueError(wrong)
    if not fits:
        raise error


def _contradiction(table: Table, known: Mapping[str, Any]) -> str:
    """Returns how the first wrong field contradicts the table; "" if none does."""
    stated = table.describe()
    for key, value in known.items():
        if _text(stated[key]) != _text(value):
            given = f"{key}={_text(value)}"
            return f"{given}: the moves and the other fields give {_text(stated[key])}"
    return ""


def _played(
    table: Table, moves: Sequence[str], known: Mapping[str, Any], tried: Iterator[int]
) -> Iterator[Table]:
    """Yields the table after the moves, for every choice of the unseen ones that allows the moves
    after it; raises ValueError if none does.

    Args:
        tried: One for each choice that may still be tried.
    """
    for number, move in enumerate(moves):
        if move == UNSEEN:
            if not _may_lead_to(table, known):
                return
            error, fits = None, False
            for choice in table.legal():
                if next(tried, None) is None:
                    raise UnclearError(
                        f"moves: the unseen ones allow more than {MOST_CHOICES:,} choices; give "
                        "more fields of the position"
                    )
                branch = table.copy()
                branch.play(choice.action)
                try:
                    for played in _played(branch, moves[number + 1 :], known, tried):
                        fits = True
                        yield played
                except UnclearError:
                    raise
                except ValueError as reason:
                    error = reason
            if error and not fits:
                raise error
            return
        try:
            table.play(move)
        except IllegalMove as error:
            count = f"move {len(table.moves) + 1} of {len(table.moves) + len(moves) - number}"
            raise ValueError(f"{count}: {error}") from error
    yield table


def _may_lead_to(table: Table, known: Mapping[str, Any]) -> bool:
    """Returns whether the fields that grow can still become the known ones, for the seat that does
    not see the move that is next: the only other one.
    """
    lists = [key for key in table.game.growing if isinstance(known.get(key), list)]
    if not lists or table.is_over or table.game.spec.num_seats != 2:
        return True
    stated = table.describe(1 - table.seat)
    return all(known[key][: len(stated[key])] == stated[key] for key in lists)


def _text(value: object) -> str:
    """Returns a field as a person types it."""
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_text, value))}]"
    if isinstance(value, float) and value.is_integer():  # chips; JSON has no 2.0 of its own
        return str(int(value))
    return typed(value)


def _differing(table: Table, other: Table) -> str:
    """Returns the fields that differ between two tables for the seat to move; "" if none."""
    one, two = table.describe(), other.describe()
    return ", ".join(
        f"{key} is {_text(one[key])} or {_text(two[key])}" for key in one if one[key] != two[key]
    )
