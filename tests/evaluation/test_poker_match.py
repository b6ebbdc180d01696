"""Matches of poker: exact expectations by enumeration, seats that cancel, three players, reports
and resumed tournaments."""

import json
from pathlib import Path

import numpy as np
import pytest

from fpmcts.evaluation.config import parse_command_line
from fpmcts.evaluation.duplicate import duplicate_match, table_scores
from fpmcts.evaluation.match_result import MatchResult, TableResult
from fpmcts.evaluation.plan import make_plan
from fpmcts.evaluation.report import TournamentReport
from fpmcts.evaluation.tournament import TaskWorker
from fpmcts.players.tabular import TabularAgent, TabularPolicy
from fpmcts.tabular.best_response import profile_values
from games import make
from games.kernels.rows import States
from games.play.interface import Records, seats_to_move
from games.poker.game import LimitPoker
from tests.evaluation.poker_games import (
    ThreePlayerKuhn,
    poker,
    random_table,
)
from tests.evaluation.test_tournament import plan_of, played


@pytest.mark.parametrize(
    "game", [poker("kuhn"), poker("leduc"), ThreePlayerKuhn()], ids=lambda game: game.spec.name
)
@pytest.mark.parametrize("sharp", [1.0, 3.0])
def test_matches_estimate_the_exact_values(game: LimitPoker, sharp: float) -> None:
    """Of tables, A alone and B alone: the score of every seat is within 4 standard errors of what
    the tree says (at most 6 numbers, a false alarm for 1 seed in 2,600).
    """
    tables = random_table(game.tables, 1), random_table(game.tables, 2, sharp)
    owner, big_blind = game.tables.infoset_player, game.bets.unit
    agents = [TabularAgent(TabularPolicy.of_table(game.tables, table)) for table in tables]
    result = duplicate_match(game, *agents, 4000, seed=3)
    sides = [(*tables, result.by_team)]
    if result.opposite is not None:
        sides.append((*tables[::-1], result.opposite.by_team))
    for own, others, side in sides:
        for seat, score in enumerate(side):
            policy = np.where(owner[:, None] == seat, own, others)
            exact = 1000 * profile_values(game.tables, policy)[seat] / big_blind
            assert abs(score.adp.mean - exact) < 4 * score.adp.error


class Bold:
    """Bets and raises whenever it may."""

    name = "bold"

    def __init__(self, game: LimitPoker) -> None:
        self.betting = game.betting

    def start(self, num_games: int, seed: int) -> None:
        pass

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        return self.betting.actions[views.node, self.betting.num_actions[views.node] - 1].astype(
            np.int16
        )


class Timid(Bold):
    """Checks, and folds to any bet."""

    name = "timid"

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        return self.betting.actions[views.node, 0].astype(np.int16)


def test_three_players_by_hand() -> None:
    """The bold one bets and wins two antes from two timid ones; alone against two bold ones the
    timid one loses its ante."""
    game = ThreePlayerKuhn()
    result = duplicate_match(game, Bold(game), Timid(game), 10, seed=0)
    assert len(result.games.seating) == result.num_games == 60
    assert result.games.seating[:6].tolist() == [
        [0, 1, 1],
        [1, 0, 1],
        [1, 1, 0],
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
    ]
    assert [score.adp.mean for score in (result.total, *result.by_team)] == [2000.0] * 4
    assert result.opposite is not None
    assert [score.adp.mean for score in (result.opposite.total, *result.opposite.by_team)] == [
        -1000.0
    ] * 4
    facts = result.as_dict()
    assert facts["total"]["mbb_per_hand"]["mean"] == 2000.0
    assert facts["b_alone"]["by_team"]["P2"]["mbb_per_hand"]["mean"] == -1000.0
    tournament = parse_command_line(["game=leduc", "a=random", "b=always_call"])
    rows = TournamentReport(tournament, game.spec, {("a", "b"): result}).table()
    assert [row[1:4] for row in rows[1:]] == [
        ["–", "+2000 ± 0", "+2000 ± 0"],
        ["-1000 ± 0", "–", "-1000 ± 0"],
    ]


def test_a_table_of_two_is_a_match(tmp_path: Path) -> None:
    game, games = poker("leduc"), []
    for players in (["a=random", "b=always_call"], ["table=[random,always_call]"]):
        found = played(plan_of(tmp_path, "game=leduc", *players))
        games += [result.games for result in found.values()]
    match, table = (
        MatchResult(("x", "y"), game.spec, games[0]),
        TableResult(("x", "y"), table_scores(game.spec, games[1]), [{}, {}]),
    )
    assert table.score(0).mean == pytest.approx(match.total.adp.mean)
    assert table.lead(0, 1).mean == pytest.approx(2 * match.total.adp.mean)
    text = table.text(game.spec.score, games[1].usage)
    first = text.splitlines()[1]
    assert first.startswith(f"x: mbb/h {match.total.adp.text(0)} (") and first.endswith(")")


def test_tournament_of_poker(tmp_path: Path) -> None:
    """Reported by the mean score over the opponents."""
    plan = plan_of(tmp_path, "game=leduc", "agents=[random,always_call,other]", "other=random")
    results = played(plan)
    report = TournamentReport(plan.tournament, poker("leduc").spec, results)
    report.write(tmp_path / "report", {"command": "a test"})
    facts = json.loads((tmp_path / "report" / "report.json").read_text())
    assert facts["matches"][0]["total"].keys() == {"mbb_per_hand"} and "ratings" not in facts
    first = [results[pair].sides[0].returns.mean(axis=1) for pair in results if pair[0] == "random"]
    mean = facts["mean_mbb_per_hand"]["random"]
    assert mean["mean"] == pytest.approx(np.mean(first)) and len(first) == 2
    assert mean["error"] == pytest.approx(np.std(np.mean(first, axis=0), ddof=1) / np.sqrt(10))


def test_decks_whose_blinds_put_everybody_all_in(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "game=no_limit_holdem small_blind=100 stacks=100 a=always_call b=random decks=3"
    tournament = parse_command_line([*words.split(), "processes=1"])
    plan = make_plan(tournament, game := tournament.config.game.make())
    assert (seats_to_move(game, plan.decks) < 0).all()
    with monkeypatch.context() as patch:
        patch.setattr("games.play.agent.Agent.start", lambda *_: pytest.fail("nobody is to move"))
        TaskWorker(plan).agent("a")


def test_the_most_that_can_be_won_from_unequal_stacks() -> None:
    assert make("no_limit_holdem", stacks=[30000, 300]).spec.max_return == 300.0
