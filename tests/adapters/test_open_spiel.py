"""OpenSpiel: its own tests and measures on our games, and our games beside its own."""

import numpy as np
import pytest

pyspiel = pytest.importorskip(
    "pyspiel", reason="OpenSpiel is not installed: pip install open_spiel"
)

# ruff: noqa: E402
from open_spiel.python import policy
from open_spiel.python.algorithms import evaluate_bots, exploitability

from fpmcts.adapters.open_spiel_games import load_game
from fpmcts.adapters.open_spiel_players import Bot, Policy, table_of
from fpmcts.players import load_player
from fpmcts.tabular.listed_game import listing, nash_conv, uniform
from games import make
from games.base.settings import ConfigError

TREE = "fpmcts.adapters.open_spiel_tree"


@pytest.mark.parametrize(("name", "uniform"), [("kuhn", 11 / 12), ("examples.sealed_bids", 11 / 6)])
def test_its_simulation_and_its_exploitability(name: str, uniform: float) -> None:
    game = load_game(name)
    pyspiel.random_sim_test(game, num_sims=5, serialize=False, verbose=False)
    measured = exploitability.nash_conv(game, policy.UniformRandomPolicy(game))
    assert measured == pytest.approx(uniform)


def test_a_player_of_ours_in_games_of_its_own() -> None:
    """A bot in OpenSpiel's Leduc, and how far uniform and calling play are from equilibrium in its
    Kuhn and in ours."""
    leduc = pyspiel.load_game("leduc_poker")
    bots = [
        Bot(load_player("always_call", make("leduc"))),
        Bot(load_player("random", make("leduc"))),
    ]
    generator = np.random.RandomState(4)
    results = [
        evaluate_bots.evaluate_bots(leduc.new_initial_state(), bots, generator)[0]
        for _ in range(50)
    ]
    assert {abs(result) for result in results} <= {0, 1, 3, 5, 7, 9, 11, 13} and len(
        set(results)
    ) > 4
    theirs, ours = pyspiel.load_game("kuhn_poker"), load_game("kuhn")
    random, calls = load_player("random", ours.ours), load_player("always_call", ours.ours)
    assert exploitability.nash_conv(theirs, Policy(theirs, random)) == pytest.approx(11 / 12)
    assert exploitability.nash_conv(theirs, Policy(theirs, calls)) == pytest.approx(
        exploitability.nash_conv(ours, Policy(ours, calls))
    )
    with pytest.raises(ValueError, match="rhcp does not state"):
        Policy(theirs, load_player("rhcp", make("doudizhu")))


def test_a_table_at_a_state_of_its_own() -> None:
    state = pyspiel.load_game("leduc_poker").new_initial_state()
    with pytest.raises(ValueError, match="chance"):
        table_of(state)
    for action in (4, 1, 1, 2, 1, 0, 1):  # a king, a jack; check, raise, call; a jack; check
        state.apply_action(action)
    told = table_of(state).describe()
    assert (told["hand"], told["public"], told["seat"]) == (["Jh"], ["Js"], 1)
    assert told["moves"] == ["call", "raise", "call", "call"]
    with pytest.raises(ValueError, match="doudizhu"):  # its deals cannot be listed
        load_game("doudizhu")
    with pytest.raises(ValueError, match="tic_tac_toe"):
        table_of(pyspiel.load_game("tic_tac_toe").new_initial_state())


@pytest.mark.parametrize(
    "text",
    [
        "kuhn_poker",
        "blotto(coins=3)",
        "liars_dice(dice_sides=2)",
        "oshi_zumo(coins=2,size=1,horizon=3)",
    ],
)
def test_a_game_of_its_own_is_ours(text: str) -> None:
    """Uniform play is as far from equilibrium in both."""
    theirs = pyspiel.load_game(text)
    if theirs.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        theirs = pyspiel.convert_to_turn_based(theirs)
    measured = nash_conv(listing(make(TREE, load=text)), uniform())
    expected = exploitability.nash_conv(theirs, policy.UniformRandomPolicy(theirs))
    assert measured == pytest.approx(expected)


def test_networks_tell_its_information_sets_apart() -> None:
    """The observation tensor alone shows the round's coins and no earlier round."""
    rules = make(TREE, load="oshi_zumo(coins=3,size=1,horizon=3)").rules
    own = rules.seen[rules.legal[:, 0] >= 0]
    assert len(np.unique(own, axis=0)) == len(own)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tarock", "Unknown game"),
        ("leduc_poker", "chance moves after a player"),
        ("phantom_ttt", "seat 1 cannot tell whose turn it is"),
        ("matrix_pd", "it is not zero-sum"),
    ],
)
def test_a_game_of_its_own_that_is_not(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=f"game.load={text}: .*{message}.*; expected a small"):
        make(TREE, load=text)
