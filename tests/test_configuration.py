"""What comes of the layers of a configuration: defaults, the game's file, an experiment, the
command line."""

import re

import pytest

from fpmcts.training.algorithms import read_run
from fpmcts.training.command import help_text as train_help
from fpmcts.training.config import TrainConfig
from games import Choice
from games.base.settings import ConfigError, leaves


def test_later_layers_win() -> None:
    own = read_run([])
    paper = read_run(["experiment=paper"])
    given = read_run(["experiment=paper", "game.encoding=default", "search.playouts=7"])
    assert [config.objective for config in (own, paper, given)] == ["wp", "adp", "adp"]
    assert [config.game.options["encoding"] for config in (own, paper, given)] == [
        "default",
        "paper",
        "default",
    ]
    assert (paper.search.root, given.search.root, given.search.playouts) == ("puct", "puct", 7)


def test_no_experiment_may_be_chosen() -> None:
    assert read_run(["experiment=null"]) == read_run([])


@pytest.mark.parametrize("algorithm", ["fpmcts", "ismcts", "nfsp"])
def test_a_game_outside_the_tree_has_options(algorithm: str) -> None:
    config = read_run(["game=examples.sealed_bids", "game.values=4", f"algorithm={algorithm}"])
    assert config.game == Choice("examples.sealed_bids", {"values": 4})
    assert config.as_dict()["game"] == {"name": "examples.sealed_bids", "values": 4}
    with pytest.raises(ConfigError, match="game.values=9: expected at least 2 and at most 8"):
        read_run(["game=examples.sealed_bids", "game.values=9", f"algorithm={algorithm}"])


@pytest.mark.parametrize(
    "text",
    [
        "leduc",
        "goofspiel:cards=4",
        'fpmcts.adapters.open_spiel_tree:load="oshi_zumo(coins=2,size=1,horizon=3)"',
        "no_limit_holdem:bet_sizes=[0.5,all-in],stacks=[900,5000]",
    ],
)
def test_a_choice_is_read_from_its_text_and_its_fields(text: str) -> None:
    choice = Choice.from_text(text)
    assert str(choice) == text and Choice.parse(choice.as_dict()) == choice


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("goofspiel:crads=4", "game.crads=4: unknown key; did you mean game.cards"),
        ("leduc:suits=yellow", "game.suits=yellow: expected true or false"),
        ("goofspeil", "game=goofspeil: .*; did you mean goofspiel"),
        ("leduc:suits", "game=leduc:suits: expected NAME:OPTION=VALUE"),
        ("goofspiel:4=5", "game.4=5: unknown key; expected one of game.cards"),
        ("goofspiel:]", "game=goofspiel:]: expected NAME:OPTION=VALUE"),
    ],
)
def test_a_wrong_choice_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        Choice.from_text(text)
    assert "\n" not in str(caught.value)


def test_help_shows_the_values_of_a_configuration() -> None:
    assert "search.c=1.0" in train_help("search.c game=kuhn", "train")
    assert "search.c=2.0" in train_help("search.c", "train")


def test_conditions_of_keys_name_keys() -> None:
    """A key that a configuration lacks needs nothing, so a wrong name would refuse nothing."""
    owners = {key: owner for key, _, _, owner in leaves(TrainConfig)}
    for key, owner in owners.items():
        group = key[: key.rfind(".") + 1]
        for needed in getattr(owner, "depends", {}).values():
            for way in filter(None, re.split(" and |, ", needed)):
                name = re.split("[=>]", way)[0]
                assert (name[1:] if name[0] == "." else group + name) in owners, (key, way)
