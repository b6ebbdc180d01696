"""Blunders at the end of Doudizhu: ``python -m benchmarks.endgames [--checkpoint FILE] [--decks N] [--cards 26]``.

The network of a checkpoint plays itself, without sure wins (``solve=false``). Of the decisions with at most ``--cards`` cards in
all hands and two moves or more a share is judged: worlds are drawn by inference (1,024 particles), and every legal move is solved
in every world with all hands open (``agents.doudizhu.double_dummy``): a move *wins* a share of the worlds. Each player, asked for
its move there (``policy``: the same network, and sure wins), gives away what the best move wins more than its own. To give away
0.3 or more is a *blunder*.

Half of the worlds pick the best move, the other half says what it wins more, and the other way round, so that the draw of the
worlds does not look like a mistake. The solver sees all hands: a move that wins more worlds need not be the better one for who
sees one hand, so that nobody is without blunders; players are compared at the same decisions.

A world in which some move takes the solver more than ``--nodes`` nodes counts for no move, and a decision with less than half
of its worlds is left out; the title tells both. The second table tells who is to move, whose cards are to beat, and how many
of the blunders were passes.

Processor time, *measured* on one of two busy cores for a decision: inference 0.4 s, the solver 0.1 s, a search of 256
playouts 0.75 s, PIMC 0.01 s; the last line tells it for each run. The kernels are compiled once, which takes minutes.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.table import Table

from agents.agent import Agent
from agents.doudizhu.double_dummy import DoubleDummySolver
from agents.general.policy import PolicyAgent, PolicyOptions
from agents.general.search_agent import FPMCTSOptions
from agents.players import PLAYERS, Entrant, Host
from agents.rehearsal import compile_players
from agents.trained import Trained, checkpoint_of, load_trained
from benchmarks.table import make_console
from evaluation.decks import evaluation_decks
from evaluation.match import play_games
from games.batches import States, concatenate, num_rows, take
from games.doudizhu.cards import HAND_SIZES, NUM_SEATS, cards_text, unpack
from games.doudizhu.moves import MAX_LEGAL, PASS
from games.doudizhu.state import legal, step
from games.interface import Game, Records
from games.kernels import streams

BLUNDER = 0.3
"""The share of the worlds that a blunder gives away."""
PARTICLES = 1024
TABLE_BITS = 18
AT_ONCE = 32
"""Decisions that players are asked about together."""
ROLES = ("landlord", "peasant after", "peasant before")


class Decisions(NamedTuple):
    """Endgame decisions of the policy.

    Attributes:
        views: ``[n]``, what the seat to move sees.
        records: ``[n]``, the moves before.
        games: int64 ``[n]``, the game of each.
        choices: int16 ``[n]``, the policy's moves.
    """

    views: States
    records: Records
    games: np.ndarray
    choices: np.ndarray


class Endgame(NamedTuple):
    """A decision with n legal moves that was judged.

    Attributes:
        game: Its number.
        situation: Who is to move, and whose cards are to beat.
        text: The cards.
        moves: The legal moves, in words; "pass" is the first where it is one.
        wins: bool ``[worlds, n]``, whether the mover's team wins after a move, all hands open.
        choices: int ``[players]``, rows of ``moves``.
    """

    game: int
    situation: str
    text: str
    moves: list[str]
    wins: np.ndarray
    choices: np.ndarray


class Judged(NamedTuple):
    """All of them.

    Attributes:
        endgames: Those with at least half of their worlds.
        left_out: Number of the others.
        finished: Share of all worlds that the solver finished.
        seconds: Processor time of the inference, of the solver and of each player but the policy.
    """

    endgames: list[Endgame]
    left_out: int
    finished: float
    seconds: tuple[float, ...]


def given_away(endgame: Endgame) -> np.ndarray:
    """Returns the share of the worlds (float ``[players]``) that each choice wins less than the best move.

    Either half of the worlds picks the best move and is judged by the other half; the mean of both. It may be below 0.
    """
    middle = len(endgame.wins) // 2
    halves = [endgame.wins[:middle].mean(axis=0), endgame.wins[middle:].mean(axis=0)]
    return np.mean([halves[1 - k][halves[k].argmax()] - halves[1 - k][endgame.choices] for k in (0, 1)], axis=0)


def solved_worlds(game: Game, solver: DoubleDummySolver, worlds: States, moves: np.ndarray) -> np.ndarray:
    """Returns for the worlds that the solver finishes whether the mover's team wins after each move: bool ``[worlds, n]``.

    A world is given up with the first move that is not finished.
    """
    landlord = worlds.seat == 0
    values = np.zeros((num_rows(worlds), len(moves)))
    known = np.arange(num_rows(worlds))
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


def situation(view: States, i: int) -> str:
    """Returns who is to move in a row, and whose cards are to beat."""
    seat = int(view.seat[i])
    if view.target[i] == PASS:
        return f"{ROLES[seat]} leads"
    owner = (seat + NUM_SEATS - 1 - int(view.passes[i])) % NUM_SEATS
    whose = "the landlord" if owner == 0 else "a peasant" if seat == 0 else "the partner"
    return f"{ROLES[seat]} answers {whose}"


class Gatherer(PolicyAgent):
    """Plays the greedy policy, without sure wins, and keeps a share of its endgame decisions.

    Args:
        trained: The networks.
        share: Of the decisions, in (0, 1].
        most_cards: In all hands together.
    """

    def __init__(self, trained: Trained, share: float, most_cards: int) -> None:
        super().__init__(trained.game, trained.evaluator.evaluate, name="policy")
        self.share, self.most_cards, self.met = share, most_cards, 0
        self._parts: list[Decisions] = []
        self._generator = np.random.default_rng(0)

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns the policy's move (int16 ``[n]``) for each view."""
        moves = super().act(games, views, records)
        left = sum(HAND_SIZES) - unpack(views.played).sum(axis=(1, 2), dtype=np.int64)
        endgames = np.flatnonzero(left <= self.most_cards)
        self.met += len(endgames)
        rows = endgames[self._generator.random(len(endgames)) < self.share]
        if len(rows):
            self._parts.append(Decisions(take(views, rows), take(records, games[rows]), games[rows], moves[rows]))
        return moves

    def decisions(self) -> Decisions | None:
        """Returns what was kept, None if nothing was."""
        return concatenate(self._parts) if self._parts else None


