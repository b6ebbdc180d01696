"""Tables of matches: what a lot depends on, how they go on, what they say, and what they refuse."""

import json
from pathlib import Path

import pytest

from reproduce.job import Event
from reproduce.lots import LotWorker
from reproduce.match_tables import (
    LOT,
    PLAYERS,
    Lot,
    cells_of,
    head_to_head,
    parse,
    play_lot,
    read_job,
    report,
)
from runtime.configuration import load
from runtime.settings import ConfigError

SMALL = [
    "only=[goofspiel_6_short]",
    "tables.goofspiel_6_short.game.cards=3",
    "tables.goofspiel_6_short.seconds=0.001",
]


def played(folder: Path, *overrides: str) -> list[str]:
    """Returns what a job says in the end."""
    job = read_job("lisy_tables", [f"run_dir={folder}", *SMALL, *overrides])
    *events, said = job.play(lambda: False)
    assert all(isinstance(event, Event) for event in events) and isinstance(said, list)
    return said


def test_more_matches_go_on_and_a_cut_line_is_played_again(tmp_path: Path) -> None:
    said = played(tmp_path / "a", "matches=40")
    assert said[-1].endswith("of 16 cells within 6 points of what is printed")
    played(tmp_path / "b", "matches=20")
    path = tmp_path / "b" / "matches.jsonl"
    whole = path.read_text()
    path.write_text(whole[:-30])
    played(tmp_path / "b", "matches=40")
    first, second = ((tmp_path / name / "matches.jsonl").read_text().splitlines() for name in "ab")
    assert first[0] == second[0] and sorted(first) == sorted(second) and len(first) == 1 + 2 * 16
    assert (tmp_path / "a" / "tables.md").read_text().count("| UCT |") == 2
    with pytest.raises(ConfigError, match="holds matches of other settings"):
        played(tmp_path / "b", "seed=1")


def test_an_actor_plays_the_same_lot() -> None:
    config, tables = parse(
        load("reproduce/lisy_tables", dict(pair.split("=", 1) for pair in SMALL), ())
    )
    unit = (config, tables["goofspiel_6_short"], Lot("goofspiel_6_short", "exp3", "uct", 3))
    assert list(LotWorker("reproduce.match_tables:play_lot").work(None)(unit)) == [play_lot(*unit)]


def test_a_job_that_is_stopped_says_nothing(tmp_path: Path) -> None:
    job = read_job("lisy_tables", [f"run_dir={tmp_path}", *SMALL, "matches=20"])
    asked = iter([False])
    events = list(job.play(lambda: next(asked, True)))
    assert (
        len(events) == 1
        and isinstance(events[0], Event)
        and (events[0].done, events[0].total) == (LOT, 16 * LOT)
    )


def test_what_the_tables_say() -> None:
    config, tables = parse(load("reproduce/lisy_tables", {"only": "[phantom]"}, ()))
    wins = {"uct": 5, "exp3": 6, "regret_matching": 8, "random": 1}  # of ten, whoever is second
    returns = {row: [1.0] * won + [-1.0] * (10 - won) for row, won in wins.items()}
    results = {
        Lot("phantom", row, column, 0): returns[row] for row in PLAYERS for column in PLAYERS
    }
    cells = cells_of("phantom", results)
    assert cells["exp3", "uct"].mean == 60.0
    assert head_to_head(cells, "regret_matching", "uct")[0] == pytest.approx((80 + 50) / 2)
    text, said = report(config, tables, results)
    assert said[-1].startswith("1 of 16 cells")  # RM against RM, 80.0 and 85.2
    assert "**50.0 ± 37.7** (86.5)" in text
    assert "Exp3 55.0" in said[0] and "RM 65.0" in said[0]
    assert json.loads(text[text.rindex('{"seed') :])["seed"] == 0


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("matches=30", "matches=30: expected a multiple of 20"),
        ("only=[goofspiel]", "only=goofspiel: expected some of goofspiel_6_short"),
        (
            "options.exp3.gama=0.2",
            "options.exp3.gama=0.2: unknown key; did you mean options.exp3.gamma",
        ),
        ("options.random.c=1", "options.random="),
        ("episodes=3", "episodes=3: unknown key"),
        ("tables.phantom.rates.uct=null", "expected"),
    ],
)
def test_bad_keys(override: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_job("lisy_tables", [override])
