"""RLCard's Doudizhu beside ours."""

import random

import pytest

pytest.importorskip("rlcard", reason="RLCard is not installed: pip install rlcard")

# ruff: noqa: E402
from fpmcts.adapters.rlcard_referee import JOKERS, POINTS, Disagreement, Referee
from fpmcts.players import load_player
from games import make
from games.play.table import Table


def judged(rules: str, num_games: int) -> Referee:
    """Returns a referee after games in which RHCP plays seven moves in ten and chance the others,
    long ones more often."""
    referee, generator = Referee(make("doudizhu", rules=rules)), random.Random(5)
    player = load_player("rhcp", referee.game)

    def choose(table: Table) -> str:
        texts = [move.text for move in table.legal()]
        if generator.random() < 0.7:
            return player.decide(table).move
        return generator.choices(texts, [len(text) ** 2 for text in texts])[0]

    ended = sum(
        referee.judge(Table(referee.game, seed=number), choose) for number in range(num_games)
    )
    assert ended == referee.games
    return referee


def test_both_say_the_same_after_every_move() -> None:
    referee = judged("standard", 10)
    assert referee.games == 10 and referee.plies > 250
    assert referee.differences[JOKERS] == 0 and 0 < referee.differences[POINTS] < 10


@pytest.mark.slow
def test_the_known_difference_is_counted() -> None:
    referee = judged("douzero", 1000)
    assert referee.games >= 980 and referee.differences[JOKERS] > 0


def test_a_difference_is_reported() -> None:
    referee, table = Referee(make("doudizhu")), Table(make("doudizhu"), seed=1)
    with pytest.raises(Disagreement, match="the legal moves: here .* in RLCard"):
        state = referee._begin(table)
        state["actions"].pop()
        referee._compare(table, state)
