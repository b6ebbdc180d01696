"""The stores of samples: the order of arrival changes nothing, a reservoir is a uniform sample."""

from collections.abc import Callable

import numpy as np
import pytest

from fpmcts.training.samples import (
    TARGET_WIDTH,
    Reservoir,
    Samples,
    SampleStore,
    Window,
    empty_samples,
    truncate_targets,
)
from games.kernels.rows import named, take
from tests.search.toy_game import End, Move, ToyGame, make_rules

GAME = ToyGame(make_rules(Move(0, [End(1.0), End(0.0)]), num_cards=4, num_actions=2))
MAKERS = [lambda: Reservoir(empty_samples(GAME, 20), 3), lambda: Window(empty_samples(GAME, 20))]
STORES = pytest.mark.parametrize("make", MAKERS, ids=["reservoir", "window"])


def numbered(first: int, count: int) -> Samples:
    """Returns samples that carry their number in every field."""
    samples, numbers = empty_samples(GAME, count), np.arange(first, first + count)
    for _, field in named(samples):
        field[:] = (numbers % 100 if field.dtype == np.int8 else numbers).reshape(
            -1, *[1] * (field.ndim - 1)
        )
    return samples


def content(store: SampleStore[Samples]) -> list[int]:
    """Returns the numbers of the samples held, after checking that every field of a row belongs to
    one sample.
    """
    rows = take(store.rows, slice(0, store.size))
    expected = numbered(0, 1 + int(rows.iteration.max(initial=0)))
    for (_, field), (_, other) in zip(
        named(rows), named(take(expected, rows.iteration)), strict=True
    ):
        np.testing.assert_array_equal(field, other)
    return rows.iteration.tolist()


@STORES
@pytest.mark.parametrize("total", [0, 7, 20, 21, 300])
def test_parts_give_the_same_as_the_whole(
    make: Callable[[], SampleStore[Samples]], total: int
) -> None:
    """All at once, one by one, and in parts of any size, empty ones included."""
    whole = make()
    whole.add(numbered(0, total))
    assert whole.seen == total
    assert whole.size == min(total, 20)
    assert len(set(content(whole))) == whole.size
    cuts = np.sort(np.random.default_rng(total).integers(0, total + 1, 6))
    for bounds in (range(total + 1), [0, *cuts.tolist(), total]):
        parts = make()
        for a, b in zip(bounds, bounds[1:], strict=False):
            parts.add(numbered(a, b - a))
        assert parts.seen == total
        assert content(parts) == content(whole)


@pytest.mark.parametrize("batch", [1, 7, 20, 64])
def test_window_keeps_the_last(batch: int) -> None:
    window = Window(empty_samples(GAME, 20))
    for first in range(0, 10 * batch, batch):
        window.add(numbered(first, batch))
        assert sorted(content(window)) == list(range(max(0, first + batch - 20), first + batch))


SAMPLES = numbered(0, 200)


def test_reservoir_is_uniform() -> None:
    """Of 200 items 20 are kept, in 4,000 reservoirs with seeds in a row: χ² of how often each item
    is kept.  The counts of a draw without replacement have variance p (1 - p) and correlation -1
    / 199, so that the sum of squares over p (1 - p) is 200 / 199 · χ²(199). The limits leave 5 in
    100,000 on either side.
    """
    repeats, kept = 4000, np.zeros(200)
    for seed in range(repeats):
        reservoir = Reservoir(empty_samples(GAME, 20), seed)
        reservoir.add(SAMPLES)
        kept[reservoir.rows.iteration] += 1
    p = 20 / 200
    statistic = ((kept - repeats * p) ** 2).sum() / (repeats * p * (1 - p)) * 199 / 200
    assert 130 < statistic < 286


def test_seeds_give_unrelated_reservoirs() -> None:
    """Of two reservoirs about a tenth is the same, also after any exchange of the items' bits (a
    hash of seed ^ item would).
    """
    kept = []
    for seed in (1, 3, 5, 1001):
        reservoir = Reservoir(empty_samples(GAME, 20), seed)
        reservoir.add(SAMPLES)
        kept.append(set(content(reservoir)))
    for bits in range(256):
        for other in kept[1:]:
            assert len({item ^ bits for item in kept[0]} & other) < 12


