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
from games import make


@pytest.mark.parametrize(("name", "uniform"), [("kuhn", 11 / 12), ("examples.sealed_bids", 11 / 6)])
def test_its_simulation_and_its_exploitability(name: str, uniform: float) -> None:
    game = load_game(name)
    pyspiel.random_sim_test(game, num_sims=5, serialize=False, verbose=False)
    measured = exploitability.nash_conv(game, policy.UniformRandomPolicy(game))
    assert measured == pytest.approx(uniform)


def test_leduc_agrees_on_every_history() -> None:
    """The same chances, seats to move, legal moves and returns, and information sets that tell the
    same histories apart."""
    ours, theirs = load_game("leduc"), pyspiel.load_game("leduc_poker")
    same: tuple[dict[str, str], dict[str, str]] = ({}, {})  # our information sets to theirs, back
    ends, chances = set(), 0.0

    def chance_of(b: object, card: int) -> float:
        assert b.is_chance_node()
        chance = dict(b.chance_outcomes())[card]
        b.apply_action(card)
        return chance

    def walk(a: object, b: object, public: int) -> None:
        if b.is_chance_node():
            assert chance_of(b, public) == 1 / 4
        assert a.is_terminal() == b.is_terminal()
        if a.is_terminal():
            assert a.returns() == b.returns()
            ends.add(tuple(b.history()))
            return
        seat, legal = a.current_player(), a.legal_actions()
        assert (
            seat == b.current_player() and legal == b.legal_actions()
        )  # fold 0, check or call 1, bet or raise 2
        told = a.information_state_string(seat), b.information_state_string(seat)
        assert (
            same[0].setdefault(told[0], told[1]) == told[1]
            and same[1].setdefault(told[1], told[0]) == told[0]
        )
        for action in legal:
            walk(a.child(action), b.child(action), public)

    for number, (first, second, public) in enumerate(
        ours.deals.cards.tolist()
    ):  # ours deals the public card at the start
        a, b = ours.new_initial_state(), theirs.new_initial_state()
        a.apply_action(number)
        chance = chance_of(b, first) * chance_of(b, second) / 4
        assert ours.chances[number] == pytest.approx(chance)
        chances += chance
        walk(a, b, public)
    assert chances == pytest.approx(1)
    assert len(ends) == 5520 and len(same[0]) == 2 * 468  # games/leduc/game.py


def test_goofspiel_agrees_with_its_own() -> None:
    """Imperfect-information Goofspiel with prizes 1 .. n: the uniform policy is as far from
    equilibrium in both."""
    text = "goofspiel(imp_info=True,num_cards=4,points_order=descending,returns_type=win_loss)"
    theirs = pyspiel.convert_to_turn_based(pyspiel.load_game(text))
    measured = exploitability.nash_conv(theirs, policy.UniformRandomPolicy(theirs))
    assert measured == pytest.approx(1.416667, abs=1e-6)
    ours = load_game("goofspiel", cards=4, lowest_prize=1)
    assert exploitability.nash_conv(ours, policy.UniformRandomPolicy(ours)) == pytest.approx(
        measured, abs=1e-6
    )


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
    with pytest.raises(ValueError, match="rhcp cannot state"):
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
