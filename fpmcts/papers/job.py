"""What ``python -m fpmcts.papers`` makes of a file in ``conf/papers``, whatever its kind, and lots
of matches that resume.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from fpmcts.cluster.settings import ClusterSettings
from fpmcts.configuration import load, pairs
from fpmcts.evaluation.units import Calls, Store, run_units
from fpmcts.progress import Progress
from games.kernels import sources_digest
from games.settings import ConfigError, build, did_you_mean, setting

Stopping = Callable[[], bool]
"""Whether to stop."""
Config = TypeVar("Config")


class Job(NamedTuple):
    """A figure or some tables.

    Attributes:
        config: The checked keys.
        about: A line.
        result: The file with the result.
        play: Does it; returns what there is to say, None if it was stopped before the end.
    """

    config: Any
    about: str
    result: Path
    play: Callable[[Progress, Stopping], list[str] | None]


@dataclass(frozen=True)
class MatchesConfig:
    """Keys of all that is made of lots of matches.

    Attributes:
        kind: What reads the file.
        name: Of the whole.
        title: Above all.
        run_dir: Folder of the matches; null makes runs/NAME.
        threads: Lots side by side, each in a process.
        cluster: Who plays the lots: processes, or actors of a Ray cluster.
        seed: Of all matches.
        only: The tables or figures that are played, by name; none: all.
    """

    kind: str = ""
    name: str = "matches"
    title: str = ""
    run_dir: str | None = None
    threads: int = setting(1, least=1, most=4096)
    cluster: ClusterSettings = field(default_factory=ClusterSettings)
    seed: int = setting(0, least=0, most=2**31)
    only: list[str] = field(default_factory=list)

    def folder(self) -> Path:
        """Returns the folder of the matches."""
        return Path(self.run_dir or f"runs/{self.name}")

    def chosen(self, names: Iterable[str]) -> list[str]:
        """Returns the names that ``only`` asks for. Raises ConfigError."""
        known = list(names)
        for name in self.only:
            if name not in known:
                raise ConfigError(
                    f"only={name}: expected some of {', '.join(known)}{did_you_mean(name, known)}"
                )
        return [name for name in known if not self.only or name in self.only]


def read_config(schema: type[Config], name: str, overrides: Sequence[str]) -> Config:
    """Returns the keys of ``conf/papers/NAME.yaml`` and a command line. Raises ConfigError."""
    given = {"cluster.kind" if key == "cluster" else key: text for key, text in pairs(overrides)}
    config: Config = build(schema, load(f"papers/{name}", given, ("run_dir", "title", "model")))
    return config


def play_lots(
    config: MatchesConfig,
    identity: Mapping[str, Any],
    function: Callable[..., Any],
    lots: Mapping[Any, tuple[Any, ...]],
    progress: Progress,
    stopping: Stopping,
) -> dict[tuple[Any, ...], Any]:
    """Plays the lots that are missing; returns all that are kept in the folder.

    Args:
        config: Says where, and who plays.
        identity: What results depend on besides the seed, the code and a lot's name.
        function: Returns the result of a lot; of a module, so that other processes can import it.
        lots: The arguments of each, by its name.
        progress: Called after each lot.
        stopping: Whether to begin no more of them.

    Raises:
        StoreError: The folder holds results of other settings, or cannot be written.
        ClusterError: The cluster cannot be used.
    """
    own = {"seed": config.seed, "code": sources_digest(), **identity}
    store = Store(config.folder() / "lots.jsonl", own)
    results = dict(store.finished())
    missing = [lot for lot in lots if lot not in results]
    run = run_units(
        partial(Calls, function),
        [lots[lot] for lot in missing],
        config.threads,
        config.cluster,
        stopping=stopping,
    )
    for done, (k, result) in enumerate(run, len(lots) - len(missing) + 1):
        store.add(missing[k], result)
        results[missing[k]] = result
        progress("matches", done, len(lots), "lots")
    return results
