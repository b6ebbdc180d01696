"""Every player at a table: the same position gives the same decision, hidden cards change nothing,
and what it tells is sound.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml

from fpmcts.players import load_player
from games.kernels import Stream, deal_seeds
from games.kernels.rows import States, num_rows, take
from games.play.agent import Agent
from games.play.decision import FORCED, RETURN, SURE_WIN, WINS
from games.play.interface import Game, empty_records
from games.play.table import Table
from games.poker.betting import Action
from networks.evaluator import Evaluator, Outputs
from tests.games import driver
from tests.players.conftest import DOUDIZHU, EVERY, LEDUC
from tests.tables import rows

DEALS = 8


def other_cards(game: Game, deals: States, moves: Sequence[int] = ()) -> States:
    """Returns the deals with other cards where the first seat cannot see them after some moves."""
    other = take(deals, np.arange(num_rows(deals)))
    if game is DOUDIZHU:
        other.hands[:, [1, 2]] = deals.hands[:, [2, 1]]
        return other
    hidden = [1] if moves else [1, 2]  # the public card is shown after the first round
    for own, changed in zip(deals.cards, other.cards, strict=True):
        changed[hidden] = [card for card in range(6) if card not in own][: len(hidden)]
    return other


@EVERY
def test_what_is_not_seen_changes_nothing(kind: str, game: Game, made: Agent) -> None:
    """The first seat is to move, in Leduc also after both have called."""
    generator = np.random.get_state()[1].copy()
    check_decisions(game, made)
    for moves in [()] if game is DOUDIZHU else [(), (Action.CALL, Action.CALL)]:
        check_batches(game, made, moves)
    # What numpy draws elsewhere is left alone.
    np.testing.assert_array_equal(generator, np.random.get_state()[1])


def check_decisions(game: Game, made: Agent) -> None:
    """Neither cards that the seat cannot see nor earlier questions change an answer."""
    table = Table(game, seed=2)
    other = Table(game, deal=other_cards(game, table.deal))
    assert table.record() != other.record()
    decision = made.decide(table)
    assert decision.seconds > 0.0 and len(table.moves) == 0
    assert decision.move == game.action_text(decision.action)
    assert game.is_legal(table.view(0), decision.move)
    assert json.loads(json.dumps(asdict(decision)))["move"] == decision.move
    if decision.policy is not None:
        assert list(decision.policy) == [move.text for move in table.legal()]
        assert sum(decision.policy.values()) == pytest.approx(1.0, abs=1e-5)
    assert (decision.value is None) == (decision.unit is None)
    if decision.value is not None:
        assert decision.unit == (WINS if game is DOUDIZHU else RETURN)
        assert abs(decision.value) <= (1.0 if game is DOUDIZHU else game.spec.max_return)
    later = table.copy()
    for _ in range(4):
        later.play(made.decide(later).move)
        if later.is_over:
            break
    for again in (other, table):
        assert replace(made.decide(again), seconds=decision.seconds) == decision


def check_batches(game: Game, made: Agent, moves: Sequence[int]) -> None:
    """Moves in a batch depend neither on hidden cards nor on the others in it."""
    deals = game.deal(deal_seeds(1, DEALS, Stream.EVALUATION))
    records = empty_records(DEALS, game.spec.max_moves)
    records.moves[:, : len(moves)], records.lengths[:] = moves, len(moves)
    answers, views = [], []
    for states in (take(deals, np.arange(DEALS)), other_cards(game, deals, moves)):
        for i, move in product(range(DEALS), moves):
            driver.step(game.rules, states, i, move)
        made.start(DEALS, seed=5)
        views.append(game.view(states, np.zeros(DEALS, np.int64)))
        answers.append(made.act(np.arange(DEALS), views[-1], records))
    for mine, theirs in zip(*views, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(*answers)
    made.start(DEALS, seed=5)
    for i in reversed(range(DEALS)):
        alone = made.act(np.array([i]), take(views[0], np.array([i])), records)
        assert alone[0] == answers[0][i]


@pytest.mark.parametrize(
    ("kind", "game"),
    [
        *product(("random", "policy", "fpmcts"), (DOUDIZHU, LEDUC)),
        ("tabular", LEDUC),
    ],
)
def test_given_moves_alone(kind: str, game: Game, made: Agent) -> None:
    table = Table(game, seed=2)
    legal = [move.text for move in table.legal()]
    for some in (legal[:1], legal[-2:]):
        decision = made.decide(table, moves=some)
        assert decision.move in some
        assert sum(
            probability for text, probability in decision.policy.items() if text in some
        ) == pytest.approx(1.0, abs=1e-5)
        if kind == "fpmcts":
            assert [row.move for row in decision.root] == some and sum(
                row.visits for row in decision.root
            ) == 8
    for wrong in (
        [],
        ["no such move"],
        [game.spec.num_actions - 1] if game is DOUDIZHU else ["fold"],
    ):
        with pytest.raises(ValueError):
            made.decide(table, moves=wrong)


def test_the_policy_plays_the_likeliest_of_given_moves(run: Path) -> None:
    """At temperature 0, with any seed."""
    agent = load_player("policy", DOUDIZHU, str(run), device="auto")
    table = Table(DOUDIZHU, seed=2)
    likely = sorted(agent.decide(table).policy.items(), key=lambda pair: -pair[1])
    moves = [text for text, _ in likely[1:]]
    for agent.seed in range(4):
        assert agent.decide(table, moves=moves).move == moves[0]


def finished(seed: int = 4) -> Table:
    """Returns a table at the end of a game of RHCP."""
    table, agent = Table(DOUDIZHU, seed=seed), load_player("rhcp", DOUDIZHU)
    while not table.is_over:
        table.play(agent.decide(table).move)
    return table


@pytest.mark.parametrize(("kind", "game"), [("policy", DOUDIZHU), ("fpmcts", DOUDIZHU)])
def test_forced_moves_and_sure_wins_are_said(kind: str, game: Game, made: Agent) -> None:
    found, seeds, table = set(), iter(range(99)), finished()
    while not {FORCED, SURE_WIN} <= found:
        if not table.moves:
            table = finished(next(seeds))
        table.undo()
        forced = len(table.legal()) == 1
        if forced or driver.forced_win(game.rules, table.view(table.seat), 0) >= 0:
            decision = made.decide(table)
            assert decision.reason == (FORCED if forced else SURE_WIN)
            assert decision.policy == {decision.move: 1.0} and decision.root is None
            told = (decision.value, decision.unit)
            assert told == ((None, None) if forced else (1.0, WINS))
            found.add(decision.reason)


def test_a_search_tells_its_root_and_what_it_believes(run: Path) -> None:
    table, heard = Table(DOUDIZHU, seed=2), []
    agent = load_player("fpmcts", DOUDIZHU, str(run), playouts=256)
    decision = agent.decide(table, report=lambda *told: heard.append(told))
    assert decision.unit == WINS and decision.playouts == 256
    assert [row.move for row in decision.root] == [move.text for move in table.legal()]
    assert sum(row.visits for row in decision.root) == 256
    for row in decision.root:
        assert (row.mean is None) == (row.visits == 0)
        assert row.mean is None or 0.0 <= row.mean <= 1.0
        assert row.standard_error is None or 0.0 <= row.standard_error <= 0.5
    assert any(row.standard_error for row in decision.root)
    hidden = decision.hidden
    assert hidden.seats == (1, 2) and hidden.kinds[0] == "3" and hidden.prior_only
    np.testing.assert_allclose(np.sum(hidden.probabilities, axis=-1), 1.0)
    sizes = np.einsum("skc,c->s", np.array(hidden.probabilities), np.arange(5))
    np.testing.assert_allclose(sizes, [17.0, 17.0])
    assert heard[-1][1:] == (256, 256)


@pytest.mark.parametrize("kind", ["policy", "fpmcts"])
def test_a_decision_alone_uses_one_thread(
    kind: str, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside other work, threads that share a batch of one wait for each other."""
    seen: list[int] = []
    evaluate = Evaluator.evaluate

    def noted(self: Evaluator, *given: np.ndarray) -> Outputs:
        seen.append(torch.get_num_threads())
        return evaluate(self, *given)

    monkeypatch.setattr(Evaluator, "evaluate", noted)
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        made = load_player(kind, DOUDIZHU, str(run))
        made.decide(Table(DOUDIZHU, seed=2))
        assert set(seen) == {1} and torch.get_num_threads() == 3
        assert kind != "policy" or len(seen) == 2
    finally:
        torch.set_num_threads(before)


