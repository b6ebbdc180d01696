"""A judge of Botzone's FightTheLandlord2, written from its description: the requests, the legal
moves and the points. Cards are numbers from 0 to 53.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Request = dict[str, Any]


def point(card: int) -> int:
    """3 to 15 for 3 to 2, then the jokers."""
    return card // 4 + 3 if card < 52 else card - 36


def kind(cards: Sequence[int]) -> tuple[str, int, int]:
    """Returns what cards are: a name, its length, and what compares."""
    counts = Counter(map(point, cards))
    groups = {n: sorted(p for p, count in counts.items() if count == n) for n in range(1, 5)}
    sizes, total = sorted(counts.values()), len(cards)

    def row(points: Sequence[int]) -> bool:
        return points[-1] < 15 and [*points] == [*range(points[0], points[0] + len(points))]

    if sorted(cards) == [52, 53]:
        return "rocket", 1, 0
    if len(counts) == 1 and total <= 4:
        return ("solo", "pair", "trio", "bomb")[total - 1], 1, point(cards[0])
    for n, least, name in ((1, 5, "solos"), (2, 3, "pairs"), (3, 2, "trios")):
        if len(groups[n]) == len(counts) >= least and row(groups[n]):
            return name, len(counts), groups[n][0]
    trios, fours = groups[3], groups[4]
    if len(fours) == 1 and sizes in ([1, 1, 4], [2, 2, 4]):
        return f"four+{sizes[0]}", 1, fours[0]
    if trios and not fours and (len(trios) == 1 or row(trios)):
        for n in (1, 2):
            if len(groups[n]) == len(trios) and total == (3 + n) * len(trios):
                return f"trios+{n}", len(trios), trios[0]
    raise ValueError(f"{sorted(cards)} is no move")


def beats(cards: Sequence[int], target: Sequence[int]) -> bool:
    mine, theirs = kind(cards), kind(target)
    power = [{"rocket": 2, "bomb": 1}.get(name, 0) for name in (mine[0], theirs[0])]
    if power[0] != power[1]:
        return power[0] > power[1]
    return mine[:2] == theirs[:2] and mine[2] > theirs[2]


class Match:
    """A match: ``requests`` asks, by seat; the answer is sent to it.

    Attributes:
        points: At the end.
        log: As Botzone keeps it: the judge's outputs and the seats' answers, in turn.
        actions: Cards played, in turn, from the landlord's first.
    """

    def __init__(self, deck: Sequence[int]) -> None:
        self.public, self.hands = [*deck[:3]], [[*deck[3 + 17 * k : 20 + 17 * k]] for k in range(3)]
        self.log: list[Any] = []
        self.bids: list[int] = []
        self.actions: list[list[int]] = []
        self.points: list[int] = []

    def run(self, ask: Callable[[int, Request], Any]) -> list[int]:
        """Plays the match. Raises ValueError at the first wrong answer."""
        start = {"allocation": [[*hand] for hand in self.hands], "publiccard": self.public}
        for seat, request in self._requests():
            display = start if not self.log else {"bid": [*self.bids]}
            self.log.append(
                {
                    "output": {
                        "command": "request",
                        "content": {str(seat): request},
                        "display": display,
                    }
                }
            )
            if not self.log[1:]:
                self.log[0]["initdata"] = start
            answer = ask(seat, request)
            self.log.append({str(seat): {"verdict": "OK", "response": answer}})
            self._take(seat, answer)
        content = {str(seat): points for seat, points in enumerate(self.points)}
        self.log.append({"output": {"command": "finish", "content": content, "display": content}})
        return self.points

    def _requests(self) -> Iterator[tuple[int, Request]]:
        own = [[*hand] for hand in self.hands]
        for seat in range(3):
            yield seat, {"own": own[seat], "bid": [*self.bids]}
            if self.bids[-1] == 3:
                break
        highest = max(self.bids)
        self.landlord = self.bids.index(highest) if highest else 0
        self.hands[self.landlord] += self.public
        while all(self.hands):
            seat = (self.landlord + len(self.actions)) % 3
            request: Request = {"history": ([[], []] + self.actions)[-2:]}
            if len(self.actions) < 3:
                request |= {"own": own[seat], "publiccard": self.public, "landlord": self.landlord}
                request |= {"pos": seat, "finalbid": max(1, highest)}
            yield seat, request
        doubled = sum(kind(cards)[0] in ("bomb", "rocket") for cards in self.actions if cards)
        played = [sum(map(bool, self.actions[k::3])) for k in range(3)]
        won = not self.hands[self.landlord]
        doubled += (won and not played[1] and not played[2]) or (not won and played[0] == 1)
        stake = max(1, highest) << doubled
        self.points = [
            (1 if won else -1) * stake * (2 if seat == self.landlord else -1) for seat in range(3)
        ]

    def _take(self, seat: int, answer: Any) -> None:
        if len(self.bids) < 3 and 3 not in self.bids and not self.actions:
            if answer != 0 and not max([0, *self.bids]) < answer <= 3:
                raise ValueError(f"a call of {answer} after {self.bids}")
            self.bids.append(answer)
            return
        if len({*answer}) < len(answer) or not {*answer} <= {*self.hands[seat]}:
            raise ValueError(f"{answer}: not in the hand {self.hands[seat]}")
        last = next((cards for cards in reversed(self.actions[-2:]) if cards), None)
        if not answer and last is None:
            raise ValueError("a pass instead of a lead")
        if answer:
            kind(answer)
            if last is not None and not beats(answer, last):
                raise ValueError(f"{answer} does not beat {last}")
        self.actions.append([*answer])
        self.hands[seat] = [card for card in self.hands[seat] if card not in answer]
