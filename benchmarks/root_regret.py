"""What searches leave on the table at single decisions: ``python -m benchmarks.root_regret [--checkpoint FILE] [--decks N]``.

The greedy policies of a checkpoint play each other. At a share of the open decisions (most likely move below 0.95, no sure win) a
*judge* searches twice, each time in worlds of its own: 1,024 particles, 3,200 playouts, the 16 most likely moves, whatever their
priors are (``prior_floor=1``). For the policy and for each search the first table shows

- regret: what the move it plays is worth less than the best one, on [-1, 1]. One judgement picks the best move, the other one
  says what both are worth, and the other way round, so that the noise of the judge does not look like a gain. Moves that the
  judge's halving drops early keep their worth of then, which is a little low on average;
- changed: share of the decisions in which it does not play the policy's move.

The second table shows, by the prior of the best move, how often it is the best and what it adds to the policy's regret. The judge
believes the values and the policies of the networks: what it calls better need not win more games.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.table import Table

from agents.general.policy import PolicyAgent
from agents.match_settings import match_settings
from agents.trained import Trained, checkpoint_of, load_trained
from benchmarks.table import make_console
from evaluation.duplicate import duplicate_match
from fpmcts.search import Search, SearchResult
from games.batches import Rules, States, take
from games.generic import sure_win
from games.interface import Records
from games.kernels import kernel, streams
from inference.determinizer import Determinizer

OPEN = 0.95


class Setting(NamedTuple):
    """A search; see ``SearchSettings`` and ``InferenceSettings``."""

    playouts: int
    particles: int
    prior_floor: float
    considered: int = 8


JUDGE = Setting(3200, 1024, prior_floor=1.0, considered=16)
SETTINGS = [
    Setting(64, 32, 1e-9),
    Setting(64, 64, 2e-3),
    Setting(256, 32, 1e-9),
    Setting(256, 256, 1e-9),
    Setting(256, 256, 2e-3),
    Setting(1024, 512, 1e-9),
    Setting(1024, 512, 2e-3),
]


class Decision(NamedTuple):
    """A decision with n legal moves.

    Attributes:
        prior: float ``[n]``. judged: float ``[2, n]``, the worth of the moves by both judgements, NaN = not looked at.
        choices: int ``[1 + settings]``, the move of the policy, then of each search.
    """

    prior: np.ndarray
    judged: np.ndarray
    choices: np.ndarray


@kernel
def _sure(rules: Rules, views: States, found: np.ndarray) -> None:
    for i in range(found.size):
        found[i] = sure_win(rules, views, i) >= 0


class Probe(PolicyAgent):
    """Plays the greedy policy and has the searches judged at a share of its open decisions."""

    def __init__(self, trained: Trained, settings: Sequence[Setting], share: float) -> None:
        super().__init__(trained.game, trained.evaluator.evaluate, name="probe")
        self.trained, self.share = trained, share
        self.decisions: list[Decision] = []
        self._soft = PolicyAgent(trained.game, trained.evaluator.evaluate, temperature=1.0)
        self._settings = [JUDGE, JUDGE, *settings]
        self._searches = [self._search(s) for s in self._settings]
        self._determinizers: list[Determinizer] = []
        self._generator = np.random.default_rng(0)

    def _search(self, setting: Setting) -> Search:
        most = match_settings(self.game.spec.name, "gumbel").most_worlds
        search = replace(
            self.trained.search, root="gumbel", playouts=setting.playouts, worlds=min(setting.playouts, most),
            considered=setting.considered, prior_floor=setting.prior_floor, gumbel_noise=0.0,
        )  # fmt: skip
        return Search(self.game, self.evaluate, search, 64, self.trained.objective == "wp")

    def start(self, num_games: int, seed: int) -> None:
        """Prepares for games 0 .. num_games - 1."""
        super().start(num_games, seed)
        self._streams = [streams(seed + k + 1, num_games) for k in range(len(self._settings))]
        self._determinizers = [
            self.trained.determinizer_maker(replace(self.trained.inference, particles=s.particles))(num_games)
            for s in self._settings
        ]

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns the policy's move (int16 ``[n]``) for each view."""
        priors, sure = self._soft.probabilities(views), np.empty(len(games), np.bool_)
        _sure(self.game.rules, views, sure)
        chosen = self._generator.random(len(games)) < self.share
        rows = np.flatnonzero((priors.max(axis=1) < OPEN) & ~sure & chosen)
        if rows.size:
            self._judge(games[rows], take(views, rows), records)
        return super().act(games, views, records)

    def _judge(self, lanes: np.ndarray, views: States, records: Records) -> None:
        results: list[SearchResult] = []
        for search, determinizer, rng in zip(self._searches, self._determinizers, self._streams, strict=True):
            worlds, _ = determinizer.worlds(lanes, views, records, rng, search.settings.worlds)
            results.append(search.run(worlds, rng, lanes))
        first, second, *others = results
        for i, n in enumerate(first.num_legal):
            prior, actions = first.prior[i, :n], first.actions[i, :n].tolist()
            choices = [int(prior.argmax())] + [actions.index(result.choice[i]) for result in others]
            judged = np.stack([first.q[i, :n], second.q[i, :n]])
            self.decisions.append(Decision(prior, judged, np.array(choices)))


