"""Hand histories: PokerKit reads what is written and agrees on what is read; the traps of real
files."""

import json
import lzma
import os
from pathlib import Path

import numpy as np
import pokerkit
import pytest

from games import make
from games.no_limit_holdem import phh
from games.no_limit_holdem.phh import UNSEEN, BadHandError, parse, read
from games.no_limit_holdem.phh_check import main
from games.no_limit_holdem.phh_games import record_of
from games.no_limit_holdem.phh_replay import Verdict, pack, replay, verdicts
from games.no_limit_holdem.phh_write import phh_text, write
from games.play.table import Table
from games.poker.hands import card_texts
from tests.games.no_limit_holdem import pokerkit_oracle as oracle
from tests.tables import rows

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
    assert not verdicts([hand])[0].fault
    assert replay(pack([hand])).returns.tolist() == [[1000, -1000, 0]]


def test_heads_up_posts_are_listed_the_other_way_round() -> None:
    """p1 has the big blind, as in PokerKit."""
    hand = parse(HEADS_UP)
    assert hand.blinds == (100, 50) and not verdicts([hand])[0].fault
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
    assert not verdicts([hand])[0].fault
    played = replay(pack([hand]))
    assert not played.settled[0]  # somebody's cards at the showdown were never told


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("'NT'", "'PO'", "variant = 'PO' (pot-limit Omaha hold'em): expected 'NT', no-limit Texas"),
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
    assert said in verdicts([parse(THREE.replace(old, new, 1))])[0].fault


def test_rake_is_no_fault() -> None:
    hand = parse(THREE.replace("[2000, 1000, 3000]", "[1950, 1000, 3000]"))
    assert not verdicts([hand])[0].fault


RAISED = """variant = 'NT'
antes = [0, 0, 0, 0, 0]
blinds_or_straddles = [5, 10, 0, 0, 0]
min_bet = 10
starting_stacks = [334, 3361, 1081, 2754.70, 3199]
actions = ['d dh p1 ????', 'd dh p2 ????', 'd dh p3 ????', 'd dh p4 ????', 'd dh p5 ????', \
'p3 f', 'p4 f', 'p5 cbr 30', 'p1 f', 'p2 f']
"""
SHOWN = """variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [5, 10]
min_bet = 10
starting_stacks = [100, 200]
actions = ['d dh p1 ????', 'd dh p2 ????', 'p2 cbr 30', 'p1 cc', 'd db Qd5d6d', 'p1 cc', 'p2 cc', \
'd db 7h', 'p1 cc', 'p2 cc', 'd db 2s', 'p1 cc', 'p2 cc', CARDS]
"""
ALL_SHOWN = SHOWN.replace("CARDS", "'p1 sm JsQs', 'p2 sm AcKc'")
ONE_SHOWN = SHOWN.replace("CARDS", "'p1 sm JsQs', 'p2 sm ????'")


@pytest.mark.parametrize(
    ("hand", "end", "checked", "fault"),
    rows(
        """
RAISED    | winnings = [0, 0, 0, 0, 25]    | all |
RAISED    | winnings = [0, 0, 0, 0, 23.75] | all |
RAISED    | payoffs = [-5, -10, 0, 0, 15]  | all |
RAISED    |                                |     |
RAISED    | winnings = [0, 0, 0, 0, 0]     |     |
RAISED    | winnings = [0, 0, 0, 0, 45]    | all | winnings [0, 0, 0, 0, 25], where the file
RAISED    | winnings = [0, 0, 0, 0, 2]     | all | winnings [0, 0, 0, 0, 25], where the file
RAISED    | winnings = [25, 0, 0, 0, 0]    | all | winnings [0, 0, 0, 0, 25], where the file
RAISED    | payoffs = [-5, -10, 0, 0, 16]  | all | payoffs [-5, -10, 0, 0, 15], where the
ALL_SHOWN | winnings = [57, 0]             | all |
ALL_SHOWN | winnings = [0, 60]             | all | winnings [60, 0], where the file says [0, 60]
ONE_SHOWN | winnings = [0, 60]             | pot |
ONE_SHOWN | winnings = [30, 60]            | pot | a pot of 60, which winnings do not fit, where
ONE_SHOWN | finishing_stacks = [70, 200]   | pot | a pot of 60, which stacks do not fit
"""
    ),
)
def test_what_was_won_is_checked(hand: str, end: str, checked: str, fault: str) -> None:
    """As HandHQ's hands tell it: no final stacks, cards unseen, a rake (23.75); converters that
    find no winnings write zeros. 10 of the raise to 30 are called by the big blind; the small
    blind's 5 and these make 25.
    """
    (found,) = verdicts([parse(globals()[hand] + end)])
    assert found.checked == checked
    assert found.fault.startswith(f"ends with {fault}") if fault else not found.fault


