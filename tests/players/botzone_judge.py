"""A judge of Botzone's FightTheLandlord2, written from its description: requests and points. Cards
are numbers from 0 to 53; that moves are legal is for the rule set to say.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

Request = dict[str, Any]


def point(card: int) -> int:
    """3 to 15 for 3 to 2, then the jokers."""
    return card // 4 + 3 if card < 52 else card - 36


def is_bomb(cards: Sequence[int]) -> bool:
    """Returns whether cards are a bomb or the rocket."""
    return sorted(cards) == [52, 53] or (len(cards) == 4 and len({*map(point, cards)}) == 1)


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
        """Plays the match; returns the points."""
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
        doubled = sum(map(is_bomb, self.actions))
        played = [sum(map(bool, self.actions[k::3])) for k in range(3)]
        won = not self.hands[self.landlord]
        doubled += (won and not played[1] and not played[2]) or (not won and played[0] == 1)
        stake = max(1, highest) << doubled
        self.points = [
            (1 if won else -1) * stake * (2 if seat == self.landlord else -1) for seat in range(3)
        ]

    def _take(self, seat: int, answer: Any) -> None:
        if len(self.bids) < 3 and 3 not in self.bids and not self.actions:
            self.bids.append(answer)
            return
        self.actions.append([*answer])
        self.hands[seat] = [card for card in self.hands[seat] if card not in answer]
