"""The properties that cooperating processes must share."""

from fpmcts.machine import machine
from games.kernels import sources_digest
from networks.device import choose_device


def environment() -> dict[str, str]:
    """Returns the properties that must agree on all machines of a run: code, versions, and those
    that affect the last digits of results.
    """
    facts = machine()
    return {
        "code": sources_digest(),
        "Python": facts["python"].rpartition(".")[0],
        **{name: str(facts[name]) for name in ("numpy", "numba", "torch")},
        "instructions": " ".join(facts["flags"]),
        "device": choose_device("auto").type,
    }