def test_check_counts_what_it_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ends = ("winnings = [0, 0, 0, 0, 25]", "", "finish_stacks = []", "winnings = [9, 9, 9, 9, 9]")
    hands = [RAISED + end for end in ends] + [ONE_SHOWN + "winnings = [60, 0]"]
    text = "\n".join(f"[{number}]\n{hand}" for number, hand in enumerate(hands, 1))
    (tmp_path / "HANDS.PHHS").write_text(text)
    assert main([str(tmp_path)]) == 1
    told = capsys.readouterr().out
    assert (
        "4 played by the rules: 1 to the end in the file, 1 to a pot that fits it (unseen cards "
        "won), 2 without an end in the file to check\n1 contradict the end in the file\n"
    ) in told
    assert "were not read: finish_stacks; did you mean finishing_stacks?" in told
    assert "hand 4: ends with winnings [0, 0, 0, 0, 25]" in told


SHORT_ANTE = """variant = 'NT'
antes = [50, 50, 50]
blinds_or_straddles = [50, 100, 0]
min_bet = 100
starting_stacks = [1000, 1000, 30]
actions = ['d dh p1 KsKh', 'd dh p2 QsQh', 'd dh p3 AsAh', 'p1 cc', 'p2 cc', 'd db 2h3h4d', \
'p1 cc', 'p2 cc', 'd db 9s', 'p1 cc', 'p2 cc', 'd db 9d', 'p1 cc', 'p2 cc']
"""


@pytest.mark.parametrize(
    ("trims", "returns"),
    [
        # Antes of 50, 50 and 30; aces win all of them, or 30 of each, and kings the rest.
        ("", [50, -150, 100]),
        ("ante_trimming_status = false", [50, -150, 100]),
        ("ante_trimming_status = true", [90, -150, 60]),
    ],
)
def test_an_ante_that_is_short_wins_what_the_file_says(trims: str, returns: list[int]) -> None:
    hand = parse(SHORT_ANTE + trims)
    assert replay(pack([hand])).returns.tolist() == [returns]
    assert parse(phh_text(hand)) == hand


