"""Batches on their way between processes: a length, then arrays in numpy's own format.

Reading that format runs nothing, whatever it holds.
"""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from io import BytesIO
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from factscore_chain.retrievers.postings import Postings
from factscore_chain.retrievers.prepare import Batch, Lines, Prepared

Arrays = dict[str, npt.NDArray[Any]]

_LENGTH = 8
"""Bytes of the length."""
_ARRAYS = tuple(one.name for one in fields(Postings) if one.name != "words")
_TOO_LONG = -1
"""Stands for the length of a line that is not there."""


def send_lines(pipe: IO[bytes], lines: Lines) -> None:
    """Sends lines to be prepared."""
    sizes = [_TOO_LONG if one is None else len(one) for one in lines.data]
    whole = b"".join(one for one in lines.data if one is not None)
    _send(
        pipe,
        {
            "told": np.array([lines.first, lines.max_tokens], np.int64),
            "sizes": np.array(sizes, np.int64),
            "data": np.frombuffer(whole + b"\n", np.uint8),
        },
    )


def receive_lines(pipe: IO[bytes]) -> Lines:
    """Receives what `send_lines` sends.

    Raises:
        EOFError: Nothing more comes.
    """
    found = _receive(pipe)
    first, max_tokens = found["told"].tolist()
    whole, start, data = found["data"].tobytes(), 0, list[bytes | None]()
    for size in found["sizes"].tolist():
        data.append(None if size == _TOO_LONG else whole[start : start + size])
        start += max(size, 0)
    return Lines(first, tuple(data), max_tokens)


def send_answer(pipe: IO[bytes], answer: Batch | str) -> None:
    """Sends what became of lines, or what went wrong."""
    if isinstance(answer, str):
        _send(pipe, {"failed": _text(answer)})
        return
    documents = [asdict(one) | {"digest": one.digest.hex()} for one in answer.documents]
    told = {"documents": documents, "words": answer.postings.words, "problems": answer.problems}
    _send(pipe, {"told": _text(told), **{name: getattr(answer.postings, name) for name in _ARRAYS}})


def receive_answer(pipe: IO[bytes]) -> Batch | str:
    """Receives what `send_answer` sends.

    Raises:
        EOFError: Nothing more comes.
    """
    found = _receive(pipe)
    if "failed" in found:
        return str(json.loads(found["failed"].tobytes()))
    told = json.loads(found.pop("told").tobytes())
    documents = tuple(
        Prepared(
            one["line"],
            one["title"],
            tuple(one["redirects"]),
            bytes.fromhex(one["digest"]),
            tuple(one["passages"]),
        )
        for one in told["documents"]
    )
    problems = tuple((line, why) for line, why in told["problems"])
    return Batch(documents, Postings(words=tuple(told["words"]), **found), problems)


def _text(value: object) -> npt.NDArray[np.uint8]:
    return np.frombuffer(json.dumps(value).encode(), np.uint8)


def _send(pipe: IO[bytes], arrays: Arrays) -> None:
    buffer = BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]  # a name could be that of its own argument
    pipe.write(buffer.tell().to_bytes(_LENGTH, "big"))
    pipe.write(buffer.getbuffer())
    pipe.flush()


def _receive(pipe: IO[bytes]) -> Arrays:
    data = _exactly(pipe, int.from_bytes(_exactly(pipe, _LENGTH), "big"))
    with np.load(BytesIO(data), allow_pickle=False) as found:
        return {name: found[name] for name in found.files}


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError("the other process has ended")
    return data
