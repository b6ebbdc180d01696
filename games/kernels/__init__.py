"""Numba kernels: the decorator, three intrinsics, and random streams.

Random state is an explicit argument everywhere: ``rng`` is a uint64 array with one SplitMix64
stream per lane, so that lane *i* draws the same numbers in a batch of any size. Source: Steele, Lea
& Flood, "Fast splittable pseudorandom number generators", 2014.
"""

import hashlib
import re
from collections.abc import Callable
from enum import IntEnum
from operator import index
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import njit
from numba.core import cgutils
from numba.core.compiler_lock import global_compiler_lock
from numba.cpython.unsafe import numbers
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from games.base.files import ROOT
from games.kernels.cache import MAKERS, KernelCache

PACKAGES = ("games", "networks", "inference", "fpmcts")
"""Packages that affect results."""

PARSING = global_compiler_lock
"""Held by whoever uses ``ast``, as ``numpy.load`` does, since other threads may compile: before
Python 3.11.8, parsing on two threads at once fails (python/cpython#106905).
"""

_TEXT = rb'"{3}(?:(?!"{3})[\s\S])*"{3}'
_REMARKS = re.compile(rb"(?m)^\s*(?:#.*|%b)\n|(%b)" % (_TEXT, _TEXT))
"""Lines of comment, and texts that are statements; in a group any other text, which is code."""


def sources_digest(*files: Path) -> str:
    """Returns a hash of the sources of the project, and of other files, ignoring comment lines and
    docstrings: two trees with the same hash run the same code.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    own = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    for path in [*own, *files]:
        digest.update(path.name.encode() + _REMARKS.sub(rb"\1", path.read_bytes()))
    return digest.hexdigest()[:16]


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Returns the function compiled by numba, without the GIL, with the disk cache of
    ``games.kernels.cache``.

    Use as ``@kernel`` or ``@kernel(parallel=True)``. With ``NUMBA_DISABLE_JIT=1`` it remains a
    Python function.
    """
    if function is None:
        return lambda wrapped: kernel(wrapped, **options)
    if numba.config.DISABLE_JIT:
        return np.errstate(over="ignore")(function)  # integers wrap around
    made = _compiled(function, options)
    # For callers in Python, numba adds an entry that unpacks every array of the arguments: a fifth
    # of all compilation. Kernels call ``inner``, which is compiled without it.
    inner = _compiled(function, {**options, "no_cpython_wrapper": True})
    _share_integers(inner)
    for name in ("get_call_template", "get_overload", "get_compile_result", "_compiling_counter"):
        setattr(made, name, getattr(inner, name))
    return made


