"""The precision that the networks of a run play with: asked for, or found by a trial once and kept with its checkpoints.

A run never chooses int8 by itself: policy gradient compares the probabilities that games were played with to those of the
learner, in float32 or bfloat16, and what int8's larger errors do to that, and to what searches teach, was not measured.
"""

from typing import Any

import torch

from networks.resnet import PolicyValueNet
from networks.trial import Choice, choose_precision
from training.run_folder import Saved


def precision_of_run(asked: str, saved: Saved | None, net: PolicyValueNet, device: torch.device) -> Choice:
    """Returns the precision of a run.

    Args:
        asked: The configuration's.
        saved: The checkpoint to go on from; one of a version that kept no choice says ``auto``, which stays the processor's.
        net: One of its networks.
        device: Of the forward passes.
    """
    if asked != "auto":
        return Choice(asked)
    if saved is not None:
        config: dict[str, Any] = saved.meta["config"]
        return Choice(str(config.get("precision", "auto")))
    return choose_precision(net, device, with_int8=False)
