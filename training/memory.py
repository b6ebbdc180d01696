"""What the sizes of a training run ask of memory, so that a run that cannot fit is refused before it leaves anything behind."""

import os

from fpmcts.samples import empty_samples
from games.interface import Game
from runtime.memory import Need, check_fits
from training.config import TrainConfig

DECISIONS_PER_GAME = 40
"""Of a game, on average, in the games that have most of them."""
NODE_BYTES = 1100
"""Of a tree, per playout: its node, 24 edges, and the policies of other players that it remembers (``fpmcts.tree``)."""


def check_memory(config: TrainConfig) -> None:
    """Raises ConfigError, naming the key, where a run does not fit into memory."""
    check_fits(needs_of(config, config.game.make()))


def needs_of(config: TrainConfig, game: Game) -> list[Need]:
    """Returns what the keys ask for, within a factor of about two."""
    sample, seats = row_bytes(game), game.spec.num_seats
    world = sum(array.nbytes for array in game.empty(1))
    nets = 1 if config.network.shared else seats
    threads = config.threads or len(os.sched_getaffinity(0))
    search, games = config.search, min(config.episode.games, config.episode.games_per_step)
    tree = (
        (search.playouts + 2) * NODE_BYTES
        + game.spec.max_legal * (26 + 6 * search.slots)
        + 4 * search.slots * game.spec.max_moves
    )
    particles = (
        config.inference.particles * seats * (world + 16) if config.inference.phase2 or config.inference.phase1 != "none" else 0
    )
    lane = tree + search.worlds * world + particles
    record = world + 2 * game.spec.max_moves
    played = record + DECISIONS_PER_GAME * sample
    held = config.episode.games if config.cluster.lag else games  # played ahead
    evaluation, policies = config.evaluation, record * 2 * seats
    return [
        Need(
            "selfplay.lanes",
            config.selfplay.lanes,
            min(config.selfplay.lanes, max(games, threads)) * particles + config.selfplay.lanes * lane,
        ),
        Need("train.reservoir", config.train.reservoir, nets * config.train.reservoir * sample),
        Need("train.value_window", config.train.value_window, nets * config.train.value_window * sample),
        Need("episode.games_per_step" if held < config.episode.games else "episode.games", held, held * played),
        Need("episode.value_games", config.episode.value_games, config.episode.value_games * played),
        Need("bootstrap.games_per_step", config.bootstrap.games_per_step, _bootstrap_games(config) * played),
        Need("evaluation.decks", evaluation.decks, evaluation.decks * policies),
        Need("evaluation.search_decks", evaluation.search_decks, evaluation.search_decks * policies),
        *(
            [Need("gradient.games", config.gradient.games, config.gradient.games * played)]
            if config.gradient.start is not None
            else []
        ),
        Need("remembered", config.remembered, threads * 4 * config.remembered * (16 + 4 * game.spec.policy_size)),
    ]


def row_bytes(game: Game) -> int:
    """Returns the bytes of a sample."""
    row = empty_samples(game, 1)
    return sum(array.nbytes for array in (*row.states, *row[1:]))


def _bootstrap_games(config: TrainConfig) -> int:
    """Returns the games of a step of the bootstrap."""
    if config.bootstrap.kind == "none" or config.init_from:
        return 0
    return min(config.bootstrap.games, config.bootstrap.games_per_step)
