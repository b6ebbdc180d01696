"""Records: what is saved is read back, and what is not a game is refused."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from games.doudizhu import records
from games.doudizhu.records import Record, load, parse, record, save, to_text
from tests.games.positions import random_game


def random_record(seed: int) -> Record:
    deal, moves = random_game(seed)
    return record("standard", deal.hands[0], deal.bottom[0], moves)


def test_records_survive_the_file(tmp_path: Path) -> None:
    games = [random_record(seed) for seed in range(5)]
    save(tmp_path / "games.jsonl", games[:3])
    save(tmp_path / "games.jsonl", games[3:])
    assert load(tmp_path / "games.jsonl") == games


def test_a_game_may_be_unfinished() -> None:
    deal, moves = random_game(1)
    game = record("standard", deal.hands[0], deal.bottom[0], moves[:-1])
    assert (game.winner, game.points) == (-1, (0, 0, 0))
    assert parse(to_text(game)) == game


def test_the_example_in_the_readme() -> None:
    readme = (Path(records.__file__).parent / "README.md").read_text()
    (example,) = re.findall(r"```json\n(.*?)```", readme, re.DOTALL)
    assert len(parse(example).moves) == 7


FAULTS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "field": (lambda fields: fields.pop("bottom"), "expected an object with the fields rules, hands"),
    "type": (lambda fields: fields.update(hands=3), "expected lists of texts"),
    "rules": (lambda fields: fields.update(rules="pagat"), "expected one of standard"),
    "cards": (lambda fields: fields.update(bottom="34Z"), "no card 'Z'"),
    "hands": (lambda fields: fields["hands"].pop(), "2 hands: expected 3"),
    "size": (lambda fields: fields.update(bottom="34"), "2 cards in the bottom: expected 3"),
    "deck": (lambda fields: fields["hands"].__setitem__(1, fields["hands"][0]), "are no deck"),
    "move": (lambda fields: fields["moves"].insert(0, "pass"), r"move 1 \(pass\): not legal for seat 0 with .* to lead"),
    "text": (lambda fields: fields["moves"].insert(0, "34"), "'34' is no move"),
    "end": (lambda fields: fields["moves"].append("pass"), "the game is over"),
    "result": (lambda fields: fields.update(points=[0, 0, 0]), "the moves give winner"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_named_with_their_line(fault: str, tmp_path: Path) -> None:
    change, message = FAULTS[fault]
    good = to_text(random_record(1))
    fields = json.loads(good)
    change(fields)
    path = tmp_path / "games.jsonl"
    path.write_text(f"{good}\n{json.dumps(fields)}\n")
    with pytest.raises(ValueError, match=f"{re.escape(str(path))}, line 2: .*{message}"):
        load(path)


def test_no_json() -> None:
    with pytest.raises(ValueError, match="no JSON"):
        parse("3334 pass")
