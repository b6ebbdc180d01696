"""What processes that work together must have in common."""

from fpmcts.machine import machine
from games.kernels import sources_digest
from networks.device import choose_device


def environment() -> dict[str, str]:
    """Returns what all machines that play for a run must agree on: code, versions, and what the
    last digits of results depend on.
    """
    facts = machine()
    return {
        "code": sources_digest(),
        "Python": facts["python"].rpartition(".")[0],
        **{name: str(facts[name]) for name in ("numpy", "numba", "torch")},
        "instructions": " ".join(facts["flags"]),
        "device": choose_device("auto").type,
    }
