"""Judges single Doudizhu decisions of the policy network, and of searches asked at the same
decisions.

``python -m examples.analysis endgames`` judges decisions with few cards left by the double-dummy
solver: worlds are drawn by inference, and every legal move is solved in every world with all hands
open. A move is worth the share of the worlds that it wins. The solver sees all hands, so nobody is
without blunders; players are compared at the same decisions.

``python -m examples.analysis regret`` judges decisions of whole games by a long search: 3,200
playouts spread evenly over the 16 most likely moves, twice. A move is worth its mean return on
[-1, 1]. The judge believes the values and policies of the networks: what it calls better need not
win more games. Open decisions (most likely move below 0.95) and closed ones are reported apart.

Each decision is judged twice, with other worlds. One judgement picks the best move, the other says
what it is worth more than the move that a player chose, and the other way round; so the noise of
the judge does not look like a mistake. To give away 0.3 or more is a *blunder*.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from rich.console import Console
from rich.table import Table

from examples.double_dummy import DoubleDummySolver
from fpmcts.evaluation.duplicate import evaluation_decks
from fpmcts.evaluation.match import play_games
from fpmcts.players import load_player
from fpmcts.players.policy import PolicyAgent
from fpmcts.players.trained import Trained, checkpoint_of, load_trained
from fpmcts.search.search import Search
from games import make
from games.doudizhu.cards import HAND_SIZES, NUM_SEATS, cards_text, unpack
from games.doudizhu.moves import MAX_LEGAL, PASS
from games.doudizhu.state import legal, step
from games.kernels import kernel, streams
from games.kernels.generic import sure_win
from games.kernels.rows import Rules, States, concatenate, num_rows, take
from games.play.agent import Agent
from games.play.interface import Game, Records
from networks.checkpoint import CheckpointError

BLUNDER = 0.3
OPEN = 0.95
PARTICLES = 1024
AT_ONCE = 16
"""Decisions judged together."""
ROLES = ("landlord", "peasant after", "peasant before")


class Decisions(NamedTuple):
    """n decisions of the policy, each from the game of its number, with the moves before it."""

    views: States
    records: Records
    games: np.ndarray  # int64 [n]
    choices: np.ndarray  # int16 [n]: the policy's moves
    kinds: np.ndarray  # str [n]


class Judged(NamedTuple):
    """A decision with m legal moves that was judged."""

    game: int
    kind: str
    text: str
    moves: list[str]
    worth: np.ndarray  # float [2, m]: by both judgements; NaN = not looked at
    choices: np.ndarray  # int [players]: rows of ``moves``


def given_away(decision: Judged) -> np.ndarray:
    """Returns what each choice is worth less than the best move, NaN where it was not looked at."""
    known = np.isfinite(decision.worth).all(axis=0)
    worth = np.where(known, decision.worth, np.nan)
    best = np.where(known, worth, -np.inf).argmax(axis=1)
    losses = [worth[1 - k, best[k]] - worth[1 - k, decision.choices] for k in (0, 1)]
    return np.asarray(np.mean(losses, axis=0))


class Judge(Protocol):
    """Says which decisions it can judge, and judges them."""

    solve: bool
    """Whether the policy plays sure wins in the games that are judged."""

    def kinds(self, views: States) -> list[str]:
        """Returns a name for each decision, "" for those that are not judged."""

    def worth(self, views: States, records: Records, seed: int) -> list[np.ndarray | None]:
        """Returns the worth of all legal moves by two judgements (float ``[2, m]``), if known."""


def solved_worlds(
    game: Game, solver: DoubleDummySolver, worlds: States, moves: np.ndarray
) -> np.ndarray:
    """Returns whether the mover's team wins after each move: bool ``[worlds, m]``.

    A world is left out with the first move that takes the solver too many nodes.
    """
    landlord, known = worlds.seat == 0, np.arange(num_rows(worlds))
    values = np.zeros((num_rows(worlds), len(moves)))
    for k, move in enumerate(moves):
        after = take(worlds, known)
        for i in range(len(known)):
            step(game.rules, after, i, int(move))
        over = after.winner >= 0
        values[known[over], k] = np.where(after.winner[over] == 0, 1.0, -1.0)
        if not over.all():
            values[known[~over], k] = solver.values(take(after, np.flatnonzero(~over)))
        known = known[values[known, k] != 0]
    result: np.ndarray = (values > 0)[known] == landlord[known, None]
    return result


def legal_moves(game: Game, views: States, i: int) -> np.ndarray:
    """Returns the legal moves of a row, ascending."""
    moves = np.zeros(MAX_LEGAL, np.int16)
    return moves[: legal(game.rules, views, i, moves)]


def situation(view: States, i: int) -> str:
    """Returns the seat to move in a row, and the seat whose cards are to be beaten."""
    seat = int(view.seat[i])
    if view.target[i] == PASS:
        return f"{ROLES[seat]} leads"
    owner = (seat + NUM_SEATS - 1 - int(view.passes[i])) % NUM_SEATS
    whose = "the landlord" if owner == 0 else "a peasant" if seat == 0 else "the partner"
    return f"{ROLES[seat]} answers {whose}"


class EndgameJudge:
    """Solves decisions with at most ``cards`` cards in all hands, in ``worlds`` worlds each."""

    solve = False

    def __init__(self, trained: Trained, cards: int, worlds: int, nodes: int) -> None:
        self.game, self.cards, self.num_worlds = trained.game, cards, worlds
        inference = replace(trained.inference, particles=PARTICLES, candidates=PARTICLES)
        self._determinizer = trained.determinizer_maker(inference)(AT_ONCE)
        self._solver = DoubleDummySolver(trained.game, max_nodes=nodes, table_bits=18)

    def kinds(self, views: States) -> list[str]:
        """Returns the situation of each endgame."""
        left = sum(HAND_SIZES) - unpack(views.played).sum(axis=(1, 2), dtype=np.int64)
        return [situation(views, i) if left[i] <= self.cards else "" for i in range(len(left))]

    def worth(self, views: States, records: Records, seed: int) -> list[np.ndarray | None]:
        """Returns the shares of the worlds that each move wins, in either half of the worlds.

        It is not known where the solver finishes less than half of the worlds.
        """
        lanes = np.arange(num_rows(views))
        self._determinizer.reset(np.arange(AT_ONCE))
        rng, count = streams(seed, len(lanes)), self.num_worlds
        drawn, _ = self._determinizer.worlds(lanes, views, records, rng, count)
        found: list[np.ndarray | None] = []
        for i in range(len(lanes)):
            self._solver.forget()
            worlds = take(drawn, slice(i * count, (i + 1) * count))
            wins = solved_worlds(self.game, self._solver, worlds, legal_moves(self.game, views, i))
            halves = (
                [half.mean(axis=0) for half in np.array_split(wins, 2)] if len(wins) > 1 else []
            )
            found.append(np.stack(halves) if 2 * len(wins) >= count and halves else None)
        return found


@kernel
def _sure(rules: Rules, views: States, found: np.ndarray) -> None:
    for i in range(found.size):
        found[i] = sure_win(rules, views, i) >= 0


class SearchJudge:
    """Searches twice with many playouts at decisions without a sure win."""

    solve = True

    def __init__(self, trained: Trained, playouts: int) -> None:
        self.game = trained.game
        self._policy = PolicyAgent(trained.game, trained.evaluator.evaluate, temperature=1.0)
        settings = replace(
            trained.search,
            playouts=playouts,
            worlds=min(playouts, 256),
            uniform=1.0,
            c=4.0,
            prior_floor=1.0,
        )
        evaluate, win_only = trained.evaluator.evaluate, trained.objective == "wp"
        self._search = Search(trained.game, evaluate, settings, AT_ONCE, win_only)
        inference = replace(trained.inference, particles=PARTICLES, candidates=PARTICLES)
        self._determinizers = [trained.determinizer_maker(inference)(AT_ONCE) for _ in range(2)]

    def kinds(self, views: States) -> list[str]:
        """Returns "open" and "closed"."""
        priors, sure = self._policy.probabilities(views), np.empty(num_rows(views), np.bool_)
        _sure(self.game.rules, views, sure)
        free = ~sure & ((priors > 0).sum(axis=1) > 1)
        is_open = priors.max(axis=1) < OPEN
        return [
            "" if not f else "open" if o else "closed" for f, o in zip(free, is_open, strict=True)
        ]

    def worth(self, views: States, records: Records, seed: int) -> list[np.ndarray | None]:
        """Returns the mean returns of the moves that the searches have tried."""
        lanes, found = np.arange(num_rows(views)), []
        for k, determinizer in enumerate(self._determinizers):
            rng = streams(seed + k, len(lanes))
            determinizer.reset(np.arange(AT_ONCE))
            worlds, _ = determinizer.worlds(
                lanes, views, records, rng, self._search.settings.worlds
            )
            found.append(self._search.run(worlds, rng, lanes))
        return [np.stack([one.q[i, : one.num_legal[i]] for one in found]) for i in lanes]


class Gatherer(PolicyAgent):
    """Plays the greedy policy and keeps a share, in (0, 1], of the decisions that a judge judges.

    Attributes:
        met: Decisions by kind, kept or not.
    """

    def __init__(self, trained: Trained, judge: Judge, share: float) -> None:
        super().__init__(trained.game, trained.evaluator.evaluate, solve=judge.solve)
        self.judge, self.share, self.met = judge, share, dict[str, int]()
        self.parts: list[Decisions] = []
        self._generator = np.random.default_rng(0)

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns the policy's move (int16 ``[n]``) for each view."""
        moves, kinds = super().act(games, views, records), np.array(self.judge.kinds(views))
        for kind in kinds[kinds != ""].tolist():
            self.met[kind] = self.met.get(kind, 0) + 1
        rows = np.flatnonzero((kinds != "") & (self._generator.random(len(kinds)) < self.share))
        if rows.size:
            self.parts.append(
                Decisions(
                    take(views, rows),
                    take(records, games[rows]),
                    games[rows],
                    moves[rows],
                    kinds[rows],
                )
            )
        return moves


