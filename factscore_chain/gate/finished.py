"""Generations that are scored already, found again by their content, so that nothing is asked twice."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from pydantic import ValidationError

from factscore_chain.errors import UsageError
from factscore_chain.records import Record
from factscore_chain.report import GenerationReport, Manifest, Report
from factscore_chain.values import Generation

Finished = dict[str, GenerationReport]
"""Whole reports of generations by their content key."""


def content_key(generation: Generation, manifest: Manifest) -> str:
    """Tells a generation's text and what judges it: two with one key would get the same report.

    Where a retriever has no hash of its content, its name has to stand for it.
    """
    made = {
        "text": generation.text,
        "topic": generation.topic,
        "facts": generation.facts,
        "decomposer": manifest.decomposer,
        "verifier": manifest.verifier,
        "retriever": manifest.retriever,
        "knowledge": manifest.knowledge.get("content_hash") or manifest.knowledge.get("name"),
        "abstain": manifest.abstain,
        "version": manifest.versions.get("factscore-chain"),
    }
    return hashlib.sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()


def finished_in(report: Report) -> Finished:
    """The complete generations of an earlier report: all but those of which something was lost."""
    return {content_key(_generation(one), report.manifest): one for one in report.generations if one.complete}


def _generation(report: GenerationReport) -> Generation:
    # Only facts that were given by the caller belong to no sentence.
    given = bool(report.facts) and all(fact.sentence is None for fact in report.facts)
    return Generation(report.text, report.topic, tuple(fact.text for fact in report.facts) if given else None)


class _Line(Record):
    key: str
    generation: GenerationReport


class Journal:
    """A file to which each generation is added as soon as it is scored: what a killed run leaves behind.

    What was added last under a key stands.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def beside(cls, output: Path) -> Journal:
        """The journal of a run that writes its report to `output`: a hidden file in the same folder."""
        return cls(output.with_name(f".{output.name}.unfinished.jsonl"))

    def read(self) -> Finished:
        """What earlier runs left; a line that was cut off in writing is passed over.

        Raises:
            UsageError: The file is there but cannot be read.
        """
        try:
            lines = self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise UsageError(f"{str(self.path)!r} cannot be read: {error.strerror}. Remove it.") from error
        return {line.key: line.generation for line in map(_parsed, lines) if line is not None}

    def add(self, key: str, report: GenerationReport) -> None:
        """Adds a generation; one of which something was lost is left to be scored again."""
        if report.complete:
            line = _Line(key=key, generation=report).model_dump_json().encode()
            with self.path.open("ab") as file:
                # Begins a line of its own even where a killed run left half of one.
                file.write(b"\n" + line + b"\n")

    def remove(self) -> None:
        """Forgets everything: the run is complete and its report written."""
        self.path.unlink(missing_ok=True)


def _parsed(line: bytes) -> _Line | None:
    try:
        return _Line.model_validate_json(line)
    except ValidationError:
        return None
