"""Records of Doudizhu: what is saved is read back, and what is not a game is refused."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games.doudizhu import game
from tests.games.doudizhu.positions import GAME, random_game


def random_record(seed: int, left: int = 0) -> dict[str, Any]:
    deal, moves = random_game(seed)
    record = GAME.record(deal, 0, np.array(moves[: len(moves) - left]))
    assert GAME.parse_record(json.loads(json.dumps(record)))[1] == moves[: len(moves) - left]
    return record


def test_a_game_may_be_unfinished() -> None:
    over, running = random_record(1), random_record(1, left=1)
    assert (
        (running["winner"], running["points"])
        == (-1, [0, 0, 0])
        != (over["winner"], over["points"])
    )


def test_the_example_in_the_readme() -> None:
    readme = (Path(game.__file__).parent / "README.md").read_text()
    (example,) = re.findall(r"```json\n(.*?)```", readme, re.DOTALL)
    assert len(GAME.parse_record(json.loads(example))[1]) == 7


FAULTS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "type": (lambda fields: fields.update(hands=3), "expected a list of 3 texts"),
    "rules": (lambda fields: fields.update(rules="pagat"), "rules 'pagat': expected 'standard'"),
    "text": (lambda fields: fields["moves"].insert(0, "34"), "'34' is not a move"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_named(fault: str) -> None:
    change, message = FAULTS[fault]
    fields = random_record(1)
    change(fields)
    with pytest.raises(ValueError, match=message):
        GAME.parse_record(fields)
