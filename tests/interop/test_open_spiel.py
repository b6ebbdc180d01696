"""OpenSpiel: its own tests and measures on our games, and our games beside its own."""

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open_spiel")

# ruff: noqa: E402
from open_spiel.python import policy
from open_spiel.python.algorithms import evaluate_bots, exploitability

from agents import load_player
from interop.open_spiel_games import Bot, load_game


@pytest.mark.parametrize(
    ("name", "options", "uniform"),
    [("kuhn", {}, 11 / 12), ("goofspiel", {"cards": 3}, None), ("examples.sealed_bids", {}, 11 / 6)],
)
def test_its_simulation_and_its_exploitability(name: str, options: dict[str, object], uniform: float | None) -> None:
    game = load_game(name, **options)
    pyspiel.random_sim_test(game, num_sims=5, serialize=False, verbose=False)
    if uniform is not None:
        assert exploitability.nash_conv(game, policy.UniformRandomPolicy(game)) == pytest.approx(uniform)


def test_kuhn_agrees_on_every_history() -> None:
    """The same legal moves and returns after the same cards and moves."""
    ours, theirs, compared = load_game("kuhn"), pyspiel.load_game("kuhn_poker"), 0
    deals = [tuple(int(card) for card in row[:2]) for row in ours.deals.cards]

    def walk(a: object, b: object) -> int:
        assert a.is_terminal() == b.is_terminal()
        if a.is_terminal():
            assert a.returns() == b.returns()
            return 1
        assert a.current_player() == b.current_player()
        mine, other = a.legal_actions(), b.legal_actions()
        assert len(mine) == len(other) == 2  # fold or check, bet or call
        # Ours: fold 0, call or check 1, bet 2; theirs: pass 0 (check or fold), bet 1 (bet or call).
        return sum(walk(a.child(x), b.child(y)) for x, y in zip(mine, other, strict=True))

    for number, (first, second) in enumerate(deals):
        a, b = ours.new_initial_state(), theirs.new_initial_state()
        a.apply_action(number)
        b.apply_action(first)
        b.apply_action(second)
        compared += walk(a, b)
    assert compared == 30


def test_goofspiel_agrees_with_its_own() -> None:
    """Imperfect-information Goofspiel with prizes 1 .. n: the uniform policy is as far from equilibrium in both."""
    text = "goofspiel(imp_info=True,num_cards=4,points_order=descending,returns_type=win_loss)"
    theirs = pyspiel.convert_to_turn_based(pyspiel.load_game(text))
    measured = exploitability.nash_conv(theirs, policy.UniformRandomPolicy(theirs))
    assert measured == pytest.approx(1.416667, abs=1e-6)
    ours = load_game("goofspiel", cards=4, lowest_prize=1)
    assert exploitability.nash_conv(ours, policy.UniformRandomPolicy(ours)) == pytest.approx(measured, abs=1e-6)


def test_a_player_of_ours_as_a_bot() -> None:
    game = load_game("kuhn")
    bots = [Bot(load_player("tabular", game.new_initial_state().get_game().ours)), Bot(load_player("always_call", game.ours))]
    generator = np.random.RandomState(3)
    total = sum(evaluate_bots.evaluate_bots(game.new_initial_state(), bots, generator)[0] for _ in range(200))
    assert -200 < total < 200 and total == int(total)


def test_games_that_cannot_be_listed_are_refused() -> None:
    with pytest.raises(ValueError, match="doudizhu"):
        load_game("doudizhu")
