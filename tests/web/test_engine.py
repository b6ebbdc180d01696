"""An engine that dies or hangs is seen and started again, and a slow one is left alone."""

import asyncio
import importlib
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

import pytest

from fpmcts.web.engine import client
from fpmcts.web.engine.asking import CrashError, Earlier, EngineQuestion, Priority
from fpmcts.web.engine.client import SETTLED, EngineProcess
from fpmcts.web.engine.watch import Patience, Watch

sys.path.append(str(Path(__file__).parent))  # the process imports it by this name
hanging = importlib.import_module("hanging")
SHORT = Patience(usual=0.6, first=60.0)


def question(kind: str, **options: Any) -> EngineQuestion:
    return EngineQuestion("toy", {}, kind, options, 0)


async def settle(engine: EngineProcess, kind: str) -> None:
    """Lets a player answer until it counts as known."""
    for _ in range(SETTLED):
        await engine.ask(question(kind, quick=True))


def with_engine(
    work: Callable[[EngineProcess], Any],
    target: Any = hanging.engine_main,
    patience: Patience = SHORT,
    warm_up: tuple[EngineQuestion, ...] = (),
) -> Any:
    async def run() -> Any:
        engine = EngineProcess(warm_up, target=target, patience=patience)
        engine.start()
        engine.warm_up()
        try:
            return await work(engine)
        finally:
            await engine.stop()

    return asyncio.run(run())


@pytest.mark.parametrize(
    "how", ["sleeps", *(pytest.param(how, marks=pytest.mark.slow) for how in ("spins", "stops"))]
)
def test_an_engine_that_hangs_is_started_again(how: str, caplog: pytest.LogCaptureFixture) -> None:
    async def work(engine: EngineProcess) -> None:
        await settle(engine, how)
        before = engine._process.pid
        stuck = asyncio.create_task(engine.ask(question(how)))
        await asyncio.sleep(0.05)
        waiting = asyncio.create_task(
            engine.ask(question("quick", step=7))
        )  # behind it: the next process answers
        with pytest.raises(CrashError, match="hung"):
            await stuck
        assert (await waiting).decision.move == "quick 7" and engine._process.pid != before
        assert before is not None
        with pytest.raises(ProcessLookupError):
            os.kill(before, 0)

    with_engine(work)
    assert "hangs" in caplog.text


def test_one_that_cannot_be_started_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    start, faults = SpawnProcess.start, [OSError("no memory")]

    def start_later(process: SpawnProcess) -> None:
        if faults:
            raise faults.pop()
        start(process)

    monkeypatch.setattr(SpawnProcess, "start", start_later)
    assert with_engine(lambda engine: engine.ask(question("quick"))).decision.move == "quick 0"
    assert "cannot be started (no memory)" in caplog.text


@pytest.mark.slow
def test_one_that_nobody_waits_for_hangs_until_somebody_does() -> None:
    async def work(engine: EngineProcess) -> None:
        await settle(engine, "sleeps")
        left = asyncio.create_task(engine.ask(question("sleeps")))
        await asyncio.sleep(0.1)
        left.cancel()
        assert (await engine.ask(question("quick"))).decision.move == "quick 0"

    with_engine(work)


@pytest.mark.slow
def test_one_that_works_or_compiles_is_left_alone() -> None:
    """Both are silent, or at work, for longer than a known player may be silent."""

    async def work(engine: EngineProcess) -> None:
        assert (await engine.ask(question("compiles"))).decision.move == "compiles 0"
        before = engine._process.pid
        await settle(engine, "works")
        assert (await engine.ask(question("works"))).decision.move == "works 0"
        await asyncio.sleep(1.0)  # nobody waits: nothing to hear
        assert (await engine.ask(question("works", quick=True))).decision.move
        assert engine._process.pid == before

    with_engine(work, patience=Patience(usual=0.8, first=30.0))


def test_a_rehearsal_gives_way_and_is_begun_again() -> None:
    async def work(engine: EngineProcess) -> None:
        while engine._running is None:
            await asyncio.sleep(0.02)
        assert (
            await engine.ask(question("quick", step=1))
        ).decision.move == "quick 1"  # the rehearsal would run forever
        for _ in range(200):
            if engine.status.state == "ready":
                return
            await asyncio.sleep(0.02)
        raise AssertionError(engine.status)

    rehearsal = replace(question("rehearses"), priority=Priority.WARM_UP)
    with_engine(work, patience=Patience(usual=30.0, first=30.0), warm_up=(rehearsal,))


def test_those_who_wait_are_asked_again_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "FIRST_PAUSE", 0.01)

    async def work(engine: EngineProcess) -> None:
        ending = asyncio.create_task(engine.ask(question("ends")))
        await asyncio.sleep(0)
        other = asyncio.create_task(engine.ask(question("quick")))
        with pytest.raises(CrashError, match="status 3"):
            await ending
        assert (await other).decision.move == "quick 0"

    with_engine(work)

    async def never(engine: EngineProcess) -> None:
        with pytest.raises(CrashError):
            await engine.ask(question("quick"))
        assert engine._deaths == client.MOST_DEATHS

    with_engine(never, hanging.broken_main)


def test_silence_counts_where_something_should_be_heard() -> None:
    """Watches side by side, of a process that may be silent for 0.2 s."""

    async def blamed(
        beat: float = 0.6, new: bool = False, busy: bool = True, seconds: float | None = None
    ) -> str:
        said: list[str] = []
        watch = Watch(Patience(usual=0.2, first=10.0), lambda: busy, said.append)
        watch.begin(new, seconds)
        for _ in range(round(0.6 / beat)):
            await asyncio.sleep(beat)
            watch.hear()
        watch.stop()
        return "".join(said)

    async def run() -> list[str]:
        fine = blamed(new=True), blamed(busy=False), blamed(0.02)
        return await asyncio.gather(blamed(), blamed(0.02, seconds=0.1), *fine)

    silent, endless, *fine = asyncio.run(run())
    assert "silent for" in silent and "about one move" in endless
    assert fine == ["", "", ""]


def test_a_server_that_stood_still_blames_nobody() -> None:
    """A look that comes late counts as one."""

    async def run() -> int:
        said: list[str] = []
        watch = Watch(Patience(usual=0.2, first=0.2), lambda: True, said.append)
        time.sleep(0.5)  # noqa: ASYNC251 (the server is stopped)
        await asyncio.sleep(0.03)
        assert not said
        await asyncio.sleep(0.5)
        watch.stop()
        return len(said)

    assert asyncio.run(run()) == 1


def test_what_a_player_has_met_ends_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from fpmcts.web.engine import answering  # imports torch

    monkeypatch.setattr(answering, "MOST_PLAYERS", 1)
    players = answering.Answering()
    first = players._player(EngineQuestion("kuhn", {}, "random", {}, 0))
    players._met[id(first)] = Earlier((), ())
    players._player(EngineQuestion("kuhn", {}, "always_call", {}, 0))
    assert not players._met, "a new player may have the same id"