def test_a_time_without_playouts_is_used(run: Path) -> None:
    """Its search has room for more than the default; how many fit depends on the machine."""
    agent = load_player("fpmcts", DOUDIZHU, str(run), seconds=1.0)
    assert agent.settings.playouts > 64  # type: ignore[attr-defined]
    assert agent.decide(Table(DOUDIZHU, seed=2)).playouts


def test_a_search_can_be_cut_short(run: Path) -> None:
    table = Table(DOUDIZHU, seed=2)
    agent = load_player("fpmcts", DOUDIZHU, str(run), playouts=64, slots=1)
    assert agent.decide(table, cancel=lambda: True).playouts < 64
    assert agent.decide(table, deadline=time.perf_counter()).playouts < 64


def test_what_cannot_be_decided_is_an_error_and_no_other_move() -> None:
    rhcp, table = load_player("rhcp", DOUDIZHU), Table(DOUDIZHU, seed=2)
    with pytest.raises(ValueError, match="the game is over"):
        rhcp.decide(finished())
    with pytest.raises(ValueError, match="rhcp cannot be restricted to given moves"):
        rhcp.decide(table, moves=[move.text for move in table.legal()[:2]])
    for number in (-1, LEDUC.spec.num_actions, 2**16 + Action.CALL):
        with pytest.raises(ValueError, match=f"expected legal ones, at least one; got {number}$"):
            load_player("random", LEDUC).decide(Table(LEDUC, seed=2), moves=[number])
    illegal = np.array([DOUDIZHU.spec.num_actions - 1], np.int16)
    rhcp.act = lambda games, views, records: illegal  # type: ignore[method-assign]
    with pytest.raises(RuntimeError, match="rhcp answered .* not among the moves"):
        rhcp.decide(table)


