"""Blunders at the end of Doudizhu: ``python -m benchmarks.endgames [--checkpoint FILE] [--decks N] [--cards 26]``.

The greedy policies of a checkpoint play each other. At a share of the decisions with at most ``--cards`` cards in all hands and
two moves or more, worlds are drawn by inference (1,024 particles), and every legal move is solved in every world with all hands
open (``agents.doudizhu.double_dummy``): a move *wins* a share of the worlds. Each player, asked for its move there, gives away
what the best move wins more than its own. To give away 0.3 or more is a *blunder*.

Half of the worlds pick the best move, the other half says what it wins more, and the other way round, so that the draw of the
worlds does not look like a mistake. Worlds that the solver does not finish count for no move. The solver sees all hands: a move
that wins more worlds need not be the better one for who sees one hand, so that nobody is without blunders; players are compared
at the same decisions.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from agents.agent import Agent
from agents.doudizhu.double_dummy import DoubleDummySolver
from agents.general.policy import PolicyAgent
from agents.general.search_agent import FPMCTSOptions
from agents.players import KINDS, Maker, Player
from agents.trained import Trained, checkpoint_of, load_trained
from benchmarks.table import make_console
from evaluation.duplicate import duplicate_match
from games.batches import States, num_rows, take
from games.doudizhu.cards import HAND_SIZES, cards_text, unpack
from games.doudizhu.moves import MAX_LEGAL
from games.doudizhu.state import legal, step
from games.interface import Game, Records
from games.kernels import streams

BLUNDER = 0.3
"""The share of the worlds that a blunder gives away."""
PARTICLES = 1024
MAX_NODES = 20_000
SETTINGS: tuple[dict[str, Any], ...] = ({"playouts": 64}, {"playouts": 256})
"""The searches that are asked beside the policy; the other settings are those of matches."""


class Endgame(NamedTuple):
    """A decision with n legal moves.

    Attributes:
        text: The cards, and who is to move.
        moves: The legal moves, in words.
        wins: bool ``[worlds, n]``, whether the mover's team wins after a move, all hands open.
        choices: int ``[players]``, rows of ``moves``.
    """

    text: str
    moves: list[str]
    wins: np.ndarray
    choices: np.ndarray


def given_away(endgame: Endgame) -> np.ndarray:
    """Returns the share of the worlds (float ``[players]``) that each choice wins less than the best move.

    Either half of the worlds picks the best move and is judged by the other half; the mean of both. It may be below 0.
    """
    middle = len(endgame.wins) // 2
    halves = [endgame.wins[:middle].mean(axis=0), endgame.wins[middle:].mean(axis=0)]
    return np.mean([halves[1 - k][halves[k].argmax()] - halves[1 - k][endgame.choices] for k in (0, 1)], axis=0)


def solved_worlds(game: Game, solver: DoubleDummySolver, worlds: States, moves: np.ndarray) -> np.ndarray:
    """Returns for the worlds that the solver finishes whether the mover's team wins after each move: bool ``[worlds, n]``."""
    landlord = worlds.seat == 0
    values = np.zeros((num_rows(worlds), len(moves)))
    for k, move in enumerate(moves):
        after = take(worlds, np.arange(num_rows(worlds)))
        for i in range(num_rows(after)):
            step(game.rules, after, i, int(move))
        over = after.winner >= 0
        values[over, k] = np.where(after.winner[over] == 0, 1.0, -1.0)
        if not over.all():
            values[~over, k] = solver.values(take(after, np.flatnonzero(~over)))
    known = (values != 0).all(axis=1)
    result: np.ndarray = (values > 0)[known] == landlord[known, None]
    return result


class Probe(PolicyAgent):
    """Plays the greedy policy, solves a share of its endgames, and asks others for their moves there.

    Args:
        others: Players of the same game, asked beside the policy.
        share: Of the endgames, in (0, 1].
        most_cards: In all hands together. num_worlds: Worlds per decision.
    """

    def __init__(self, trained: Trained, others: Sequence[Agent], share: float, most_cards: int, num_worlds: int) -> None:
        super().__init__(trained.game, trained.evaluator.evaluate, name="probe")
        self.trained, self.others, self.share = trained, others, share
        self.most_cards, self.num_worlds, self.met = most_cards, num_worlds, 0
        self.endgames: list[Endgame] = []
        self._solver = DoubleDummySolver(trained.game, max_nodes=MAX_NODES)
        self._generator = np.random.default_rng(0)

    def start(self, num_games: int, seed: int) -> None:
        """Prepares for games 0 .. num_games - 1."""
        super().start(num_games, seed)
        for k, other in enumerate(self.others):
            other.start(num_games, seed + k + 1)
        self._streams = streams(seed, num_games)
        inference = replace(self.trained.inference, particles=PARTICLES, candidates=PARTICLES)
        self._determinizer = self.trained.determinizer_maker(inference)(num_games)

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns the policy's move (int16 ``[n]``) for each view."""
        moves = super().act(games, views, records)
        left = sum(HAND_SIZES) - unpack(views.played).sum(axis=(1, 2), dtype=np.int64)
        for i in np.flatnonzero(left <= self.most_cards):
            legal_moves = np.zeros(MAX_LEGAL, np.int16)
            count = legal(self.game.rules, views, int(i), legal_moves)
            if count > 1:
                self.met += 1
                if self._generator.random() < self.share:
                    self._judge(games[i : i + 1], take(views, np.array([i])), records, legal_moves[:count], int(moves[i]))
        return moves

    def _judge(self, lanes: np.ndarray, view: States, records: Records, moves: np.ndarray, own: int) -> None:
        worlds, _ = self._determinizer.worlds(lanes, view, records, self._streams, self.num_worlds)
        wins = solved_worlds(self.game, self._solver, worlds, moves)
        if len(wins) < self.num_worlds // 2:
            return
        chosen = [own] + [int(other.act(lanes, view, records)[0]) for other in self.others]
        seat = int(view.seat[0])
        sizes = [int(unpack(hand).sum()) for hand in worlds.hands[0]]
        text = f"{('landlord', 'peasant after', 'peasant before')[seat]} with {cards_text(view.hands[0, seat])}, hands of {sizes}"
        places = np.array([int(np.flatnonzero(moves == move)[0]) for move in chosen])
        self.endgames.append(Endgame(text, [self.game.action_text(int(move)) for move in moves], wins, places))


