"""What inference knows of the hidden hands: ``python -m benchmarks.inference_quality [--checkpoint FILE] [--against PLAYER]``.

Games are played by the policies of a checkpoint at temperature 1, sure wins by the rules, so the posterior is about exact up to
sampling; with ``--against`` another player has the seats of the other team, landlord and peasants in turn, and the policies that
explain its moves are not its own.
At random decisions of ours every setting deals 32 worlds, and these are held against the true hand of the next seat:

- gain: log-probability of the true hand over the prior (nats), by phase 1 and by both phases, where worlds are sampled;
- rank: share of the particles that weigh more than the true hand;
- error: squared error of the mean count per rank, summed over ranks; hits: share of the worlds that are true.
"""

import argparse
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from agents import load_player
from agents.agent import Agent
from agents.general.policy import PolicyAgent
from agents.trained import Trained, checkpoint_of, load_trained
from benchmarks.table import make_console
from games.batches import take
from games.doudizhu.cards import unpack
from games.doudizhu.worlds import next_hands
from games.kernels import Stream, deal_seeds, streams
from games.lockstep import Lockstep
from inference.determinizer import Determinizer, Diagnostics, InferenceSettings
from inference.positions import find_active

_NUM_WORLDS = 32
SETTINGS: dict[str, dict[str, Any]] = {
    "prior": {"phase1": "none", "phase2": False},
    "marginal, phase 1 only": {"phase2": False},
    "filter, phase 1 only": {"phase1": "filter", "phase2": False},
    "prior, phase 2": {"phase1": "none"},
    "filter, phase 2": {"phase1": "filter"},
    "marginal, phase 2": {},
    "  64 particles": {"particles": 64},
    "  last 12 moves": {"history": 12},
    "  last 6 moves": {"history": 6},
    "  temperature 2": {"temperature": 2.0},
    "  others: family": {"others": "family"},
    "  solve: false": {"solve": False},
    "  least ESS 5 %": {"ess_floor": 0.05},
    "  least ESS 30 %": {"ess_floor": 0.3},
}


class Setting:
    """A determinizer and what it has said so far: one row of numbers per decision."""

    columns = ("evaluations", "ESS %", "drawn anew %", "phase-1 gain", "gain", "rank", "error", "hits %")

    def __init__(self, determinizer: Determinizer) -> None:
        self.determinizer = determinizer
        self.rows: list[np.ndarray] = []

    def add(self, diagnostics: Diagnostics, worlds: np.ndarray, truth: np.ndarray) -> None:
        """Adds decisions: worlds int ``[n, W, 15]``, truth int ``[n, 15]``."""
        d, sampled = diagnostics, np.where(np.isfinite(diagnostics.ess_share), 1.0, np.nan)
        error = ((worlds.mean(axis=1) - truth) ** 2).sum(axis=1)
        hits = 100.0 * (worlds == truth[:, None]).all(axis=2).mean(axis=1)
        gains = (d.phase1_gain * sampled, d.gain * sampled, d.rank * sampled)
        self.rows.append(np.stack([d.num_evaluations, 100 * d.ess_share, 100 * d.fresh, *gains, error, hits], axis=1))

    def means(self) -> list[str]:
        """Returns the mean of each column, without the decisions where it has no meaning."""
        columns = np.concatenate(self.rows).T
        return [f"{column[np.isfinite(column)].mean():.3g}" if np.isfinite(column).any() else "" for column in columns]


def measure(trained: Trained, settings: list[Setting], num_games: int, share: float, opponent: Agent | None = None) -> int:
    """Plays the games and lets every setting deal worlds at a share of the decisions; returns the number of decisions.

    Args:
        opponent: Plays the peasants of the first game, the landlord of the second, and so on; None: nobody, all seats are ours.
    """
    game = trained.game
    deals = game.deal(deal_seeds(0, num_games, Stream.EVALUATION))
    games, generator, decisions = Lockstep(game, deals, ask_forced=True), np.random.default_rng(2), 0
    own = PolicyAgent(game, trained.evaluator.evaluate, temperature=1.0, solve=True)
    own.start(num_games, 1)
    if opponent is not None:
        opponent.start(num_games, 3)

    def decide(lanes: np.ndarray) -> np.ndarray:
        nonlocal decisions
        ours = np.ones(lanes.size, np.bool_)
        if opponent is not None:
            ours = (take(games.states, lanes).seat == 0) == (lanes % 2 == 0)
        chosen = lanes[ours & (generator.random(lanes.size) < share)]
        active = np.empty(chosen.size, np.bool_)
        find_active(game.rules, take(games.states, chosen), InferenceSettings().active_below, active)
        chosen = chosen[active]
        if chosen.size:
            here = take(games.states, chosen)
            decisions += chosen.size
            for setting in settings:
                worlds, diagnostics = setting.determinizer.worlds(
                    chosen, game.view(here, here.seat), games.records, streams(3 + decisions, num_games), _NUM_WORLDS, here
                )
                hands = next_hands(worlds, worlds.seat).reshape(chosen.size, _NUM_WORLDS)
                setting.add(diagnostics, unpack(hands), unpack(next_hands(here, here.seat)))
        actions = np.zeros(lanes.size, np.int16)
        for player, rows in ((own, ours), (opponent, ~ours)):
            if player is not None and rows.any():
                here = take(games.states, lanes[rows])
                actions[rows] = player.act(lanes[rows], game.view(here, here.seat), games.records)
        return actions

    for _ in games.run(decide):
        pass
    return decisions


def main() -> None:
    """Measures and prints one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, default=checkpoint_of("doudizhu", None), help="a file or the folder of a run")
    parser.add_argument("--against", choices=("pimc", "rhcp", "rlcard_rule", "random"), help="who has the other team's seats")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--share", type=float, default=0.15, help="of the decisions that are judged")
    options = parser.parse_args()
    trained, console = load_trained(options.checkpoint, "doudizhu"), make_console()
    named = {
        name: Setting(trained.determinizer_maker(replace(InferenceSettings(), **keys))(options.games))
        for name, keys in SETTINGS.items()
        if trained.filter is not None or keys.get("phase1") != "filter"
    }
    opponent = None if options.against is None else load_player(options.against, trained.game)
    decisions = measure(trained, list(named.values()), options.games, options.share, opponent)
    title = f"{decisions:,} decisions of {options.games:,} games"
    if options.against:
        title += f" against {options.against}"
    table = Table("inference", *Setting.columns, title=title)
    for name, setting in named.items():
        table.add_row(name, *setting.means())
    console.print(table)
    defaults = ", ".join(f"{f.name}={getattr(InferenceSettings(), f.name)}" for f in fields(InferenceSettings))
    console.print(f"where nothing else is said: {defaults}")


if __name__ == "__main__":
    main()
