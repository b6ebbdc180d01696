"""Kuhn and Leduc: sizes and payoffs against an oracle, equation 3, bad input."""

import numpy as np
import pytest

from games import make
from games.kuhn.game import equilibrium, squared_error
from games.limit_holdem.game import RULES
from games.poker import betting
from games.poker.betting import BettingRules
from games.poker.tables import PokerTables
from games.poker.tree import Kind
from tests.games import poker_oracle as oracle

GAMES = [("kuhn", {}), ("leduc", {"suits": True})]


@pytest.fixture(scope="module", params=GAMES, ids=["kuhn", "leduc"])
def game(request: pytest.FixtureRequest) -> PokerTables:
    return make(request.param[0], **request.param[1]).tables


@pytest.mark.parametrize(
    ("name", "options", "infosets", "terminals"),
    [("kuhn", {}, 6, 30), ("leduc", {"suits": True}, 468, 5520)],
)
def test_sizes(name: str, options: dict[str, bool], infosets: int, terminals: int) -> None:
    """Known values (OpenSpiel's tests; counted by hand in games/poker/README.md)."""
    game = make(name, **options).tables
    assert np.bincount(game.tree.infoset_player).tolist() == [infosets, infosets]
    assert np.bincount(game.infoset_player).tolist() == [infosets, infosets]
    assert np.bincount(game.tree.kind)[Kind.TERMINAL] == terminals


def test_leduc_has_144_information_states_up_to_suits() -> None:
    small, full = make("leduc").tables, make("leduc", suits=True).tables
    assert np.bincount(small.infoset_player).tolist() == [144, 144]
    texts, fine = small.infoset_texts(), full.infoset_texts()
    for infoset, row in enumerate(small.table_infoset):
        cards, _, bets = fine[infoset].partition(" ")
        assert texts[row] == f"{cards[::2]} {bets}".strip()
    assert len(small.tree.kind) == len(full.tree.kind)


def test_every_history_pays_as_the_oracle_says(game: PokerTables) -> None:
    """All histories of the tree: movers, legal actions, information states, chance, payoffs."""
    tree, texts = game.tree, game.infoset_texts()
    cards = oracle.CARDS[game.name]
    expected = {
        (deal, moves) for deal in oracle.deals(game.name) for moves in oracle.plays(game.name)
    }
    found: dict[tuple[tuple[str, ...], str], float] = {}
    probability: dict[tuple[tuple[str, ...], str], float] = {}

    def walk(node: int, rows: np.ndarray, moves: str, chance: float) -> None:
        children = range(tree.first_child[node], tree.first_child[node] + tree.num_children[node])
        if tree.kind[node] == Kind.CHANCE:
            position = oracle.replay(game.name, moves)
            known = 2 + position.round
            prefixes = sorted({tuple(row[:known]) for row in game.deals.cards[rows].tolist()})
            assert len(prefixes) == len(children)
            for child, prefix in zip(children, prefixes, strict=True):
                same = rows[(game.deals.cards[rows, :known] == prefix).all(axis=1)]
                walk(child, same, moves, chance * tree.chance[child])
        elif tree.kind[node] == Kind.DECISION:
            position = oracle.replay(game.name, moves)
            assert tree.player[node] == position.player
            assert len(position.legal) == tree.num_children[node]
            for row in rows:
                names = tuple(cards[card] for card in game.deals.cards[row])
                assert texts[tree.infoset[node]] == oracle.seen(names, position.player, position)
            actions = game.betting.actions[tree.betting_node[node]]
            assert "".join("fcr"[a] for a in actions if a >= 0) == position.legal
            for child, move in zip(children, position.legal, strict=True):
                walk(child, rows, moves + move, chance)
        else:
            for row in rows:
                names = tuple(cards[card] for card in game.deals.cards[row])
                found[names, moves] = tree.payoffs[node, 0]
                probability[names, moves] = chance
            assert tree.payoffs[node].sum() == 0

    walk(0, np.arange(len(game.deals.outcome)), "", 1.0)
    assert set(found) == expected
    for (names, moves), payoff in found.items():
        position = oracle.replay(game.name, moves)
        assert payoff == oracle.wins(game.name, position, names)
        kinds = 6 if game.name == "kuhn" else 30 * (4 if position.round else 1)
        assert probability[names, moves] == pytest.approx(1 / kinds)


def test_outcomes_of_three_players() -> None:
    """13 weak orders (the ordered Bell number)."""
    assert len(betting.outcomes(3)) == 13
    assert betting.outcomes(3)[betting.outcome_of((5, 9, 9))] == (0, 1, 1)
    assert len(betting.outcomes(2)) == 3


@pytest.mark.parametrize("alpha", [0.0, 0.2, 1 / 3])
def test_squared_error_to_the_closest_equilibrium(alpha: float) -> None:
    assert squared_error(equilibrium(alpha)) == pytest.approx(0, abs=1e-20)
    # The closest equilibrium among many, by search.
    policy = make("kuhn").tables.uniform_policy() * 0.3 + equilibrium(alpha) * 0.7
    errors = [np.mean((policy - equilibrium(a)) ** 2) for a in np.linspace(0, 1 / 3, 1001)]
    assert squared_error(policy) == pytest.approx(min(errors), abs=1e-7)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"forced": (1,)}, "at least two players"),
        ({"raises": (0,)}, "raises > 0"),
        ({"raises": (1, 2)}, "as many raises"),
        ({"first": (2,)}, "players 0 to 1"),
    ],
)
def test_bad_rules(rules: dict[str, tuple[int, ...]], message: str) -> None:
    good = {"forced": (1, 1), "raises": (1,), "max_raises": (1,), "first": (0,)}
    with pytest.raises(ValueError, match=message):
        BettingRules(**{**good, **rules})


def test_bad_arguments() -> None:
    with pytest.raises(
        ValueError, match="expected one of doudizhu, goofspiel, kuhn, leduc, limit_holdem"
    ):
        make("stud")
    with pytest.raises(
        ValueError, match="game.colour=True: unknown key; expected one of game.suits"
    ):
        make("leduc", colour=True)
    with pytest.raises(ValueError, match="alpha = 0.5"):
        equilibrium(0.5)
    with pytest.raises(ValueError, match="one for each round"):
        betting.build(RULES[2], (1, 1))
    kuhn = make("kuhn").tables
    with pytest.raises(ValueError, match=r"expects \(12, 2\)"):
        kuhn.check_policy(np.ones((3, 2)))
    wrong = kuhn.uniform_policy()
    wrong[4] = [0.9, 0.2]
    with pytest.raises(ValueError, match=r"policy\[4\].*'Q cr'"):
        kuhn.check_policy(wrong)
    wrong[4] = [np.nan, 1]
    with pytest.raises(ValueError, match=r"policy\[4\]"):
        kuhn.check_policy(wrong)
