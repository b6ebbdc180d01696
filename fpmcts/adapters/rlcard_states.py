"""RLCard's observations of a player, made from our views (``Game.describe_view``). Doudizhu needs
RLCard.

Source: RLCard 1.2.0, ``rlcard/games/*/player.py`` (``get_state``), with its fields and oddities.
Its poker differs from ours, so an agent sees the closest equivalent:

- Leduc has blinds of 1 and 2 chips in RLCard instead of antes of 1: the agent is shown the chips
  that the same bets would make there. In RLCard the last player to raise, if any, begins the next
  round; its features do not say which player begins.
- In poker, RLCard offers a fold even if there is nothing to call. Ours does not; if an agent folds
  anyway, as RLCard's rule players do, it checks.
"""

import warnings
from collections.abc import Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple

RANKS = "3456789TJQKA2BR"
"""RLCard's letters, low cards first; B and R are the jokers."""
_LETTERS = str.maketrans("LB", "BR")
_BLINDS = {"leduc": 1.0, "limit_holdem": 0.0}
"""Chips that RLCard's blinds add to the amounts paid here, in its unit."""
_CHIPS = {"leduc": 1, "limit_holdem": 2}
"""RLCard chips per chip here: its big blind is 2."""


class Shown(NamedTuple):
    """The observation of an agent.

    Attributes:
        raw: RLCard's ``raw_obs``, from which its environment extracts features.
        moves: The texts of our legal moves by RLCard's names, in its order; moves that it lacks are
            omitted.
        trace: (player, name) of every move so far.
    """

    raw: dict[str, Any]
    moves: dict[str, str]
    trace: list[tuple[int, str]]


@cache
def package() -> Any:
    """Imports RLCard, which reads versions through a module that Python will drop."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import rlcard
        import rlcard.models
    return rlcard


def card_letters(cards: str) -> str:
    """Returns cards of ours, or a move of Doudizhu, as RLCard writes them: ascending, ``pass`` as
    it is.
    """
    return cards if cards == "pass" else "".join(sorted(cards.translate(_LETTERS), key=RANKS.index))


def doudizhu_order(names: Sequence[str], hand: str, to_beat: str | None) -> list[str]:
    """Returns the moves that RLCard knows: in its order if there is something to beat; else as
    given, since it leads from an unordered set.
    """
    from rlcard.games.doudizhu.utils import ACTION_2_ID, get_gt_cards

    if to_beat is None:
        return [name for name in names if name in ACTION_2_ID]
    held = SimpleNamespace(current_hand=[SimpleNamespace(rank=card, suit="") for card in hand])
    return [
        name for name in get_gt_cards(held, SimpleNamespace(played_cards=to_beat)) if name in names
    ]


def doudizhu(view: dict[str, Any]) -> Shown:
    """Returns a view of Doudizhu (``games.doudizhu.game``) as RLCard shows it."""
    trace = [(k % 3, card_letters(move)) for k, move in enumerate(view["moves"])]
    played, hand = [card_letters(cards) for cards in view["played"]], card_letters(view["hand"])
    others = "".join(
        rank * ((1 if rank in "BR" else 4) - (hand + "".join(played)).count(rank)) for rank in RANKS
    )
    bottom = card_letters(view["bottom"])
    for seat, cards in trace:
        if seat == 0 and cards != "pass":
            # RLCard forgets every copy of a card once the landlord has played one.
            bottom = "".join(card for card in bottom if card not in cards)
    moves = {card_letters(text): text for text in view["legal"]}  # no set of cards has two readings
    to_beat = None if view["to_beat"] is None else card_letters(view["to_beat"])
    moves = {name: moves[name] for name in doudizhu_order(list(moves), hand, to_beat)}
    raw = {
        "seen_cards": bottom,
        "landlord": 0,
        "trace": trace,
        "played_cards": played,
        "self": view["seat"],
        "current_hand": hand,
        "others_hand": others,
        "num_cards_left": view["cards_left"],
        "actions": list(moves),
    }
    return Shown(raw, moves, trace)


def _rounds(moves: Sequence[str]) -> list[list[str]]:
    """Returns the moves of two players by rounds, the one that is played last."""
    rounds: list[list[str]] = [[]]
    for move in moves:
        rounds[-1].append(move)
        if move == "call" and len(rounds[-1]) > 1:
            rounds.append([])
    return rounds


def poker(view: dict[str, Any], first: Sequence[int]) -> Shown:
    """Returns a view of Leduc or two-player limit Hold'em as RLCard shows it.

    Args:
        view: See ``games.poker.game``.
        first: The seat that begins each round here.
    """
    game, seat = view["game"], view["seat"]
    rounds = _rounds(view["moves"])
    trace = []
    for number, made in enumerate(rounds):
        for k, move in enumerate(made):
            owes = "raise" in made[:k] or (number == 0 and k == 0)  # at first the small blind
            trace.append(
                ((first[number] + k) % 2, "check" if move == "call" and not owes else move)
            )
    owes = "raise" in rounds[-1] or not view["moves"]
    order = ["call", "raise", "fold"] if owes else ["raise", "fold", "check"]
    texts = {"check": "call", "call": "call", "raise": "raise", "fold": "fold"}
    moves = {name: texts[name] for name in order if texts[name] in view["legal"]}
    chips = [int(_CHIPS[game] * paid + _BLINDS[game]) for paid in view["paid"]]
    if game == "leduc" and not view["moves"]:
        chips[seat] = 1
    raw: dict[str, Any] = {
        "all_chips": chips,
        "my_chips": chips[seat],
        "legal_actions": list(moves),
        "current_player": seat,
    }
    hand, public = [[card[1].upper() + card[0] for card in view[key]] for key in ("hand", "public")]
    if game == "leduc":
        raw |= {"hand": hand[0], "public_card": public[0] if public else None}
    else:
        raises = [made.count("raise") for made in rounds]
        raw |= {
            "hand": hand,
            "public_cards": public,
            "raise_nums": raises + [0] * (4 - len(raises)),
        }
    return Shown(raw, moves, trace)
