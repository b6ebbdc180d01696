"""Players of any game."""

from dataclasses import asdict, replace
from typing import Any

from agents.agent import Agent
from agents.general.external import ExternalAgent, ExternalOptions
from agents.general.ismcts import ISMCTSOptions, SingleObserverAgent
from agents.general.mix import MixAgent, MixOptions
from agents.general.policy import PolicyAgent, PolicyOptions
from agents.general.random_agent import RandomAgent
from agents.general.search_agent import FPMCTSOptions, SearchAgent
from agents.general.shared_tree import SharedTreeAgent, is_shared
from agents.kind import Kind, NoOptions, Player, Workshop
from agents.match_settings import match_settings
from agents.trained import Trained, checkpoint_of, load_trained
from networks.checkpoint import CheckpointError


def trained_networks(
    workshop: Workshop, checkpoint: str | None, objective: str | None = None, precision: str = "auto"
) -> Trained:
    """Returns the networks of a checkpoint, read once; if it is None, those of the workshop, or those that come with the project.

    Raises:
        CheckpointError: They cannot be read, or play another game.
    """
    if checkpoint is None and workshop.networks is not None:
        given: Trained = workshop.networks
        return given
    game = workshop.game
    path = checkpoint_of(game.spec.name, checkpoint)

    def load() -> Trained:
        trained = load_trained(path, game.spec.name, precision, workshop.device, objective)
        learned = getattr(trained.game, "rules_name", "")  # of games that have rule sets
        if learned != workshop.rules:
            raise CheckpointError(f"{path} learned the rules {learned!r}; this match plays {workshop.rules!r}")
        for key, value in game.options.items():
            if (other := trained.game.options.get(key)) != value:
                raise CheckpointError(f"{path} learned game.{key}={other}; this match plays game.{key}={value}")
        if trained.game.spec.num_seats != (seats := game.spec.num_seats):
            raise CheckpointError(f"{path} plays with {trained.game.spec.num_seats} players; this match has {seats}")
        return trained

    return workshop.once((path, objective, precision), load)


def _policy(workshop: Workshop, player: Player) -> Agent:
    options: PolicyOptions = player.options
    trained = trained_networks(workshop, options.checkpoint, precision=options.precision)
    temperature = float(workshop.game.spec.mixes) if options.temperature is None else options.temperature
    solve = trained.has_values and trained.search.solve if options.solve is None else options.solve
    return PolicyAgent(trained.game, trained.evaluator.evaluate, temperature, player.name, trained.objective == "wp", solve)


def _given(options: Any, *keys: str) -> dict[str, Any]:
    """Returns the options of these names that are not None."""
    return {key: value for key, value in asdict(options).items() if key in keys and value is not None}


def _fpmcts(workshop: Workshop, player: Player) -> Agent:
    """Returns a search: what it was trained with, changed by the settings of matches, changed by the options."""
    o: FPMCTSOptions = player.options
    trained = trained_networks(workshop, o.checkpoint, None if o.objective == "trained" else o.objective, o.precision)
    root = trained.search.root if o.root == "trained" else o.root
    if not trained.has_values:
        raise CheckpointError(f"{o.checkpoint} holds policies and no values: no search; it plays as {player.label}=policy")
    match = match_settings(workshop.game.spec.name, root)
    playouts = match.playouts if o.playouts is None else o.playouts
    inference = trained.inference
    if not o.inference:
        inference = replace(inference, phase1="none", phase2=False)
    elif o.phase1 != "trained":
        inference = replace(inference, phase1=o.phase1)
    particles = o.particles or max(inference.particles, min(playouts, match.most_particles))
    candidates = max(inference.candidates, particles)
    inference = replace(inference, particles=particles, candidates=candidates, **_given(o, "ess_floor"))
    told = _given(match, "strength", "prior_floor", "rollout", "slots")
    told |= _given(o, "c", "strength", "considered", "prior_floor", "rollout", "slots", "solve")
    worlds = o.worlds or min(playouts, match.most_worlds)
    search = replace(trained.search, root=root, playouts=playouts, worlds=worlds, gumbel_noise=0.0, **told)
    return SearchAgent(
        trained.game, trained.evaluator, trained.determinizer_maker(inference), search,
        trained.objective == "wp", max_positions=workshop.lanes, name=player.name, seconds=o.seconds, temperature=o.temperature,
        table_slots=match.table_slots if o.slots is None else o.slots,
    )  # fmt: skip


def _ismcts(workshop: Workshop, player: Player) -> Agent:
    kind = SharedTreeAgent if is_shared(workshop.game, player.options) else SingleObserverAgent
    return kind(workshop.game, player.options, player.name)


def _external(workshop: Workshop, player: Player) -> Agent:
    o: ExternalOptions = player.options
    if not o.command.strip():
        raise ValueError(f"an external player needs {player.label}.command='program arguments'")
    return ExternalAgent(workshop.game, o.command, o.seconds, name=player.name)


def _mix(workshop: Workshop, player: Player) -> Agent:
    o: MixOptions = player.options
    made = {label: workshop.make(label) for label in dict.fromkeys(o.seats)}
    return MixAgent(workshop.game, [made[label] for label in o.seats], name=player.name)


KINDS = {
    "random": Kind(NoOptions, lambda workshop, player: RandomAgent(workshop.game), states_policy=True),
    "policy": Kind(PolicyOptions, _policy, states_policy=True),
    "fpmcts": Kind(FPMCTSOptions, _fpmcts, slow=True, compiles=True),
    "ismcts": Kind(ISMCTSOptions, _ismcts, slow=True),
    "external": Kind(ExternalOptions, _external, slow=True),
    "mix": Kind(MixOptions, _mix, slow=True),
}
"""By name."""