def judge_all(
    game: Game, judge: Judge, decisions: Decisions, players: Sequence[Agent], seed: int
) -> list[Judged]:
    """Returns the decisions whose worth is known, with what the policy and each player choose."""
    count, found, reported = len(decisions.games), list[Judged](), time.monotonic()
    for k, player in enumerate(players):
        player.start(count, seed + k + 1)
    for first in range(0, count, AT_ONCE):
        rows = np.arange(first, min(first + AT_ONCE, count))
        views = take(decisions.views, rows)
        worth = judge.worth(views, take(decisions.records, rows), seed + first)
        asked = [player.act(rows, views, decisions.records) for player in players]
        choices = np.stack([decisions.choices[rows], *asked], axis=1)
        for i, known in enumerate(worth):
            if known is not None:
                moves, seat = legal_moves(game, views, i), int(views.seat[i])
                target = int(views.target[i])
                text = cards_text(views.hands[i, seat])
                text += "" if target == PASS else f", {game.action_text(target)} to beat"
                names = [game.action_text(int(move)) for move in moves]
                chosen = np.searchsorted(moves, choices[i])
                kind, number = str(decisions.kinds[rows[i]]), int(decisions.games[rows[i]])
                found.append(Judged(number, kind, text, names, known, chosen))
        if time.monotonic() - reported > 10:
            reported = time.monotonic()
            Console(stderr=True).print(f"{rows[-1] + 1:,} of {count:,} decisions judged")
    return found


