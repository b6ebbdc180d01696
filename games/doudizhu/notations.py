"""Cards in the notations of DouZero and RLCard, as ours.

======== ============ ========== ================================================================
notation little joker big joker  source
======== ============ ========== ================================================================
ours     L            B
douzero  X or 20      D or 30    kwai/DouZero: ``generate_eval_data.py``, ``douzero/env/game.py``
rlcard   B            R          datamllab/rlcard: ``rlcard/games/doudizhu/utils.py``
======== ============ ========== ================================================================

``10`` is T in all of them. DouZero's numbers are 3 to 14 (the ace), 17 (the 2), 20 and 30.
"""

import re
from collections.abc import Sequence
from typing import Any

from games.doudizhu.cards import RANK_NAMES
from games.doudizhu.deck_files import RANKS

JOKERS = {"douzero": "XD", "rlcard": "BR"}
"""The little and the big joker of each notation."""
FIELDS = ("hand", "bottom", "played", "to_beat", "moves")
"""The fields of a position that hold cards."""


def ours(value: Any, notation: str) -> Any:
    """Returns cards or moves of a notation in ours: a text, a list of texts, or a list of DouZero's
    numbers; other values as they are.

    Raises:
        ValueError: An unknown notation, or a character or number that is not of it.

    >>> ours("3B pass 10R", "rlcard"), ours([["3", "XD"], [3, 17, 30]], "douzero")
    ('3L pass TB', [['3', 'LB'], '32B'])
    """
    if notation not in JOKERS:
        raise ValueError(f"notation={notation}: expected one of {', '.join(JOKERS)}")
    if isinstance(value, str):
        return re.sub(r"[^\s,\[\]]+", lambda found: _word(found.group(), notation), value)
    if not isinstance(value, Sequence):
        return value
    if value and notation == "douzero" and all(type(card) is int for card in value):
        if wrong := [card for card in value if card not in RANKS]:
            raise ValueError(f"card {wrong[0]} in {value}: expected {', '.join(map(str, RANKS))}")
        return "".join(RANK_NAMES[RANKS[card]] for card in value)
    return [ours(part, notation) for part in value]


def _word(word: str, notation: str) -> str:
    """Returns a word of a text in our notation."""
    if word.lower() == "pass" or word == "?":
        return word
    names = RANK_NAMES[:-2] + JOKERS[notation]
    cards = word.upper().replace("10", "T")
    if wrong := [card for card in cards if card not in names]:
        raise ValueError(
            f"no card {wrong[0]!r} in {word!r}: expected characters of {names} "
            f"(notation={notation})"
        )
    return "".join(RANK_NAMES[names.index(card)] for card in cards)
