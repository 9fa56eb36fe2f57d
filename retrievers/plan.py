"""What is to be registered, and what became of it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from factscore_chain.retrievers import schema
from factscore_chain.retrievers.connections import partial_path
from factscore_chain.retrievers.passages import MAX_TOKENS
from factscore_chain.retrievers.tokenize import TOKENIZER_VERSION

_KEPT_PROBLEMS = 100


@dataclass(frozen=True)
class LineProblem:
    """A line of the input that was left out, and why."""

    line: int
    """0 where the input has no lines, such as a folder; `problem` then says which part it was."""
    problem: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.problem}" if self.line else self.problem


@dataclass
class Registration:
    """What became of the lines of a file."""

    documents: int = 0
    passages: int = 0
    bad_lines: int = 0
    """Lines that hold no document; the other lines were registered all the same."""
    duplicates: int = 0
    """Documents whose title was taken already; the first keeps it."""
    problems: list[LineProblem] = field(default_factory=list)
    """The first 100 bad or duplicate lines."""

    def note(self, line: int, problem: str) -> None:
        """Remembers why a line was left out."""
        if len(self.problems) < _KEPT_PROBLEMS:
            self.problems.append(LineProblem(line, problem))

    @classmethod
    def from_json(cls, text: str) -> Registration:
        """Reads back what `to_json` wrote."""
        data = json.loads(text)
        return cls(**{**data, "problems": [LineProblem(**problem) for problem in data["problems"]]})

    def to_json(self) -> str:
        """As stored in the database."""
        return json.dumps(asdict(self))


@dataclass(frozen=True)
class Plan:
    """What is to be registered, where, and how."""

    source: Path
    """The file of rows."""
    out: Path
    name: str
    max_tokens: int = MAX_TOKENS
    strict: bool = False
    progress: bool | None = None
    given: Path | None = None
    """What the rows were made from, if anything; messages name it."""
    workers: int = 1
    """Processes that prepare batches."""

    @property
    def input(self) -> Path:
        """What people know as the input."""
        return self.given or self.source

    @property
    def partial(self) -> Path:
        """The file that grows; it takes its final name only when complete."""
        return partial_path(self.out)

    @property
    def settings(self) -> dict[str, str | int]:
        """What a database must have been made with to be continued or reused."""
        return {
            "max_tokens": self.max_tokens,
            "tokenizer": TOKENIZER_VERSION,
            "schema": schema.SCHEMA_VERSION,
        }
