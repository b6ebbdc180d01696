"""Match logs of Botzone's FightTheLandlord2 as records of Doudizhu.

A log is the list of the judge's outputs and the seats' answers, in turn, alone or under ``log`` or
``logs``; the deal is ``allocation`` and ``publiccard``, wherever they stand.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from games.doudizhu.cards import RANK_NAMES

SEATS = ("0", "1", "2")


def entries_of(match: object) -> list[Any] | None:
    """Returns the entries of a log; None if it is not one."""
    if isinstance(match, Mapping):
        match = match.get("log", match.get("logs"))
    is_log = isinstance(match, list) and bool(match) and isinstance(match[0], Mapping)
    return match if is_log and "output" in match[0] else None  # type: ignore[index, return-value]


def cards_text(cards: list[int]) -> str:
    """Returns the text of cards (numbers). Raises ValueError."""
    if not all(type(card) is int and 0 <= card < 54 for card in cards):
        raise ValueError(f"{cards}: expected numbers of cards, 0 to 53")
    ranks = (card // 4 if card < 52 else card - 39 for card in sorted(cards))
    return "".join(RANK_NAMES[rank] for rank in ranks)


def _with(value: object, key: str) -> Iterator[Mapping[str, Any]]:
    """Yields the objects in a value that have a key; texts of JSON are read."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        try:
            value = json.loads(value)
        except ValueError:
            return
    if isinstance(value, Mapping):
        if key in value:
            yield value
        for part in value.values():
            yield from _with(part, key)
    elif isinstance(value, list):
        for part in value:
            yield from _with(part, key)


def fields_of(match: object, game: Any) -> dict[str, Any]:
    """Returns a match as the fields of a record of a game of Doudizhu: with its auction, or, of a
    game without, the card play from the landlord on.

    Args:
        match: The log.
        game: A game of Doudizhu with any rule set; with an auction, by calls.

    Raises:
        ValueError: It is no whole log, a bot was replaced after an error, or it has a move or an
            auction that the game does not have.
    """
    entries = entries_of(match) or []
    for display in _with(entries, "errored"):
        for seat, error in enumerate(display["errored"] or ()):
            if error:
                raise ValueError(f"seat {seat} was replaced after {error}: expected a whole match")
    deal = next(_with(match, "allocation"), None)
    if deal is None or "publiccard" not in deal:
        raise ValueError("the log has no allocation and publiccard, which are the deal")
    hands, bids, plays = [cards_text(hand) for hand in deal["allocation"]], [], []
    answers = [entry[seat] for entry in entries for seat in SEATS if seat in entry]
    for answer in (one.get("response") if isinstance(one, Mapping) else one for one in answers):
        if isinstance(answer, list):
            plays.append(_move(answer))
        else:
            bids.append(int(str(answer)) if str(answer).isdigit() else 0)
    highest = max([0, *bids])
    landlord = bids.index(highest) if highest else 0
    options, bottom = game.options, cards_text(deal["publiccard"])
    if options.bidding == "none":
        hands = hands[landlord:] + hands[:landlord]
        return {**game.record_head(), "hands": hands, "bottom": bottom, "moves": plays}
    if options.bidding != "call" or (plays and not highest and not options.forced):
        raise ValueError(
            "a match of Botzone; expected bidding=call, with forced=true as nobody called"
        )
    calls = [f"call {bid}" if bid else "no call" for bid in bids]
    if plays:  # here two refusals end an auction, there each seat speaks once
        calls += ["no call"] * landlord if highest < 3 else []
        calls += ["no double"] * (3 if options.doubling == "each" else 2 * options.doubling)
    output = entries[-1].get("output")
    ended = isinstance(output, Mapping) and output.get("command") == "finish"
    points = {"points": [int(output["content"][seat]) for seat in SEATS]} if ended else {}
    return {
        **game.record_head(),
        "hands": hands,
        "bottom": bottom,
        "moves": calls + plays,
        **points,
    }


def _move(cards: list[int]) -> str:
    """Returns the text of a move. Raises ValueError for one that only Botzone has."""
    text = cards_text(cards)
    fours = [rank for rank in dict.fromkeys(text) if text.count(rank) == 4]
    if len(fours) > 1 and len(text) in (8, 12, 16, 20) and _in_a_row(fours):
        raise ValueError(f"{text}: a space shuttle (a chain of fours), which is no move here")
    return text or "pass"


def _in_a_row(ranks: list[str]) -> bool:
    places = [RANK_NAMES.index(rank) for rank in ranks]
    return "2" not in ranks and places == [*range(places[0], places[0] + len(places))]