def test_short_antes_as_pokerkit_trims_them() -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        seats = int(rng.integers(3, 7))
        stacks = rng.integers(1, 400, seats).tolist()
        state = pokerkit.NoLimitTexasHoldem.create_state(
            oracle.AUTOMATIONS, True, [50] * seats, [5, 10], 10, stacks, seats
        )
        deck = card_texts(rng.permutation(52)[: 2 * seats + 5])
        for seat in range(seats):
            state.deal_hole("".join(deck[2 * seat : 2 * seat + 2]))
        moves, board = [], deck[2 * seats :]
        while state.status:
            if state.can_burn_card():
                state.burn_card("??")
            elif count := state.board_dealing_count:
                moves.append(f"d db {''.join(board[:count])}")
                state.deal_board("".join(board[:count]))
                board = board[count:]
            else:
                moves.append(f"p{state.actor_index + 1} cc")
                state.check_or_call()
        hole = [f"d dh p{k + 1} {deck[2 * k]}{deck[2 * k + 1]}" for k in range(seats)]
        fields = {
            "variant": "NT",
            "antes": [50] * seats,
            "blinds_or_straddles": [5, 10] + [0] * (seats - 2),
            "min_bet": 10,
            "starting_stacks": stacks,
            "actions": hole + moves,
            "payoffs": state.payoffs,
        }
        text = "".join(f"{key} = {value}\n" for key, value in fields.items()).replace("NT", "'NT'")
        assert verdicts([parse(text + "ante_trimming_status = true")]) == [Verdict("", "all")]


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
    hands = list(read([tmp_path / "in"], problems))
    assert [Path(hand.file).name for hand in hands] == ["9.phh", "10.phh", "11.phhs.xz"]
    assert [(Path(p.file).name, p.number) for p in problems] == [("11.phhs.xz", "5")]
    with pytest.raises(BadHandError, match="hand 5"):
        list(read([tmp_path / "in"]))
    assert main([str(tmp_path / "in")]) == 1
    told = capsys.readouterr().out
    assert "3 files, 4 hands: 3 read" in told and "11.phhs.xz, hand 5: action 5" in told
    bomb = lzma.compress(bytes(2**20))
    (tmp_path / "bomb.phhs.xz").write_bytes(bomb)
    monkeypatch.setattr(phh, "MOST_BYTES", 2**20 - 1)
    assert main([str(tmp_path / "bomb.phhs.xz")]) == 1
    assert "bomb.phhs.xz: more than 1,048,575 bytes of text" in capsys.readouterr().out
    (tmp_path / "cut.phhs.xz").write_bytes(lzma.compress(THREE.encode())[:40])
    assert (
        main([str(tmp_path / "cut.phhs.xz")]) == 1
        and "is no whole xz file" in capsys.readouterr().out
    )


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    """By us, and by PokerKit."""
    texts = (THREE, HEADS_UP, CENTS)
    hands = [parse(text) for text in texts]
    for name in ("a.phh", "a.phhs", "a.phhs.xz"):
        assert write(tmp_path / name, hands) == 3
        assert [h._replace(file="", number="1") for h in read([tmp_path / name])] == hands
    for hand, text in zip(hands, texts, strict=True):
        written, given = map(pokerkit.HandHistory.loads, (phh_text(hand), text))
        assert written.starting_stacks == given.starting_stacks


INDENTED = "".join(f"  {line}\n" for line in HEADS_UP.splitlines())


@pytest.mark.parametrize(
    ("text", "numbers", "said"),
    [
        (f"{THREE}\n[1]\n{HEADS_UP}", "before the first header, 1", ""),
        (f"  [1] # first\n{INDENTED}\t[ '2' ]\r\n{INDENTED}", "1, 2", ""),
        (f"[1]\n{THREE}[1.notes]\na = 1\n[1.notes.b]\n[2]\n{HEADS_UP}", "1, 2", ""),
        (f"[1]\n{THREE}_n = '''\n[7]\n'''\n_m = [\n[8],\n[9]\n]\n[2]\n{THREE}", "1, 2", ""),
        (
            f"1 = {{x = 1}}\n[2]\n{THREE}",
            "2",
            "hand 1: variant is missing; a table that is no hand",
        ),
        (f"_of = 'us'\n[_a]\nx = 1\n[2]\n{THREE}", "2", ""),
        (f"of = 'us'\n[2]\n{THREE}", "2", "hand of: is no table; expected a header such as [1]"),
        (f"[1]\n{THREE}[2]\nx = [\n[3]\n{THREE}", "1, 3", "hand 2: is not TOML (Invalid value"),
        (f"[1]\n{THREE}[2]\nplayers = ['\udce9']\n[3]\n{THREE}", "1, 3", "2: is not UTF-8 text"),
        (f"\ufeff{THREE}", "1", ""),
        ("Full Tilt Poker Game #1: Hold'em No Limit", "", "HandHistory.from_pokerstars"),
        ("# name/game/hands\nSTATE:0:cr200c/kk:AsAh|KsKh", "", "PokerKit cannot read this"),
        (f"[1]\n{THREE.replace('NT', 'F7S')}", "", "variant = 'F7S' (fixed-limit seven-card stud)"),
        ("variant = 'FT'", "", "'FT' (fixed-limit Texas hold'em; game=limit_holdem plays it"),
        (f"{THREE}ante_trimming_status = 1", "", "ante_trimming_status = 1: expected true or"),
        (
            THREE.replace("[0, 0, 0]", "[0, 9, 0]") + "ante_trimming_status = true",
            "",
            "ante_trimming_status = true with antes = [0, 9, 0]: expected equal antes",
        ),
    ],
)
def test_tables_are_those_of_toml(tmp_path: Path, text: str, numbers: str, said: str) -> None:
    """Nothing is dropped without a word, and a bad hand is refused alone."""
    path, problems = tmp_path / "a.phhs", list[BadHandError]()
    path.write_bytes(text.encode(errors="surrogateescape"))
    assert ", ".join(hand.number for hand in read([path], problems)) == numbers
    assert bool(said) == bool(problems)
    assert said in "".join(map(str, problems))