def _compiled(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    made = njit(nogil=True, no_cfunc_wrapper=True, **options)(function)
    made._cache = KernelCache(function, made.targetoptions)
    return made


def _share_integers(made: Any) -> None:
    """Makes kernels that call another with a constant, as in ``f(x, 0)``, with a member of an
    IntEnum or with a narrow integer use the version compiled for int64: numba would compile another
    for each.
    """
    original = made.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        return original(tuple(map(_wide, args)), {name: _wide(kind) for name, kind in kws.items()})

    made.get_call_template = get_call_template


def _wide(kind: Any) -> Any:
    """Returns int64 for signed integers of any width, other types unchanged but without
    literals.
    """
    plain = numba.types.unliteral(kind)
    if isinstance(plain, numba.types.IntEnumMember):
        plain = plain.dtype
    narrow = isinstance(plain, numba.types.Integer) and plain.signed
    return numba.types.int64 if narrow else plain


MAKERS += [kernel, _compiled, _share_integers, _wide]  # type: ignore[list-item]


def _intrinsic(stand_in: Callable[..., Any]) -> Callable[..., Any]:
    """Returns numba's decorator, or a substitute by a Python function with the compiler off."""
    return (lambda declared: stand_in) if numba.config.DISABLE_JIT else intrinsic


def _leading_zeros(word: np.uint64) -> int:
    return 64 - int(word).bit_length()


def _trailing_zeros(word: np.uint64) -> int:
    return (int(word) & -int(word)).bit_length() - 1


leading_zeros = _leading_zeros if numba.config.DISABLE_JIT else numbers.leading_zeros
"""Returns the number of zeros before the highest bit of a uint64."""
trailing_zeros = _trailing_zeros if numba.config.DISABLE_JIT else numbers.trailing_zeros
"""Returns the number of zeros after the lowest bit of a uint64, which is not 0."""


@_intrinsic(lambda array, index: None)
def prefetch(context: Any, array: Any, index: Any) -> Any:
    """Hints to the processor that ``array[index]`` (C-contiguous, one index for all axes) will be
    read soon; changes nothing.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        declared = ir.FunctionType(ir.VoidType(), [place.type, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [place.type], declared)
        # 0: to read; 3: keep in all caches; 1: data.
        builder.call(function, [place, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return numba.types.void(array, index), generate


def _copy_line(target: np.ndarray, j: int, source: np.ndarray, i: int) -> None:
    target[j] = source[i]


@_intrinsic(_copy_line)
def copy_line(context: Any, target: Any, j: Any, source: Any, i: Any) -> Any:
    """Copies row ``i`` of an array of two or more axes to row ``j`` of another, of one type and one
    shape of rows, both C-contiguous.

    An assignment of slices would be compiled with all of numpy's checks, which takes ten seconds
    for the states of no-limit Hold'em.
    """
    if not target.layout == source.layout == "C" or target.dtype != source.dtype:
        raise numba.TypingError(f"copy_line({target}, {source}): expected C-contiguous, one type")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        places = []
        for kind, held, row in (
            (signature.args[0], arguments[0], arguments[1]),
            (signature.args[2], arguments[2], arguments[3]),
        ):
            array = context.make_array(kind)(context, builder, held)
            width = row.type(1)
            for axis in range(1, kind.ndim):
                width = builder.mul(width, builder.extract_value(array.shape, axis))
            places.append(builder.gep(array.data, [builder.mul(row, width)]))
        size = context.get_abi_sizeof(context.get_data_type(signature.args[0].dtype))
        cgutils.raw_memcpy(builder, places[0], places[1], width, size)
        return context.get_dummy_value()

    index = numba.types.int64
    return numba.types.void(target, index, source, index), generate


@_intrinsic(lambda value: value)
def borrowed(context: Any, value: Any) -> Any:
    """Returns an array, or a tuple with arrays, that counts no references; the caller keeps the
    arrays alive.

    Numba counts a reference, with an atomic instruction, at most reads of a field; in a loop of a
    few nanoseconds this takes most of the time.
    """

    def strip(context: Any, builder: Any, kind: Any, held: Any) -> Any:
        if isinstance(kind, numba.types.Array):
            array = context.make_array(kind)(context, builder, held)
            array.meminfo = ir.Constant(array.meminfo.type, None)
            return array._getvalue()
        if isinstance(kind, numba.types.BaseTuple):
            for k, part in enumerate(kind):
                held = builder.insert_value(
                    held, strip(context, builder, part, builder.extract_value(held, k)), k
                )
        return held

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return strip(context, builder, signature.args[0], arguments[0])

    return value(value), generate


@_intrinsic(lambda count: np.empty(count, np.float32))
def stack_floats(context: Any, count: Any) -> Any:
    """Returns an array of a constant number of float32 that lives until the calling kernel returns;
    nothing is written to it.

    It is on the stack: allocating one and counting its references takes longer than a short kernel.
    """
    if not isinstance(count, numba.types.IntegerLiteral):
        return None
    number, kind = int(count.literal_value), numba.types.Array(numba.types.float32, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        item = context.get_data_type(numba.types.float32)
        size = context.get_abi_sizeof(item)
        array = context.make_array(kind)(context, builder)
        shape, strides = (
            cgutils.pack_array(builder, [context.get_constant(numba.types.intp, n)])
            for n in (number, size)
        )
        populate_array(
            array,
            data=cgutils.alloca_once(builder, item, size=number),
            shape=shape,
            strides=strides,
            itemsize=context.get_constant(numba.types.intp, size),
            meminfo=None,
        )
        return array._getvalue()

    return kind(count), generate


@kernel(inline="always")
def mix64(x: np.uint64) -> np.uint64:
    """Returns a bijective scramble of 64 bits (the finaliser of SplitMix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def random_u64(rng: np.ndarray, i: int) -> np.uint64:
    """Returns the next 64 random bits of stream ``i``; ``rng`` (uint64 ``[lanes]``) is changed in
    place.
    """
    rng[i] += np.uint64(0x9E3779B97F4A7C15)
    return mix64(rng[i])


@kernel
def random_float(rng: np.ndarray, i: int) -> float:
    """Returns a uniform float64 in [0, 1) from stream ``i``."""
    return np.float64(random_u64(rng, i) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def random_below(rng: np.ndarray, i: int, n: int) -> int:
    """Returns a uniform integer in [0, n) from stream ``i``, for n < 2**31 (bias below 2**-32)."""
    return np.int64(((random_u64(rng, i) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@kernel
def random_index(rng: np.ndarray, i: int, weights: np.ndarray, n: int, total: float) -> int:
    """Returns an index in [0, n) drawn from stream ``i`` in proportion to ``weights[:n]``, which
    are >= 0 and sum to ``total``.

    If rounding exhausts the weights, the last index with a positive weight.
    """
    u, last = random_float(rng, i) * total, 0
    for j in range(n):
        if u < weights[j]:
            return j
        u -= weights[j]
        if weights[j] > 0.0:
            last = j
    return last


def streams(seed: int, count: int, *path: int) -> np.ndarray:
    """Returns ``count`` independent streams (uint64 ``[count]``) for a seed and a path of integers
    in [0, 2**63).

    Stream *i* depends only on the seed, the path and *i*; two seeds or paths never share a stream
    (hash of 64 bits).
    """
    # The number of integers, then each as two words: no two paths give the same words, even after
    # numpy's padding.
    numbers = np.array([len(path), index(seed) % 2**63, *path], np.uint64)
    words = numbers.astype("<u8").view(np.uint32)
    return _spread(np.random.SeedSequence(words.tolist()), count)


def _spread(sequence: np.random.SeedSequence, count: int) -> np.ndarray:
    """Returns ``count`` streams (uint64 ``[count]``) from one seed."""
    base = sequence.generate_state(1, np.uint64)[0]
    with np.errstate(over="ignore"):
        x = base + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0xD1342543DE82EF95)
        x = (x ^ (x >> np.uint64(32))) * np.uint64(0xDABA0B6EB09322E3)
        return x ^ (x >> np.uint64(29))


class Stream(IntEnum):
    """Purposes of random numbers: the first element of the path of ``streams``."""

    TRAINING = 0
    EVALUATION = 1
    PLAY = 2
    BOOTSTRAP = 3
    TABLE = 4
    LUCK = 5


def deal_seeds(seed: int, count: int, stream: Stream, *path: int) -> np.ndarray:
    """Returns ``count`` seeds (uint64 ``[count]``) for ``Game.deal``.

    The lowest bit is 1 for evaluation and 0 for everything else, so no evaluation deck is ever
    trained on, for any seeds. The decks of evaluation are those of the first version, on which all
    results were played; they have no path.
    """
    if stream == Stream.EVALUATION:
        assert not path
        sequence = np.random.SeedSequence([index(seed) % 2**63, int(stream)])
        return _spread(sequence, count) | np.uint64(1)
    return streams(seed, count, stream, *path) & ~np.uint64(1)