def judgements(decisions: Sequence[Decision]) -> tuple[np.ndarray, np.ndarray]:
    """Returns what the choices are worth less than the best move (float ``[D, 1 + settings]``), and the priors of the best moves
    with the policy's regrets (float ``[D, 2, 2]``: judgement, prior or regret).

    Each judgement picks the best of the moves that both have looked at, the other one says what it is worth. A choice that not
    both have looked at counts as NaN.
    """
    regrets, bests = [], []
    for prior, judged, choices in decisions:
        known = np.isfinite(judged).all(axis=0)
        picked = [int(np.where(known, judged[k], -np.inf).argmax()) for k in (0, 1)]
        each = np.stack([judged[1 - k, picked[k]] - np.where(known, judged[1 - k], np.nan)[choices] for k in (0, 1)])
        regrets.append(each.mean(axis=0))
        bests.append([(prior[picked[k]], each[k, 0]) for k in (0, 1)])
    return np.array(regrets), np.array(bests)


def report(decisions: Sequence[Decision], settings: Sequence[Setting]) -> list[Table]:
    """Returns the two tables."""
    regrets, bests = judgements(decisions)
    choices = np.stack([decision.choices for decision in decisions])
    by_player = Table("player", "regret", "± s.e.", "changed", title=f"{len(decisions)} open decisions")
    names = ["policy"] + [f"{s.playouts} playouts, {s.particles} particles, prior_floor {s.prior_floor:g}" for s in settings]
    for k, name in enumerate(names):
        column = regrets[np.isfinite(regrets[:, k]), k]
        changed = (choices[:, k] != choices[:, 0]).mean()
        by_player.add_row(name, f"{column.mean():.4f}", f"{column.std() / np.sqrt(column.size):.4f}", f"{100 * changed:.0f} %")
    by_prior = Table("prior of the best move", "share of the decisions", "of the policy's regret", "± s.e.")
    edges = [0.0, 1e-4, 1e-3, 1e-2, 1e-1, 1.01]
    for low, high in pairwise(edges):
        inside = (bests[:, :, 0] >= low) & (bests[:, :, 0] < high)
        added = np.where(inside, bests[:, :, 1], 0.0).mean(axis=1)
        by_prior.add_row(
            f"{low:g} to {min(high, 1.0):g}", f"{100 * inside.mean():.0f} %", f"{np.nanmean(added):.4f}",
            f"{np.nanstd(added) / np.sqrt(added.size):.4f}",
        )  # fmt: skip
    return [by_player, by_prior]


def main() -> None:
    """Measures and prints two tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, default=checkpoint_of("doudizhu", None))
    parser.add_argument("--decks", type=int, default=100, help="each is played twice, with the probe in either team")
    parser.add_argument("--share", type=float, default=0.3, help="of the open decisions that are judged")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if not 0.0 < options.share <= 1.0:
        parser.error(f"--share is {options.share}; expected more than 0, at most 1")
    trained = load_trained(options.checkpoint, "doudizhu")
    probe = Probe(trained, SETTINGS, options.share)
    opponent = PolicyAgent(trained.game, trained.evaluator.evaluate)
    console = make_console()

    with console.status("playing ...") as status:

        def progress(done: int, total: int) -> None:
            status.update(f"{done:,} of {total:,} games, {len(probe.decisions):,} decisions judged")

        duplicate_match(trained.game, probe, opponent, options.decks, options.seed, progress=progress)
    if not probe.decisions:
        parser.error(f"none of the open decisions of {options.decks} decks was judged; raise --decks or --share")
    console.print(*report(probe.decisions, SETTINGS), sep="\n")


if __name__ == "__main__":
    main()
