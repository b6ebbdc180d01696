"""The player of DouZero's files: its inputs against a second reading of their description, its
values against the network evaluated as it is described, one move at a time."""

from pathlib import Path

import numpy as np
import pytest
import torch

from fpmcts import load_player, make
from fpmcts.adapters.players.douzero import STATE, DouZeroAgent
from games.doudizhu.cards import unpack
from games.play.table import Table

GAME = make("doudizhu")
NAMES = ("landlord", "landlord_down", "landlord_up")


class Described(torch.nn.Module):
    """The network as DouZero's files describe it."""

    def __init__(self, state: int) -> None:
        super().__init__()
        self.lstm = torch.nn.LSTM(162, 128, batch_first=True)
        self.dense1 = torch.nn.Linear(128 + state + 54, 512)
        for k in range(2, 6):
            setattr(self, f"dense{k}", torch.nn.Linear(512, 512))
        self.dense6 = torch.nn.Linear(512, 1)

    def forward(self, z: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        x = torch.cat([self.lstm(z)[0][:, -1], x], dim=-1)
        for k in range(1, 6):
            x = torch.relu(getattr(self, f"dense{k}")(x))
        return self.dense6(x)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("douzero")
    torch.manual_seed(7)
    for name, state in zip(NAMES, STATE, strict=True):
        torch.save(Described(state).state_dict(), path / f"{name}.ckpt")
    return path


def cards54(counts: np.ndarray) -> np.ndarray:
    """A column of four for each rank from 3 to 2, then the two jokers."""
    matrix = np.array([[count > k for count in counts[:13]] for k in range(4)])
    return np.concatenate([matrix.flatten("F"), counts[13:] > 0]).astype(np.float32)


def one_hot(at: int, size: int) -> np.ndarray:
    return np.eye(size, dtype=np.float32)[at]


class Watched:
    """What the description asks for, kept while a game is played."""

    def __init__(self, table: Table) -> None:
        self.hands = unpack(table.deal.hands[0]).astype(int)
        self.played, self.last = np.zeros((3, 15), int), np.zeros((3, 15), int)
        self.moves, self.bombs = list[np.ndarray](), 0

    def play(self, seat: int, counts: np.ndarray) -> None:
        self.hands[seat] -= counts
        self.played[seat] += counts
        self.last[seat] = counts
        self.moves.append(counts)
        self.bombs += int(counts.max() == 4 and counts.sum() == 4) or int(
            counts.sum() == 2 == counts[13:].sum()
        )

    def features(self, seat: int) -> tuple[np.ndarray, np.ndarray]:
        """z ``[5, 162]`` and what the seat knows, without the move."""
        past = [np.zeros(15, int)] * 15 + self.moves
        z = np.concatenate([cards54(move) for move in past[-15:]]).reshape(5, 162)
        rival = next((m for m in reversed(past[-2:]) if m.any()), past[-1])
        left, others = self.hands.sum(axis=1), self.hands.sum(axis=0) - self.hands[seat]
        known = [cards54(self.hands[seat]), cards54(others)]
        if seat == 0:
            known += [cards54(rival), cards54(self.played[2]), cards54(self.played[1])]
            known += [one_hot(left[2] - 1, 17), one_hot(left[1] - 1, 17)]
        else:
            mate = 3 - seat
            known += [cards54(self.played[0]), cards54(self.played[mate]), cards54(rival)]
            known += [cards54(self.last[0]), cards54(self.last[mate])]
            known += [one_hot(left[0] - 1, 20), one_hot(left[mate] - 1, 17)]
        return z, np.concatenate([*known, one_hot(self.bombs, 15)])


def test_inputs_and_values_are_those_described(folder: Path) -> None:
    agent = load_player("douzero", GAME, weights=str(folder))
    assert isinstance(agent, DouZeroAgent)
    seen, rng = dict[str, list[np.ndarray]](), np.random.default_rng(3)
    nets = [Described(state) for state in STATE]
    for name, net in zip(NAMES, nets, strict=True):
        net.load_state_dict(torch.load(folder / f"{name}.ckpt", weights_only=True))
    asked = list(agent.nets)

    def noted(seat: int):
        def values(past, known, moves, owner):
            seen["inputs"] = [past, known]
            return asked[seat](past, known, moves, owner) if seed < 3 else np.zeros(len(moves))

        return values

    agent.nets = [noted(seat) for seat in range(3)]
    checked = 0
    for seed in range(30):
        table = Table(GAME, seed=seed)
        watched = Watched(table)
        while not table.is_over:
            seat = table.seat
            legals, counts, values = agent.values(table.view(seat), table.seen(seat))
            z, known = watched.features(seat)
            np.testing.assert_array_equal(seen["inputs"][0][0], z)
            np.testing.assert_array_equal(seen["inputs"][1][0], known)
            legal = legals[0, : counts[0]]
            if seed < 3:
                rows = [
                    np.concatenate([known, cards54(row)]) for row in unpack(GAME.rules.cards[legal])
                ]
                with torch.no_grad():
                    expected = nets[seat](
                        torch.from_numpy(np.stack([z] * len(rows))),
                        torch.from_numpy(np.stack(rows)),
                    )
                np.testing.assert_allclose(values[0, : counts[0]], expected[:, 0], atol=1e-5)
            move = int(rng.choice(legal))
            watched.play(seat, unpack(GAME.rules.cards[move]).astype(int))
            table.play(GAME.action_text(move))
            checked += 1
    assert checked > 1000


def test_it_plays_and_refuses_what_is_no_file_of_its(folder: Path, tmp_path: Path) -> None:
    whole = make("doudizhu", bidding="call")  # bids by a rule, see ``bidder``
    for game in (GAME, whole):
        agent, table = load_player("douzero", game, weights=str(folder)), Table(game, seed=5)
        while not table.is_over:
            table.play(agent.decide(table).move)
    with pytest.raises(ValueError, match="weights=FOLDER"):
        load_player("douzero", GAME)
    with pytest.raises(ValueError, match="there is no .*landlord.ckpt"):
        load_player("douzero", GAME, weights=str(tmp_path))
    for name, other in zip(NAMES, reversed(NAMES), strict=True):
        (tmp_path / f"{name}.ckpt").write_bytes((folder / f"{other}.ckpt").read_bytes())
    with pytest.raises(ValueError, match="what DouZero saves for this seat"):
        load_player("douzero", GAME, weights=str(tmp_path))
