"""Records of games as JSON lines, checked when read: the deck, the hand sizes, every move, and the result.

One line is one game::

    {"rules": "standard", "hands": ["33456...", "...", "..."], "bottom": "47B", "moves": ["3334", "pass", ...], "winner": 0,
     "points": [2, -2, -2]}

``hands`` are the 17 cards of each seat in the order of play, the landlord first and without the three ``bottom`` cards. ``moves``
are the texts of ``moves.move_text``. ``winner`` is the seat that played its last card and ``points`` are the points of each seat;
they are -1 and zeros where the game is not over.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from games.doudizhu import state
from games.doudizhu.cards import COPIES, RANK_NAMES, Seat, cards_text, parse_cards, size, unpack
from games.doudizhu.moves import MAX_LEGAL, move_text, parse_move, rule_set
from games.doudizhu.state import States

_PARTS = ("the landlord's hand", "the second hand", "the third hand", "the bottom")
_PART_SIZES = (17, 17, 17, 3)
_FIELDS = ("rules", "hands", "bottom", "moves", "winner", "points")
NOTES = {"match", "deck", "players"}
"""Fields that a record may have besides: who played it, which ``parse`` does not look at."""


class Record(NamedTuple):
    """A game.

    Attributes:
        rules: Name of the rule set.
        hands: The packed cards dealt to each seat, 20, 17 and 17: the landlord's with the bottom cards.
        bottom: The three bottom cards, packed.
        moves: Move ids in the rule set.
        winner: The seat that played its last card, -1 if the game is not over.
        points: The points of each seat, zeros if the game is not over.
    """

    rules: str
    hands: tuple[int, int, int]
    bottom: int
    moves: tuple[int, ...]
    winner: int
    points: tuple[int, int, int]


def replay(rules: str, hands: Iterable[int], bottom: int, moves: Iterable[int]) -> Iterator[States]:
    """Yields the state (one row) before each move and after the last: the same row each time, changed in place.

    Args:
        rules: Name of the rule set.
        hands: The packed cards dealt to each seat, the landlord's with the bottom cards.
        bottom: The bottom cards, packed.
        moves: Move ids.

    Raises:
        ValueError: A move is not legal; the message gives its number, from 1.
    """
    tables = rule_set(rules)
    states = state.start(np.array([list(hands)], dtype=np.uint64), np.array([bottom], dtype=np.uint64))
    actions = np.empty(MAX_LEGAL, dtype=np.int16)
    yield states
    for number, move in enumerate(moves, 1):
        seat = state.current_seat(tables, states, 0)
        if seat < 0:
            raise ValueError(f"move {number} ({move_text(tables, move)}): expected none, the game is over")
        if move not in actions[: state.legal(tables, states, 0, actions)]:
            table = f"against {move_text(tables, states.target[0])}" if states.target[0] else "to lead"
            held = cards_text(states.hands[0, seat])
            raise ValueError(f"move {number} ({move_text(tables, move)}): not legal for seat {seat} with {held} {table}")
        state.step(tables, states, 0, move)
        yield states


def record(rules: str, hands: Iterable[int], bottom: int, moves: Iterable[int]) -> Record:
    """Returns the record of a game, the result taken from a replay (arguments and errors as in ``replay``)."""
    landlord, down, up = (int(cards) for cards in hands)
    moves = tuple(int(move) for move in moves)
    *_, last = replay(rules, (landlord, down, up), bottom, moves)
    points = (0, 0, 0)
    if last.winner[0] >= 0:
        won = int(state.team_return(rule_set(rules), last, 0, Seat.LANDLORD))
        points = (won, -won, -won)
    return Record(rules, (landlord, down, up), int(bottom), moves, int(last.winner[0]), points)


def to_fields(game: Record) -> dict[str, Any]:
    """Returns the fields of a record for JSON."""
    tables = rule_set(game.rules)
    dealt = (game.hands[0] - game.bottom, *game.hands[1:])
    return {
        "rules": game.rules,
        "hands": [cards_text(cards) for cards in dealt],
        "bottom": cards_text(game.bottom),
        "moves": [move_text(tables, move) for move in game.moves],
        "winner": game.winner,
        "points": list(game.points),
    }


def to_text(game: Record) -> str:
    """Returns the line of JSON of a record, without the end of the line."""
    return json.dumps(to_fields(game))


def check_deck(counts: np.ndarray) -> None:
    """Raises ValueError, naming the ranks, unless the cards of each rank (int ``[15]``) are those of the deck."""
    wrong = [
        f"the {name} occurs {count} times, expected {copies}"
        for name, count, copies in zip(RANK_NAMES, counts, COPIES, strict=True)
        if count != copies
    ]
    if wrong:
        raise ValueError(f"the cards are no deck: {counts.sum()} cards, expected {COPIES.sum()}: {', '.join(wrong)}")


def parse_deal(hands: list[str], bottom: str) -> tuple[tuple[int, int, int], int]:
    """Returns the packed hands, the landlord's with the bottom cards, and the bottom cards.

    Args:
        hands: The cards of each seat, the landlord's without the bottom cards.
        bottom: The three bottom cards.

    Raises:
        ValueError: The hands have wrong sizes or are no deck.
    """
    if len(hands) != len(Seat):
        raise ValueError(f"{len(hands)} hands: expected {len(Seat)}")
    parts = [parse_cards(text) for text in (*hands, bottom)]
    for name, cards, expected in zip(_PARTS, parts, _PART_SIZES, strict=True):
        if size(cards) != expected:
            raise ValueError(f"{size(cards)} cards in {name}: expected {expected}")
    check_deck(unpack(np.array(parts)).sum(axis=0))
    landlord, down, up, bottom_cards = (int(cards) for cards in parts)
    return (landlord + bottom_cards, down, up), bottom_cards


def parse(text: str) -> Record:
    """Returns the record of a line of JSON.

    Raises:
        ValueError: The line is no JSON, or not what ``parse_fields`` takes.
    """
    try:
        fields: Any = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"no JSON: {error}") from error
    return parse_fields(fields)


def parse_fields(fields: Any) -> Record:
    """Returns the record that the fields of a JSON object give.

    Raises:
        ValueError: It is no object with the fields of a record, the deal is no deck, a move is not legal, or the result is not
            that of the moves.
    """
    if not isinstance(fields, Mapping) or sorted(set(fields) - NOTES) != sorted(_FIELDS):
        raise ValueError(f"expected an object with the fields {', '.join(_FIELDS)}")
    lists = [fields["rules"], fields["bottom"]], fields["hands"], fields["moves"]
    if not all(isinstance(texts, list) and all(isinstance(text, str) for text in texts) for texts in lists):
        raise ValueError("rules and bottom: expected texts; hands and moves: expected lists of texts")
    hands, bottom = parse_deal(fields["hands"], fields["bottom"])
    game = record(fields["rules"], hands, bottom, [parse_move(fields["rules"], move) for move in fields["moves"]])
    if (game.winner, list(game.points)) != (fields["winner"], fields["points"]):
        given = f"winner {fields['winner']}, points {fields['points']}"
        raise ValueError(f"{given}: the moves give winner {game.winner}, points {list(game.points)}")
    return game


def save(path: Path, games: Iterable[Record]) -> None:
    """Appends records to a file."""
    with path.open("a", encoding="utf-8") as file:
        file.writelines(to_text(game) + "\n" for game in games)


def load(path: Path) -> list[Record]:
    """Returns the records in a file.

    Raises:
        ValueError: A line is no valid record; the message gives the file, the line and what was expected.
    """
    games = []
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: no UTF-8 text: {error.reason} at byte {error.start}") from error
    for number, line in enumerate(text.splitlines(), 1):
        try:
            games.append(parse(line))
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from error
    return games
