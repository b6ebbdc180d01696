"""Writes rlcard_positions.json: positions with what RLCard's own ``doudizhu-rule-v1`` plays. Needs
the package rlcard (1.2.0).

Not part of the project and no requirement of it; run it in an environment of its own::

    python -m venv /tmp/rlcard && /tmp/rlcard/bin/pip install rlcard==1.2.0
    /tmp/rlcard/bin/python tests/agents/data/rlcard_positions.py

A row is [seat, hand, move to beat ("" = lead), passes since, answers]; one answer, or all from
which the player draws at random. Cards are named as in games/doudizhu/cards.py (RLCard's jokers B
and R are our L and B). Hands are drawn from the deck without the move to beat; half of the time a
higher move of the same kind is put into the hand, so that there is something to answer.
"""

import json
import random
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

from rlcard.games.doudizhu.utils import CARD_RANK_STR, CARD_TYPE, TYPE_CARD, get_gt_cards
from rlcard.models.doudizhu_rule_models import DouDizhuRuleAgentV1

LEADS = 100
REPLIES_PER_TYPE = 9
DECK = CARD_RANK_STR[:13] * 4 + CARD_RANK_STR[13:]
OURS = str.maketrans("BR", "LB")


def ordered(cards: list[str]) -> str:
    """Returns the cards from low to high."""
    return "".join(sorted(cards, key=CARD_RANK_STR.index))


def hand_without(rng: random.Random, used: str, wanted: str) -> str | None:
    """Returns a random hand of at most 20 cards that holds ``wanted`` and no card of ``used``; None
    where the deck lacks them.
    """
    left = Counter(DECK)
    left.subtract(used)
    left.subtract(wanted)
    if min(left.values()) < 0:
        return None
    rest = list(left.elements())
    return ordered(
        [*wanted, *rng.sample(rest, rng.randint(1 if not wanted else 0, 20 - len(wanted)))]
    )


def answers(
    agent: DouDizhuRuleAgentV1, seat: int, hand: str, target: str, passes: int
) -> list[str]:
    """Returns what the player may answer, by asking it with every outcome of its random choice."""
    actions: list[str] = []
    trace: list[tuple[int, str]] = []
    if target:
        cards = [SimpleNamespace(rank=card, suit="") for card in hand]
        actions = get_gt_cards(
            SimpleNamespace(current_hand=cards), SimpleNamespace(played_cards=target)
        )
        trace = [((seat - passes - 1) % 3, target)] + [((seat - 1) % 3, "pass")] * passes
    state = {"trace": trace, "current_hand": hand, "actions": actions, "landlord": 0, "self": seat}
    return sorted({agent.step({"raw_obs": state}) for _ in range(1 + 20 * len(actions))})


def main() -> None:
    """Writes the file beside this one."""
    rng = random.Random(20)
    agent = DouDizhuRuleAgentV1()
    rows = []

    def add(seat: int, hand: str, target: str, passes: int) -> None:
        found = answers(agent, seat, hand, target, passes)
        rows.append(
            [
                seat,
                hand.translate(OURS),
                target.translate(OURS),
                passes,
                [a if a == "pass" else a.translate(OURS) for a in found],
            ]
        )

    for _ in range(LEADS):
        add(rng.randrange(3), hand_without(rng, "", "") or "", "", 0)
    for kind, tops in TYPE_CARD.items():
        done = 0
        while done < REPLIES_PER_TYPE:
            target = rng.choice(tops[rng.choice(list(tops))])
            higher = [top for top in tops if int(top) > int(CARD_TYPE[0][target][0][1])]
            wanted = rng.choice(tops[rng.choice(higher)]) if higher and rng.random() < 0.7 else ""
            hand = hand_without(rng, target, wanted)
            if hand is not None:
                add(rng.randrange(3), hand, target, rng.randrange(2))
                done += 1
            elif kind == "rocket":
                break
    path = Path(__file__).with_suffix(".json")
    path.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


if __name__ == "__main__":
    main()
