"""Reads pickle caches of the original package without running anything that stands in them.

A pickle is a program. Here every name that it may ask for is answered by a small function of ours, which
makes plain values; any other name ends the reading. Arrays are rebuilt from their bytes by numpy.frombuffer,
so a hostile state never reaches numpy's own unpickling. Responses of the openai package, which the caches
hold beside the text, become dictionaries, and the key that is pickled with them is dropped.
"""

from __future__ import annotations

import io
import pickle
import pickletools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from factscore_chain.errors import KnowledgeSourceError

_NUMBER_TYPE = re.compile(r"[<>|=]?[biufc]\d{1,2}")
_SIZES = frozenset({"PUT", "BINPUT", "LONG_BINPUT", "FRAME"})
_PLAIN = (str, bytes, int, float, complex, bool, type(None))


class CacheFileError(KnowledgeSourceError):
    """A cache file is damaged, or holds what a cache has no use for."""


def load_plain(path: Path) -> Any:
    """Reads a pickle of plain containers, strings, numbers and numpy arrays of numbers.

    Raises:
        CacheFileError: It holds anything else, or cannot be read; nothing of it was run.
    """
    try:
        with path.open("rb") as file:
            data = file.read()
        _check_sizes(data)
        return _Plainer().plain(_Unpickler(io.BytesIO(data)).load())
    except CacheFileError as error:
        raise CacheFileError(
            f"The cache {str(path)!r} was refused: {error} It was not run. Delete it, or read it where you "
            "trust it and save its texts as JSON."
        ) from error
    except OSError as error:
        raise CacheFileError(f"The cache {str(path)!r} cannot be read: {error.strerror}.") from error
    except Exception as error:
        # Damaged pickles raise nearly anything: EOFError, IndexError, ValueError, MemoryError, ...
        raise CacheFileError(
            f"The cache {str(path)!r} is damaged ({type(error).__name__}). Delete it to start a new one."
        ) from error


def _check_sizes(data: bytes) -> None:
    """Refuses a pickle that asks for more room than its own length could need, before any is made.

    Python's reader allots what a length or a place in its memo says, gigabytes for five bytes; the scanner
    reads no further than there is.
    """
    for code, argument, _ in pickletools.genops(io.BytesIO(data)):
        if code.name in _SIZES and isinstance(argument, int) and argument > len(data):
            raise CacheFileError(f"It asks for room for {argument} objects in {len(data)} bytes.")


class _Maker:
    """Stands where a pickle names a class or function; calling it makes a plain value."""

    __slots__ = ("_make",)

    def __init__(self, make: Callable[..., Any]) -> None:
        self._make = make

    def __call__(self, *arguments: Any) -> Any:
        return self._make(*arguments)

    def __setstate__(self, state: Any) -> None:
        raise CacheFileError("It tries to change a function.")


class _DType:
    """A numpy type while it is being read: its code, and then its byte order."""

    __slots__ = ("code",)

    def __init__(self, code: Any = None, *ignored: Any) -> None:
        if not isinstance(code, str) or not _NUMBER_TYPE.fullmatch(code):
            raise CacheFileError(f"It holds an array of type {str(code)[:40]!r}; only numbers are read.")
        self.code = code.lstrip("<>|=")

    def __setstate__(self, state: Any) -> None:
        order = state[1] if isinstance(state, tuple) and len(state) > 1 else None
        if order in {"<", ">"}:
            self.code = order + self.code


class _Array:
    """An array while it is being read."""

    __slots__ = ("values",)

    def __init__(self, *ignored: Any) -> None:
        self.values = np.zeros(0)

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, tuple) or len(state) != 5:
            raise CacheFileError("It holds an array in an unknown form.")
        _, shape, dtype, by_columns, data = state
        self.values = _from_bytes(data, dtype, shape, "F" if by_columns else "C")


class _Response(dict[Any, Any]):
    """A response of the openai package; what it is made with (an id, a key) is not kept."""

    def __init__(self, *ignored: Any) -> None:
        super().__init__()

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, dict):
            self.update(state)


def _from_bytes(data: Any, dtype: Any, shape: Any, order: Any) -> Any:
    if not isinstance(dtype, _DType) or not isinstance(data, (bytes, bytearray)):
        raise CacheFileError("It holds an array that is not made of numbers.")
    flat = np.frombuffer(bytes(data), np.dtype(dtype.code))
    return flat.reshape(shape, order="F" if order == "F" else "C").copy()


def _scalar(dtype: Any, data: Any) -> Any:
    return _from_bytes(data, dtype, (1,), "C").item()


def _frombuffer(data: Any, dtype: Any, shape: Any, order: Any) -> _Array:
    array = _Array()
    array.values = _from_bytes(data, dtype, shape, order)
    return array


def _encode(text: Any, encoding: Any = "latin1") -> bytes:
    # How pickles of old protocols write bytes.
    if not isinstance(text, str) or encoding != "latin1":
        raise CacheFileError("It holds bytes in an unknown form.")
    return text.encode("latin1")


def _no_bytes() -> bytes:
    # How old protocols write that there are none.
    return b""


def _not_callable(*ignored: Any) -> Any:
    raise CacheFileError("It makes an array in an unknown way.")


_ARRAYS: dict[str, Callable[..., Any]] = {
    "_reconstruct": _Array,
    "scalar": _scalar,
    "_frombuffer": _frombuffer,
    "ndarray": _not_callable,
    "dtype": _DType,
}
_NUMPY = re.compile(r"numpy(?:\._?core\.(?:multiarray|numeric))?")
_OTHERS: dict[tuple[str, str], Callable[..., Any]] = {
    ("openai.openai_object", "OpenAIObject"): _Response,
    ("_codecs", "encode"): _encode,
    ("builtins", "bytes"): _no_bytes,
    ("builtins", "set"): set,
    ("builtins", "frozenset"): frozenset,
    ("collections", "OrderedDict"): dict,
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        module = "builtins" if module == "__builtin__" else module  # as old protocols write it
        make = _ARRAYS.get(name) if _NUMPY.fullmatch(module) else _OTHERS.get((module, name))
        if make is None:
            raise CacheFileError(f"It asks for {f'{module}.{name}'[:80]!r}, which no cache needs.")
        return _Maker(make)

    def persistent_load(self, pid: Any) -> Any:
        raise CacheFileError("It refers to objects outside the file.")


class _Plainer:
    """Replaces what stood in while reading by plain values; each object once, and none inside itself."""

    def __init__(self) -> None:
        self._done: dict[int, Any] = {}
        self._inside: set[int] = set()

    def plain(self, value: Any) -> Any:
        if isinstance(value, (*_PLAIN, np.ndarray)):
            return value
        if isinstance(value, _Array):
            return value.values
        key = id(value)
        if key in self._done:
            return self._done[key]
        if key in self._inside:
            raise CacheFileError("It holds an object that contains itself.")
        self._inside.add(key)
        made = self._container(value)
        self._inside.discard(key)
        self._done[key] = made
        return made

    def _container(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {self.plain(key): self.plain(item) for key, item in value.items()}
        for kind in (list, tuple, set, frozenset):
            if isinstance(value, kind):
                return kind(self.plain(item) for item in value)
        raise CacheFileError(f"It holds an object of type {type(value).__name__!r}.")
