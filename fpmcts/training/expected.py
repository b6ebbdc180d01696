"""Expected progress of a run, and warnings about its reports.

``models/curves.json`` holds the results of runs with the same settings after each step; a report
shows them beside its own. To record the curve of a run:

    python -m fpmcts.training.expected NAME RUN_DIR
"""

import argparse
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from games.files import shipped, write

FILE = shipped("models") / "curves.json"
NEUTRAL = (
    "run_dir",
    "seed",
    "resume",
    "budget",
    "device",
    "precision",
    "threads",
    "evaluation",
    "cluster",
    "remembered",
    "version",
)
"""Keys of ``config.yaml`` that do not affect what a run learns."""
SPREAD = 0.01
"""Standard deviation of the share of games won between seeds, in addition to the error of the
match.
"""
BLIND, COLLAPSED, SLOW, FALLEN = 0.55, 0.02, 0.1, 0.1
"""When a report warns: the area under the curve of values, the entropy of the policy in nats, the
rate as a share of the run's best, and the share of games won that was lost again.
"""


class Watch:
    """Compares the reports of a run with the recorded curves, and with the run's own past.

    Args:
        config: Configuration of the run, as plain dictionaries.
        baseline: The opponent of its evaluation.

    Attributes:
        best: The best of the run so far, by curve.
    """

    def __init__(self, config: Mapping[str, Any], baseline: str) -> None:
        curves = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
        own, self._won = learned_by(config), f"policy_against_{baseline}/wp_all"
        self._points: list[list[float]] = next(
            (
                curve["points"]
                for curve in curves.values()
                if _same(learned_by(curve["config"]), own)
            ),
            [],
        )
        self.best: dict[str, float] = {}

    def text(self, step: int, scalars: Mapping[str, float]) -> str:
        """Returns the expected wins of the policy by now, plus or minus two standard deviations,
        and a line for each warning; "" without either.
        """
        return self._expected(step, scalars) + "".join(
            f"\n  warning: {line}" for line in self._warnings(scalars)
        )

    def _expected(self, step: int, scalars: Mapping[str, float]) -> str:
        if self._won not in scalars or not self._points or step > self._points[-1][0]:
            return ""
        steps, won, errors = np.array(self._points).T
        mean = float(np.interp(step, steps, won))
        error = scalars.get(f"{self._won}_standard_error", 0.0)
        spread = 2 * math.hypot(error, float(np.interp(step, steps, errors)), SPREAD)
        return f"; expected {100 * (mean - spread):.0f} to {100 * (mean + spread):.0f} %"

    def _warnings(self, scalars: Mapping[str, float]) -> list[str]:
        found = []
        areas = [value for name, value in scalars.items() if name.startswith("value/auc_")]
        if areas and max(areas) < BLIND:
            found.append(
                f"the value does not separate won from lost games (area under the curve "
                f"{max(areas):.2f}, 0.5 is chance); is the learning rate too high?"
            )
        entropy = scalars.get("self_play/prior_entropy", math.inf)
        if entropy < COLLAPSED:
            found.append(
                f"the policy has collapsed to one move (entropy {entropy:.3f} nats on average)"
            )
        won, best = scalars.get(self._won), self.best.get(self._won, 0.0)
        if won is not None and won < best - FALLEN:
            found.append(f"the policy wins {100 * won:.0f} % and won {100 * best:.0f} % before")
        for name in (self._won, "throughput/games_per_second"):
            best = self.best.get(name, 0.0)
            if name in scalars:
                self.best[name] = max(best, scalars[name])
            if name.startswith("throughput") and scalars.get(name, best) < SLOW * best:
                found.append(
                    f"{scalars[name]:.2g} games/s, {best:.2g} before: is the machine busy?"
                )
        return found


def learned_by(config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings that affect the learning of a run, as in JSON."""
    kept = {key: value for key, value in config.items() if key not in NEUTRAL}
    found: dict[str, Any] = json.loads(json.dumps(kept))
    for key in ("lanes", "unit_games"):
        found.get("selfplay", {}).pop(key, None)
    if lag := config.get("cluster", {}).get("lag"):
        found["cluster"] = {"lag": lag}
    return found


def _same(recorded: Any, own: Any) -> bool:
    """Returns whether two configurations are the same. A key that a curve lacks was added later and
    is off.
    """
    if isinstance(recorded, Mapping) and isinstance(own, Mapping):
        return all(_same(recorded.get(key), own.get(key)) for key in recorded.keys() | own.keys())
    return bool(recorded == own) or (recorded is None and not own)


def record(name: str, run: Path) -> None:
    """Adds the curve of a run to ``models/curves.json``."""
    from fpmcts.training.curves import points

    config = yaml.safe_load((run / "config.yaml").read_text(encoding="utf-8"))
    tag = f"policy_against_{config['evaluation']['baseline']}/wp_all"
    errors = dict(points(run, f"{tag}_standard_error"))
    found = [[step, round(won, 4), round(errors[step], 4)] for step, won in points(run, tag)]
    if not found:
        raise ValueError(f"no {tag}")
    curves = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    curves[name] = {"config": learned_by(config), "points": found}
    lines = [f"{json.dumps(name)}: {json.dumps(curve)}" for name, curve in sorted(curves.items())]
    write(FILE, "{\n" + ",\n".join(lines) + "\n}\n")  # a line for each curve


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(prog="python -m fpmcts.training.expected")
    parser.add_argument("name")
    parser.add_argument("run", type=Path, metavar="RUN_DIR")
    options = parser.parse_args()
    try:
        record(options.name, options.run)
    except (OSError, KeyError, TypeError, ValueError, yaml.YAMLError) as error:
        expected = "expected the folder of a run whose policy was measured"
        parser.error(f"{options.run}: {expected} ({' '.join(str(error).split())})")


if __name__ == "__main__":
    main()
