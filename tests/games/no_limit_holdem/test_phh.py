"""Hand histories: PokerKit reads what is written and agrees on what is read; the traps of real
files."""

import lzma
import os
from pathlib import Path

import pokerkit
import pytest

from games.no_limit_holdem import phh
from games.no_limit_holdem.phh import UNSEEN, BadHandError, parse, read
from games.no_limit_holdem.phh_check import main
from games.no_limit_holdem.phh_replay import faults, pack, replay
from games.no_limit_holdem.phh_write import phh_text, write

PLURIBUS = Path(os.environ.get("PLURIBUS_HANDS", "shared/data/pluribus.phhs.xz"))

THREE = """variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [50, 100, 0]
min_bet = 100
starting_stacks = [1000, 2000, 3000]
actions = ['d dh p1 AsAh', 'd dh p2 KsKh', 'd dh p3 2c7d', 'p3 f', 'p1 cbr 300', \
'p2 cbr 2000', 'p1 cc', 'd db 2h3h4d', \
'd db 9s', 'd db 9d']
players = ['one', "t'wo", 'three']
finishing_stacks = [2000, 1000, 3000]
table = '7'
"""
HEADS_UP = """variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [1000, 1000]
actions = ['d dh p1 Ac2d', 'd dh p2 5h6h', 'p2 cc', 'p1 cbr 300', 'p2 cc', 'd db 2h3h4d', \
'p1 cc', 'p2 cbr 400', 'p1 f']
"""
# As sites tell them: cents, cards unseen, a player who mucks, a post by a player who sat down, an
# ante that changes, no winnings.
CENTS = """# a comment
variant = "NT"
antes = [0.01, 0.02, 0]
blinds_or_straddles = [0.25, 0.50, -0.50]
min_bet = 0.50
starting_stacks = [50, 50.00, 50]
actions = [
  "d dh p1 ????", # unseen
  "d dh p2 ????",
  "d dh p3 ????",

  "p3 cc", "p1 f", "p2 cc # checks",
  "d db 2h3h4d", "p2 cc", "p3 cc", "d db 5d", "p2 cbr 1.25", "p3 cc", "d db 6c", "p2 cc", "p3 cc",
  "p2 sm AhKh", "p3 sm ????", "p3 sm", ]
winnings = [0, 0, 0]
author = "A. \\"B\\""
"""


def test_reads_what_was_played() -> None:
    hand = parse(THREE)
    assert hand.hole[0] == (51, 50) and hand.board == (2, 6, 9, 31, 29)
    assert (hand.seats, hand.moves, hand.boards) == (
        (2, 0, 1, 0),
        (phh.FOLD, 300, 2000, phh.CALL),
        (0, 0, 0, 0),
    )
    assert hand.players == ("one", "t'wo", "three") and hand.table == "7"
    assert faults([hand]) == [""]
    assert replay(pack([hand])).returns.tolist() == [[1000, -1000, 0]]


def test_heads_up_posts_are_listed_the_other_way_round() -> None:
    """p1 has the big blind, as in PokerKit."""
    hand = parse(HEADS_UP)
    assert hand.blinds == (100, 50) and faults([hand]) == [""]
    state = list(pokerkit.HandHistory.loads(HEADS_UP))[-1]
    assert replay(pack([hand])).returns[0].tolist() == state.payoffs == [-300, 300]


def test_traps_of_real_files() -> None:
    hand = parse(CENTS, "site.phh", "3")
    assert (
        hand.scale == 100
        and hand.stacks == (5000,) * 3
        and hand.blinds == (25, 50, -50)
        and hand.antes == (1, 2, 0)
    )
    assert hand.hole == ((UNSEEN, UNSEEN), (50, 46), (UNSEEN, UNSEEN)) and hand.moves[5] == 125
    assert faults([hand]) == [""]
    played = replay(pack([hand]))
    assert not played.settled[0]  # somebody's cards at the showdown were never told