@pytest.mark.parametrize(("kind", "game"), [("policy", DOUDIZHU), ("tabular", LEDUC)])
def test_many_tables_at_once(kind: str, game: Game) -> None:
    """Other positions, seats and lengths of games side by side; what is played is as for one."""
    made, tables = load_player(kind, game), [Table(game, seed=seed) for seed in range(6)]
    for k, table in enumerate(tables):
        for _ in range(k % 3):
            table.play(table.legal()[-1].action)
    moves = made.moves(tables)
    assert moves == made.moves(tables) and made.moves([]) == []
    for table, move in zip(tables, moves, strict=True):
        assert made.decide(table, moves=[move]).move == move
        if kind == "policy":
            assert move == made.decide(table).move
    with pytest.raises(ValueError, match="plays"):
        made.moves([Table("kuhn", seed=1)])


REFUSED = """
leduc name=rhcp | rhcp | always_call | leduc
leduc name=fpmcts | no weights come with the project for leduc
doudizhu name=fpmcts checkpoint=no/such/file | no checkpoint at
doudizhu name=fpmcts inference=false phase1=marginal | phase1=marginal
doudizhu name=fpmcts inference=false particles=8 | particles=8: expected none
doudizhu name=fpmcts candidates=9 | candidates=9: has no effect with phase1=marg
doudizhu name=fpmcts match=paper strength=4 | strength=4.0: has no effect with target=visits
doudizhu name=mix seats=[rhcp,mix,rhcp] | cannot play in itself
leduc name=open_spiel bot=no.such:make | bot='no.such:make' | No module named
leduc name=rlcard agent=doudizhu-rule-v1 | doudizhu-rule-v1 | leduc-holdem-cfr
"""


@pytest.mark.parametrize("case", rows(REFUSED))
def test_players_that_cannot_be_loaded(case: tuple[str, ...]) -> None:
    (game, *given), words = case[0].split(), case[1:]
    options = {key: yaml.safe_load(value) for key, value in (one.split("=") for one in given)}
    with pytest.raises(ValueError) as caught:
        load_player(game=game, **options)
    assert all(word in str(caught.value) for word in words), str(caught.value)
