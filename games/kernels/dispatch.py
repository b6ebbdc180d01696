"""Generic kernels: functions dispatched on the type of their first argument, a NamedTuple.

Kernels call them by name, and numba picks the implementation when it compiles for a type. Python
may call them too, with or without the compiler (``NUMBA_DISABLE_JIT=1``); the implementation is
then picked at the call.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

import numba
from numba.extending import overload

P = ParamSpec("P")
R = TypeVar("R")


class GenericKernel(Generic[P, R]):
    """Decorates the declaration of a generic kernel, a function without a body.

    Attributes:
        implementations: The implementation for each type of the first argument; the default is that
            of None.
    """

    __name__: str

    def __init__(self, declared: Callable[P, R]) -> None:
        self.implementations: dict[type | None, Callable[..., Any]] = {}
        functools.update_wrapper(self, declared)

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        """Runs the implementation for the type of the first argument."""
        kind = type(arguments[0])
        chosen = self.implementations.get(kind) or self.implementations.get(None)
        if chosen is None:
            raise TypeError(f"{self.__name__}: no kernel is registered for {kind.__name__}")
        return chosen(*arguments, **named)  # type: ignore[no-any-return]


def register(
    generic: GenericKernel[..., Any], first_type: type | None, implementation: Any
) -> None:
    """Makes a kernel the implementation of a generic one where the first argument is of a
    NamedTuple type; None: of any type that registers none.

    An implementation that is ``@kernel(forceinline=True)`` is inlined into each kernel that calls
    it: a call passes seven words for every array. Numba chooses by a function that must have
    exactly the implementation's signature.
    """
    generic.implementations[first_type] = implementation
    if first_type:
        # numba finds the compiled version of a kernel by the name and the field types of a
        # NamedTuple, so a copy of a game would run the kernels of the original.
        first_type.__name__ = f"{first_type.__module__}.{first_type.__qualname__}"
    if numba.config.DISABLE_JIT:
        return

    def choose(*arguments: Any) -> Callable[..., Any] | None:
        kind = arguments[0]
        fits = _is_type(kind, first_type) if first_type else not has_own(generic, kind)
        return implementation.py_func if fits else None

    choose.__signature__ = inspect.signature(implementation.py_func)  # type: ignore[attr-defined]
    inline = bool(implementation.targetoptions.get("forceinline"))
    overload(generic, jit_options={"forceinline": inline, "no_cfunc_wrapper": True})(choose)


def has_own(generic: GenericKernel[..., Any], kind: Any) -> bool:
    """Returns whether a generic kernel has an implementation for a numba type; the default does not
    count.
    """
    return any(_is_type(kind, known) for known in generic.implementations if known)


def _is_type(kind: Any, named_tuple: type) -> bool:
    """Returns whether a numba type is that of a NamedTuple class."""
    return getattr(kind, "instance_class", None) is named_tuple
