"""The training data of a model, and the assembly of the model."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from fpmcts.poker.opponents.dataset import Players, Rows, make_rows, mean_player
from fpmcts.poker.opponents.learn import HOLDOUT, TASKS, LearnOptions, joined
from fpmcts.poker.opponents.model import NUM_ACTIONS, NUM_RANKS, NUM_SIZES, OpponentModel
from fpmcts.poker.opponents.model_file import Learned
from fpmcts.poker.opponents.table import NUM_ROWS, frequencies
from fpmcts.poker.opponents.trees import Booster
from games.no_limit_holdem.phh import BadHandError, Hand, read
from games.no_limit_holdem.phh_replay import faults
from games.rows import take
from games.settings import ConfigError


class Material(NamedTuple):
    """The hands that a model is learned from and scored on.

    Attributes:
        prior: float32 ``[STATISTICS]``, the mean player of the learning hands.
        rows, shown: Decisions and shown hands to learn from.
        held, held_shown: Decisions and shown hands of the held-out hands.
        players: The players' counts over the learning hands.
        num_hands: Number of learning hands.
        problems: Hands that were left out.
    """

    prior: np.ndarray
    rows: Rows
    shown: Rows
    held: Rows
    held_shown: Rows
    players: Players
    num_hands: int
    problems: list[BadHandError]


def playable(paths: Sequence[str], problems: list[BadHandError]) -> list[Hand]:
    """Returns the hands of files that the game can play to their end.

    Args:
        problems: Receives what was left out.

    Raises:
        ConfigError: A path is missing, or no hand is left.
    """
    try:
        hands, good = list(read(paths, "skip", problems)), []
    except BadHandError as error:
        raise ConfigError(str(error)) from error
    for hand, fault in zip(hands, faults(hands), strict=True):
        if not fault or fault.startswith("ends with"):  # payoffs do not matter here
            good.append(hand)
        else:
            problems.append(BadHandError(hand.file, hand.number, fault))
    if not good:
        first = f"; the first of {len(problems):,} problems: {problems[0]}" if problems else ""
        raise ConfigError(f"hands={','.join(paths)}: no hand can be used{first}")
    return good


def keep_of(window: int) -> float:
    """Returns the decay of counts per hand for a window of about ``window`` hands."""
    return 1.0 - 1.0 / window


def gather(paths: Sequence[str], options: LearnOptions) -> Material:
    """Returns the material of files. Raises ConfigError if there is too little to learn from."""
    problems: list[BadHandError] = []
    hands = playable(paths, problems)
    cut = len(hands) - int(len(hands) * HOLDOUT)
    prior, players, keep = mean_player(hands[:cut]), Players(), keep_of(options.window)
    rows, shown = make_rows(hands[:cut], prior, players, keep)
    if not len(rows.kind):
        raise ConfigError(
            f"hands={','.join(paths)}: {len(hands):,} hands without a single decision; expected "
            "hands that are played"
        )
    held, held_shown = make_rows(hands[cut:], prior, players.copy(), keep)
    return Material(prior, rows, shown, held, held_shown, players, cut, problems)


def assemble(
    material: Material, learned: Mapping[str, Booster], origin: Mapping[str, object]
) -> Learned:
    """Returns the model with its baselines.

    Args:
        learned: The boosters of each finished task, by its name.
    """

    def trees(with_statistics: bool) -> Booster:
        chosen = [task for task in TASKS if task.name in learned]
        parts = {t.first: learned[t.name] for t in chosen if t.with_statistics == with_statistics}
        return joined(parts)

    rows, sized = material.rows, take(material.rows, material.rows.size >= 0)
    ranks = np.bincount(material.shown.kind, minlength=NUM_RANKS) + 1.0
    model = OpponentModel(
        material.prior,
        frequencies(rows.row, rows.kind, (NUM_ROWS, NUM_ACTIONS)),
        frequencies(sized.round, sized.size, (4, NUM_SIZES), 20.0),
        (ranks / ranks.sum()).astype(np.float32),
        trees(True),
    )
    by_round = frequencies(rows.round, rows.kind, (4, NUM_ACTIONS))
    return Learned(model, model._replace(trees=trees(False)), by_round, material.players, origin)
