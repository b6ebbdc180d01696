"""``precision=auto`` of the players of a match: resolved before the first game, so that all
processes use the same one.
"""

from dataclasses import replace
from typing import Any

from fpmcts.evaluation.plan import Plan
from fpmcts.players.trained import untrained_of
from networks.checkpoint import CheckpointError, holding
from networks.device import choose_device
from networks.precision import settled

LONG_MATCH = 5_000
"""Games times playouts per decision from which on int8 pays for the calibration of its ranges."""


def with_precisions(plan: Plan) -> tuple[Plan, str]:
    """Returns the plan with its players' precisions filled in, and a text that lists them.

    int8 is chosen only in long matches, and never on a cluster, whose processors may lack it.

    Args:
        plan: The plan of all matches.

    Raises:
        CheckpointError: Networks cannot be read.
    """
    tournament, games = plan.tournament, plan.num_games(plan.tasks)
    config, players, chosen = tournament.config, dict(tournament.players), []
    game = config.game.make()
    asked: dict[str, Any] = {
        label: player.options
        for label, player in players.items()
        if getattr(player.options, "precision", None) == "auto"
    }
    playouts = [getattr(own, "playouts", None) or 64 for own in asked.values() if own.slow]
    is_long = games * max(playouts, default=1) >= LONG_MATCH and config.cluster.kind == "none"
    for label, options in asked.items():
        try:
            with holding(plan.inputs.files):
                net = untrained_of(options.file(game), game.spec.name)
        except CheckpointError as error:
            raise CheckpointError(f"{label}={players[label].kind}: {error}") from error
        name = settled("auto", net, choose_device(config.device), int8=is_long)
        players[label] = replace(players[label], options=replace(options, precision=name))
        chosen.append(f"{label} {name}")
    return replace(plan, tournament=replace(tournament, players=players)), ", ".join(chosen)
