"""The disk cache of kernels, keyed by the code they depend on.

Numba's own cache does not notice an edit in a called function of another file, and does notice a
comment. The key of a kernel here is a hash of all that its compiled form depends on: its signature,
the bytecode of every function that it can reach, the constants, defaults and global values that
these read, the implementations of generic kernels for the types in the signature, the making and
calling of kernels (``games.kernels``, ``games.kernels.dispatch``), the compiler and the processor.
So an edit recompiles only what it changes; comments, docstrings and moving functions to other files
recompile nothing. There is one file per key, written atomically.
"""

import hashlib
import io
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterable
from enum import Enum
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.environment import Environment, _rebuild_env
from numba.core.serialize import NumbaPickler
from numba.core.typing.templates import builtin_registry
from numba.experimental.jitclass.base import JitClassType
from numba.extending import _Intrinsic
from numba.np.ufunc.dufunc import DUFunc

from games.base.files import write
from games.kernels.dispatch import GenericKernel, register

LIBRARIES = sys.stdlib_module_names | {"numba", "numpy", "llvmlite"}
"""Objects from these packages are identified by name; the versions are part of every key."""
CONFIG = (
    "BOUNDSCHECK",
    "OPT",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "USING_SVML",
    "DEBUGINFO_DEFAULT",
)
"""The settings of numba that change code; those of the processor are in the key as well."""
KEPT_DAYS = 60
"""How long a stored kernel outlives its last use."""
MAKERS: list[FunctionType] = [register]  # type: ignore[list-item]
"""Functions that make and call kernels; ``games.kernels`` adds its own."""
UNREADABLE = (
    OSError,
    EOFError,
    pickle.UnpicklingError,
    ImportError,
    LookupError,
    AttributeError,
    TypeError,
    ValueError,
)

# Numba names compiled functions by their Python names and a count. In files of several processes
# two functions could have the same name, and the one loaded first would run instead of the other.
# Random numbers prevent this.
FunctionIdentity._unique_ids = iter(lambda: int.from_bytes(os.urandom(8), "big"), None)


def cache_folder() -> Path:
    """Returns this project's folder in the user's cache folder, for data that can be recomputed."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fpmcts"


@cache
def sweep(folder: Path) -> None:
    """Removes kernels that no process has read for ``KEPT_DAYS``, once per process: each change of
    a source leaves the old ones behind. Raises OSError.
    """
    oldest = time.time() - KEPT_DAYS * 86_400
    for file in folder.glob("*.nbc"):
        if file.stat().st_mtime < oldest:
            file.unlink(missing_ok=True)


class UnknownKindError(TypeError):
    """A kernel reads an object of numba whose code is not known here: it is not stored."""


class KernelCache(NullCache):
    """The compiled forms of a function on disk, which numba queries before and updates after
    compiling.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self._function, self._options = function, sorted(options.items())

    def _file(self, signature: Any, codegen: Any) -> Path:
        key = meaning(self._function, signature, (*codegen.magic_tuple(), self._options))
        return cache_folder() / "kernels" / f"{self._function.__name__}-{key}.nbc"

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """Returns the stored form for a signature, None if there is none or it cannot be read."""
        target_context.refresh()
        try:
            file = self._file(sig, target_context.codegen())
            data = file.read_bytes()
            os.utime(file)  # in use, see ``sweep``
            if hashlib.sha256(data[32:]).digest() != data[:32]:
                return None
            parts = pickle.loads(data[32:])
            parts[1].modname = self._function.__module__  # where the function is now
            result = CompileResult._rebuild(target_context, *parts)
        except UNREADABLE:
            return None
        # A class that cannot be imported, such as one of ``__main__``, would be another class when
        # read.
        return result if result.signature.args == tuple(getattr(sig, "args", sig)) else None

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        """Stores the compiled form for a signature; if the folder cannot be written, it is compiled
        again next time.
        """
        if data.lifted or data.library.has_dynamic_globals:
            return
        buffer = io.BytesIO()
        _Pickler(buffer, protocol=4).dump(data._reduce())
        try:
            file = self._file(sig, data.codegen)
            file.parent.mkdir(parents=True, exist_ok=True)
            sweep(file.parent)
            write(file, hashlib.sha256(buffer.getvalue()).digest() + buffer.getvalue())
        except (OSError, UnknownKindError):
            return


