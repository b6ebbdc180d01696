"""How strong a trained run plays, on decks that were never trained on: ``python -m benchmarks.strength RUN_DIR [--decks N]``.

Four duplicate matches: the policy against RHCP and against random, the search against RHCP, and the search with inference
against the same networks without search. The searching side plays all decks at once, so its seconds are a throughput.
"""

import argparse
from pathlib import Path

from rich.console import Console

from agents.agent import Agent
from agents.policy import PolicyAgent
from agents.random_agent import RandomAgent
from agents.rhcp import RHCPAgent
from agents.search_agent import SearchAgent
from evaluation.duplicate import duplicate_match
from fpmcts.search import SearchSettings
from networks.checkpoint import load
from training.config import parse_config
from training.run_folder import NETWORKS, Saved
from training.trainer import Trainer


def trained(run_dir: Path) -> Trainer:
    """Returns a trainer with the networks of a run."""
    saved = Saved(*load(run_dir / NETWORKS))
    trainer = Trainer(parse_config(saved.meta["config"]))
    trainer.load_networks(saved)
    return trainer


def searcher(trainer: Trainer, root: str, playouts: int, worlds: int, strength: float) -> SearchAgent:
    """Returns the search player with the networks and the inference of a run."""
    search = SearchSettings(root=root, playouts=playouts, worlds=worlds, gumbel_noise=0.0, strength=strength)
    name = f"{root} {playouts} playouts"
    win_only = trainer.config.objective == "wp"
    return SearchAgent(
        trainer.game, trainer.evaluator, trainer.make_determinizer, search, win_only, max_positions=512, name=name
    )


def main() -> None:
    """Plays the matches and prints them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run_dir", type=Path)
    parser.add_argument("--decks", type=int, default=1000, help="decks of a match with search; twice as many without")
    parser.add_argument("--seed", type=int, default=12345, help="of the decks")
    parser.add_argument("--root", default="gumbel", choices=["gumbel", "puct"])
    parser.add_argument("--playouts", type=int, default=64)
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--strength", type=float, default=24.0, help="gumbel: logits per unit of advantage")
    parser.add_argument("--only", nargs="*", default=["policy", "random", "search", "rhcp"], help="which of the four matches")
    options = parser.parse_args()
    trainer, console = trained(options.run_dir), Console(highlight=False, soft_wrap=True)
    game = trainer.game
    policy = PolicyAgent(game, trainer.evaluator.evaluate)
    search = searcher(trainer, options.root, options.playouts, options.worlds, options.strength)
    matches: dict[str, tuple[Agent, Agent, int]] = {
        "policy": (policy, RHCPAgent(game), 2 * options.decks),
        "random": (policy, RandomAgent(game), 2 * options.decks),
        "search": (search, policy, options.decks),
        "rhcp": (search, RHCPAgent(game), options.decks),
    }
    for name in options.only:
        a, b, decks = matches[name]
        console.print(str(duplicate_match(game, a, b, decks, options.seed)))


if __name__ == "__main__":
    main()
