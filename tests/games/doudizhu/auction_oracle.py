"""The whole game again, slowly and independently: who may say what in the auction, and the points.

Nothing here is shared with ``games.doudizhu``. A game is its moves as texts.
"""


class Auction:
    """An auction and the doublings after it.

    Attributes:
        speaker: The seat that speaks, None when the auction is over.
        landlord: None: nobody, so far or at all.
        stake: Points of a peasant without bombs, spring and doublings.
    """

    def __init__(self, bidding: str, doubling: bool | str, forced: bool = False) -> None:
        self.bidding, self.doubling, self.forced = bidding, doubling, forced
        self.said: list[tuple[int, str]] = []
        self.landlord: int | None = None
        self.stake = 1
        self.doublers: list[int] = []  # who may double, in turn
        self.speaker: int | None = 0

    def legal(self) -> list[str]:
        """Returns what the speaker may say."""
        words = [word for _, word in self.said]
        if self.landlord is not None:
            return ["no double", "double"]
        if self.bidding == "rob":
            return ["no rob", "rob"] if "call" in words else ["no call", "call"]
        best = max([0, *(int(word[-1]) for word in words if word[-1].isdigit())])
        return ["no call", *(f"call {points}" for points in range(best + 1, 4))]

    def say(self, word: str) -> None:
        """Says something legal."""
        assert self.speaker is not None and word in self.legal()
        self.said.append((self.speaker, word))
        if self.landlord is not None:
            self._double(word)
        elif self.bidding == "call":
            self._call()
        else:
            self._rob()

    def _found(self, seat: int) -> None:
        self.landlord = seat
        self.doublers = [(seat + 1) % 3, (seat + 2) % 3] if self.doubling else []
        self.speaker = self.doublers.pop(0) if self.doublers else None

    def _nobody(self) -> None:
        self.speaker = None
        if self.forced:
            self._found(0)

    def _call(self) -> None:
        words = [word for _, word in self.said]
        calls = [(seat, int(word[-1])) for seat, word in self.said if word != "no call"]
        if words[-3:] == 3 * ["no call"]:
            self._nobody()
        elif calls and (calls[-1][1] == 3 or words[-2:] == 2 * ["no call"]):
            self.stake = calls[-1][1]
            self._found(calls[-1][0])
        else:
            self.speaker = (self.said[-1][0] + 1) % 3

    def _rob(self) -> None:
        words = dict[int, list[str]]({seat: [] for seat in range(3)})
        for seat, word in self.said:
            words[seat].append(word)
        claims = [seat for seat, word in self.said if word in ("call", "rob")]
        if not claims:
            self.speaker = len(self.said)
            if len(self.said) == 3:
                self._nobody()
            return
        caller = claims[0]
        asked = [(caller + k) % 3 for k in (1, 2) if not words[(caller + k) % 3]]
        if asked:
            self.speaker = asked[0]
        elif claims[-1] != caller and len(words[caller]) == 1:
            self.speaker = caller
        else:
            self.stake = 2 ** (len(claims) - 1)
            self._found(claims[-1])

    def _double(self, word: str) -> None:
        assert self.speaker is not None and self.landlord is not None
        asks = self.doubling == "each" or any(word == "double" for _, word in self.said)
        if self.doublers:
            self.speaker = self.doublers.pop(0)
        elif asks and self.speaker != self.landlord:
            self.speaker = self.landlord
        else:
            self.speaker = None

    def stakes(self) -> list[int]:
        """Returns what each seat may win or lose, without bombs and spring: the landlord with each
        peasant, who in "each" do not mind what the other said."""
        doubled, found = {seat for seat, word in self.said if word == "double"}, [0, 0, 0]
        for seat in {0, 1, 2} - {self.landlord}:
            between = {seat, self.landlord} if self.doubling == "each" else {0, 1, 2}
            found[seat] = self.stake * 2 ** len(doubled & between)
        return [points or sum(found) for points in found]


def points(bidding: str, doubling: bool | str, moves: list[str], forced: bool = False) -> list[int]:
    """Returns the points of each seat in a whole game. Asserts that the auction is legal, and that
    the game is over after the last move and not before."""
    auction, left = Auction(bidding, doubling, forced), list(moves)
    while auction.speaker is not None:
        auction.say(left.pop(0))
    if auction.landlord is None:
        assert not left
        return [0, 0, 0]
    seat, hands = auction.landlord, [17, 17, 17]
    hands[seat] = 20
    turns, bombs = [0, 0, 0], 0
    while min(hands) > 0:
        move = left.pop(0)
        if move != "pass":
            hands[seat] -= len(move)
            turns[seat] += 1
            bombs += move == "LB" or (len(move) == 4 and len(set(move)) == 1)
        seat = (seat + 1) % 3
    assert not left and min(hands) == 0
    landlord = auction.landlord
    spring = turns[landlord] == 1 or sum(turns) == turns[landlord]
    won = (1 if hands[landlord] == 0 else -1) * 2 ** (bombs + spring)
    stakes = enumerate(auction.stakes())
    return [won * (stake if other == landlord else -stake) for other, stake in stakes]
