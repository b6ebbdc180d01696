"""Odd command lines and damaged files, made at random: each is used, or ends in one clear line of
an error that commands show, soon, in little memory, and without a file that was not there.
"""

import json
import os
import pickle
import random
import resource
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from fpmcts.configuration import split
from fpmcts.evaluation.config import parse_command_line
from fpmcts.evaluation.plan import _given_decks
from fpmcts.no_limit_holdem.opponents.dataset import playable
from fpmcts.no_limit_holdem.opponents.model_file import load as load_opponents
from fpmcts.players.tabular import load_tabular
from fpmcts.players.trained import load_trained, untrained_of
from fpmcts.training.algorithms import read_run
from fpmcts.web.command import parse
from fpmcts.web.errors import RefusedError, parse_json
from fpmcts.web.server.main import read_review
from fpmcts.web.tables.rulebook import Rulebook
from games import make
from games.base.files import ROOT
from games.base.settings import LONGEST, ConfigError, InputError
from games.kernels import streams
from games.play.interface import Game
from games.play.table import Table
from networks.checkpoint import FORMAT, _digest, load, save
from tests.games.doudizhu.test_deck_files import douzero
from tests.games.no_limit_holdem.test_phh import CENTS, HEADS_UP, THREE
from tests.players.conftest import TINY_POKER, saved

FEW, MANY = 24, 1000
SECONDS, MEGABYTES = 2.0, 500.0
ODD = (
    *("", " ", "null", "true", "0", "-1", "1e400", "nan", "inf", "9" * 25, "9" * 5000, "0x10"),
    *(
        "[",
        "[" * 3000,
        "{" * 3000,
        "[1,2]",
        "{a:1}",
        "'",
        '"',
        "\\",
        "${x}",
        "${oc.env:HOME}",
        "??",
    ),
    *("${seed}", "a,b", "a b", "../game/leduc", "..", "/dev/zero", "a.b", "games.leduc", "1\n2"),
    *("\0", "\x1b[31m", "\ud800", "💣", "x" * 100_000, "=", ":", "~", "@", "%s", "None", "1_000"),
)


class Kind(NamedTuple):
    """What is made and used.

    Attributes:
        good: A command line, or the bytes of a file, that can be used.
        make: Returns the next one, for a random stream, with something wrong or nothing.
        use: Takes a command line, or the path of a file.
    """

    good: Any
    make: Callable[[random.Random], Any]
    use: Callable[[Any], object]


LINES = {
    "train": (
        "game=leduc seed=3 run_dir=runs/x search.playouts=8 train.lr=0.001 budget.minutes=1",
        "game=kuhn algorithm=smooth_uct algorithm.exploration=2 budget.episodes=10",
        "game=goofspiel game.cards=4 network.channels=8 episode.games=64 init_from=models/x",
        "game=no_limit_holdem game.bet_sizes=[0.5,1] algorithm=opponent_model hands=[a.phh]",
        "experiment=smoke search=paper inference=none bootstrap=none cluster=ray threads=2",
    ),
    "evaluate": (
        "a=fpmcts b=rhcp decks=100 a.playouts=16 seed=1",
        "game=leduc a=lbr b=tabular b.policy=greedy save=x.jsonl",
        "game=goofspiel cards=4 agents=[random,ismcts] ismcts.iterations=8 report=x",
        "experiment=ladder decks=10 sprt=[0.5,0.51]",
        "table=[a,b,c] a=mix a.seats=[random,rhcp,rhcp] b=rhcp c=pimc aivat=true cluster=ray",
    ),
    "play": (
        "port=0 browser=false checkpoint=runs/x games=x.sqlite review=y.jsonl host=127.0.0.1",
    ),
}


def odd_line(script: str) -> Callable[[random.Random], list[str]]:
    """Returns what makes command lines with something wrong, or nothing."""
    known = [word for lines in LINES.values() for line in lines for word in line.split()]

    def made(chance: random.Random) -> list[str]:
        words = chance.choice(LINES[script]).split()
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(words))
            key, _, value = words[at].partition("=")
            words[at] = chance.choice(
                [
                    f"{key}={chance.choice(ODD)}",
                    f"{chance.choice(ODD)}={value}",
                    f"{key}.{chance.choice(ODD)}={value}",
                    f"{key}{chance.choice('=.[]@:~+-')}{value}",
                    f"{chance.choice('+~-@.')}{words[at]}",
                    f"{key}={chance.choice(ODD)[:20]}{value}{chance.choice(ODD)[:20]}",
                    chance.choice(known),
                    chance.choice(ODD),
                ]
            )
        return words

    return made


