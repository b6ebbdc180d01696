"""Command lines of ``evaluate.py``: what they mean, and what is refused with which words."""

from pathlib import Path

import pytest

from fpmcts.configuration import CONF
from fpmcts.evaluation.config import parse_command_line
from fpmcts.evaluation.plan import kinds_of
from fpmcts.players.lookup import PLAYERS
from fpmcts.players.mix import MixOptions
from fpmcts.players.policy import PolicyOptions
from fpmcts.players.search_agent import FPMCTSOptions
from fpmcts.players.tabular import TabularOptions
from games import Choice
from games.base.settings import ConfigError

BY_SAMPLES = "a.backpropagation=sample_weighted"


def test_two_players_with_options() -> None:
    t = parse_command_line(
        ["a.playouts=600", "a=fpmcts", "a.inference=false", "b=policy", "b.temperature=1e-1"]
    )
    assert t.labels == ("a", "b")
    assert t.players["a"].options == FPMCTSOptions(search={"playouts": 600}, inference=False)
    assert t.players["b"].options == PolicyOptions(temperature=0.1)


def test_a_mix_names_other_players() -> None:
    t = parse_command_line(
        ["a=mix", "a.seats=[x,rhcp,random]", "x=policy", "x.temperature=1", "b=rhcp"]
    )
    assert t.players["a"].options == MixOptions(["x", "rhcp", "random"])
    assert t.players["x"].options == PolicyOptions(temperature=1.0)
    assert set(t.players) == {"a", "b", "x", "rhcp", "random"}
    assert t.labels == ("a", "b")


def test_a_bidder_names_a_player_of_cards() -> None:
    t = parse_command_line(["a=bidder", "a.cards=x", "x=policy", "b=bidder", "b.rule=value"])
    assert set(t.players) == {"a", "b", "x"} and kinds_of(t, "a") == ["policy"]


def test_a_command_is_taken_as_it_is() -> None:
    t = parse_command_line(
        ["a=external", "a.command=python -c 'print([1, 2]: 3)' # no comment", "b=rhcp"]
    )
    assert t.players["a"].options.command == "python -c 'print([1, 2]: 3)' # no comment"
    for text in ("echo ${HOME}", r"a \${b} \\${c}/${oc.env:HOME}\\ $d ${", "${a", "x\\"):
        t = parse_command_line(["a=external", f"a.command={text}", "b=rhcp"])
        assert t.players["a"].options.command == text


def test_a_run_is_a_path_and_no_part_of_a_name() -> None:
    t = parse_command_line(["game=leduc", "a=tabular", "a.run=2019", "a.policy=greedy", "b=random"])
    assert t.players["a"].options == TabularOptions(run="2019", policy="greedy")
    assert t.players["a"].name == "tabular (policy=greedy)"


def test_options_of_the_game() -> None:
    """With its name before them, as in train.py, or without."""
    for key in ("values", "game.values"):
        t = parse_command_line(["game=examples.sealed_bids", f"{key}=7", "a=random", "b=random"])
        assert t.config.game == Choice("examples.sealed_bids", {"values": 7})


REFUSED = """
a=rhcpp b=rhcp | a=rhcpp | unknown player | did you mean rhcp?
a=rhcp b=rhcp decsk=10 | decsk=10 | did you mean decks?
a=rhcp b=rhcp c.playouts=1 | c.playouts=1 | c is neither | (a, b)
a=rhcp b=rhcp c=random | c=random: c is neither | a player of the match (a, b)
a=rhcp b=rhcp sprt=[0.6,0.5] | sprt=[0.6, 0.5] | two shares
a=mix a.seats=[a,rhcp,rhcp] b=rhcp | a=mix | needs a | itself
a=always_call b=random | a=always_call | plays kuhn, leduc | not doudizhu | rhcp
players=3 a=rhcp b=random | players=3 | limit_holdem | not of doudizhu
game=leduc a=lbr b=fpmcts | a=lbr against b=fpmcts | cannot state its policy | tabular
a=policy b=rhcp slow_decks=9 | slow_decks=9: has no effect | lookahead, pimc, lbr,
a=policy b=rhcp cluster=ray processes=2 | processes=2: has no effect | set cluster.kind=none
a=policy b=rhcp cluster=ray cluster.unit_games=2 | cluster.unit_games=2: has no effect | of a match
agents=[a,b] a=policy b=rhcp sprt=[0.5,0.6] | sprt=[0.5,0.6]: has no effect | set agents=[]
table=[a,b] a=policy b=rhcp report=x | report=x: has no effect | set table=[]
game=no_limit_holdem a=mcts b=random BY a.threshold=9 | a.threshold=9: has no effect with a.
game=no_limit_holdem a=mcts b=random BY a.variance=text | a.variance=text: has no effect with a.
game=no_limit_holdem a=mcts b=random a.adapt=false a.window=9 | a.window=9: has no effect with a.
"""
"""A command line, and words of its error."""


@pytest.mark.parametrize("line", ["", *REFUSED.strip().splitlines()])
def test_refused(line: str) -> None:
    arguments, *words = line.split(" | ") if line else ("", "a=KIND", *PLAYERS)
    with pytest.raises(ConfigError) as caught:
        parse_command_line(arguments.replace("BY", BY_SAMPLES).split())
    message = str(caught.value)
    assert "\n" not in message
    assert all(word in message for word in words), message


def test_ladders_compose_and_that_of_releases_names_every_frozen_file() -> None:
    assert len(parse_command_line(["experiment=ladder"]).labels) > 2
    players = parse_command_line(["experiment=releases"]).players.values()
    named = {
        Path(player.options.checkpoint).name
        for player in players
        if getattr(player.options, "checkpoint", None)
    }
    assert named == {path.name for path in (CONF.parent / "models" / "frozen").iterdir()}
    assert any(player.kind == "policy" and player.options.checkpoint is None for player in players)
