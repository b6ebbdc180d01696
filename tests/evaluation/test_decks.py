"""Evaluation decks: fixed by the seed, apart from the decks of training."""

import numpy as np
import pytest

from games.kernels import Stream, deal_seeds


@pytest.mark.parametrize("stream", [Stream.TRAINING, Stream.PLAY, Stream.BOOTSTRAP])
def test_evaluation_seeds_are_apart_from_all_others(stream: Stream) -> None:
    """By construction, whatever the seeds and paths: odd here, even there."""
    assert (deal_seeds(7, 1000, Stream.EVALUATION) & np.uint64(1)).all()
    assert not (deal_seeds(7, 1000, stream, 3) & np.uint64(1)).any()


def test_seeds_depend_on_seed_path_and_row_alone() -> None:
    seeds = deal_seeds(1, 100, Stream.TRAINING, 5)
    assert seeds.dtype == np.uint64 and len(np.unique(seeds)) == 100
    assert (seeds[:10] == deal_seeds(1, 10, Stream.TRAINING, 5)).all()
    for other in (deal_seeds(2, 100, Stream.TRAINING, 5), deal_seeds(1, 100, Stream.TRAINING, 6)):
        assert not np.isin(seeds, other).any()
