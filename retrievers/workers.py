"""Preparing batches in several processes, in order, with no more of them in memory than there are processes.

The processes are started as programs of their own that talk over pipes: a program that calls this package
need not be importable a second time, as `multiprocessing` would ask of it, nor free of threads.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue
from typing import IO

from factscore_chain.errors import KnowledgeSourceError, UsageError
from factscore_chain.retrievers.prepare import Batch, Lines, prepare
from factscore_chain.retrievers.wire import receive_answer, receive_lines, send_answer, send_lines

_AHEAD = 2
"""Batches in flight beyond one a process, so that none waits for the writer."""

# The working directory is no place to import from: it may hold anything.
_PROGRAM = f"import sys; sys.path[:1] == [''] and sys.path.pop(0); from {__name__} import serve; serve()"


def checked_workers(workers: int | None) -> int:
    """A number of processes: the one given, or as many as there are cores that this process may use.

    Raises:
        UsageError: It is less than 1.
    """
    if workers is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if workers < 1:
        raise UsageError(f"workers must be 1 or more (processes), not {workers}.")
    return workers


def prepared(batches: Iterable[Lines], workers: int) -> Iterator[Batch]:
    """Prepares batches, giving them back in their order; by 1 worker, in this process.

    Raises:
        KnowledgeSourceError: A process ended before its work.
    """
    if workers == 1 or not sys.executable:
        yield from map(prepare, batches)
        return
    processes = [_Process() for _ in range(workers)]
    free: SimpleQueue[_Process] = SimpleQueue()
    for process in processes:
        free.put(process)

    def run(lines: Lines) -> Batch:
        process = free.get()
        try:
            return process.ask(lines)
        finally:
            free.put(process)

    pool = ThreadPoolExecutor(workers, thread_name_prefix="factscore-register")
    flying: deque[Future[Batch]] = deque()
    try:
        for lines in batches:
            flying.append(pool.submit(run, lines))
            if len(flying) >= workers + _AHEAD:
                yield flying.popleft().result()
        while flying:
            yield flying.popleft().result()
    finally:
        for process in processes:
            process.stop()
        pool.shutdown(cancel_futures=True)
        for process in processes:
            process.wait()


class _Process:
    def __init__(self) -> None:
        env = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "TOKENIZERS_PARALLELISM": "false",
        }
        self._process = subprocess.Popen(  # noqa: S603  this Python, this module
            [sys.executable, "-c", _PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
        )

    def ask(self, lines: Lines) -> Batch:
        """Has lines prepared there."""
        told, answers = self._process.stdin, self._process.stdout
        assert told is not None and answers is not None  # noqa: S101, PT018  both are pipes
        try:
            send_lines(told, lines)
            answer = receive_answer(answers)
        except (OSError, EOFError) as error:
            raise KnowledgeSourceError(
                f"A process that prepares documents ended too early (exit code {self._process.poll()}). Run "
                "it again: what is done is kept. Where memory is short, use fewer workers."
            ) from error
        if isinstance(answer, str):
            raise KnowledgeSourceError(f"A process that prepares documents failed: {answer}")
        return answer

    def stop(self) -> None:
        """Ends it, whatever it does."""
        self._process.kill()

    def wait(self) -> None:
        """Waits for its end and closes the pipes."""
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def serve() -> None:
    """What such a process does: it prepares what comes in by its standard input until that ends."""
    with suppress(KeyboardInterrupt, BrokenPipeError):
        _answer(sys.stdin.buffer, sys.stdout.buffer)


def _answer(asked: IO[bytes], answers: IO[bytes]) -> None:
    while True:
        try:
            lines = receive_lines(asked)
        except EOFError:
            return
        try:
            answer: Batch | str = prepare(lines)
        except Exception as error:  # noqa: BLE001  told to the process that asked
            answer = f"{type(error).__name__}: {error}"
        send_answer(answers, answer)
