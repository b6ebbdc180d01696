"""Positions in, moves with values and beliefs out."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from fpmcts.players import analysis, load_player
from games import make
from games.table import Table


def test_the_answer_is_that_of_a_player_at_the_table() -> None:
    leduc = make("leduc")
    table = Table(leduc, seed=4)
    for move in ("call", "raise", "call"):
        table.play(move)
    player = load_player("tabular", leduc)
    decision = analysis.analyse(leduc, table.describe(), player)
    assert replace(decision, seconds=0) == replace(player.decide(table), seconds=0)
    chosen = analysis.analyse("leduc", table.describe(), lambda view: "raise")
    assert chosen.move == "raise"
    for moves in ("raise", ["raise"]):
        only = analysis.analyse(leduc, table.describe(), player, moves=moves)
        assert only.move == "raise" != decision.move
    with pytest.raises(TypeError, match="playouts"):
        analysis.analyse(leduc, table.describe(), player, playouts=2)


def test_without_moves() -> None:
    """Worlds come from the network and the cards played; players that need the moves say so."""
    shown: dict[str, Any] = {"played": ["33", "7799", "TT"], "to_beat": "TT", "to_beat_seat": 2}
    game, hand = make("doudizhu"), "3445688TJQKK2"
    player = load_player("fpmcts", game, playouts=2)
    for only in (None, "KK pass"):
        decision = analysis.analyse(game, player=player, hand=hand, moves=only, **shown)
        assert decision.move in ("pass", "KK") and not decision.knows_moves
        assert decision.hidden is not None and not decision.hidden.prior_only
        text = analysis.report(decision)
        assert "the moves were not given" in text and "the network and the cards played" in text
        assert decision.move == analysis.analyse(game, player="policy", hand=hand, **shown).move
    with pytest.raises(ValueError, match="moves are missing: careful needs those that led"):

        def careful(view: Any) -> str:
            return "pass"

        analysis.analyse(game, player=careful, hand=hand, **shown)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["kuhn", "hand=Q", "moves=call", "player=tabular"]
    assert analysis.main(words) == 0
    text = capsys.readouterr().out
    assert "raise" in text and "expected return" in text and "K   " in text
    assert analysis.main([*words, "only=call", "json=true"]) == 0
    decision = json.loads(capsys.readouterr().out)
    assert decision["move"] == "call" and decision["policy"]["call"] == 1
    with pytest.raises(ValueError, match="json=5: expected true or false"):
        analysis.main([*words, "json=5"])
    for wrong in ("hnad=Q", "seed=[1"):
        with pytest.raises(ValueError, match=re.escape(wrong)):
            analysis.main([*words, wrong])
    with pytest.raises(ValueError, match="player '5': expected one of"):
        analysis.main([*words[:-1], "player=5"])
