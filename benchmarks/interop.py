"""Random games beside the originals, in processor time of one core: our kernels, our games in the environments of others
(PettingZoo, OpenSpiel), and RLCard's and OpenSpiel's own games, played from Python.

Every environment is asked for what it gives a player that moves at random: PettingZoo's and RLCard's make the features of each
position, OpenSpiel's are asked for legal actions alone. OpenSpiel's ``dou_dizhu`` has bidding and no four + two; RLCard's Leduc
has blinds in the place of antes. Goofspiel moves one after the other in all of them.
"""

import importlib.util
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.rules import play_random
from benchmarks.table import Row
from games import make
from games.kernels import streams

_SECONDS = 2.0
_GAMES: dict[str, tuple[dict[str, Any], str | None, str | None]] = {
    "doudizhu": ({}, "doudizhu", "dou_dizhu"),
    "leduc": ({}, "leduc-holdem", "leduc_poker"),
    "kuhn": ({}, None, "kuhn_poker"),
    "goofspiel": ({"cards": 6}, None, "goofspiel(imp_info=True,num_cards=6,points_order=descending,returns_type=win_loss)"),
}
"""Options, and the names in RLCard and in OpenSpiel."""


def games_per_second(play: Callable[[], int]) -> float:
    """Returns games a second of processor time; ``play`` returns how many it has played, and is called once before."""
    play()
    games, began = 0, time.process_time()
    while time.process_time() - began < _SECONDS:
        games += play()
    return games / (time.process_time() - began)


def native(name: str, options: dict[str, Any]) -> Callable[[], int]:
    """Returns what plays 1,000 games by the kernels."""
    game, seeds = make(name, **options), streams(1, 1000)
    actions = np.empty(game.spec.max_legal, np.int16)

    def play() -> int:
        play_random(game.rules, game.deal(seeds), seeds.copy(), actions, game.spec.max_moves)
        return len(seeds)

    return play


def pettingzoo(name: str, options: dict[str, Any]) -> Callable[[], int]:
    """Returns what plays a game in our environment for PettingZoo, with observations and masks."""
    from interop.pettingzoo_env import env

    table, generator = env(name, **options), np.random.default_rng(1)

    def play() -> int:
        table.reset(seed=int(generator.integers(2**31)))
        for _ in table.agent_iter():
            _, _, ended, truncated, told = table.last()
            moves = told["moves"]
            table.step(None if ended or truncated else moves[generator.integers(len(moves))])
        return 1

    return play


def open_spiel(game: Any) -> Callable[[], int]:
    """Returns what plays a game of OpenSpiel."""
    generator = np.random.default_rng(1)

    def play() -> int:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(outcomes[generator.integers(len(outcomes))][0])  # alike in these games
            else:
                legal = state.legal_actions()
                state.apply_action(legal[generator.integers(len(legal))])
        return 1

    return play


def rlcard_env(name: str) -> Callable[[], int]:
    """Returns what plays a game in an environment of RLCard."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import rlcard
    env, generator = rlcard.make(name), np.random.default_rng(1)

    def play() -> int:
        state, _ = env.reset()
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[generator.integers(len(legal))])
        return 1

    return play


def run() -> Iterator[Row]:
    """Measures what is installed of PettingZoo, OpenSpiel and RLCard."""
    installed = {name for name in ("pettingzoo", "pyspiel", "rlcard") if importlib.util.find_spec(name)}
    for name, (options, in_rlcard, in_open_spiel) in _GAMES.items():
        others: dict[str, float] = {}
        if "rlcard" in installed and in_rlcard:
            others["RLCard"] = games_per_second(rlcard_env(in_rlcard))
        if "pyspiel" in installed and in_open_spiel:
            import pyspiel

            game = pyspiel.load_game(in_open_spiel)
            sequential = game.get_type().dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
            others["OpenSpiel"] = games_per_second(open_spiel(game if sequential else pyspiel.convert_to_turn_based(game)))
        ours = {"kernels": native(name, options)}
        if "pettingzoo" in installed:
            ours["in PettingZoo"] = pettingzoo(name, options)
        if "pyspiel" in installed and name != "doudizhu":
            from interop.open_spiel_games import load_game

            ours["in OpenSpiel"] = open_spiel(load_game(name, **options))
        for way, play in ours.items():
            rate = games_per_second(play)
            yield {"name": f"{name}, random games, {way}", "value": rate, "unit": "games/s of a core", "reference": dict(others)}