class Judge:
    """Solves endgame decisions, and asks players for their moves there.

    Args:
        trained: The networks, which draw the worlds.
        others: Players of the same game, asked beside the policy.
        num_worlds: Worlds per decision.
        max_nodes: Nodes of the solver per world and move.
    """

    def __init__(self, trained: Trained, others: Sequence[Agent], num_worlds: int, max_nodes: int) -> None:
        self.game, self.others, self.num_worlds = trained.game, others, num_worlds
        inference = replace(trained.inference, particles=PARTICLES, candidates=PARTICLES)
        self._determinizer = trained.determinizer_maker(inference)(AT_ONCE)
        self._solver = DoubleDummySolver(trained.game, max_nodes=max_nodes, table_bits=TABLE_BITS)

    def judged(self, decisions: Decisions, seed: int, progress: Callable[[int], None] = lambda done: None) -> Judged:
        """Returns the decisions with what each move wins and each player plays. Args: progress: Called with those done."""
        count, endgames, finished = len(decisions.games), list[Endgame](), 0
        seconds = np.zeros(2 + len(self.others))
        rng = streams(seed, count)
        for k, other in enumerate(self.others):
            other.start(count, seed + k + 1)
        for first in range(0, count, AT_ONCE):
            rows = np.arange(first, min(first + AT_ONCE, count))
            views, lanes = take(decisions.views, rows), np.arange(len(rows))
            self._determinizer.reset(np.arange(AT_ONCE))
            times = [time.process_time()]
            drawn, _ = self._determinizer.worlds(lanes, views, take(decisions.records, rows), rng[rows], self.num_worlds)
            times.append(time.process_time())
            choices = [decisions.choices[rows]]
            for other in self.others:
                choices.append(other.act(rows, views, decisions.records))
                times.append(time.process_time())
            for i, row in enumerate(rows):
                worlds = take(drawn, slice(i * self.num_worlds, (i + 1) * self.num_worlds))
                endgame = self._solved(int(decisions.games[row]), views, i, worlds, np.array([c[i] for c in choices]))
                finished += len(endgame.wins)
                if 2 * len(endgame.wins) >= self.num_worlds:
                    endgames.append(endgame)
            inference, *players = np.diff(times)
            seconds += np.array([inference, time.process_time() - times[-1], *players])
            progress(int(rows[-1]) + 1)
        return Judged(endgames, count - len(endgames), finished / (count * self.num_worlds), tuple(seconds))

    def _solved(self, game: int, views: States, i: int, worlds: States, choices: np.ndarray) -> Endgame:
        moves = np.zeros(MAX_LEGAL, np.int16)
        moves = moves[: legal(self.game.rules, views, i, moves)]
        self._solver.forget()
        wins = solved_worlds(self.game, self._solver, worlds, moves)
        seat, target = int(views.seat[i]), int(views.target[i])
        sizes = unpack(worlds.hands[0]).sum(axis=-1, dtype=np.int64).tolist()
        text = f"{cards_text(views.hands[i, seat])}, hands of {sizes}"
        if target != PASS:
            text += f", {self.game.action_text(target)} to beat"
        names = [self.game.action_text(int(move)) for move in moves]
        return Endgame(game, situation(views, i), text, names, wins, np.searchsorted(moves, choices))