def changed(chance: random.Random, data: bytes) -> bytes:
    """Returns data of which some bytes are other ones, gone, or there twice."""
    for _ in range(chance.randint(1, 4)):
        at, other = (chance.randrange(len(data) + 1) for _ in range(2))
        data = chance.choice(
            [
                data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :],
                data[:at] + chance.choice(ODD)[:5000].encode(errors="replace") + data[at:],
                data[: max(at, len(data) // 2)],
                data[: min(at, other)] + data[max(at, other) :],
                data[:at] + data[at : at + 50] + data[at:],
                data,
            ]
        )
    return data


def other_value(chance: random.Random, value: Any) -> Any:
    """Returns a value of JSON in which one is another, somewhere."""
    odd = (None, True, 0, -1, 2**70, 1e308, 10**30, "", "x", "9" * 5000, [], [[]], {}, {"name": {}})
    if not isinstance(value, dict | list) or not value or chance.random() < 0.2:
        return chance.choice(odd)
    keys = list(value) if isinstance(value, dict) else range(len(value))
    key, copy = chance.choice(keys), value.copy()
    if chance.random() < 0.1:
        del copy[key]
    elif isinstance(copy, dict) and chance.random() < 0.05:
        copy["unknown"] = copy.pop(key)
    else:
        copy[key] = other_value(chance, value[key])
    return copy


def odd_hand(chance: random.Random) -> bytes:
    """Returns a file of hands in which words are other ones, or bytes."""
    hand = chance.choice([THREE, HEADS_UP, CENTS])
    if chance.random() < 0.3:
        return changed(chance, f"[1]\n{hand}\n[2]\n{THREE}".encode())
    words = hand.replace("[", "[ ").replace("]", " ]").split(" ")
    for _ in range(chance.randint(1, 3)):
        words[chance.randrange(len(words))] = chance.choice([*ODD, *words])[:20_000]
    return " ".join(words).encode(errors="surrogatepass")


def records_of(game: Game) -> list[str]:
    """Returns records of games, some unfinished."""
    rng, found = np.random.default_rng(1), []
    for seed in range(4):
        table = Table(game, seed=seed)
        for _ in range(5 + 20 * seed):
            if not table.is_over:
                table.play(table.legal()[rng.integers(len(table.legal()))].action)
        found.append(json.dumps(game.record(table.deal, 0, [m.action for m in table.moves])))
    return found


def odd_records(name: str) -> Callable[[random.Random], bytes]:
    """Returns what makes files of JSON lines: records, and the deals in them, of a game."""
    lines = records_of(make(name))

    def made(chance: random.Random) -> bytes:
        if chance.random() < 0.3:
            return changed(chance, "\n".join(lines).encode())
        return json.dumps(other_value(chance, json.loads(chance.choice(lines)))).encode()

    return made


def odd_decks(chance: random.Random) -> bytes:
    """Returns pickles of DouZero, or lines of JSON, for Doudizhu."""
    decks = make("doudizhu").deal(streams(4, 3))
    if chance.random() < 0.5:
        return odd_records("doudizhu")(chance)
    entries = douzero(decks)
    if chance.random() < 0.5:
        return pickle.dumps(other_value(chance, entries), chance.randint(0, 5))
    return changed(chance, pickle.dumps(entries, chance.randint(0, 5)))


def use_record(path: Path) -> None:
    """Reads a record as ``play.py review=FILE`` does."""
    games = Rulebook()
    try:
        record = parse_json(read_review(path).strip())
        if not isinstance(record, dict):
            raise ConfigError(f"review={path}: expected an object")
        games.read(record)
    except RefusedError as error:
        raise ConfigError(f"review={path}: {error.text}") from error


def written(arrays: dict[str, np.ndarray], meta: str, path: Path) -> bytes:
    """Returns a checkpoint whose checksum is right, whatever its metadata."""
    save(path, arrays, {})
    data = path.read_bytes()
    path.unlink()
    size, meta = 8 + struct.unpack("<Q", data[:8])[0], meta.encode(errors="replace").decode()
    texts = {"format": FORMAT, "meta": meta, "sha256": _digest(arrays, meta)}
    header = json.loads(data[8:size]) | {"__metadata__": texts}
    return with_header(json.dumps(header).encode(), data[size:])


def with_header(header: bytes, data: bytes) -> bytes:
    """Returns a safetensors file."""
    return struct.pack("<Q", len(header)) + header + data


def odd_weights(path: Path) -> Callable[[random.Random], bytes]:
    """Returns what makes files like a good one: other bytes, other headers, other metadata or
    arrays under a right checksum.
    """
    whole = path.read_bytes()
    size = 8 + struct.unpack("<Q", whole[:8])[0]
    header = json.loads(whole[8:size])
    told = next(key for key in ("meta", "told") if key in header["__metadata__"])

    def made(chance: random.Random) -> bytes:
        which = chance.random()
        if which < 0.2:
            return changed(chance, whole)
        if which < 0.4:
            key = chance.choice(list(header))
            entry = other_value(chance, header[key])
            if isinstance(entry, dict) and "dtype" in entry and chance.random() < 0.5:
                entry["dtype"] = chance.choice(["BF16", "F8_E4M3", "F4", "F64", "I8", "C64", "x"])
            return with_header(json.dumps(header | {key: entry}).encode(), whole[size:])
        meta = json.loads(header["__metadata__"][told])
        for _ in range(chance.randint(1, 2)):
            meta = other_value(chance, meta)
        text = chance.choice([json.dumps(meta)] * 9 + [*ODD])
        if told == "told":
            texts = {"__metadata__": header["__metadata__"] | {told: text}}
            return with_header(json.dumps(header | texts).encode(), whole[size:])
        arrays, _ = load(path)
        if chance.random() < 0.4:
            name = chance.choice(list(arrays))
            arrays[name] = chance.choice(
                [
                    np.full_like(arrays[name], np.inf if arrays[name].dtype.kind == "f" else 9),
                    arrays[name][:-1] if arrays[name].ndim else arrays[name].reshape(1),
                    arrays[name].astype(np.float64),
                    arrays[name].astype(np.int8),
                    np.zeros((0, 3)),
                ]
            )
            arrays |= {"more": np.zeros(2)} if chance.random() < 0.2 else {}
            text = header["__metadata__"][told] if chance.random() < 0.7 else text
        return written(arrays, text, path.with_suffix(".made"))

    return made


@pytest.fixture(scope="session")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Kind]:
    """Returns everything that is made and used."""
    networks = saved(TINY_POKER, tmp_path_factory.mktemp("weights")) / "networks.safetensors"
    tables, opponents = (
        ROOT / "models" / f"{name}.safetensors"
        for name in ("kuhn-tables", "no_limit_holdem-opponents")
    )

    def lines(script: str, use: Callable[[tuple[str, ...]], object]) -> Kind:
        good = LINES[script][0].split()
        return Kind(good, odd_line(script), lambda line: use(split(line).overrides))

    def records(game: str, use: Callable[[Path], object]) -> Kind:
        return Kind(records_of(make(game))[-1].encode(), odd_records(game), use)

    def weights(path: Path, use: Callable[[Path], object]) -> Kind:
        return Kind(path.read_bytes(), odd_weights(path), use)

    def use_networks(path: Path) -> None:
        untrained_of(path, "leduc")
        load_trained(path, "leduc", "float32")

    douzeros = pickle.dumps(douzero(make("doudizhu").deal(streams(4, 3))))
    return {
        "train": lines("train", read_run),
        "evaluate": lines("evaluate", parse_command_line),
        "play": lines("play", parse),
        "hands": Kind(THREE.encode(), odd_hand, lambda path: playable([str(path)], [])),
        "decks": Kind(douzeros, odd_decks, lambda path: _given_decks(path, make("doudizhu"))),
        "other decks": records("goofspiel", lambda path: _given_decks(path, make("goofspiel"))),
        "records": records("doudizhu", use_record),
        "no-limit records": records("no_limit_holdem", use_record),
        "networks": weights(networks, use_networks),
        "tables": weights(tables, lambda path: load_tabular(path, make("kuhn"))),
        "opponents": weights(opponents, load_opponents),
    }


