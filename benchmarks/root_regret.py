"""What searches leave on the table at single decisions: ``python -m benchmarks.root_regret [--checkpoint FILE] [--decks N]``.

The greedy policies of a checkpoint play each other. At a share of the open decisions (most likely move below 0.95, no sure win) a
*judge* searches twice, each time in worlds of its own: 1,024 particles, 3,200 playouts, the 16 most likely moves, whatever their
priors are (``prior_floor=1``). For the policy and for each search the first table shows

- regret: what the move it plays is worth less than the best one, on [-1, 1]. One judgement picks the best move, the other one
  says what both are worth, and the other way round, so that the noise of the judge does not look like a gain. Moves that the
  judge's halving drops early keep their worth of then, which is a little low on average;
- changed: share of the decisions in which it does not play the policy's move.

The second table shows, by the prior of the best move, how often it is the best and what it adds to the policy's regret.

The third table adds up: decisions a game and side, open and (a smaller share is judged) closed ones, and what their regret costs
in points of WP. A player that made the best move at each of them, each as if it were the only one, would beat the policy by about
the sum: what searches can gain against it without plans of several moves. The judge believes the values and the policies of the
networks: what it calls better need not win more games.
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
from agents.match_search import MOST_WORLDS
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
        is_open: Whether the most likely move is below ``OPEN``.
    """

    prior: np.ndarray
    judged: np.ndarray
    choices: np.ndarray
    is_open: bool = True


@kernel
def _sure(rules: Rules, views: States, found: np.ndarray) -> None:
    for i in range(found.size):
        found[i] = sure_win(rules, views, i) >= 0