def clustered_error(values: np.ndarray, games: np.ndarray) -> float:
    """Returns the standard error of a mean of values that may depend on each other within games."""
    _, places = np.unique(games, return_inverse=True)
    sums = np.bincount(places, values - values.mean())
    return float(np.sqrt((sums**2).sum()) / len(values))


def report(
    judged: Sequence[Judged], players: Sequence[str], games: int, met: dict[str, int]
) -> Table:
    """Returns a row for each kind of decision and player.

    Args:
        judged: The decisions that were judged.
        players: Labels of the players.
        games: Games in all.
        met: Decisions in all games, by kind.
    """
    table = Table(
        "decisions",
        "a game",
        "judged",
        "player",
        "given away",
        "± s.e.",
        "blunders",
        "per 1,000",
        "± s.e.",
        "passes",
        "given away a game",
    )
    met = met | {"all": sum(met.values())}
    for kind in [*sorted(met.keys() - {"all"}), "all"]:
        some = [one for one in judged if kind in (one.kind, "all")]
        away = np.array([given_away(one) for one in some]).reshape(len(some), len(players))
        for k, name in enumerate(players):
            rows = np.flatnonzero(np.isfinite(away[:, k]))
            if not rows.size:
                continue
            values, numbers = away[rows, k], np.array([some[row].game for row in rows])
            wrong = (values >= BLUNDER).astype(np.float64)
            passes = sum(some[row].moves[some[row].choices[k]] == "pass" for row in rows[wrong > 0])
            table.add_row(
                kind,
                f"{met[kind] / games:.2f}",
                f"{len(rows):,}",
                name,
                f"{values.mean():.4f}",
                f"{clustered_error(values, numbers):.4f}",
                f"{wrong.sum():.0f}",
                f"{1000 * wrong.mean():.1f}",
                f"{1000 * clustered_error(wrong, numbers):.1f}",
                f"{passes}",
                f"{values.mean() * met[kind] / games:.3f}",
            )
    return table


