"""Generations that are scored already, found again by their content, so that nothing is asked twice."""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from pathlib import Path

from pydantic import ValidationError

from factscore_chain.errors import UsageError
from factscore_chain.files import private_append
from factscore_chain.recall import Recall
from factscore_chain.records import Record
from factscore_chain.report import GenerationReport, Manifest, Report
from factscore_chain.values import Generation

_log = logging.getLogger(__name__)

Finished = dict[str, GenerationReport]
"""Whole reports of generations by their content key."""


def content_key(generation: Generation, manifest: Manifest, recall: Recall | None = None) -> str:
    """Tells a generation's text and what judges it: two with one key would get the same report.

    Where a retriever has no hash of its content, its name has to stand for it.

    Args:
        generation: What is judged.
        manifest: What judges it.
        recall: What measures its recall, where that was asked for.
    """
    made: dict[str, object] = {
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
    if recall is not None:
        made["recall"] = [recall.against, recall.max_facts, recall.k, generation.reference]
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
        self._said = False
        self._lock = threading.Lock()  # callbacks come from several threads

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
            # Begins a line of its own even where a killed run left half of one.
            self._write(b"\n" + line + b"\n")

    def _write(self, line: bytes) -> None:
        try:
            with self._lock, private_append(self.path) as file:
                file.write(line)
        except OSError as error:
            # Raised from a callback it would be swallowed, and a run is worth more than its journal.
            if not self._said:
                _log.warning("%r cannot be written (%s). The run goes on.", str(self.path), error.strerror)
            self._said = True

    def remove(self) -> None:
        """Forgets everything: the run is complete and its report written."""
        self.path.unlink(missing_ok=True)


def _parsed(line: bytes) -> _Line | None:
    try:
        return _Line.model_validate_json(line)
    except ValidationError:
        return None
