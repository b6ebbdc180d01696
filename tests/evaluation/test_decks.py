"""Evaluation decks: fixed by the seed, apart from the decks of training."""

import numpy as np
import pytest

from games.kernels import Stream, deal_seeds, streams


@pytest.mark.parametrize("stream", [Stream.TRAINING, Stream.PLAY, Stream.BOOTSTRAP, Stream.TABLE])
def test_evaluation_seeds_are_apart_from_all_others(stream: Stream) -> None:
    """By construction, whatever the seeds and paths: odd here, even there."""
    assert (deal_seeds(7, 1000, Stream.EVALUATION) & np.uint64(1)).all()
    assert not (deal_seeds(7, 1000, stream, 3) & np.uint64(1)).any()


@pytest.mark.parametrize(
    ("seed", "expected"),
    [
        (7, [15952607011712832857, 1410620213445241113, 5257107056184221833]),
        (2**40 + 5, [14105364110024503625, 7410040524553721885]),
    ],
)
def test_evaluation_decks_are_those_of_the_first_version(seed: int, expected: list[int]) -> None:
    """Results that were published can be played again."""
    assert deal_seeds(seed, len(expected), Stream.EVALUATION).tolist() == expected


def test_two_paths_never_share_a_stream() -> None:
    """Not when one continues with zeros, nor when a number of one is two words of the other; the
    same for seeds.
    """
    paths = [
        (),
        (0,),
        (0, 0),
        (1,),
        (1, 0),
        (1, 0, 0),
        (1, 0, 0, 0, 0),
        (2**32,),
        (0, 1),
        (1, 2**32),
        (0, 0, 0, 0, 0, 0),
    ]
    found = [int(streams(seed, 1, *path)[0]) for seed in (0, 1, 2**32, 2**32 + 1) for path in paths]
    assert len(set(found)) == len(found)


def test_seeds_are_integers_of_any_kind() -> None:
    """numpy's too, as in ``for seed in np.arange(10)``; half a seed is none."""
    np.testing.assert_array_equal(streams(np.int64(3), 2, 1), streams(3, 2, 1))
    for stream in (Stream.TRAINING, Stream.EVALUATION):
        np.testing.assert_array_equal(deal_seeds(np.int64(3), 2, stream), deal_seeds(3, 2, stream))
    with pytest.raises(TypeError):
        streams(1.5, 1)
