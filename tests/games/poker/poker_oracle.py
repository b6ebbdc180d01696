"""Kuhn and Leduc again, naively: rules by replaying the bets, best responses by recursion. Shares
nothing with games/poker."""

from collections.abc import Callable, Iterator
from itertools import permutations
from typing import NamedTuple

BETS = {"kuhn": (1,), "leduc": (2, 4)}
MOST_BETS = {"kuhn": 1, "leduc": 2}
CARDS = {"kuhn": ("J", "Q", "K"), "leduc": ("Js", "Jh", "Qs", "Qh", "Ks", "Kh")}
RANKS = "JQK"

Policy = Callable[[str], "dict[str, float]"]
"""From the text of an information set to the probability of each action."""


class Position(NamedTuple):
    """What the bets alone say: who acts (None at the end), legal actions, bets with "/" between
    rounds, chips, who folded."""

    player: int | None
    legal: str
    text: str
    paid: tuple[int, int]
    folded: int | None
    round: int


def replay(game: str, moves: str) -> Position:
    """Returns the position after moves of "f", "c", "r"."""
    paid, player, rnd, bets, acted, text = [1, 1], 0, 0, 0, 0, ""
    for move in moves:
        text += move
        if move == "f":
            return Position(None, "", text, (paid[0], paid[1]), player, rnd)
        if move == "c":
            paid[player] = paid[1 - player]
            acted += 1
        else:
            paid[player] = paid[1 - player] + BETS[game][rnd]
            bets, acted = bets + 1, 1
        player = 1 - player
        if acted == 2:
            if rnd + 1 == len(BETS[game]):
                return Position(None, "", text, (paid[0], paid[1]), None, rnd)
            rnd, bets, acted, player, text = rnd + 1, 0, 0, 0, text + "/"
    legal = (
        ("f" if paid[player] < paid[1 - player] else "")
        + "c"
        + ("r" if bets < MOST_BETS[game] else "")
    )
    return Position(player, legal, text, (paid[0], paid[1]), None, rnd)


def wins(game: str, position: Position, cards: tuple[str, ...]) -> int:
    """Returns what player 0 wins at the end, in chips; ``cards``: of player 0, of player 1,
    public."""
    if position.folded is not None:
        return position.paid[1] if position.folded == 1 else -position.paid[0]
    hands = [
        (card[0] == cards[2][0] if game == "leduc" else False, RANKS.index(card[0]))
        for card in cards[:2]
    ]
    return (hands[0] > hands[1]) * position.paid[1] - (hands[0] < hands[1]) * position.paid[0]


def seen(cards: tuple[str, ...], player: int, position: Position) -> str:
    """Returns the text of a player's information set."""
    return f"{cards[player]}{cards[2] if position.round else ''} {position.text}".strip()


def deals(game: str) -> list[tuple[str, ...]]:
    """Returns all deals: a card for each player, and in Leduc a public one."""
    return list(permutations(CARDS[game], 2 + len(BETS[game]) - 1))


def plays(game: str, moves: str = "") -> Iterator[str]:
    """Yields all complete sequences of moves."""
    position = replay(game, moves)
    if position.player is None:
        yield moves
    for move in position.legal:
        yield from plays(game, moves + move)


def best_response_value(game: str, policy: Policy, player: int) -> float:
    """Returns what a best response of a player wins against the policy."""

    def value(own: str, public: str | None, moves: str, others: dict[str, float]) -> float:
        position = replay(game, moves)
        if position.player is None:
            total = 0.0
            for card, weight in others.items():
                ours = (own, card) if player == 0 else (card, own)
                # After a fold in the first round there is no public card, and none is needed.
                total += (
                    weight
                    * wins(game, position, (*ours, public or "J"))
                    * (1 if player == 0 else -1)
                )
            return total
        if position.round == 1 and public is None:
            rest = [card for card in CARDS[game] if card != own]
            return sum(
                value(
                    own,
                    card,
                    moves,
                    {
                        other: w / (len(CARDS[game]) - 2)
                        for other, w in others.items()
                        if other != card
                    },
                )
                for card in rest
            )
        if position.player == player:
            return max(value(own, public, moves + move, others) for move in position.legal)
        total = 0.0
        for move in position.legal:
            after = {}
            for card, weight in others.items():
                theirs = (own, card, public or "") if player == 0 else (card, own, public or "")
                after[card] = weight * policy(seen(theirs, 1 - player, position))[move]
            total += value(own, public, moves + move, after)
        return total

    cards = CARDS[game]
    chance = 1 / (len(cards) * (len(cards) - 1))
    return sum(
        value(own, None, "", {other: chance for other in cards if other != own}) for own in cards
    )


def thesis_value(policy: Policy, player: int) -> float:
    """Returns what the best response of Mac Manus 2019, 3.2.2 and 3.2.3, wins in Leduc."""

    def mean(values: list[float]) -> float:
        return sum(values) / len(values)

    def value(cards: tuple[str, str], public: str | None, moves: str) -> float:
        position, own = replay("leduc", moves), cards[player]
        if position.player is None:
            hidden = [card for card in CARDS["leduc"] if card not in (own, public)]
            others = hidden if position.folded is None else [cards[1 - player]]
            won = [
                wins("leduc", position, (*((own, x) if player == 0 else (x, own)), public or "J"))
                for x in others
            ]
            return mean(won) * (1 if player == 0 else -1)
        if position.round == 1 and public is None:
            return mean([value(cards, x, moves) for x in CARDS["leduc"] if x not in cards])
        if position.player == player:
            return max(value(cards, public, moves + move) for move in position.legal)
        chances = policy(seen((*cards, public or ""), 1 - player, position))
        return value(cards, public, moves + max(position.legal, key=lambda move: chances[move]))

    return mean([value(pair, None, "") for pair in permutations(CARDS["leduc"], 2)])