def worst(judged: Sequence[Judged], players: Sequence[str], player: int, count: int) -> list[str]:
    """Returns the choices of a player that give most away, a line each."""
    losses = np.nan_to_num([given_away(one)[player] for one in judged], nan=-1.0)
    lines = []
    for row in np.argsort(-losses)[:count]:
        one, worth = judged[row], judged[row].worth.mean(axis=0)
        best, choice = int(np.nanargmax(worth)), int(one.choices[player])
        lines.append(
            f"{players[player]}: {one.kind} with {one.text}: {one.moves[choice]} is worth "
            f"{worth[choice]:.2f}, {one.moves[best]} {worth[best]:.2f}"
        )
    return lines


def main() -> None:
    """Measures and prints a table, and the worst decisions."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("judge", choices=["endgames", "regret"])
    parser.add_argument("--checkpoint", type=Path, default=checkpoint_of(make("doudizhu"), None))
    parser.add_argument("--decks", type=int, default=200, help="the policy plays all seats of each")
    parser.add_argument("--share", type=float, default=0.3, help="of the decisions that are judged")
    parser.add_argument(
        "--playouts", type=int, nargs="*", default=[64, 256], help="of the searches"
    )
    parser.add_argument(
        "--pimc", action="store_true", help="asks perfect-information Monte Carlo, too"
    )
    parser.add_argument("--cards", type=int, default=26, help="endgames: most cards in all hands")
    parser.add_argument("--worlds", type=int, default=32, help="endgames: worlds per decision")
    parser.add_argument(
        "--nodes", type=int, default=50_000, help="endgames: most nodes of the solver"
    )
    parser.add_argument("--judging", type=int, default=3200, help="regret: playouts of the judge")
    parser.add_argument(
        "--show", type=int, default=0, metavar="N", help="prints the N worst choices"
    )
    parser.add_argument("--seed", type=int, default=0)
    o = parser.parse_args()
    if (
        not 0.0 < o.share <= 1.0
        or o.worlds < 2
        or min(o.decks, o.nodes, o.judging, *o.playouts) < 1
    ):
        parser.error("expected 0 < share <= 1, at least 2 worlds, and 1 or more of all else")
    try:
        trained = load_trained(o.checkpoint, "doudizhu")
    except CheckpointError as error:
        parser.error(str(error))
    game, endgames = trained.game, o.judge == "endgames"
    judge: Judge = (
        EndgameJudge(trained, o.cards, o.worlds, o.nodes)
        if endgames
        else SearchJudge(trained, o.judging)
    )
    gatherer = Gatherer(trained, judge, o.share)
    decks = evaluation_decks(game, o.seed, o.decks)
    play_games(game, [gatherer], np.zeros((o.decks, NUM_SEATS), np.int64), decks, o.seed)
    if not gatherer.parts:
        parser.error(f"no decision of {o.decks} decks was kept; raise --decks or --share")
    names = {"policy with sure wins": load_player("policy", game, o.checkpoint)} if endgames else {}
    for playouts in dict.fromkeys(o.playouts):
        player = load_player("fpmcts", game, o.checkpoint, playouts=playouts)
        names[f"search, {playouts} playouts"] = player
    if o.pimc:
        names["pimc"] = load_player("pimc", game)
    judged = judge_all(game, judge, concatenate(gatherer.parts), list(names.values()), o.seed)
    players, console = ["policy", *names], Console(width=None if sys.stdout.isatty() else 140)
    console.print(report(judged, players, o.decks, gatherer.met))
    for k in range(len(players)):
        for line in worst(judged, players, k, o.show):
            console.print(line, markup=False, highlight=False)


if __name__ == "__main__":
    main()