def test_a_superscript_is_not_a_number(tmp_path: Path) -> None:
    (tmp_path / "1²2.phhs").write_text(f"['²']\n{THREE}")
    (hand,) = read([tmp_path])
    assert "hand =" not in phh_text(hand)


@pytest.mark.slow
@pytest.mark.skipif(not PLURIBUS.exists(), reason="PLURIBUS_HANDS names no file")
def test_all_hands_of_pluribus() -> None:
    """Every action is legal, and everybody ends with the stack that the file tells."""
    hands = list(read([PLURIBUS]))
    assert len(hands) > 8_000 and all(hand.finishing_stacks for hand in hands)
    assert not [verdict for verdict in verdicts(hands) if verdict.fault]
    assert replay(pack(hands)).settled.all()
    for hand in hands[::100]:
        assert parse(phh_text(hand)) == hand._replace(file="", number="1")


STARS = """\
PokerStars Hand #7: Hold'em No Limit ($0.50/$1.00 USD) - 2020/01/01 00:00:00 ET
Table 'Alpha' 6-max Seat #1 is the button
Seat 1: anna ($100 in chips)
Seat 2: bert ($100 in chips)
Seat 3: cora ($100 in chips)
bert: posts small blind $0.50
cora: posts big blind $1
*** HOLE CARDS ***
Dealt to anna [As Kd]
anna: raises $2 to $3
bert: folds
cora: calls $2
*** FLOP *** [2c 7d Kh]
cora: checks
anna: bets $4
cora: folds
Uncalled bet ($4) returned to anna
anna collected $6.50 from pot
*** SUMMARY ***
Total pot $6.50 | Rake $0
Board [2c 7d Kh]
Seat 1: anna (button) collected ($6.50)
Seat 2: bert (small blind) folded before Flop
Seat 3: cora (big blind) folded on the Flop

"""