class Probe(PolicyAgent):
    """Plays the greedy policy and has the searches judged at a share of its open decisions."""

    def __init__(self, trained: Trained, settings: Sequence[Setting], share: float, closed_share: float = 0.0) -> None:
        super().__init__(trained.game, trained.evaluator.evaluate, name="probe", solve=True)
        self.trained, self.shares = trained, (closed_share, share)
        self.decisions: list[Decision] = []
        self.met = [0, 0]
        """Decisions met, closed and open ones; neither forced moves nor sure wins."""
        self._soft = PolicyAgent(trained.game, trained.evaluator.evaluate, temperature=1.0)
        self._settings = [JUDGE, JUDGE, *settings]
        self._searches = [self._search(s) for s in self._settings]
        self._determinizers: list[Determinizer] = []
        self._generator = np.random.default_rng(0)

    def _search(self, setting: Setting) -> Search:
        search = replace(
            self.trained.search, root="gumbel", playouts=setting.playouts, worlds=min(setting.playouts, MOST_WORLDS),
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
        is_open, free = priors.max(axis=1) < OPEN, ~sure & ((priors > 0).sum(axis=1) > 1)
        chosen = self._generator.random(len(games)) < np.where(is_open, self.shares[1], self.shares[0])
        for kind in (0, 1):
            self.met[kind] += int((free & (is_open == kind)).sum())
        rows = np.flatnonzero(free & chosen)
        if rows.size:
            self._judge(games[rows], take(views, rows), records, is_open[rows])
        return super().act(games, views, records)

    def _judge(self, lanes: np.ndarray, views: States, records: Records, is_open: np.ndarray) -> None:
        results: list[SearchResult] = []
        for search, determinizer, rng in zip(self._searches, self._determinizers, self._streams, strict=True):
            worlds, _ = determinizer.worlds(lanes, views, records, rng, search.settings.worlds)
            results.append(search.run(worlds, rng, lanes))
        first, second, *others = results
        for i, n in enumerate(first.num_legal):
            prior, actions = first.prior[i, :n], first.actions[i, :n].tolist()
            choices = [int(prior.argmax())] + [actions.index(result.choice[i]) for result in others]
            judged = np.stack([first.q[i, :n], second.q[i, :n]])
            self.decisions.append(Decision(prior, judged, np.array(choices), bool(is_open[i])))


def judgements(decisions: Sequence[Decision]) -> tuple[np.ndarray, np.ndarray]:
    """Returns what the choices are worth less than the best move (float ``[D, 1 + settings]``), and the priors of the best moves
    with the policy's regrets (float ``[D, 2, 2]``: judgement, prior or regret).

    Each judgement picks the best of the moves that both have looked at, the other one says what it is worth. A choice that not
    both have looked at counts as NaN.
    """
    regrets, bests = [], []
    for prior, judged, choices, _ in decisions:
        known = np.isfinite(judged).all(axis=0)
        picked = [int(np.where(known, judged[k], -np.inf).argmax()) for k in (0, 1)]
        each = np.stack([judged[1 - k, picked[k]] - np.where(known, judged[1 - k], np.nan)[choices] for k in (0, 1)])
        regrets.append(each.mean(axis=0))
        bests.append([(prior[picked[k]], each[k, 0]) for k in (0, 1)])
    return np.array(regrets), np.array(bests)


def report(decisions: Sequence[Decision], settings: Sequence[Setting]) -> list[Table]:
    """Returns the first two tables, of the open decisions."""
    decisions = [decision for decision in decisions if decision.is_open]
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


def budget(decisions: Sequence[Decision], met: Sequence[int], settings: Sequence[Setting], num_games: int) -> Table:
    """Returns the third table. The worth of a move is twice its chance to win, less one.

    Args:
        decisions: Those judged. met: Closed and open decisions met in ``num_games`` games of one side.
    """
    names = ["policy"] + [f"{s.playouts} playouts, {s.particles} particles, prior_floor {s.prior_floor:g}" for s in settings]
    table = Table("points of WP lost a game and side", "at closed decisions", "at open decisions", "together")
    table.title = f"closed: {met[0] / num_games:.2f} a game and side, open: {met[1] / num_games:.2f}"
    lost = np.zeros((2, 2, len(names)))  # kind; mean, squared error
    for kind in (0, 1):
        some = [decision for decision in decisions if decision.is_open == kind]
        if some:
            points = 50.0 * met[kind] / num_games * judgements(some)[0]
            counts = np.isfinite(points).sum(axis=0)
            lost[kind] = np.nanmean(points, axis=0), np.nanvar(points, axis=0) / np.maximum(counts, 1)
    for k, name in enumerate(names):
        closed, opened, both = ((m[k], np.sqrt(v[k])) for m, v in (*lost, lost.sum(axis=0)))
        table.add_row(name, *(f"{mean:.1f} ± {error:.1f}" for mean, error in (closed, opened, both)))
    return table


def main() -> None:
    """Measures and prints three tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, default=checkpoint_of("doudizhu", None))
    parser.add_argument("--decks", type=int, default=100, help="each is played twice, with the probe in either team")
    parser.add_argument("--share", type=float, default=0.3, help="of the open decisions that are judged")
    parser.add_argument("--closed", type=float, default=0.03, help="of the closed decisions that are judged")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if not 0.0 < options.share <= 1.0:
        parser.error(f"--share is {options.share}; expected more than 0, at most 1")
    if not 0.0 <= options.closed <= 1.0:
        parser.error(f"--closed is {options.closed}; expected 0 to 1")
    trained = load_trained(options.checkpoint, "doudizhu")
    probe = Probe(trained, SETTINGS, options.share, options.closed)
    opponent = PolicyAgent(trained.game, trained.evaluator.evaluate, solve=True)
    console = make_console()

    with console.status("playing ...") as status:

        def progress(done: int, total: int) -> None:
            status.update(f"{done:,} of {total:,} games, {len(probe.decisions):,} decisions judged")

        duplicate_match(trained.game, probe, opponent, options.decks, options.seed, progress=progress)
    if not any(decision.is_open for decision in probe.decisions):
        parser.error(f"none of the open decisions of {options.decks} decks was judged; raise --decks or --share")
    tables = [*report(probe.decisions, SETTINGS), budget(probe.decisions, probe.met, SETTINGS, 2 * options.decks)]
    console.print(*tables, sep="\n")


if __name__ == "__main__":
    main()