class _Pickler(NumbaPickler):
    """Pickles a compiled kernel without the names of the modules of its functions, whose globals
    compiled code does not read.
    """

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, Environment):
            return _rebuild_env, ("builtins", obj.consts, obj.env_name)
        return super().reducer_override(obj)


def meaning(function: Callable[..., Any], signature: Any, processor: Any = ()) -> str:
    """Returns the key of a function compiled for a signature: 32 hexadecimal digits."""
    walk = _Walk()
    for part in MAKERS:
        walk.write(_code_text(part.__code__, part.__doc__))
    settings = [getattr(numba.config, name, None) for name in CONFIG]
    walk.write(
        f"{sys.version} {numba.__version__} {np.__version__} {llvmlite.__version__} {settings} "
        f"{processor} {signature}"
    )
    for kind in getattr(signature, "args", signature):
        walk.signature_type(kind)
    walk.write(walk.text(function, ()))
    walk.finish()
    return walk.hash.hexdigest()[:32]


class _Walk:
    """Hashes everything reachable from a function, each function and class once: later occurrences
    are numbers.
    """

    def __init__(self) -> None:
        self.hash = hashlib.sha256()
        self._numbers: dict[int, int] = {}  # by the id of objects met
        self._functions: list[FunctionType] = []  # met, and not written yet
        self._generics: list[GenericKernel[..., Any]] = []
        self._types: list[type] = []  # the NamedTuples
        self._overloads: dict[int, list[Any]] = {}  # of numba.extending.overload, by function
        for function, kind in builtin_registry.globals:
            templates = getattr(kind, "templates", ())
            found = [t._overload_func for t in templates if hasattr(t, "_overload_func")]
            self._overloads.setdefault(id(function), []).extend(found)
        self._attributes: dict[str, dict[Any, Any]] = {}  # of overload_method: by name and type
        for template in builtin_registry.attributes:
            own = getattr(template, "_overload_func", None)
            if own is not None and own.__module__.split(".")[0] not in LIBRARIES:
                self._attributes.setdefault(template._attr, {})[template.key] = own

    def write(self, text: str) -> None:
        self.hash.update(f"{text}\n".encode())

    def signature_type(self, kind: Any) -> None:
        """Writes the NamedTuples in a numba type, however deep."""
        if hasattr(kind, "instance_class"):
            self.write(self.text(kind.instance_class, ()))
        for part in kind if isinstance(kind, numba.types.BaseTuple) else ():
            self.signature_type(part)

    def finish(self) -> None:
        """Writes everything met, until nothing new is found."""
        functions, done = 0, set[tuple[int, int]]()
        while functions < len(self._functions) or len(done) < len(self._generics) * (
            len(self._types) + 1
        ):
            while functions < len(self._functions):
                self._function(self._functions[functions])
                functions += 1
            for i, generic in enumerate(self._generics[:]):
                for j, kind in enumerate([None, *self._types]):
                    if (i, j) not in done and kind in generic.implementations:
                        self.write(
                            f"generic {i} {j} {self.text(generic.implementations[kind], ())}"
                        )
                    done.add((i, j))

    def _number(self, value: Any, met: list[Any]) -> str:
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self._numbers)
            met.append(value)
        return f"#{self._numbers[id(value)]}"

    def _function(self, function: FunctionType) -> None:
        code = function.__code__
        names = list(dict.fromkeys(_names(code)))
        self.write(_code_text(code, function.__doc__))
        self.write(self.text((function.__defaults__, function.__kwdefaults__), names))
        self.write(self.text([cell.cell_contents for cell in function.__closure__ or ()], names))
        for name in names:
            for own in self._attributes.get(name, {}).values():
                self.write(f"attribute {name} {self.text(own, names)}")
            if name in function.__globals__:
                self.write(f"{name} {self.text(function.__globals__[name], names)}")

    def text(self, value: Any, names: Iterable[str]) -> str:
        """Returns a text that identifies a value for compiled code.

        Args:
            value: The value, for example of a global name.
            names: Names used by the function that reads it, including attributes.
        """
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        if isinstance(value, GenericKernel):
            return f"generic {value.__name__} {self._number(value, self._generics)}"
        if isinstance(value, Dispatcher):
            return f"kernel {sorted(value.targetoptions.items())} {self.text(value.py_func, names)}"
        if isinstance(value, _Intrinsic):
            return f"intrinsic {self.text(value._defn, names)}"
        if isinstance(value, DUFunc):
            return f"ufunc {value.identity} {self.text(value._dispatcher.py_func, names)}"
        if isinstance(value, JitClassType):
            made = value.class_type  # type: ignore[attr-defined]
            parts = (made.jit_methods, made.jit_props, made.jit_static_methods)
            return f"jitclass {made.struct} {[self.text(part, names) for part in parts]}"
        if isinstance(value, type | FunctionType) and value.__module__.split(".")[0] in LIBRARIES:
            return f"{value.__module__}.{value.__qualname__}"
        if isinstance(value, FunctionType):
            # An overloaded function is not called itself.
            called = self._overloads.get(id(value)) or [value]
            return " ".join(self._number(part, self._functions) for part in called)
        if isinstance(value, type):
            return self._class_text(value)
        if isinstance(value, ModuleType):
            if value.__name__.split(".")[0] in LIBRARIES:
                return value.__name__
            return str(
                [
                    (name, self.text(vars(value)[name], names))
                    for name in names
                    if name in vars(value)
                ]
            )
        if isinstance(value, Enum):
            return f"{self._class_text(type(value))} {value.name}"
        if isinstance(value, tuple | list):
            own = self._class_text(type(value)) if hasattr(value, "_fields") else kind
            return f"{own} {[self.text(item, names) for item in value]}"
        if isinstance(value, dict):
            items = [(self.text(key, names), self.text(item, names)) for key, item in value.items()]
            return f"{kind} {items}"
        if isinstance(value, np.ndarray):
            return (
                f"{value.dtype.descr} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
            )
        if isinstance(value, np.generic):
            return f"{kind} {value.dtype} {value.tobytes().hex()}"
        if value is None or isinstance(
            value, bool | int | float | complex | str | bytes | np.dtype | numba.types.Type
        ):
            return f"{kind} {value!r}"
        if type(value).__module__.startswith("numba."):
            raise UnknownKindError(kind)
        # A function that is not written in Python, or nothing that kernels can read.
        return f"{kind} {getattr(value, '__name__', '')}"

    def _class_text(self, value: type) -> str:
        name = f"{value.__module__}.{value.__qualname__}"  # pickles find a class by its name
        if issubclass(value, Enum):
            members = [(key, self.text(item.value, ())) for key, item in value.__members__.items()]
            return f"{name} {members}"
        if hasattr(value, "_fields"):
            self._number(value, self._types)
            return f"{name} {value._fields} {self.text(value._field_defaults, ())}"  # type: ignore[attr-defined]
        return name


def _names(code: CodeType) -> Iterable[str]:
    """Yields the names of globals and attributes that a function reads, and those within it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _code_text(code: CodeType, doc: str | None = None) -> str:
    """Returns the bytecode and the constants of a function, without its docstring and its place in
    the file.
    """
    constants = []
    for i, constant in enumerate(code.co_consts):
        if isinstance(constant, CodeType):
            constants.append(_code_text(constant))
        elif isinstance(constant, frozenset):
            constants.append(f"frozenset {sorted(map(repr, constant))}")
        else:
            constants.append(repr(None if i == 0 and constant == doc else constant))
    shape = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return f"{code.co_code.hex()} {constants} {shape} {names} {code.co_exceptiontable.hex()}"
