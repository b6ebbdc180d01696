"""Decisions such as those of DeltaDou's figures 1 and 2: a move of the policy that the search
corrects, and what a round of moves reveals about a hidden hand.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fpmcts.players import load_player
from fpmcts.players.analysis import report
from games import make
from games.play.agent import Agent
from games.play.decision import Decision
from games.play.interface import Game
from games.play.table import Table

BUDGETS = (2, 20, 200)
"""Playouts of the searches in figure 1."""
MOST_GAMES = 20
"""Games that are searched for a corrected move."""


class Moment(NamedTuple):
    """A decision of a game: the moves before it, the seat, and what was decided."""

    moves: tuple[str, ...]
    seat: int
    decision: Decision


def examples(options: Mapping[str, Any], seed: int) -> str:
    """Returns the examples in Markdown, from games of a seed and the next ones.

    Args:
        options: Kind and options of the player.
        seed: Of the first game.
    """
    game, parts = make("doudizhu"), list[str]()
    own = dict(options)
    kind = own.pop("kind")
    agent = load_player(kind, game, **own)
    for number in range(seed, seed + MOST_GAMES):
        moments = list(_played(game, agent, number))
        if number == seed:
            parts += [
                "## Such as figure 2: what a round of moves tells\n",
                f"{belief_text(moments)}\n",
            ]
        peasants = [m for m in moments if m.seat > 0 and corrects(m.decision)]
        if peasants:
            table = Table(game, seed=number)
            for move in peasants[0].moves:
                table.play(move)
            parts.append("## Such as figure 1: a search corrects the policy\n")
            parts.append(f"Seat {table.seat} after {' '.join(peasants[0].moves)}.\n")
            for playouts in BUDGETS:
                decision = load_player(kind, game, **own | {"playouts": playouts}).decide(table)
                parts.append(f"{playouts} playouts:\n\n```\n{report(decision)}\n```\n")
            break
    return "\n".join(parts)


def _played(game: Game, agent: Agent, seed: int) -> Iterator[Moment]:
    """Yields the decisions of a game in which one player has all seats."""
    table = Table(game, seed=seed)
    while not table.is_over:
        decision = agent.decide(table)
        yield Moment(tuple(move.text for move in table.moves), table.seat, decision)
        table.play(decision.move)


def corrects(decision: Decision) -> bool:
    """Returns whether a search plays a move other than its policy's most likely one."""
    root = decision.root or ()
    return bool(root) and max(root, key=lambda move: move.prior or 0.0).move != decision.move


def belief_text(moments: Sequence[Moment]) -> str:
    """Returns the belief about another hand that rose most between two decisions of a seat, among
    ranks that nobody played in between.
    """
    best, text = 0.0, "Nothing was inferred in this game."
    for seat in sorted({moment.seat for moment in moments}):
        own = [moment for moment in moments if moment.seat == seat]
        for before, after in zip(own, own[1:], strict=False):
            was, now = before.decision.hidden, after.decision.hidden
            if was is None or now is None:
                continue
            played = after.moves[len(before.moves) :]
            for k, kind in enumerate(was.kinds):
                if any(kind in move for move in played):
                    continue
                for j, other in enumerate(was.seats):
                    pairs = zip(was.probabilities[j][k], now.probabilities[j][k], strict=True)
                    for count, (old, new) in enumerate(pairs):
                        if new - old > best:
                            best = new - old
                            text = (
                                f"After {', '.join(played)} seat {seat} believes with "
                                f"{100 * new:.0f} % that seat {other} holds exactly {count} of "
                                f"{kind}; before, with {100 * old:.0f} %."
                            )
    return text
