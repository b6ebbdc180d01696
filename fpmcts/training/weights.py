"""The weights of a run: those that learn, and those that play."""

import copy
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import torch

from fpmcts.training.config import TrainConfig
from fpmcts.training.learning import Part, numbered
from games.play.interface import Game
from inference.filter import FilterNet
from networks.resnet import Networks, PolicyValueNet, build_networks
from networks.weights import extrapolate, grow, load_module, move_towards


class PlayingNetworks(NamedTuple):
    """The networks that play, and the filter network of inference, if there is one."""

    networks: Networks
    filter: FilterNet | None

    def parts(self) -> dict[str, Part]:
        """Returns the networks by the names under which their weights are sent."""
        found = numbered("network", self.networks.distinct())
        return found if self.filter is None else found | {"filter": self.filter}


class Weights:
    """All copies of the networks of a run.

    Attributes:
        latest: The networks that learn.
        averages: Averages of their weights (``train.averaging``, ``gradient.averaging``), which are
            measured and saved; the same networks if none are kept.
        leading: The networks that play the games of searches: with ``train.lead`` ahead of the
            latest weights, else the averages.
        filter: The filter network of inference, if there is one.
        lagging: With ``cluster.lag``: copies of the networks, and of the filter network, that play
            the current iteration.
    """

    def __init__(self, config: TrainConfig, game: Game, device: torch.device) -> None:
        self.latest = build_networks(game.spec, config.network, config.seed).to(device)
        keeps = config.train.averaging or (
            config.gradient.start is not None and config.gradient.averaging
        )
        self.averages = copy.deepcopy(self.latest) if keeps else self.latest
        self._lead = config.train.lead
        self.leading = copy.deepcopy(self.latest) if self._lead else self.averages
        self.filter: FilterNet | None = None
        if config.inference.phase1 == "filter":
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(config.seed)
                self.filter = FilterNet(game.spec).to(device)
        self.lagging = (
            copy.deepcopy(PlayingNetworks(self.latest, self.filter)) if config.cluster.lag else None
        )

    @property
    def nets(self) -> list[PolicyValueNet]:
        """The distinct networks that learn."""
        return self.latest.distinct()

    def average(self, k: int, steps: int) -> None:
        """Updates the averaged weights of network ``k``, if they are kept, after one of its steps.

        Args:
            steps: Steps over which weights are averaged.
        """
        if self.averages is not self.latest:
            move_towards(self.averages.distinct()[k], self.nets[k], 1.0 / max(1, steps))

    def lead(self) -> None:
        """Moves the leading networks ahead of the latest weights."""
        if self.leading is not self.averages:
            extrapolate(self.leading, self.averages, self.latest, self._lead)

    def restart_averages(self) -> None:
        """Sets the averages, and the leading networks, to the latest weights."""
        self.averages.load_state_dict(self.latest.state_dict())
        self.lead()

    def playing(self, is_gradient: bool) -> PlayingNetworks:
        """Returns the networks that play without a lag: those that learn, in policy gradient."""
        return PlayingNetworks(self.latest if is_gradient else self.leading, self.filter)

    def catch_up(self, is_gradient: bool) -> None:
        """Copies the weights that play without a lag to the lagging networks, if there are any."""
        if self.lagging is None:
            return
        for own, playing in zip(self.lagging, self.playing(is_gradient), strict=True):
            if own is not None and playing is not None:
                own.load_state_dict(playing.state_dict())

    def begin_from(self, arrays: Mapping[str, np.ndarray], grows: bool, plays_more: bool) -> None:
        """Takes the networks of a checkpoint: those that played there.

        Args:
            arrays: Its arrays.
            grows: Whether the networks of this run are larger.
            plays_more: Whether this run's game has roles that the other lacks: they stay fresh.
        """
        for k, net in enumerate(self.nets):
            if plays_more and f"network.{k}.stem.conv.weight" not in arrays:
                continue
            (grow if grows or plays_more else load_module)(net, arrays, f"network.{k}")
        self.restart_averages()
        if self.filter is not None:
            load_module(self.filter, arrays, "filter.net")

    def parts(self) -> dict[str, Part]:
        """Returns the networks by their names in a checkpoint."""
        found = numbered("network", self.averages.distinct())
        if self.averages is not self.latest:
            found |= numbered("learning", self.nets)
        if self.filter is not None:
            found["filter.net"] = self.filter
        if self.lagging is not None:
            found |= numbered("lagging", self.lagging.networks.distinct())
            if self.lagging.filter is not None:
                found["lagging_filter"] = self.lagging.filter
        return found
