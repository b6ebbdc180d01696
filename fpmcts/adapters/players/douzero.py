"""Networks trained with DouZero, from their three files: a value for every legal move, the highest
is played.

A file holds an LSTM of 128 units over the last 15 moves, three to a step, and six linear layers
over its output, what the seat knows, and a move. The inputs follow the paper's appendix and the
public description of DouZero's environment; they were checked against a second reading in the
tests, not against DouZero's program. The files are read as tensors only (``weights_only``).

A move's layers share everything but the last 54 columns of the first one, so these parts are
computed once per decision.

Source: Zha et al., "DouZero: Mastering DouDizhu with self-play deep reinforcement learning", ICML
2021.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from games.doudizhu.cards import HAND_SIZES
from games.doudizhu.moves import PASS, Rules
from games.doudizhu.state import States, hand_size, unseen_cards
from games.kernels import kernel
from games.kernels.generic import legal
from games.play.agent import Agent
from games.play.interface import Game, Records
from games.play.registry import Host, PlayerOptions, player
from networks.device import one_thread

FILES = ("landlord", "landlord_down", "landlord_up")
CARDS, MOVES, BOMBS, LSTM = 54, 15, 15, 128
"""Numbers of a set of cards; moves that the LSTM reads; the counts of bombs; LSTM units."""
STATE = (5 * CARDS + 2 * HAND_SIZES[1] + BOMBS, *2 * (7 * CARDS + 20 + 17 + BOMBS,))
"""Numbers of what a seat knows, by seat."""
Values = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""Returns the values of M moves (float32 ``[M]``) in n decisions from the last 15 moves (float32
``[n, 5, 162]``), what the seats know (float32 ``[n, S]``), the moves (float32 ``[M, 54]``) and the
decision of each (int64 ``[M]``).
"""


def load_net(path: Path, state: int) -> Values:
    """Returns the network of a seat whose knowledge is ``state`` numbers. Raises ValueError if the
    file holds none for this seat.
    """
    lstm, sizes = (
        torch.nn.LSTM(3 * CARDS, LSTM, batch_first=True),
        [LSTM + state + CARDS, *[512] * 5, 1],
    )
    dense = [torch.nn.Linear(*pair) for pair in pairwise(sizes)]
    net = torch.nn.ModuleDict({"lstm": lstm} | {f"dense{k}": one for k, one in enumerate(dense, 1)})
    try:
        net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    except Exception as error:  # torch and pickle raise many types
        reason = " ".join(str(error).split())[:200]
        raise ValueError(
            f"{path}: expected what DouZero saves for this seat, an LSTM of 128 and six linear "
            f"layers: {reason}"
        ) from error
    split, (first, *others, last) = LSTM + state, dense

    def values(
        past: np.ndarray, known: np.ndarray, moves: np.ndarray, owner: np.ndarray
    ) -> np.ndarray:
        with one_thread(), torch.inference_mode():
            read = lstm(torch.from_numpy(past))[0][:, -1]
            shared = torch.cat([read, torch.from_numpy(known)], 1)
            shared = functional.linear(shared, first.weight[:, :split], first.bias)
            own = functional.linear(torch.from_numpy(moves), first.weight[:, split:])
            x = functional.relu(shared[torch.from_numpy(owner)] + own)
            for layer in others:
                x = functional.relu(layer(x))
            return np.asarray(last(x)[:, 0].numpy())

    return values


def load_nets(paths: list[Path]) -> list[Values]:
    """Returns the networks of the landlord, of the peasant after and of the one before it."""
    return [load_net(path, state) for path, state in zip(paths, STATE, strict=True)]


@kernel
def _cards(cards: np.uint64, out: np.ndarray, at: int) -> int:
    """Writes a set of cards: four numbers for each rank up to the 2, as many of them 1 as there are
    cards, then one for each joker; returns the place after it.
    """
    for rank in range(15):
        count = np.int64((cards >> np.uint64(4 * rank)) & np.uint64(15))
        for k in range(4 if rank < 13 else 1):
            out[at] = 1.0 if k < count else 0.0
            at += 1
    return at


@kernel
def _one_hot(value: int, size: int, out: np.ndarray, at: int) -> int:
    for k in range(size):
        out[at + k] = 1.0 if k == value else 0.0
    return at + size