@pytest.mark.parametrize("text", [THREE, HEADS_UP, CENTS])
def test_what_is_written_is_read_again(text: str) -> None:
    hand = parse(text)
    assert parse(phh_text(hand)) == hand
    assert (
        pokerkit.HandHistory.loads(phh_text(hand)).starting_stacks
        == pokerkit.HandHistory.loads(text).starting_stacks
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("'NT'", "'PO'", "variant = 'PO': expected 'NT'"),
        ("'p3 f'", "'p4 f'", "action 4, 'p4 f': no player 'p4'; expected p1 to p3"),
        ("d dh p2 KsKh", "d dh p2 AsKh", "a card is dealt twice"),
        ("[50, 100, 0]", "[50, 1e999999999, 0]", "is not an amount; expected a number below"),
        ("[50, 100, 0]", "[50, 0x" + 9999 * "f" + ", 0]", "a number that is too long is not an"),
        ("[50, 100, 0]", "[50, " + 9999 * "9" + ", 0]", "is not TOML (Exceeds the limit"),
        ("[50, 100, 0]", "[50, " + 9999 * "[", "is not TOML (maximum recursion depth exceeded"),
        ("0]\nmin", f"0]\n{'a.' * 9999}a = 1\nmin", "20,350 characters; expected at most"),
        ("[1000, 2000, 3000]", "[1.0001, 2000, 999999]", "999999 is too much in chips of 1/10,000"),
        ("[50, 100, 0]", "[0, 0, 0]", "antes and blinds_or_straddles are all 0"),
        ("min_bet = 100", "min_bet = -1", "min_bet = -1: expected more than 0 chips"),
    ],
)
def test_a_bad_hand_is_named(old: str, new: str, said: str) -> None:
    assert old in THREE
    with pytest.raises(BadHandError) as error:
        parse(THREE.replace(old, new, 1), "some.phhs", "17")
    assert (
        said in str(error.value)
        and str(error.value).startswith("some.phhs, hand 17: ")
        and "\n" not in str(error.value)
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "'p3 f', 'p1 cbr 300'",
            "'p1 cbr 300', 'p3 f'",
            "move 1: p1 moves, where it is the turn of p3",
        ),
        ("'p1 cc', ", "", "ends after 3 moves, where p1 is to move"),
        (
            "'p1 cc', 'd db 2h3h4d'",
            "'d db 2h3h4d', 'p1 cc'",
            "3 cards on the board, where the betting has 0",
        ),
        ("'d db 9d'", "'d db 9d', 'p2 cc'", "the hand is over before it"),
        (
            "[2000, 1000, 3000]",
            "[2001, 999, 3000]",
            "ends with stacks [2000, 1000, 3000], where the file says [2001, 999, 3000]",
        ),
    ],
)
def test_what_the_rules_forbid_is_named(old: str, new: str, said: str) -> None:
    assert old in THREE
    assert said in faults([parse(THREE.replace(old, new, 1))])[0]


def test_rake_is_no_fault() -> None:
    assert faults([parse(THREE.replace("[2000, 1000, 3000]", "[1950, 1000, 3000]"))]) == [""]


def test_files_folders_and_bad_hands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "10.phh").write_text(HEADS_UP)
    (tmp_path / "in" / "9.phh").write_text(THREE)
    (tmp_path / "in" / "11.phhs.xz").write_bytes(
        lzma.compress(f"[1]\n{THREE}\n[5]\n{THREE.replace('cbr', 'cbx')}".encode())
    )
    problems: list[BadHandError] = []
    hands = list(read([tmp_path / "in"], "skip", problems))
    assert [Path(hand.file).name for hand in hands] == ["9.phh", "10.phh", "11.phhs.xz"]
    assert [(Path(p.file).name, p.number) for p in problems] == [("11.phhs.xz", "5")]
    with pytest.raises(BadHandError, match="hand 5"):
        list(read([tmp_path / "in"]))
    assert main(["check", str(tmp_path / "in")]) == 1
    told = capsys.readouterr().out
    assert "3 files, 4 hands: 3 read" in told and "11.phhs.xz, hand 5: action 5" in told
    bomb = lzma.compress(bytes(2**20))
    (tmp_path / "bomb.phhs.xz").write_bytes(bomb)
    monkeypatch.setattr(phh, "MOST_BYTES", 2**20 - 1)
    assert main(["check", str(tmp_path / "bomb.phhs.xz")]) == 1
    assert "bomb.phhs.xz: more than 1,048,575 bytes of text" in capsys.readouterr().out
    (tmp_path / "cut.phhs.xz").write_bytes(lzma.compress(THREE.encode())[:40])
    assert (
        main(["check", str(tmp_path / "cut.phhs.xz")]) == 1
        and "is no whole xz file" in capsys.readouterr().out
    )


def test_many_hands_are_written_and_read(tmp_path: Path) -> None:
    hands = [parse(THREE), parse(HEADS_UP), parse(CENTS)]
    for name in ("a.phhs", "a.phhs.xz"):
        assert write(tmp_path / name, hands) == 3
        again = read([tmp_path / name])
        assert [h._replace(file="", number="1") for h in again] == hands
    with pytest.raises(ValueError, match="holds one hand, not 3"):
        write(tmp_path / "a.phh", hands)


def test_a_superscript_is_not_a_number(tmp_path: Path) -> None:
    (tmp_path / "1²2.phhs").write_text(f"[²]\n{THREE}")
    (hand,) = read([tmp_path])
    assert "hand =" not in phh_text(hand)


@pytest.mark.slow
@pytest.mark.skipif(not PLURIBUS.exists(), reason="PLURIBUS_HANDS names no file")
def test_all_hands_of_pluribus() -> None:
    """Every action is legal, and everybody ends with the stack that the file tells."""
    hands = list(read([PLURIBUS]))
    assert len(hands) > 8_000 and all(hand.finishing_stacks for hand in hands)
    assert not [fault for fault in faults(hands) if fault]
    assert replay(pack(hands)).settled.all()
    for hand in hands[::100]:
        assert parse(phh_text(hand)) == hand._replace(file="", number="1")
