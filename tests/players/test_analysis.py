"""Positions in, moves with values and beliefs out."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from fpmcts.players import analysis, load_player
from fpmcts.players.given import FunctionPlayer
from games import make
from games.play.table import Table


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


def test_notations_of_other_programs() -> None:
    """RLCard's B is the little joker, ours the big one."""
    game = make("doudizhu")
    asked = {"hand": "3445688TJQKK2B", "played": "33,7799,TT", "to_beat": "TT", "to_beat_seat": 2}
    seen = []
    for notation, hand in (
        (None, "3445688TJQKKL"),
        ("rlcard", "3445688TJQKKB"),
        ("douzero", "344568810JQKKX"),
        ("douzero", [3, 4, 4, 5, 6, 8, 8, 10, 11, 12, 13, 13, 20]),
    ):
        options = {} if notation is None else {"notation": notation}
        player = FunctionPlayer(game, lambda view: seen.append(view["hand"]) or "pass")
        player.needs_moves = False
        analysis.analyse(game, player=player, **asked | {"hand": hand}, **options)
    assert seen == 4 * ["3445688TJQKKL"]
    for notation, hand, said in (
        ("rlcard", "3L", "no card 'L' in '3L': expected characters of 3456789TJQKA2BR"),
        ("douzero", [3, 15], "card 15 in"),
        ("other", "3", "notation=other: expected one of douzero, rlcard"),
    ):
        with pytest.raises(ValueError, match=said):
            analysis.analyse(game, player="rhcp", notation=notation, hand=hand, moves=None)
    with pytest.raises(ValueError, match="leduc has one notation only"):
        analysis.analyse("leduc", {"hand": "Qh"}, "random", notation="rlcard")


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
