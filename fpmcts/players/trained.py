"""Trained networks from a run's checkpoint, ready to play.

``python -m fpmcts.players.trained RUN_DIR FILE`` exports the networks of a run to a file for
others: without the paths of the machine that trained them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from fpmcts.search.search import SearchSettings
from games import Choice
from games.base.files import shipped
from games.base.settings import setting, typed
from games.kernels.generic import stake
from games.kernels.rows import States, num_rows
from games.play.interface import Game, observed_by_movers
from games.play.registry import Host, PlayerOptions, Values
from inference.determinizer import Determinizer, InferenceSettings
from inference.filter import FilterEngine, FilterNet
from networks.checkpoint import (
    NETWORKS,
    Arrays,
    CheckpointError,
    entry,
    file_of,
    is_there,
    load,
    naming,
    save,
    settings_of,
)
from networks.evaluator import Evaluator
from networks.precision import PRECISIONS
from networks.resnet import NetworkConfig, Networks, PolicyValueNet, build_networks
from networks.weights import check_fits, load_module

EXPORTED = ("game", "network", "filter", "code", "iteration", "games_seen", "seconds")
"""Metadata of a run that an exported file keeps, in addition to its configuration."""


@dataclass(frozen=True)
class Trained:
    """Trained networks with their settings of training.

    Attributes:
        game: The game in the networks' encoding.
        networks: One per role, or one for all.
        filter: The filter network, if the run had one.
        inference: The settings of inference in training.
        search: The settings of the search in training.
        objective: "wp" or "adp": the unit of their values.
        evaluator: Forward passes.
        has_values: Whether the networks have values, which searches need; those of fictitious
            self-play without search have none.
    """

    game: Game
    networks: Networks
    filter: FilterNet | None
    inference: InferenceSettings
    search: SearchSettings
    objective: str
    evaluator: Evaluator
    has_values: bool = True

    def determinizer_maker(self, inference: InferenceSettings) -> Callable[[int], Determinizer]:
        """Returns a function that makes a determinizer for a number of games.

        Raises:
            CheckpointError: ``phase1`` needs a network or a head that the run did not train.
        """
        if inference.phase1 == "filter" and self.filter is None:
            raise CheckpointError(
                "phase1=filter: the checkpoint holds no filter network; use "
                "phase1=marginal or phase1=none"
            )
        has_head = self.networks.distinct()[0].num_hidden
        if inference.phase1 == "marginal" and self.game.spec.has_hidden_head and not has_head:
            raise CheckpointError(
                "phase1=marginal: the checkpoint's networks have no head for hidden cards; use "
                "phase1=none"
            )
        evaluator, net, score = self.evaluator, self.filter, None
        if net is not None and inference.phase1 == "filter":
            score = FilterEngine(net, evaluator.precision, evaluator.device)
        return lambda count: Determinizer(self.game, evaluator, inference, count, score)


@dataclass
class NetworkOptions(PlayerOptions):
    """Options of every player with trained networks.

    Attributes:
        checkpoint: A checkpoint or run folder; None: the weights that come with the project.
        precision: Precision of the networks: "float32", "bfloat16", "int8" (CPUs with AVX2);
            "auto": chosen from the processor and the size of the networks
            (``networks/precision.py``); int8 only in long matches.
    """

    checkpoint: str | None = None
    precision: str = setting("auto", choices=PRECISIONS)

    def file(self, game: Game) -> Path:
        """Returns the file of the networks. Raises CheckpointError."""
        return checkpoint_of(game, self.checkpoint)

    def networks(self, host: Host, objective: str | None = None) -> Trained:
        """Returns the networks of the checkpoint, read once; without one, those of the host, or
        those that come with the project.

        Raises:
            CheckpointError: They cannot be read, or were trained for another game.
        """
        if self.checkpoint is None and isinstance(host.networks, Trained):
            return host.networks
        game, path = host.game, self.file(host.game)

        def read() -> Trained:
            trained = load_trained(path, game.spec.name, self.precision, host.device, objective)
            trained = replace(trained, game=game.adopted(trained.game))
            own, learned = game.learned_options(), trained.game.learned_options()
            for key in sorted(own | learned, key=str):
                value, other = own.get(key, "none"), learned.get(key, "none")
                if other != value:
                    raise CheckpointError(
                        f"{path} learned game.{key}={typed(other)}; this match plays "
                        f"game.{key}={typed(value)}"
                    )
            if trained.game.spec.num_seats != (seats := game.spec.num_seats):
                raise CheckpointError(
                    f"{path} plays with {trained.game.spec.num_seats} players; this match has "
                    f"{seats}"
                )
            return trained

        return host.once((path, objective, self.precision), read)

    def values(self, host: Host, objective: str = "adp") -> Values:
        """Returns the values of the networks, see ``PlayerOptions.values``."""
        trained = self.networks(host, objective)
        game, evaluate = trained.game, trained.evaluator.evaluate

        def of(views: States) -> np.ndarray:
            rows = np.arange(num_rows(views))
            stakes = np.ones(len(rows), np.float32)
            if objective == "adp":
                stakes[:] = [stake(game.rules, views, row) for row in range(len(rows))]
            return stakes * evaluate(*observed_by_movers(game, views, rows)).value

        return of


def checkpoint_file(path: Path | str) -> Path:
    """Returns the file with the networks of a checkpoint or a run folder."""
    return file_of(path, NETWORKS)


def _no_weights(game: Game) -> str:
    """Returns that there are no weights, and the variants of the game that have some."""
    name = game.spec.name
    files = sorted(shipped("models").glob(f"{name}*.safetensors"))
    have = [file.stem for file in files if file.stem == name or "=" in file.stem]
    some = f"; {', '.join(have)} have some" if have else ""
    return (
        f"no weights come with the project for {game.weights}{some}; train some and give "
        "checkpoint=RUN"
    )


def checkpoint_of(game: Game, checkpoint: str | None) -> Path:
    """Returns the file of a checkpoint; None means the weights that come with the project for the
    game with its options. Raises CheckpointError.
    """
    found = (shipped("models") / f"{name}.safetensors" for name in (game.weights, game.spec.name))
    path = next(filter(Path.is_file, found), Path())
    missing = _no_weights(game)
    if checkpoint is not None:
        path = checkpoint_file(checkpoint)
        missing = f"there is no checkpoint at {path}; give a file or the folder of a run"
    if not is_there(path):
        raise CheckpointError(missing)
    if checkpoint is None and path.stem != game.weights:
        made = _read(path, game.spec.name)[2]
        if made.learned_options() != game.learned_options():
            raise CheckpointError(missing)
    return path


def load_trained(
    path: Path | str,
    game: str,
    precision: str = "auto",
    device: torch.device | str = "cpu",
    objective: str | None = None,
) -> Trained:
    """Returns the networks of a checkpoint.

    Args:
        path: A checkpoint, or the folder of a run.
        game: Name of the game that they are to play.
        precision: See ``networks.precision.PRECISIONS``.
        device: Device of the forward passes.
        objective: Unit of the values, "wp" or "adp"; None: as trained. Only networks with a
            ``win_stakes`` head support the other one.

    Raises:
        CheckpointError: The file is missing or damaged, belongs to another game, or does not
            support the objective.
    """
    file = checkpoint_file(path)
    arrays, config, made, network = _read(file, game)
    if objective not in (None, network.objective):
        if network.value_head != "win_stakes":
            had = network.objective
            raise CheckpointError(
                f"objective={objective}: {file} has a scalar value head for {had}; use "
                f"objective={had}"
            )
        network = replace(network, objective=objective)
    with naming(file):
        networks = build_networks(made.spec, network, seed=0).to(device)
        for k, net in enumerate(networks.distinct()):
            load_module(net, arrays, f"network.{k}")
        filter_net = None
        if any(name.startswith("filter.net.") for name in arrays):
            filter_net = FilterNet(made.spec).to(device)
            load_module(filter_net, arrays, "filter.net")
        return Trained(
            game=made,
            networks=networks,
            filter=filter_net,
            inference=settings_of(
                InferenceSettings, config.get("inference", {"phase1": "none"}), "inference"
            ),
            search=settings_of(SearchSettings, config.get("search", {}), "search"),
            objective=network.objective,
            evaluator=Evaluator(networks, precision, device, game=made),
            has_values="search" in config,
        )


def untrained_of(path: Path | str, game: str) -> PolicyValueNet:
    """Returns an untrained network of the same size as a checkpoint's, in a fraction of the time.
    Raises CheckpointError.
    """
    _, _, made, network = _read(checkpoint_file(path), game)
    return build_networks(made.spec, replace(network, shared=True), seed=0).role(0)


def _read(file: Path, game: str) -> tuple[Arrays, dict[str, Any], Game, NetworkConfig]:
    """Returns the arrays of a checkpoint, its configuration, its game and the size of its networks.
    Raises CheckpointError.
    """
    arrays, meta = load(file)
    if "config" not in meta:
        is_table = (
            "; it is a run on tables, which plays as LABEL=tabular LABEL.run=…"
            if "algorithm" in meta
            else ""
        )
        raise CheckpointError(f"{file} holds no networks{is_table}")
    config = entry(meta, "config", dict, file)
    if (name := entry(meta, "config.game.name", str, file)) != game:
        raise CheckpointError(f"{file} plays {name}; expected a checkpoint of {game}")
    with naming(file):
        network = settings_of(NetworkConfig, config.get("network"), "network")
        made = Choice.parse(config["game"]).make()
        # Checked before memory is allocated: a file of a few bytes can claim gigabytes.
        with torch.device("meta"):
            nets = build_networks(made.spec, network, seed=0).distinct()
        for k, net in enumerate(nets):
            check_fits(net, arrays, f"network.{k}")
    return arrays, config, made, network


def export(source: Path | str, target: Path | str, half: bool = False) -> None:
    """Writes the networks of a run to a separate checkpoint, with only the metadata that identifies
    them; with ``half``, as float16.

    Raises:
        CheckpointError: The source cannot be read, or the target cannot be written.
    """
    file = checkpoint_file(source)
    arrays, meta = load(file)
    kept = {key: meta[key] for key in EXPORTED if key in meta}
    config = entry(meta, "config", dict, file) | {"run_dir": None, "init_from": None}
    if half:
        arrays = {
            k: a.astype(np.float16) if a.dtype == np.float32 else a for k, a in arrays.items()
        }
    save(target, arrays, kept | {"config": config})
