"""Files of learned models: safetensors with arrays and a few texts, read without executing
anything.

Besides the model, a file holds the baselines it is compared with and the counts of the players it
was learned from.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from safetensors.numpy import save_file

from fpmcts.no_limit_holdem.opponents.dataset import Players
from fpmcts.no_limit_holdem.opponents.features import NUM_COLUMNS
from fpmcts.no_limit_holdem.opponents.model import NUM_ACTIONS, Booster, OpponentModel, untrained
from fpmcts.no_limit_holdem.opponents.statistics import COUNTS, WINDOW
from games.base.files import replacing
from games.base.settings import InputError
from networks.checkpoint import CheckpointError, entry, parse_meta, read_tensors

FORMAT = "opponent-model-1"
MODEL_FILE = "opponents.safetensors"
"""The model in the folder of a run."""
BOOSTERS = {"trees": "model", "without": "without"}
"""Prefixes of arrays in a file, and the models that own these trees."""


class ModelError(InputError):
    """A file without a usable model; the message names it and says why."""


class Learned(NamedTuple):
    """A model and its baselines, all learned from the same hands.

    Attributes:
        model: The model with statistics.
        without: The same without statistics.
        by_round: float32 ``[4, 3]``, frequencies of actions.
        players: Counts of the players.
        origin: How it was learned (JSON).
    """

    model: OpponentModel
    without: OpponentModel
    by_round: np.ndarray
    players: Players
    origin: Mapping[str, object]

    @property
    def window(self) -> int:
        """Hands that statistics cover."""
        options = self.origin.get("options")
        return int(options["window"]) if isinstance(options, dict) else WINDOW


def save(path: str | Path, learned: Learned) -> None:
    """Writes a new file, which then replaces the old one."""
    arrays = learned.model._asdict()
    for prefix, owner in BOOSTERS.items():
        trees = getattr(learned, owner).trees
        arrays |= {f"{prefix}.{name}": array for name, array in trees._asdict().items()}
    del arrays["trees"]
    arrays |= {"by_round": learned.by_round, "players": learned.players.counts}
    dense = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    origin = json.dumps({**learned.origin, "players": list(learned.players.names)})
    with replacing(Path(path)) as temporary:
        save_file(dense, temporary, {"format": FORMAT, "told": origin})


def load(path: str | Path) -> Learned:
    """Returns the contents of a file. Raises ModelError if it is missing or holds no such model."""
    try:
        arrays, header = read_tensors(path, FORMAT, {"told"})
        origin = parse_meta(header["told"], path)
        names = entry(origin, "players", list, path)
        players = {str(name): row for row, name in enumerate(names)}
        for key in ("hands", "options.window"):
            if key.partition(".")[0] in origin:
                entry(origin, key, int, path)
        del origin["players"]
        model, without = (
            OpponentModel(
                **{name: arrays[name] for name in OpponentModel._fields if name != "trees"},
                trees=Booster(*(arrays[f"{prefix}.{name}"] for name in Booster._fields)),
            )
            for prefix in BOOSTERS
        )
        counts, by_round = arrays["players"], arrays["by_round"]
    except CheckpointError as error:
        raise ModelError(f"{error}; expected a model of algorithm=opponent_model") from error
    except KeyError as error:
        raise ModelError(f"{path}: not an opponent model (it has no {error})") from error
    tables = {(len(players), COUNTS): counts, (4, NUM_ACTIONS): by_round}
    is_whole = all(
        array.shape == shape and array.dtype == np.float32 for shape, array in tables.items()
    )
    if not (is_whole and _fits(model) and _fits(without)):
        raise ModelError(
            f"{path}: arrays of another shape than this version has; train the model anew"
        )
    return Learned(model, without, by_round, Players(players, counts), origin)


def _fits(model: OpponentModel) -> bool:
    """Returns whether arrays fit together: kernels do not check."""
    found, like = ({**m._asdict(), **m.trees._asdict()} for m in (model, untrained()))
    del found["trees"]
    first, depth = found["first"], found["depth"]
    if first.shape != like["first"].shape or depth.shape != (1,) or not 1 <= depth[0] <= 8:
        return False
    shapes = {name: like[name].shape for name in found}
    nodes = (int(first[-1]) << int(depth[0]),)
    shapes |= dict.fromkeys(("column", "threshold", "leaf"), nodes)
    return bool(
        all(
            array.shape == shapes[name]
            and array.dtype == like[name].dtype
            and not np.isnan(array).any()
            for name, array in found.items()
        )
        and first[0] == 0
        and (np.diff(first) >= 0).all()
        and found["column"].max(initial=0) < NUM_COLUMNS
        and np.isfinite(found["leaf"]).all()
    )
