"""Batches come out of a pipe as they went in."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest

from factscore_chain.retrievers.postings import Postings
from factscore_chain.retrievers.prepare import Batch, Lines, prepare
from factscore_chain.retrievers.wire import receive_answer, receive_lines, send_answer, send_lines

LINES = Lines(
    7, (b'{"title": "Kyoto", "text": "A city. \\ud800 Old.", "redirects": ["Kioto"]}', None, b"{", b""), 64
)


@pytest.mark.parametrize("lines", [LINES, Lines(1, (), 64), Lines(1, (b"", None), 64)])
def test_lines_come_as_they_were_sent(lines: Lines) -> None:
    pipe = BytesIO()
    send_lines(pipe, lines)
    pipe.seek(0)
    assert receive_lines(pipe) == lines


def _plain(batch: Batch) -> tuple[object, ...]:
    arrays = [getattr(batch.postings, name) for name in ("sizes", "passages", "counts", "lengths")]
    return (
        batch.documents,
        batch.problems,
        batch.postings.words,
        [(one.dtype, one.tolist()) for one in arrays],
    )


@pytest.mark.parametrize("lines", [LINES, Lines(1, (b"{",), 64)])
def test_what_became_of_them_comes_as_it_was_sent(lines: Lines) -> None:
    batch, pipe = prepare(lines), BytesIO()
    send_answer(pipe, batch)
    pipe.seek(0)
    received = receive_answer(pipe)
    assert isinstance(received, Batch)
    assert _plain(received) == _plain(batch)


def test_arrays_of_objects_are_not_read() -> None:
    pipe = BytesIO()
    objects = Postings((), *[np.array([object()])] * 4)
    send_answer(pipe, Batch((), objects, ()))
    pipe.seek(0)
    with pytest.raises(ValueError, match="allow_pickle"):
        receive_answer(pipe)


@pytest.mark.parametrize("size", [0, 5, 20])
def test_a_pipe_that_ends_early_is_noticed(size: int) -> None:
    pipe = BytesIO()
    send_answer(pipe, "No memory.")
    with pytest.raises(EOFError):
        receive_answer(BytesIO(pipe.getvalue()[:size]))
