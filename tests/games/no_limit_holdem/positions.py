"""Hands of no-limit Hold'em with given cards."""

from collections.abc import Sequence

from games import make
from games.play.table import Table
from games.poker.hands import card_texts, parse_cards


def at_table(hands: Sequence[str], board: str, *moves: str, **options: object) -> Table:
    """Returns a table after some moves; seats beyond those of ``hands`` hold other cards."""
    game, known = make("no_limit_holdem", **options), parse_cards(" ".join((*hands, board)))
    left = iter([card for card in range(52) if card not in known])
    dealt = [card_texts(parse_cards(hand)) for hand in hands]
    dealt += [card_texts([next(left), next(left)]) for _ in range(game.spec.num_seats - len(hands))]
    deal = {"hands": dealt, "public": card_texts(parse_cards(board))}
    table = Table(
        game, record={"game": "no_limit_holdem", "deal": deal, "moves": [], "returns": None}
    )
    for move in moves:
        table.play(move)
    return table