@kernel
def observe(
    rules: Rules,
    states: States,
    moves: np.ndarray,
    length: int,
    i: int,
    past: np.ndarray,
    state: np.ndarray,
) -> None:
    """Writes what the seat to move in lane ``i`` knows.

    Args:
        moves: int16 ``[max_moves]``, the moves since the deal.
        length: Their number.
        past: float32 ``[5, 162]``, written: the last 15 moves, the oldest first, nothing before the
            first move.
        state: float32 ``[S]``, written.
    """
    flat, seat = past.reshape(-1), np.int64(states.seat[i])
    for k in range(MOVES):
        move = moves[length - MOVES + k] if length - MOVES + k >= 0 else PASS
        _cards(rules.cards[move], flat, CARDS * k)
    before = [rules.cards[moves[length - 1 - k]] if length > k else np.uint64(0) for k in range(2)]
    to_beat = before[0] if before[0] > 0 else before[1]
    at = _cards(states.hands[i, seat], state, 0)
    at = _cards(unseen_cards(states, i, seat), state, at)
    if seat == 0:
        at = _cards(to_beat, state, at)
        at = _cards(states.played[i, 2], state, at)
        at = _cards(states.played[i, 1], state, at)
        at = _one_hot(hand_size(states, i, 2) - 1, 17, state, at)
        at = _one_hot(hand_size(states, i, 1) - 1, 17, state, at)
    else:
        mate = 3 - seat
        at = _cards(states.played[i, 0], state, at)
        at = _cards(states.played[i, mate], state, at)
        at = _cards(to_beat, state, at)
        at = _cards(before[seat - 1], state, at)  # the landlord's last move
        at = _cards(before[2 - seat], state, at)  # the partner's
        at = _one_hot(hand_size(states, i, 0) - 1, 20, state, at)
        at = _one_hot(hand_size(states, i, mate) - 1, 17, state, at)
    _one_hot(states.bombs[i], BOMBS, state, at)


@kernel
def _observe_all(
    rules: Rules,
    states: States,
    rows: np.ndarray,
    moves: np.ndarray,
    lengths: np.ndarray,
    past: np.ndarray,
    state: np.ndarray,
    legals: np.ndarray,
    counts: np.ndarray,
) -> None:
    for k in range(rows.size):
        observe(rules, states, moves[k], np.int64(lengths[k]), rows[k], past[k], state[k])
        counts[k] = legal(rules, states, rows[k], legals[k])


@kernel
def _move_planes(rules: Rules, moves: np.ndarray, out: np.ndarray) -> None:
    for k in range(moves.size):
        _cards(rules.cards[moves[k]], out[k], 0)


class DouZeroAgent(Agent):
    """Plays the move of highest value, the first of equal ones.

    Args:
        game: Doudizhu without an auction.
        nets: The networks by seat.
    """

    name = "douzero"

    def __init__(self, game: Game, nets: list[Values]) -> None:
        self.game, self.nets = game, nets

    def values(self, views: States, records: Records) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns the legal moves of n views (int16 ``[n, max_legal]``), their numbers (int64
        ``[n]``) and their values (float32 ``[n, max_legal]``, −∞ where there is no move).

        Args:
            records: The moves of the n games.
        """
        rules, n = self.game.rules, len(views.seat)
        legals = np.zeros((n, self.game.spec.max_legal), np.int16)
        counts, found = np.zeros(n, np.int64), np.full(legals.shape, -np.inf, np.float32)
        for seat in range(3):
            rows = np.flatnonzero(views.seat == seat)
            past = np.zeros((len(rows), 5, 3 * CARDS), np.float32)
            state = np.zeros((len(rows), STATE[seat]), np.float32)
            own, count = legals[rows], counts[rows]
            moves, lengths = records.moves[rows], records.lengths[rows]
            _observe_all(rules, views, rows, moves, lengths, past, state, own, count)
            legals[rows], counts[rows] = own, count
            owner = np.repeat(np.arange(len(rows)), count)
            slot = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
            planes = np.empty((len(owner), CARDS), np.float32)
            _move_planes(rules, own[owner, slot], planes)
            if len(rows):
                found[rows[owner], slot] = self.nets[seat](past, state, planes, owner)
        return legals, counts, found

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view."""
        own = Records(records.moves[games], records.lengths[games])
        legals, _, values = self.values(views, own)
        return legals[np.arange(len(games)), values.argmax(axis=1)]


@player("douzero", games=["doudizhu"])
@dataclass
class DouZeroOptions(PlayerOptions):
    """Networks trained with DouZero (``landlord.ckpt``, ``landlord_down.ckpt``,
    ``landlord_up.ckpt``), which you bring: none come with this project.

    Attributes:
        weights: The folder of the three files.
    """

    weights: str | None = None

    def sources(self) -> list[Path]:
        """Returns the three files. Raises ValueError if one is missing."""
        if self.weights is None:
            raise ValueError(
                "weights is missing; give weights=FOLDER with landlord.ckpt, landlord_down.ckpt "
                "and landlord_up.ckpt of a DouZero run"
            )
        paths = [Path(self.weights) / f"{name}.ckpt" for name in FILES]
        for path in paths:
            if not path.is_file():
                raise ValueError(
                    f"there is no {path}; weights={self.weights}: expected a folder with "
                    "landlord.ckpt, landlord_down.ckpt and landlord_up.ckpt"
                )
        return paths

    def make(self, host: Host) -> Agent:
        """Returns the player."""
        paths = self.sources()
        nets = host.once(
            ("douzero", self.weights),
            lambda: load_nets(paths),
        )
        return DouZeroAgent(host.game, nets)
