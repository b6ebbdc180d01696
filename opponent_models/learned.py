"""All that was learned from hand histories: the model, what it is compared with, and the players that it met."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from games.no_limit_holdem.phh import BadHandError, Hand, read
from games.no_limit_holdem.phh_replay import faults
from opponent_models.dataset import Players, Rows, make_rows, mean_player
from opponent_models.learn import Arrays, LearnOptions, Task, joined, tasks
from opponent_models.model import (
    NUM_ACTIONS,
    NUM_RANKS,
    NUM_SIZES,
    OpponentModel,
    load_arrays,
    model_of,
    save,
    trees_as_arrays,
    untrained,
)
from opponent_models.score import Scorer
from opponent_models.statistics import COUNTS
from opponent_models.table import frequencies
from runtime.settings import ConfigError


class Material(NamedTuple):
    """What a model is learned from, and what it is scored on.

    Attributes:
        prior: float32 ``[STATISTICS]``, the mean player of the learning hands.
        rows, shown: Decisions and shown hands that are learned from. held, held_shown: Those of the hands after them.
        players: What players did in the learning hands.
        num_hands: How many hands are learned from.
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


def playable(paths: Sequence[str], bad: str, problems: list[BadHandError]) -> list[Hand]:
    """Returns the hands of files that the game can play to their end.

    Args:
        bad: "fail" raises at the first hand that cannot be read or played, "skip" leaves it out.
        problems: Takes what was left out.

    Raises:
        BadHandError: As ``bad`` says, or a path that is not there.
    """
    hands = list(read(paths, bad, problems))
    good = []
    for hand, fault in zip(hands, faults(hands), strict=True):
        if not fault or fault.startswith("ends with"):  # who is paid what does not matter here
            good.append(hand)
            continue
        error = BadHandError(hand.file, hand.number, fault)
        if bad == "fail":
            raise error
        problems.append(error)
    return good


def keep_of(window: int) -> float:
    """Returns what counts are shrunk by at each hand for a window of about so many."""
    return 1.0 - 1.0 / window


def gather(
    paths: Sequence[str],
    options: LearnOptions,
    say: Callable[[int, int], None] = lambda done, all_: None,
) -> Material:
    """Returns the material of files.

    Raises:
        ConfigError: There is too little to learn from.
        BadHandError: A hand that cannot be used, with ``bad="fail"``.
    """
    problems: list[BadHandError] = []
    hands = playable(paths, options.bad, problems)
    where = f"hands={','.join(map(str, paths))}"
    if not hands:
        first = f"; the first of {len(problems):,} problems: {problems[0]}" if problems else ""
        raise ConfigError(f"{where}: no hand to learn from{first}")
    cut = len(hands) - int(len(hands) * options.holdout)
    prior, players = mean_player(hands[:cut]), Players()
    keep = keep_of(options.window)
    rows, shown = make_rows(hands[:cut], prior, players, keep, lambda done: say(done, len(hands)))
    if not len(rows.kind):
        raise ConfigError(
            f"{where}: {len(hands):,} hands without a single decision; expected hands that are played"
        )
    if options.showdown and not len(shown.kind):
        raise ConfigError(
            f"{where}: no hand has open cards at a showdown, which algorithm.showdown=true needs; "
            "give hands with open cards, or algorithm.showdown=false"
        )
    later = players.copy()
    none = Rows(*(a[:0] for a in rows))
    held, held_shown = (
        make_rows(hands[cut:], prior, later, keep) if cut < len(hands) else (none, none)
    )
    return Material(prior, rows, shown, held, held_shown, players, cut, problems)


class Learned(NamedTuple):
    """A model with what it is compared with.

    Attributes:
        scorer: The model, the same without statistics, and frequencies.
        players: What was counted of the players that it was learned from.
        told: What is told of it.
    """

    scorer: Scorer
    players: Players
    told: dict[str, Any]


def assemble(
    material: Material, options: LearnOptions, learned: dict[str, Arrays], told: dict[str, Any]
) -> Learned:
    """Returns what was learned. Args: learned: The arrays of each finished task, by its name."""
    rows, like = material.rows, untrained()
    sized = rows.size >= 0
    rounds = rows.columns[:, 0].astype(int)
    sizes = frequencies(rounds[sized], rows.size[sized], 4, 20.0)
    sizes = np.pad(sizes, ((0, 0), (0, NUM_SIZES - sizes.shape[1])))
    ranks = np.bincount(material.shown.kind, minlength=NUM_RANKS) + 1.0
    model = OpponentModel(
        material.prior,
        frequencies(rows.row, rows.kind, len(like.table)),
        _joined(options, learned, True),
        sizes.astype(np.float32),
        (ranks / ranks.sum()).astype(np.float32),
    )
    without = model._replace(trees=_joined(options, learned, False))
    by_round = frequencies(rounds, rows.kind, 4)
    assert by_round.shape == (4, NUM_ACTIONS)
    return Learned(Scorer(model, without, by_round), material.players, told)


def _joined(options: LearnOptions, learned: dict[str, Arrays], with_statistics: bool) -> Any:
    """Returns the boosters with statistics or without; sizes and ranks are in the first alone."""
    chosen: list[Task] = [
        task for task in tasks(options.showdown) if task.with_statistics == with_statistics
    ]
    return joined(
        {task.first: learned[task.name] for task in chosen if task.name in learned}, options.depth
    )


def save_learned(path: str | Path, learned: Learned) -> None:
    """Writes all to one file."""
    names = sorted(learned.players.names, key=learned.players.names.__getitem__)
    more = trees_as_arrays(learned.scorer.without.trees, "without")
    more |= {"by_round": learned.scorer.by_round, "players": learned.players.counts[: len(names)]}
    save(path, learned.scorer.model, learned.told | {"players": names}, more)


def load_learned(path: str | Path) -> Learned:
    """Returns what a file holds. Raises ModelError where it holds no model."""
    arrays, told = load_arrays(path)
    model = model_of(path, arrays)
    names = told.pop("players", [])
    counts = arrays.get("players", np.zeros((0, COUNTS), np.float32))
    if counts.shape != (len(names), COUNTS):
        counts, names = np.zeros((0, COUNTS), np.float32), []
    without = model_of(path, arrays, "without") if "without.first" in arrays else model
    by_round = arrays.get("by_round", np.full((4, NUM_ACTIONS), 1 / 3, np.float32))
    players = Players({name: k for k, name in enumerate(names)}, counts.astype(np.float32))
    return Learned(Scorer(model, without, by_round), players, told)
