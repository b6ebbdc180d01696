"""The decks of the matches: fixed by a seed, and never among those of training (the lowest bit of
their seeds differs).
"""

from games.batches import States
from games.interface import Game
from games.kernels import Stream, deal_seeds


def evaluation_decks(game: Game, seed: int, num_decks: int) -> States:
    """Returns the deals of a match.

    Deck i depends on the seed and i alone, so a longer match begins with the decks of a shorter
    one.
    """
    return game.deal(deal_seeds(seed, num_decks, Stream.EVALUATION))
