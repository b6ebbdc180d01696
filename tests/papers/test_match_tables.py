"""Tables of matches: what a lot depends on, resuming, the report, and refusals."""

import json
from pathlib import Path

import pytest

from fpmcts.cluster.store import ResultFileError
from fpmcts.papers.ismcts_tables import (
    PLAYERS,
    Lot,
    MatchTables,
    cells_of,
    head_to_head,
    returns_of,
)
from fpmcts.papers.reward_figures import RewardFigures
from games.base.settings import ConfigError

SMALL = [
    "only=[goofspiel_6_short]",
    "tables.goofspiel_6_short.game.cards=3",
    "tables.goofspiel_6_short.seconds=0.001",
]


def played(folder: Path, *overrides: str, stop_after: int = 1000) -> list[str] | None:
    """Returns what the tables say in the end."""
    asked = iter(range(stop_after))
    tables = MatchTables.read("lisy_tables", [f"run_dir={folder}", *SMALL, *overrides])
    return tables.play(lambda *at: None, lambda: next(asked, None) is None)


def test_more_matches_go_on_and_a_cut_line_is_played_again(tmp_path: Path) -> None:
    said = played(tmp_path / "a", "matches=40")
    assert said is not None and said[-1].endswith("of 16 cells within 6 points of what is printed")
    assert played(tmp_path / "b", "matches=20", stop_after=5) is None
    path = tmp_path / "b" / "lots.jsonl"
    whole = path.read_text()
    path.write_text(whole[:-30])
    assert played(tmp_path / "b", "matches=40") == said
    first, second = ((tmp_path / name / "lots.jsonl").read_text().splitlines() for name in "ab")
    assert first[0] == second[0] and set(first) <= set(second) and len(first) == 1 + 2 * 16
    text = (tmp_path / "a" / "tables.md").read_text()
    assert text.count("| UCT |") == 4 and "matches 40 of 1,000" in text
    with pytest.raises(ResultFileError, match=r"holds results with different settings \(seed\)"):
        played(tmp_path / "b", "seed=1")


def test_points_of_a_figure_on_the_same_decks(tmp_path: Path) -> None:
    """Two rule players at tables of three: stopped and resumed, as it is played at once; the scores
    of a table sum to 0."""
    game = "figures.small={title: Small, game: {name: no_limit_holdem, players: 2}, hands: 80"
    figure = f"{game}, players: {{x: {{kind: best_hand}}, y: {{kind: always_call}}}}}}"
    said = []
    for folder, stops in (("a", []), ("b", [1])):
        overrides = [f"run_dir={tmp_path / folder}", figure, "only=[small]", "acquaintance=20"]
        job = RewardFigures.read("broeck_figures", overrides)
        for stop_after in stops:
            asked = iter(range(stop_after))
            assert job.play(lambda *at: None, lambda: next(asked, None) is None) is None  # noqa: B023
        seen: list[tuple[object, ...]] = []
        said.append(job.play(lambda *at: seen.append(at), lambda: False))  # noqa: B023
        first = 40 * len(stops)  # games that were kept
        assert seen[0][1:] == (first, 80, "games") and seen[-1][1:] == (80, 80, "games")
        assert (tmp_path / folder / "figure.png").exists()
    assert said[0] == said[1] and said[0] is not None and "(80 hands)" in said[0][0]


def test_points_depend_on_the_content_of_models(tmp_path: Path) -> None:
    """A new model at the same path is a new point, whose lots are played anew."""
    model, keys = tmp_path / "model", []
    players = f"{{x: {{kind: mcts, checkpoint: {model}}}, y: {{kind: always_call}}}}"
    figure = f"figures.small={{game: {{name: no_limit_holdem, players: 2}}, players: {players}}}"
    for content in ("one", "other", "one"):
        model.write_text(content)
        (point,) = RewardFigures.read("broeck_figures", [figure, "only=[small]"]).points()
        keys.append(point.key)
    assert keys[0] == keys[2] != keys[1]
    bad = figure.replace("always_call", "nobody")
    with pytest.raises(ConfigError, match="player y: player 'nobody': expected one of"):
        RewardFigures.read("broeck_figures", [bad, "only=[small]"])


def test_what_the_tables_say() -> None:
    config = MatchTables.read("lisy_tables", ["only=[phantom]"])
    wins = {"uct": 5, "exp3": 6, "regret_matching": 8, "random": 1}  # of ten, against any opponent
    returns = {row: [1.0] * won + [-1.0] * (10 - won) for row, won in wins.items()}
    results = {
        Lot("phantom", 0, row, column): returns[row] for row in PLAYERS for column in PLAYERS
    }
    cells = cells_of(returns_of("phantom", results))
    assert cells["exp3", "uct"].mean == 60.0
    assert head_to_head(cells, "regret_matching", "uct")[0] == pytest.approx((80 + 50) / 2)
    text, said = config.report(results)
    assert said[-1].startswith("1 of 16 cells")  # RM against RM, 80.0 and 85.2
    assert "**50.0 ± 37.7** (86.5)" in text and "50.0 / 0.0 / 50.0" in text
    assert "Exp3 55.0" in said[0] and "RM 65.0" in said[0]
    origin = json.loads(text[text.rindex('{"seed') :])
    assert origin["seed"] == 0 and origin["commit"] and origin["machine"]["cores"]


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("matches=30", "matches=30: expected a multiple of 20"),
        ("options.random.c=1", "options.random="),
    ],
)
def test_bad_keys(override: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        MatchTables.read("lisy_tables", [override])
