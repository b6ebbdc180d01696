"""``precision=auto`` of the players of a match: settled before the first game, so that all processes play in the same one."""

from dataclasses import replace
from typing import Any

from evaluation.config import Tournament
from networks.trial import by_processor
from runtime.device import choose_device


def settled(tournament: Tournament) -> tuple[Tournament, list[str]]:
    """Returns the tournament with the precisions of its players filled in, and a line that says which."""
    asked = [label for label, p in tournament.players.items() if getattr(p.options, "precision", None) == "auto"]
    if not asked:
        return tournament, []
    name = by_processor(choose_device(tournament.config.device))
    players = dict(tournament.players)
    for label in asked:
        options: Any = players[label].options
        players[label] = replace(players[label], options=replace(options, precision=name))
    return replace(tournament, players=players), [f"{', '.join(asked)}: precision {name}"]
