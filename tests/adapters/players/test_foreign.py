"""Bots of OpenSpiel and agents of RLCard as players: what they are shown, that nothing leaks, and
that faults are faults.
"""

import numpy as np
import pytest

from fpmcts.adapters.players.foreign import ExternalPlayerError
from fpmcts.adapters.players.foreign_worlds import draw_game
from fpmcts.players import load_player
from games import make
from games.kernels import streams
from games.kernels.rows import num_rows, take
from games.play.table import Table

pyspiel = pytest.importorskip(
    "pyspiel", reason="OpenSpiel is not installed: pip install open_spiel"
)
pytest.importorskip("rlcard", reason="RLCard is not installed: pip install rlcard")

LEDUC, GOOFSPIEL = make("leduc"), make("goofspiel", cards=4)


class Recorded(pyspiel.Bot):
    """Plays its last legal action and records what it receives."""

    def __init__(self, log: list[object]) -> None:
        super().__init__()
        self.log = log

    def inform_action(self, state: object, player: int, action: int) -> None:
        self.log.append(("told", player, action))

    def step(self, state: object) -> int:
        self.log.append(
            (
                "asked",
                state.get_game().get_type().short_name,
                state.information_state_string(state.current_player()),
            )
        )
        return state.legal_actions()[-1]


LOG: list[object] = []


def recorded(game: object, seat: int, seed: int) -> object:
    return Recorded(LOG)


def broken(game: object, seat: int, seed: int) -> object:
    raise RuntimeError("its file is missing")


class Wrong(pyspiel.Bot):
    """Answers what is not legal, as a bot of OpenSpiel and as an agent of RLCard."""

    use_raw = True

    def step(self, state: object) -> int:
        return 7

    def eval_step(self, state: dict[str, object]) -> tuple[str, list[object]]:
        return "3", []


def wrong(*asked: object) -> object:
    return Wrong()


def bot(name: str) -> str:
    return f"{__name__}:{name}"


def test_a_bot_sits_at_the_game_that_is_played() -> None:
    """In Leduc at OpenSpiel's own, told the moves of the other, its own card and the public one as
    they are.
    """
    LOG.clear()
    table = Table(LEDUC, deal=LEDUC.start(np.array([[5, 0, 3]])))
    for move in ("call", "raise", "call", "call", "raise"):
        table.play(move)
    decision = load_player("open_spiel", LEDUC, bot=bot("recorded")).decide(table)
    assert decision.move == "raise"
    assert [entry[1:] for entry in LOG if entry[0] == "told"] == [(1, 2), (1, 2)]
    assert LOG[-1][1] == "leduc_poker"
    assert LOG[-1][2].startswith(
        "[Observer: 0][Private: 5][Round 2][Player: 0][Pot: 10][Money: 97 93][Public: 3]"
    )


@pytest.mark.parametrize("game", [LEDUC, GOOFSPIEL], ids=lambda game: game.spec.name)
def test_worlds_are_those_that_the_seat_cannot_rule_out(game: object) -> None:
    """Drawn games lead to the same view."""
    deals = game.deal(streams(3, 40))
    generator, rng = np.random.default_rng(1), streams(4, 1)
    for row in range(8):
        table = Table(game, deal=take(deals, np.array([row])))
        for _ in range(int(generator.integers(1, 5))):
            table.play(generator.choice([move.action for move in table.legal()]))
            if table.is_over:
                table.undo()
                break
        seat, seen = table.seat, table.seen(table.seat)
        for _ in range(10):
            deal, moves = draw_game(
                game, table.view(seat), seen.moves[0, : seen.lengths[0]], seat, rng
            )
            other = Table(game, deal=deal)
            for move in moves:
                other.play(move)
            for mine, drawn in zip(table.view(seat), other.view(seat), strict=True):
                np.testing.assert_array_equal(mine, drawn)
            np.testing.assert_array_equal(seen.moves, other.seen(seat).moves)


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        ("open_spiel", {"bot": "broken"}, ["seat 0 of leduc", "RuntimeError: its file is missing"]),
        ("open_spiel", {"bot": "wrong"}, ["wrong", "seat 0 of leduc", "answered 7", "1, 2"]),
        ("rlcard", {"agent": "wrong"}, ["wrong", "seat 0 of leduc", "answered '3'", "call, raise"]),
    ],
)
def test_faults_end_the_match(kind: str, options: dict[str, str], words: list[str]) -> None:
    player = load_player(kind, LEDUC, **{key: bot(value) for key, value in options.items()})
    with pytest.raises(ExternalPlayerError) as caught:
        player.decide(Table(LEDUC, seed=1))
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_rlcard_s_cfr_knows_every_information_state() -> None:
    """Else it would play at random and say nothing."""
    player = load_player("rlcard", LEDUC, agent="leduc-holdem-cfr")
    known = player._agents[0].average_policy
    deals, _ = LEDUC.starts()
    asked = 0

    def walk(table: Table) -> None:
        nonlocal asked
        if table.is_over:
            return
        seat = table.seat
        state = player.state(
            player.shown(table.view(seat), 0, table.seen(seat).moves[0, : len(table.moves)])
        )
        assert state["obs"].tobytes() in known, (table.record(), state["raw_obs"])
        asked += 1
        for move in table.legal():
            table.play(move.action)
            walk(table)
            table.undo()

    for row in range(0, num_rows(deals), 11):
        walk(Table(LEDUC, deal=take(deals, np.array([row]))))
    assert asked > 100