@STORES
@pytest.mark.parametrize("total", [0, 7, 20, 130])
def test_a_store_that_is_saved_and_restored_goes_on_as_before(
    make: Callable[[], SampleStore[Samples]], total: int
) -> None:
    store = make()
    store.add(numbered(0, total))
    state = {name: field.copy() for name, field in store.get_state().items()}
    assert len(state["result"]) == store.size
    restored = make()
    restored.set_state(state)
    for same in (store, restored):
        same.add(numbered(total, 90))
    assert restored.seen == store.seen == total + 90
    assert content(restored) == content(store)
    drawn = [s.draw(np.random.default_rng(1), 50).iteration for s in (store, restored)]
    np.testing.assert_array_equal(*drawn)


@STORES
def test_a_state_of_another_capacity_is_refused(make: Callable[[], SampleStore[Samples]]) -> None:
    larger = Window(empty_samples(GAME, 50))
    larger.add(numbered(0, 30))
    with pytest.raises(ValueError, match="holds 30 of 30 samples; the store has room for 20"):
        make().set_state(larger.get_state())


@pytest.mark.parametrize("field", [np.ones((30, 1), np.float32), np.ones((30, 2), np.float64)])
def test_a_state_of_another_form_is_refused(field: np.ndarray) -> None:
    store = Window(empty_samples(GAME, 50))
    store.add(numbered(0, 30))
    state = {**store.get_state(), "target": field}
    with pytest.raises(
        ValueError, match=r"target of its samples is .*; expected float32 \(30, 2\)"
    ):
        store.set_state(state)


@STORES
@pytest.mark.parametrize("recency", [0.0, 2.0])
def test_draws_by_recency(make: Callable[[], SampleStore[Samples]], recency: float) -> None:
    """In proportion to (iteration + 1) ^ recency over what is held; what was drawn before does not
    matter when rows have come in since.
    """
    store = make()
    store.add(numbered(0, 4))
    store.draw(np.random.default_rng(0), 1, recency)
    store.add(numbered(4, 4))
    drawn = store.draw(np.random.default_rng(1), 20_400, recency)
    counts, shares = np.bincount(drawn.iteration, minlength=8), np.arange(1, 9) ** recency
    expected = 20_400 * shares / shares.sum()
    # Chi-squared with 7 degrees of freedom exceeds 35 once in 90,000.
    assert ((counts - expected) ** 2 / expected).sum() < 35


@STORES
def test_an_extreme_recency_draws_the_newest(make: Callable[[], SampleStore[Samples]]) -> None:
    store = make()
    store.add(numbered(0, 8))
    assert (store.draw(np.random.default_rng(0), 50, recency=1e4).iteration == 7).all()


@pytest.mark.parametrize("width", [1, TARGET_WIDTH - 1, TARGET_WIDTH, TARGET_WIDTH + 1, 90])
def test_truncated_targets(width: int) -> None:
    """The most probable actions stay with their probabilities, scaled to sum to 1; short rows are
    padded.
    """
    rng = np.random.default_rng(width)
    actions = np.sort(rng.permuted(np.tile(np.arange(400), (30, 1)), axis=1)[:, :width], axis=1)
    target = rng.dirichlet(np.full(width, 0.3), 30)
    beyond = np.arange(width) >= rng.integers(1, width + 1, 30)[:, None]
    actions[beyond], target[beyond] = -1, 0.0
    target /= target.sum(1, keepdims=True)
    kept = truncate_targets(actions.astype(np.int16), target.astype(np.float32), TARGET_WIDTH)
    assert kept[0].shape == kept[1].shape == (30, TARGET_WIDTH)
    assert (kept[0].dtype, kept[1].dtype) == (np.int16, np.float32)
    for row in range(30):
        given = sorted(zip(target[row].tolist(), actions[row].tolist(), strict=True))[::-1]
        scale = sum(p for p, _ in given[:TARGET_WIDTH])
        best = {a: p / scale for p, a in given[:TARGET_WIDTH] if p > 0}
        pairs = zip(*(array[row].tolist() for array in kept), strict=True)
        assert {a: p for a, p in pairs if p > 0} == pytest.approx(best, rel=1e-5)
