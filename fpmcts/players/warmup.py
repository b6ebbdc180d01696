"""Warm-up runs that compile FPMCTS: a small search and a small inference, each in its own process.

``compile_searches`` does both at once; programs that play or train with searches call it first (see
``games.kernels.compilation``). The networks are small and untrained: kernels do not depend on them.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict

import numba
import numpy as np
import torch

from fpmcts.search.search import Search, SearchSettings
from games import Choice, is_outside, make
from games.base.help import say_on_stderr
from games.base.settings import ConfigError
from games.kernels import sources_digest, streams
from games.kernels.cache import cache_folder
from games.kernels.compilation import Command, compile_ahead, compile_beside
from games.kernels.rows import take
from games.kernels.sources import module_sources
from games.play.interface import Game
from games.play.registry import PlayerOptions
from games.play.table import Table
from inference.determinizer import Determinizer, InferenceSettings
from networks.evaluator import Evaluator
from networks.resnet import NetworkConfig, build_networks

MOVES = 12
"""Moves into the game at which worlds are drawn: enough for short hands."""
WORLDS = 4


def compile_players(game: Game, players: Iterable[PlayerOptions]) -> None:
    """Compiles the kernels of the players' searches in a game, unless they are compiled. Raises
    CheckpointError if one has no networks.
    """
    for searched, root in filter(None, (options.searches(game) for options in players)):
        compile_searches(searched, root)


def compile_searches(
    game: Game,
    root: str = "puct",
    say: Callable[[str], None] = say_on_stderr,
    wait: bool = True,
) -> None:
    """Compiles the kernels that FPMCTS needs to play a game, unless they are compiled.

    Args:
        game: The game with its options.
        root: The rule at the root of its searches; other rules are compiled on first use.
        say: Shows a line.
        wait: Whether to wait until it is done; otherwise it runs in the background.
    """
    run = compile_ahead if wait else compile_beside
    name = game.spec.name
    is_usual = _compiled_form(game) == _compiled_form(make(name))
    text = name if is_usual else str(Choice(name, asdict(game.options)))
    files = [file for own in (name, root) if is_outside(own) for file in module_sources(own)]
    module = ("-m", "fpmcts.players.warmup")
    # The longest first.
    commands: list[Command] = [(*module, "search", text, root), (*module, "inference", text)]
    run(cache_folder() / f"compiled-{sources_digest(*files)}", commands, say)


def _compiled_form(game: Game) -> tuple[object, ...]:
    """Returns what the kernels of a game depend on; it is equal for options that change numbers
    alone.
    """
    spec = game.spec
    kinds = numba.typeof(game.rules), numba.typeof(game.empty(1))
    return *kinds, bool(spec.stake_factors), spec.has_hidden_head


def _open_decisions(game: Game) -> Iterator[Table]:
    """Yields a table at the first decisions of a random game that are not forced."""
    table, draws = Table(game, seed=0), np.random.default_rng(0)
    for _ in range(MOVES):
        if table.is_over:
            return
        moves = table.legal()
        if len(moves) > 1:
            yield table
        table.play(moves[draws.integers(len(moves))].action)


def _evaluator(game: Game) -> Evaluator:
    head = "win_stakes" if game.spec.stake_factors else "scalar"
    return Evaluator(
        build_networks(game.spec, NetworkConfig(channels=8, blocks=1, value_head=head), seed=0)
    )


def warm_up_search(game: Game, root: str = "puct") -> None:
    """Searches the first open decision by a root rule, with rollouts."""
    # True hands: a seat without cards, as in a view, can be led to a position that never ends.
    worlds = take(next(_open_decisions(game)).states, np.zeros(WORLDS, np.int64))
    settings = SearchSettings(root=root, playouts=WORLDS, worlds=WORLDS, slots=2, rollout=0.5)
    search = Search(game, _evaluator(game).evaluate, settings, 1, False)
    search.run(worlds, streams(0, 1), np.zeros(1, np.int64))


def warm_up_inference(game: Game) -> None:
    """Draws worlds at the first open decisions of a game."""
    phase1 = "marginal" if game.spec.has_hidden_head else "none"
    determinizer = Determinizer(
        game, _evaluator(game), InferenceSettings(phase1=phase1, particles=8, candidates=8), 1
    )
    rng = streams(0, 1)
    for table in _open_decisions(game):
        view, seen = table.view(table.seat), table.seen(table.seat)
        determinizer.worlds(np.zeros(1, np.int64), view, seen, rng, WORLDS)


def main() -> None:
    """Runs one part."""
    parser = argparse.ArgumentParser(prog="python -m fpmcts.players.warmup")
    parser.add_argument("part", choices=["search", "inference"])
    parser.add_argument("game")
    parser.add_argument("root", nargs="?", default="puct")
    options = parser.parse_args()
    torch.set_num_threads(1)
    try:
        game = Choice.from_text(options.game).make()
    except ConfigError as error:
        parser.error(str(error))
    if options.part == "search":
        warm_up_search(game, options.root)
    else:
        warm_up_inference(game)


if __name__ == "__main__":
    main()
