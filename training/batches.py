"""Which games an iteration plays: a function of the settings and of its number; and the networks that play them."""

from typing import NamedTuple

from inference.filter import FilterNet
from networks.resnet import Networks
from training.config import TrainConfig


class Batch(NamedTuple):
    """Games that are played together; their deals and random numbers follow from the seed of the run and from these numbers."""

    iteration: int
    chunk: int  # tells its deals from those of other batches of the iteration
    games: int
    searches: bool  # whether decisions are searched; if not, the policies play alone, and the rest says how (``PolicyGames``)
    temperature: float = 1.0
    exploration: float = 0.0
    decay: float = 1.0


class Players(NamedTuple):
    """The networks that play, and the filter network of inference, if there is one."""

    networks: Networks
    filter: FilterNet | None


def is_gradient(config: TrainConfig, iteration: int) -> bool:
    """Returns whether an iteration learns by policy gradient."""
    return config.gradient.start is not None and iteration >= config.gradient.start


def batches_of(config: TrainConfig, iteration: int) -> list[Batch]:
    """Returns the games of an iteration in the order in which they are played."""
    episode, selfplay = config.episode, config.selfplay
    if is_gradient(config, iteration):
        return [Batch(iteration, 0, config.gradient.games, searches=False, decay=config.gradient.decay)]
    firsts = range(0, episode.games, episode.games_per_step)
    batches = [Batch(iteration, k, min(episode.games_per_step, episode.games - n), searches=True) for k, n in enumerate(firsts)]
    if episode.value_games:
        temperature = selfplay.temperature(iteration)
        batches.append(Batch(iteration, len(batches), episode.value_games, False, temperature, exploration=selfplay.exploration))
    return batches