def clustered_error(values: np.ndarray, games: np.ndarray) -> float:
    """Returns the standard error of the mean of values (float ``[n]``) of which those of one game may depend on each other."""
    _, places = np.unique(games, return_inverse=True)
    sums = np.bincount(places, values - values.mean())
    return float(np.sqrt((sums**2).sum()) / len(values))


def report(judged: Judged, players: Sequence[str], games: int, met: int) -> Table:
    """Returns a row for each player. Args: games: Games played. met: Endgame decisions in them, judged or not."""
    away = np.array([given_away(endgame) for endgame in judged.endgames])
    numbers = np.array([endgame.game for endgame in judged.endgames])
    title = (
        f"{len(away):,} of {met:,} endgame decisions in {games:,} games; {100 * judged.finished:.1f} % of the worlds solved, "
        f"{judged.left_out:,} decisions left out"
    )
    table = Table("player", "given away", "± s.e.", "blunders", "per 1,000", "± s.e.", "a game, all seats", title=title)
    for k, name in enumerate(players):
        blunders = (away[:, k] >= BLUNDER).astype(np.float64)
        table.add_row(
            name, f"{away[:, k].mean():.4f}", f"{clustered_error(away[:, k], numbers):.4f}", f"{blunders.sum():.0f}",
            f"{1000 * blunders.mean():.1f}", f"{1000 * clustered_error(blunders, numbers):.1f}",
            f"{blunders.mean() * met / games:.3f}",
        )  # fmt: skip
    return table


def by_situation(endgames: Sequence[Endgame], players: Sequence[str]) -> Table:
    """Returns a row for each situation: the decisions, and the blunders of each player, of them passes."""
    table = Table("situation", "decisions", *players, title="blunders, and how many of them were passes")
    for name in sorted({endgame.situation for endgame in endgames}):
        some = [endgame for endgame in endgames if endgame.situation == name]
        blunders = np.array([given_away(endgame) for endgame in some]) >= BLUNDER
        passes = np.array([[endgame.moves[choice] == "pass" for choice in endgame.choices] for endgame in some])
        cells = [f"{wrong.sum()} ({(wrong & passed).sum()})" for wrong, passed in zip(blunders.T, passes.T, strict=True)]
        table.add_row(name, f"{len(some):,}", *cells)
    return table