KINDS = (
    *("train", "evaluate", "play", "hands", "decks", "other decks"),
    *("records", "no-limit records", "networks", "tables", "opponents"),
)


def peak() -> float:
    """Returns the most memory that the process ever had, MB."""
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", KINDS)
def test_odd_input_is_used_or_refused_in_one_line(
    name: str,
    count: int,
    kinds: dict[str, Kind],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    chance, kind, path, refused = random.Random(f"{name} {count}"), kinds[name], Path("file"), 0

    def use(given: bytes | list[str]) -> None:
        if isinstance(given, bytes):
            path.write_bytes(given)
        kind.use(path if isinstance(given, bytes) else given)

    use(kind.good)  # imports and compiles, which is not counted
    memory = peak()
    for k in range(count):
        odd = kind.make(chance)
        began = time.process_time()
        try:
            use(odd)
        except InputError as error:
            refused += 1
            message = str(error)
            assert message.isprintable() and 10 < len(message) <= LONGEST, (k, odd, error)
        except Exception as error:
            raise AssertionError((k, odd[:1000])) from error
        assert time.process_time() - began <= SECONDS, (k, odd[:1000])
        assert set(os.listdir()) <= {path.name}, (k, odd[:1000])
    assert count / 4 < refused
    assert peak() <= memory + MEGABYTES