def test_texts_of_pokerstars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each hand is read, or refused by its number: none is lost."""
    pytest.importorskip("pokerkit")
    file, problems = tmp_path / "stars.txt", list[phh.BadHandError]()
    omaha = STARS.replace("Hold'em No Limit", "Omaha Pot Limit").replace("#7", "#8")
    file.write_text(STARS + omaha + STARS.replace("raises $2 to $3", "jumps").replace("#7", "#9"))
    (hand,) = phh.read([file], problems)
    assert hand.number == "7" and hand.players == ("bert", "cora", "anna") and hand.scale == 100
    assert hand.moves == (300, phh.FOLD, phh.CALL, phh.CALL, 400, phh.FOLD)
    assert hand.blinds == (50, 100, 0) and len(hand.board) == 3
    assert [problem.number for problem in problems] == ["8", "9"]
    assert "Omaha Pot Limit" in problems[0].reason and "PokerKit cannot" in problems[1].reason
    (tmp_path / "more.txt").write_text("lost\n" + STARS)
    with pytest.raises(phh.BadHandError, match="before the first: is not a hand"):
        [*phh.read([tmp_path / "more.txt"])]
    monkeypatch.setattr(phh, "find_spec", lambda name: None)
    with pytest.raises(phh.BadHandError, match="PokerKit converts"):
        [*phh.read([file])]


ACPC = """# name/game/hands/seed 2p_nolimit holdem.nolimit.2p.reverse_blinds.game
STATE:0:cr200c/cc/r400c/r850f:Kh9s|Ad7c/5d2cJh/2h/6c:400|-400:anna|bert
STATE:1:r20000c///:Kh9s|Ad7c/5d2cJh/2h/6c:-20000|20000:bert|anna
STATE:2:r300f:Kh9s|Ad7c:100|-100:anna|bert
STATE:3:rrc/rc/cc/cc:Kh9s|Ad7c/5d2cJh/2h/6c:-30|30:bert|anna
STATE:4:lost
SCORE:-20000|20000:anna|bert
"""


def test_acpc_logs(tmp_path: Path) -> None:
    file, problems = tmp_path / "acpc.log", list[phh.BadHandError]()
    file.write_text(ACPC)
    hands = list(phh.read([file], problems))
    assert [hand.moves for hand in hands] == [
        (phh.CALL, 200, phh.CALL, phh.CALL, phh.CALL, 200, phh.CALL, 450, phh.FOLD),
        (20_000, phh.CALL),
        (300, phh.FOLD),
    ]
    assert all(hand.blinds == (100, 50) and hand.stacks == (20_000,) * 2 for hand in hands)
    assert [hand.payoffs for hand in hands] == [(400, -400), (-20_000, 20_000), (100, -100)]
    assert [verdict.checked for verdict in verdicts(hands)] == ["all", "all", "all"]
    ends = [verdict.fault[:27] for verdict in verdicts(hands)]
    assert ends == ["", "", "ends with payoffs [-100, 10"]
    assert [problem.number for problem in problems] == ["3", "4"]
    assert "limit hold'em" in problems[0].reason and "PokerKit cannot" in problems[1].reason


DEEP = """variant = 'NT'
antes = [0, 60_000, 0]
blinds_or_straddles = [30_000, 60_000, 0]
min_bet = 60_000
starting_stacks = [7_380_000, 5_000_000, 995_000]
actions = ['d dh p1 ????', 'd dh p2 AsKd', 'd dh p3 ????', 'p3 cbr 125000', 'p1 f',
  'p2 cbr 1000000', 'p3 cc', 'p2 sm AsKd', 'd db 2c7dKh', 'd db 3s', 'd db 4d']
players = ['anna', 'bert', 'cora']
"""


def test_deep_hands_at_a_table_and_as_decks(tmp_path: Path) -> None:
    """Tables count in common divisors, decks in the game's big blinds."""
    (hand,) = hands = [parse(DEEP)]
    record = record_of(hand)
    assert record["deal"]["stacks"] == [1476, 1000, 199] and record["chip"] == 5000
    table = Table(make("no_limit_holdem", players=3), record=record)
    assert [move.text for move in table.moves] == ["r25", "fold", "r200", "call"]
    assert table.is_over and record_of(hand._replace(file="moved")) == record
    assert table.describe(1)["hand"] == ["As", "Kd"] and table.describe(1)["public"][3] == "3s"
    for change, words in (
        ({"moves": (125_001, *hand.moves[1:])}, "a stack of 7,380,000 chips: a table has at most"),
        ({"stacks": (10, 10, 10), "trims_antes": True}, "a table does not trim"),
    ):
        with pytest.raises(phh.BadHandError, match=words):
            record_of(hand._replace(**change))

    write(tmp_path / "deep.phhs", hands * 2)
    game = make("no_limit_holdem", players=3, stacks=13_000)
    decks = game.read_decks(tmp_path / "deep.phhs")
    assert (decks.stacks + decks.paid).tolist() == [[12_300, 8333, 1658]] * 2
    assert decks.blind.tolist() == [[50, 100, 0]] * 2 and decks.ante.tolist() == [[0, 100, 0]] * 2
    with pytest.raises(phh.BadHandError, match="hand 1: deal: hands .* expected .* 2 hands"):
        make("no_limit_holdem").read_decks(tmp_path / "deep.phhs")

    made = tmp_path / "records.jsonl"
    assert main([str(tmp_path / "deep.phhs"), "--records", str(made)]) == 0
    assert [json.loads(line)["players"] for line in made.read_text().splitlines()] == [
        ["anna", "bert", "cora"]
    ] * 2
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--records", str(made)])