def worst(endgames: Sequence[Endgame], players: Sequence[str], player: int, count: int) -> list[str]:
    """Returns the worst choices of a player that give something away, a line each."""
    away = [float(given_away(endgame)[player]) for endgame in endgames]
    lines = []
    for k in sorted(range(len(away)), key=lambda k: -away[k])[:count]:
        if away[k] <= 0:
            break
        endgame = endgames[k]
        share = endgame.wins.mean(axis=0)
        best, choice = int(share.argmax()), int(endgame.choices[player])
        lines.append(
            f"{players[player]}: {endgame.situation} with {endgame.text}: {endgame.moves[choice]} wins {share[choice]:.2f}, "
            f"{endgame.moves[best]} {share[best]:.2f} of {len(endgame.wins)} worlds"
        )
    return lines


def main() -> None:
    """Measures and prints two tables, and the worst endgames."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, default=checkpoint_of("doudizhu", None))
    parser.add_argument("--decks", type=int, default=200, help="each is played once, the policy in all seats")
    parser.add_argument("--cards", type=int, default=26, help="most cards in all hands")
    parser.add_argument("--share", type=float, default=0.3, help="of the endgame decisions that are judged")
    parser.add_argument("--worlds", type=int, default=32, help="worlds per decision")
    parser.add_argument("--nodes", type=int, default=50_000, help="most nodes of the solver for a move in a world")
    parser.add_argument(
        "--playouts",
        type=int,
        nargs="*",
        default=[64, 256],
        help="of the searches that are asked beside the policy, as in matches",
    )
    parser.add_argument("--pimc", action="store_true", help="asks perfect-information Monte Carlo, too")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="also prints the N worst choices of each player")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if not 0.0 < options.share <= 1.0:
        parser.error(f"--share is {options.share}; expected more than 0, at most 1")
    if options.worlds < 2 or options.decks < 1 or options.nodes < 1:
        given = f"--worlds is {options.worlds}, --decks {options.decks}, --nodes {options.nodes}"
        parser.error(f"{given}; expected at least 2 worlds, 1 deck and 1 node")
    if min(options.playouts, default=1) < 1:
        parser.error(f"--playouts is {options.playouts}; expected numbers from 1 up")
    trained = load_trained(options.checkpoint, "doudizhu")
    options_of_policy = PolicyOptions(checkpoint=str(options.checkpoint))
    players = {"policy": Entrant(options_of_policy, "policy")} | {
        f"search, {count} playouts": Entrant(
            FPMCTSOptions.parse({"checkpoint": str(options.checkpoint), "playouts": count}), f"s{count}"
        )
        for count in dict.fromkeys(options.playouts)
    }
    if options.pimc:
        players["pimc"] = Entrant(PLAYERS["pimc"](), "pimc")
    host = Host(trained.game, players)
    console = make_console()
    if options.playouts:
        compile_players(trained.game.spec.name)
    with console.status("playing ...") as status:
        gatherer = Gatherer(trained, options.share, options.cards)
        decks = evaluation_decks(trained.game, options.seed, options.decks)
        play_games(trained.game, [gatherer], np.zeros((options.decks, NUM_SEATS), np.int64), decks, options.seed)
        decisions = gatherer.decisions()
        if decisions is None:
            parser.error(f"no endgame of {options.decks} decks was met; raise --decks or --share")

        def progress(done: int) -> None:
            text = f"{done:,} of {len(decisions.games):,} endgames judged"
            status.update(text)
            if not console.is_terminal:
                print(text, file=sys.stderr, flush=True)

        others = [host.make(label) for label in players]
        judged = Judge(trained, others, options.worlds, options.nodes).judged(decisions, options.seed, progress)
    if not judged.endgames:
        parser.error(f"none of {judged.left_out} endgames was solved; raise --nodes, or lower --cards")
    names = ["policy, solve=false", *players]
    console.print(report(judged, names, options.decks, gatherer.met))
    console.print(by_situation(judged.endgames, names))
    spent = zip(("inference", "solver", *players), judged.seconds, strict=True)
    console.print("seconds of the processor: " + "; ".join(f"{name} {seconds:.1f}" for name, seconds in spent))
    for k in range(len(names)):
        for line in worst(judged.endgames, names, k, options.show):
            console.print(line, markup=False, highlight=False)


if __name__ == "__main__":
    main()
