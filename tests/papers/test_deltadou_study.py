"""The study of DeltaDou: what it trains, which networks it keeps, and a stop on the way."""

from pathlib import Path

import pytest

from fpmcts.papers.deltadou import DeltaDou
from fpmcts.papers.deltadou_examples import Moment, belief_text, corrects
from games.base.settings import ConfigError
from games.play.decision import Decision, HiddenCards, RootMove

TINY = (
    *("episodes=2", "games=12", "bootstrap_games=100", "playouts=4", "decks=2", "curve_decks=2"),
    *("curves=[RHCP]", "matches=[{a: Policy, b: RHCP, printed: [58, 0.19]}]"),
    *("train.network.channels=8", "train.network.blocks=1", "train.search.playouts=4"),
    *("train.search.worlds=4", "train.episode.games_per_step=8", "train.train.reservoir=2000"),
)


def read(*overrides: str) -> DeltaDou:
    return DeltaDou.read("deltadou", overrides)


def test_the_run_is_the_papers_at_the_given_size(tmp_path: Path) -> None:
    study = read("episodes=5", "games=500", "curve_every=2", f"run_dir={tmp_path}")
    config = study.run_config()
    assert (config.episode.games, config.budget.iterations, config.train.batch_size) == (
        500,
        5,
        128,
    )
    assert config.run_dir == str(tmp_path / "run") and study.points() == [0, 2, 4, 5]
    assert study.notes()[0].startswith("Size, ours of the paper's: episodes 5 of 80, games 500 of")


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("curves=[xdou]", "xdou: expected one of DeltaDou"),
        ("train.episode.gams=3", "episode.gams"),
        ("train.game.bidding=call", "train.game.bidding: expected none but encoding"),
        ("matches=[{a: Policy, b: RHCP, printed: [58]}]", "Policy against RHCP: printed=.58.0.: "),
        ("players.RHCP.kind=rcp", "players.RHCP: player 'rcp': .*did you mean rhcp"),
    ],
)
def test_refused(override: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read(override)


def test_what_a_round_tells() -> None:
    """Two of A from 40 to 93 %, as in figure 2; K, which was played, does not count."""

    def decision(aces: list[float], kings: list[float]) -> Decision:
        hidden = HiddenCards((2,), ("K", "A"), [[kings, aces]], None, False, False)
        moves = (RootMove("3", 0.9, 5, 0.1, None), RootMove("44", 0.1, 15, 0.5, None))
        return Decision("44", 0, root=moves, hidden=hidden)

    first = decision([0.3, 0.3, 0.4], [0.0, 0.0, 1.0])
    second = decision([0.0, 0.07, 0.93], [1.0, 0.0, 0.0])
    moments = [Moment((), 1, first), Moment(("pass", "KK", "22"), 1, second)]
    said = "After pass, KK, 22 seat 1 believes with 93 % that seat 2 holds exactly 2 of A"
    assert belief_text(moments).startswith(said) and corrects(first)


@pytest.mark.slow  # a minute
def test_stopped_and_resumed(tmp_path: Path) -> None:
    asked = iter(range(3))
    study = read(*TINY, f"run_dir={tmp_path}")
    assert study.play(lambda *at: None, lambda: next(asked, None) is None) is None
    said = study.play(lambda *at: None, lambda: False)
    names = {path.name for path in (tmp_path / "snapshots").iterdir()}
    assert names == {"0.safetensors", "1.safetensors", "2.safetensors"}
    assert said is not None and said[-1].endswith("(4 games); printed 58 %, +0.19")
    assert study.play(lambda *at: None, lambda: True) == said  # nothing is left to play
    text = (tmp_path / "results.md").read_text()
    assert "figure 1" in text and "games 12 of 8,000" in text
    assert (tmp_path / "figure.png").stat().st_size > 0
