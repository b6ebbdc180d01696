"""Models of opponents: trees answer as scikit-learn's, distributions are legal, no hidden card is
read.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fpmcts.no_limit_holdem.opponents import learn as learning
from fpmcts.no_limit_holdem.opponents import model as models
from fpmcts.no_limit_holdem.opponents.command import main
from fpmcts.no_limit_holdem.opponents.dataset import Players, make_examples, mean_player, rank_bin
from fpmcts.no_limit_holdem.opponents.features import NUM_COLUMNS, NUM_FEATURES
from fpmcts.no_limit_holdem.opponents.learn import (
    TASKS,
    LearnOptions,
    LearnTask,
    Material,
    assemble,
    cases,
    gather,
    joined,
    learn,
)
from fpmcts.no_limit_holdem.opponents.model import (
    Booster,
    OpponentModel,
    evaluate,
    no_booster,
    untrained,
)
from fpmcts.no_limit_holdem.opponents.model_file import Learned, ModelError, load, save
from fpmcts.no_limit_holdem.opponents.score import below, calibration, predict, report
from fpmcts.no_limit_holdem.opponents.statistics import CONTEXTS, STATISTICS, Statistic, smooth
from games import make
from games.base.settings import ConfigError
from games.kernels import kernel, streams
from games.kernels.rows import take
from games.no_limit_holdem.betting import raise_bounds, step, to_call
from games.no_limit_holdem.phh import Hand, parse
from games.no_limit_holdem.phh_games import hand_of
from games.no_limit_holdem.phh_replay import pack, replay_rules, start
from games.no_limit_holdem.phh_write import write
from games.no_limit_holdem.state import States, empty
from games.play.table import Table
from games.poker.hands import parse_cards, tables

OPTIONS = LearnOptions()


@pytest.fixture(scope="module", autouse=True)
def small() -> Iterator[None]:
    """Few trees of few decisions each."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"TREES": 6, "LEAST_ROWS": 5, "COLUMNS": 1.0}.items():
            patch.setattr(learning, name, value)
        yield


