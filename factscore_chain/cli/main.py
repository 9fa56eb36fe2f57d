"""The command `factscore`: parses arguments, calls one function, turns errors into exit codes.

Exit codes: 0 done, 1 a gate is closed, 2 wrong use, 3 incomplete.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from factscore_chain.cli import edit, evaluate, gate, kb, report, runs, score, serve
from factscore_chain.cli.exits import Exit
from factscore_chain.cli.keeping import shown
from factscore_chain.errors import (
    FactScoreError,
    KnowledgeSourceError,
    MissingExtraError,
    MissingPackageError,
    UsageError,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit code."""
    options = _parser().parse_args(arguments)
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # warnings of libraries are noise to somebody at a terminal
    try:
        with _ended_like_interrupted():
            outcome = options.run(options)
    except (UsageError, KnowledgeSourceError, MissingExtraError, MissingPackageError) as error:
        return _say(error, Exit.USAGE)
    except FactScoreError as error:
        return _say(error, Exit.INCOMPLETE)
    except BrokenPipeError:
        # The reader of a pipe has gone; Python would complain again while flushing at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.DONE
    except KeyboardInterrupt:
        kept = getattr(options, "store", None)
        hint = (
            "" if kept is None else f" What was scored is in {shown(kept)}; the same command goes on from it."
        )
        return _say(f"Interrupted.{hint}", Exit.INCOMPLETE)
    except Exception:  # noqa: BLE001  Python would end in 1, which says that a gate is closed
        traceback.print_exc()
        return Exit.INCOMPLETE
    if isinstance(outcome, Exit):
        return outcome
    return Exit.DONE if outcome else Exit.INCOMPLETE


@contextmanager
def _ended_like_interrupted() -> Iterator[None]:
    """Lets a process that is asked to end (SIGTERM) do so as after Ctrl-C: files whole, and a word on why."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


def _say(message: object, code: int) -> int:
    print(f"factscore: {message}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="factscore", description="Know whether what a language model wrote is true."
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in (score, edit, serve, report, gate, runs, kb, evaluate):
        command.add_parser(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