def report(endgames: Sequence[Endgame], players: Sequence[str], games: int, met: int) -> Table:
    """Returns a row for each player. Args: games: Games played. met: Endgame decisions in them, judged or not."""
    away = np.array([given_away(endgame) for endgame in endgames])
    title = f"{len(endgames):,} of {met:,} endgame decisions in {games:,} games"
    table = Table("player", "given away", "± s.e.", "blunders per 1,000", "± s.e.", "blunders a game", title=title)
    root = np.sqrt(len(away))
    for k, name in enumerate(players):
        blunders = away[:, k] >= BLUNDER
        rate, error = blunders.mean(), blunders.std() / root
        table.add_row(
            name, f"{away[:, k].mean():.4f}", f"{away[:, k].std() / root:.4f}", f"{1000 * rate:.1f}", f"{1000 * error:.1f}",
            f"{rate * met / games:.3f}",
        )  # fmt: skip
    return table


def worst(endgames: Sequence[Endgame], players: Sequence[str], player: int, count: int) -> list[str]:
    """Returns the worst choices of a player, a line each."""
    away = [float(given_away(endgame)[player]) for endgame in endgames]
    lines = []
    for k in sorted(range(len(away)), key=lambda k: -away[k])[:count]:
        endgame = endgames[k]
        share = endgame.wins.mean(axis=0)
        best, choice = int(share.argmax()), int(endgame.choices[player])
        lines.append(
            f"{players[player]}: {endgame.text}: {endgame.moves[choice]} wins {share[choice]:.2f}, "
            f"{endgame.moves[best]} {share[best]:.2f} of {len(endgame.wins)} worlds"
        )
    return lines


def main() -> None:
    """Measures and prints a table, and the worst endgames."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, default=checkpoint_of("doudizhu", None))
    parser.add_argument("--decks", type=int, default=100, help="each is played twice, with the probe in either team")
    parser.add_argument("--cards", type=int, default=26, help="most cards in all hands")
    parser.add_argument("--share", type=float, default=0.2, help="of the endgames that are judged")
    parser.add_argument("--worlds", type=int, default=32, help="worlds per decision")
    parser.add_argument("--pimc", action="store_true", help="asks perfect-information Monte Carlo, too")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="also prints the N worst choices of each player")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if not 0.0 < options.share <= 1.0:
        parser.error(f"--share is {options.share}; expected more than 0, at most 1")
    if options.worlds < 2 or options.decks < 1:
        parser.error(f"--worlds is {options.worlds}, --decks {options.decks}; expected at least 2 worlds and 1 deck")
    trained = load_trained(options.checkpoint, "doudizhu")
    players = {
        f"search, {given['playouts']} playouts": Player(
            f"s{k}", "fpmcts", FPMCTSOptions(checkpoint=str(options.checkpoint), **given), f"s{k}"
        )
        for k, given in enumerate(SETTINGS)
    }
    if options.pimc:
        players["pimc"] = Player("pimc", "pimc", KINDS["pimc"].options(), "pimc")
    maker = Maker(trained.game, getattr(trained.game, "rules_name", ""), {player.label: player for player in players.values()})
    probe = Probe(
        trained, [maker.make(player.label) for player in players.values()], options.share, options.cards, options.worlds
    )
    opponent = PolicyAgent(trained.game, trained.evaluator.evaluate)
    console = make_console()
    with console.status("playing ...") as status:

        def progress(done: int, total: int) -> None:
            status.update(f"{done:,} of {total:,} games, {len(probe.endgames):,} endgames judged")

        duplicate_match(trained.game, probe, opponent, options.decks, options.seed, progress=progress)
    if not probe.endgames:
        parser.error(f"no endgame of {options.decks} decks was judged; raise --decks or --share")
    names = ["policy", *players]
    console.print(report(probe.endgames, names, options.decks, probe.met))
    for k in range(len(names)):
        for line in worst(probe.endgames, names, k, options.show):
            console.print(line, markup=False, highlight=False)


if __name__ == "__main__":
    main()