def made_hands(count: int) -> list[Hand]:
    """Returns random hands in which a tight player ("a") folds more often than the others."""
    game = make("no_limit_holdem", players=4, stacks=2000)
    rng, deals, hands = np.random.default_rng(0), game.deal(streams(0, count)), []
    for n in range(count):
        table, names = Table(game, deal=take(deals, np.array([n]))), np.roll(list("abcd"), n)
        while not table.is_over:
            bounds, move = table.describe()["raise"], "call"
            if "fold" in table.describe()["legal"]:
                move = "fold" if rng.random() < (0.7 if names[table.seat] == "a" else 0.2) else move
            if move == "call" and bounds and rng.random() < 0.3:
                move = f"r{rng.integers(bounds[0], bounds[1] + 1)}"
            table.play(move)
        moves = np.array([move.action for move in table.moves])
        hands.append(hand_of(game, deals, n, moves, names.tolist(), str(n // 50)))
    return hands


@pytest.fixture(scope="module")
def hands() -> list[Hand]:
    return made_hands(300)


@pytest.fixture(scope="module")
def path(hands: list[Hand], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hands") / "made.phhs"
    write(path, hands)
    return path


@pytest.fixture(scope="module")
def material(path: Path) -> Material:
    return gather([str(path)], OPTIONS)


@pytest.fixture(scope="module")
def parts(material: Material) -> dict[str, Booster]:
    rows, shown = material.rows, material.shown
    return {task.name: learn(task, rows, shown, OPTIONS, 0) for task in TASKS}


@pytest.fixture(scope="module")
def learned(material: Material, parts: dict[str, Booster]) -> Learned:
    return assemble(material, parts, {"hands": material.num_hands})


@pytest.fixture(scope="module")
def model_file(learned: Learned, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("model") / "model.safetensors"
    save(file, learned)
    return file


@pytest.mark.parametrize("outputs", [1, 3])
def test_trees_answer_as_scikit_learns(hands: list[Hand], outputs: int) -> None:
    from sklearn.ensemble import HistGradientBoostingClassifier

    rows, shown = make_examples(hands, mean_player(hands), Players())
    task = LearnTask(
        "",
        models.FOLD_BEFORE if outputs == 1 else models.SIZES,
        1 if outputs == 1 else models.NUM_SIZES,
    )
    columns, answers = cases(task, rows, shown)
    arrays = learn(task, rows, shown, OPTIONS, 3)
    booster = joined({task.first: arrays})
    same = HistGradientBoostingClassifier(
        max_iter=6,
        learning_rate=OPTIONS.lr,
        max_depth=4,
        max_leaf_nodes=16,
        min_samples_leaf=5,
        l2_regularization=5.0,
        max_features=1.0,
        early_stopping=False,
        random_state=3,
    ).fit(columns, answers)
    theirs = same.decision_function(columns[:200]).reshape(200, -1)
    for place, output in enumerate(same.classes_ if outputs > 1 else [0]):
        mine = [evaluate(booster, task.first + int(output), row) for row in columns[:200]]
        np.testing.assert_allclose(mine, theirs[:, place], atol=1e-5)


@kernel
def _all_of(
    model: OpponentModel, rules: object, states: States, statistics: np.ndarray, out: np.ndarray
) -> None:
    models.action_probabilities(model, rules, states, 0, statistics, out[0, :3])
    models.showdown_bins(model, rules, states, 0, states.seat[0], statistics, out[1, :6])


def test_distributions_are_legal_and_read_no_hidden_card(
    hands: list[Hand], learned: Learned
) -> None:
    rules, states, blind = replay_rules(4), empty(1, 4), empty(1, 4)
    packed = pack(hands[:20])
    hidden = packed._replace(hole=np.full_like(packed.hole, -1), board=packed.board.copy())
    statistics = np.full((4, STATISTICS), 0.3, np.float32)
    for model in (untrained(), learned.model):
        for n in range(20):
            start(rules, packed, n, states, 0)
            start(rules, hidden, n, blind, 0)
            for k in range(packed.first[n], packed.first[n + 1]):
                out, other = np.zeros((2, 6)), np.zeros((2, 6))
                _all_of(model, rules, states, statistics, out)
                blind.board[0, states.shown[0] :] = -1
                _all_of(model, rules, blind, statistics, other)
                blind.board[0] = packed.board[n]
                np.testing.assert_array_equal(out, other)
                np.testing.assert_allclose(out.sum(axis=1), 1.0, atol=1e-6)
                assert (out >= 0).all()
                assert (out[0, 0] > 0) == (to_call(rules, states, 0) > 0)
                assert (out[0, 2] > 0) == (raise_bounds(rules, states, 0)[1] > 0)
                for lane in (states, blind):
                    step(rules, lane, 0, int(packed.actions[k]))


def test_trees_are_asked_where_nobody_folds_before_the_flop(
    material: Material, parts: dict[str, Booster]
) -> None:
    parts = parts | {"fold before the flop": no_booster(1, learning.DEPTH)}
    model = assemble(material, parts, {}).model
    other = model._replace(table=model.table[:, ::-1].copy())
    for row in material.rows.columns[:50]:
        told = np.zeros((2, 3))
        for asked, out in zip((model, other), told, strict=True):
            models.action_row(asked, row, 0, False, True, out)
        np.testing.assert_array_equal(told[0], told[1])


def test_board_cards_that_are_not_shown_say_nothing() -> None:
    text = """variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [1000, 1000]
actions = ['d dh p1 ????', 'd dh p2 ????', 'p2 cc', 'p1 cc', 'd db ??????', 'p1 cc', 'p2 cc', \
'd db 9s', 'p1 cc', 'p2 cc', 'd db 9d', 'p1 cc', 'p2 cc']"""
    rows, _ = make_examples([parse(text)], np.zeros(STATISTICS, np.float32), Players())
    board = rows.columns[:, 30:39]
    assert (board[rows.round < 2] == 0).all()
    assert (board[rows.round > 1, 0] == 7).all() and (board[rows.round == 2, 1] == 1).all()
    assert (board[rows.round == 3, 1] == 2).all()


def test_statistics_of_a_hand_by_hand() -> None:
    text = """variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [50, 100, 0]
min_bet = 100
starting_stacks = [1000, 1000, 1000]
actions = ['d dh p1 ????', 'd dh p2 ????', 'd dh p3 ????', 'p3 cbr 300', 'p1 f', 'p2 cc', \
'd db 2h3h4d', 'p2 cc', 'p3 cbr 200', \
'p2 cc', 'd db 9s', 'p2 cc', 'p3 cc', 'd db 9d', 'p2 cc', 'p3 cc']
players = ['x', 'y', 'z']"""
    players = Players()
    make_examples([parse(text)], np.zeros(STATISTICS, np.float32), players, 1.0)
    out = np.zeros((3, STATISTICS), np.float32)
    smooth(players.counts, np.zeros(STATISTICS, np.float32), out)
    one_case = 1 / 5  # (0 * 4 + 1) / (4 + 1)
    np.testing.assert_allclose(out[:, Statistic.VPIP], [0, one_case, one_case])
    np.testing.assert_allclose(out[:, Statistic.PFR], [0, 0, one_case])
    np.testing.assert_allclose(out[:, Statistic.WTSD], [0, one_case, one_case])
    np.testing.assert_allclose(
        out[:, Statistic.AF], [0, 0, 1 / 5]
    )  # a bet, no call: (0 * 5 + 1) / (5 + 0)
    np.testing.assert_allclose(out[:, Statistic.AFQ], [0, 0, 1 / 6])
    np.testing.assert_allclose(
        out[:, Statistic.FOLD + 1], [one_case, 0, 0]
    )  # to one raise before the flop


def test_statistics_are_of_earlier_hands_and_forget(hands: list[Hand]) -> None:
    prior = mean_player(hands)
    whole, _ = make_examples(hands, prior, Players())
    part, _ = make_examples(hands[:100], prior, Players())
    np.testing.assert_array_equal(whole.columns[: len(part.kind)], part.columns)
    first = whole.columns[whole.hand == 0][:, NUM_FEATURES:][:, : STATISTICS - 1]
    np.testing.assert_allclose(first, np.tile(prior[:-1], (len(first), 1)), rtol=1e-6)
    players = Players()
    make_examples(hands, prior, players, 0.9)
    assert players.counts[:, 0].max() < 10.0 + 1e-3  # 1 / (1 - 0.9)
    once = Players()
    make_examples(hands[:1], prior, once, 0.5)  # halves earlier hands, not the hand itself
    assert once.counts[:, CONTEXTS:].sum() == len(hands[0].moves)


@pytest.mark.parametrize("names", [(), ("a", "a", "b", "c")])
def test_players_without_names_are_strangers(hands: list[Hand], names: tuple[str, ...]) -> None:
    """No names, or one twice: nothing is known of them, in the middle of known players too."""
    unnamed = [hand._replace(players=names) for hand in hands[1:4]]
    prior, players, others = mean_player(hands), Players(), Players()
    rows, _ = make_examples([hands[0], *unnamed, *hands[4:9]], prior, players)
    strange = rows.columns[(rows.hand > 0) & (rows.hand < 4), NUM_FEATURES : NUM_COLUMNS - 9]
    assert (strange == prior[:-1]).all()
    make_examples([hands[0], *hands[4:9]], prior, others)
    np.testing.assert_array_equal(players.counts, others.counts)


def test_rank_bins_of_a_board() -> None:
    board = np.array(parse_cards("2c 7d 9h Js Kc"), np.int8)
    # 448 of 1,081 holdings make no pair, 112 of them have an ace: the least ace is better than
    # about 336, 31 %.
    for cards, expected in (("Kd Ks", 5), ("Th Qd", 5), ("3d 4s", 0), ("Ad 3c", 1)):
        assert rank_bin(tables(), board, np.array(parse_cards(cards), np.int8)) == expected
    every = [
        rank_bin(tables(), board, np.array([a, b], np.int8))
        for a in range(52)
        for b in range(a)
        if not {a, b} & set(board.tolist())
    ]
    assert len(every) == 1081 and (np.abs(np.bincount(every) / 1081 - 1 / 6) < 0.05).all()


def test_the_model_beats_what_knows_no_players(material: Material, learned: Learned) -> None:
    """Statistics alone separate the tight from the loose player: the seats rotate."""
    held = material.held
    figures = report(learned, held, material.held_shown, {})[1]["decisions"]
    share, error = figures["below without statistics"]
    assert share > 2 * error > 0
    bins = calibration(predict(learned.model, held), held)["check or call"]
    assert bins[:, 2].sum() == len(held.kind)


def test_the_error_of_a_share_is_that_of_a_bootstrap_over_hands() -> None:
    rng = np.random.default_rng(0)
    hands, base = np.repeat(np.arange(400), 3), rng.exponential(1.0, 1200)
    loss = 0.9 * base + np.repeat(rng.normal(0.0, 0.1, 400), 3)
    share, error = below(loss, base, hands)
    mine, theirs = (np.bincount(hands, values) for values in (loss, base))
    drawn = rng.integers(400, size=(4000, 400))
    shares = 1.0 - mine[drawn].sum(axis=1) / theirs[drawn].sum(axis=1)
    assert share == pytest.approx(1.0 - loss.sum() / base.sum())
    assert error == pytest.approx(shares.std(), rel=0.1)


def test_files_that_hold_no_model(tmp_path: Path, learned: Learned, model_file: Path) -> None:
    from safetensors.numpy import save_file

    found = load(model_file)
    for one, other in zip(found.model.trees, learned.model.trees, strict=True):
        np.testing.assert_array_equal(one, other)
    assert found.players.names == learned.players.names and found.origin == learned.origin
    (tmp_path / "text").write_text("no model")
    save_file({"a": np.zeros(1)}, tmp_path / "other")
    model = learned.model
    save(tmp_path / "short", learned._replace(model=model._replace(table=model.table[:-1])))
    wrong = model.trees._replace(column=np.full_like(model.trees.column, NUM_COLUMNS))
    save(tmp_path / "column", learned._replace(without=model._replace(trees=wrong)))
    for name in ("none", "text", "other", "short", "column"):
        with pytest.raises(ModelError, match=name):
            load(tmp_path / name)


def test_score_command(
    path: Path, model_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plot = tmp_path / "plot.png"
    assert main([str(model_file), str(path), f"plot={plot}", "players=new"]) == 0
    told = capsys.readouterr().out
    assert "| river |" in told and "below: table" in told and plot.stat().st_size > 1000


def test_what_cannot_be_learned_from(hands: list[Hand], tmp_path: Path) -> None:
    closed = [str(tmp_path / "closed.phhs")]
    write(closed[0], [hand._replace(hole=((-1, -1),) * 4) for hand in hands[:20]])
    without = gather(closed, OPTIONS)
    parts = {task.name: learn(task, without.rows, without.shown, OPTIONS, 0) for task in TASKS}
    assert len(without.rows.kind) and parts["size"].first[-1] > parts["rank at showdown"].first[-1]
    (tmp_path / "bad.phhs").write_text("[1]\nvariant = 'NT'\n")
    with pytest.raises(ConfigError, match="no hand can be used.*bad.phhs, hand 1: antes is missin"):
        gather([str(tmp_path / "bad.phhs")], OPTIONS)
