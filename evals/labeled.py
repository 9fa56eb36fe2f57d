"""Reads labelled files: FActScore's own format, and plain rows of claim, evidence and label.

    {"topic", "output", "cat", "annotations": [{"human-atomic-facts": [{"text", "label"}]}] or null}
    {"claim", "evidence" or "passages": text or list of texts, "label", "topic" (may be left out)}

A bad row is named by its line number and costs only itself. One JSON list of rows reads like a row a line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from factscore_chain.errors import UsageError
from factscore_chain.values import Verdict

_LABELS = {
    Verdict.SUPPORTED: ("supported", "s", "true", "supports", "support", "yes"),
    Verdict.NOT_SUPPORTED: (
        *("not_supported", "ns", "false", "refutes", "refuted", "refute", "contradicted", "no"),
        *("unsupported", "not_enough_info"),
    ),
    Verdict.IRRELEVANT: ("irrelevant", "ir"),
}
_BY_NAME = {name: verdict for verdict, names in _LABELS.items() for name in names}
_FACTSCORE_KEYS = {"annotations", "output"}

T = TypeVar("T")


def read_label(value: Any) -> Verdict:
    """A label in any of the spellings in use: supported, S, SUPPORTS, true; not_supported, NS, REFUTES, ...

    Raises:
        ValueError: It is none of them.
    """
    name = str(value).strip().lower().replace(" ", "_").replace("-", "_")
    if isinstance(value, (str, bool)) and name in _BY_NAME:
        return _BY_NAME[name]
    raise ValueError(f"{value!r} is no label; give 'supported' or 'not_supported'")


def _as_texts(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _stated(value: str) -> str:
    if not value.strip():
        raise ValueError("the text is empty")
    return value.strip()


Label = Annotated[Verdict, BeforeValidator(read_label)]
Texts = Annotated[list[str], BeforeValidator(_as_texts)]
Statement = Annotated[
    str, Field(strict=True), BeforeValidator(lambda v: _stated(v) if isinstance(v, str) else v)
]


class PairRow(BaseModel):
    """A claim, the texts it is to be judged by, and what people say of it."""

    model_config = ConfigDict(extra="ignore")

    claim: Statement
    evidence: Texts = Field(validation_alias=AliasChoices("evidence", "passages"))
    label: Label
    topic: str | None = None


class HumanFactRow(BaseModel):
    """One human atomic fact and its label."""

    text: Statement
    label: Label


class AnnotationRow(BaseModel):
    """What people made of one sentence of a generation; no facts where it is not about the topic."""

    model_config = ConfigDict(extra="ignore")

    text: str = ""
    is_relevant: bool | None = Field(default=None, alias="is-relevant")
    facts: list[HumanFactRow] | None = Field(default=None, alias="human-atomic-facts")


class GenerationLabelRow(BaseModel):
    """A row of FActScore's labelled files."""

    model_config = ConfigDict(extra="ignore")

    topic: str | None = None
    """None where the whole knowledge source is to be searched."""
    output: str
    cat: list[str] = []
    annotations: list[AnnotationRow] | None
    """None where the system abstained."""


@dataclass(frozen=True)
class LabeledFact:
    """An atomic fact with its human label."""

    text: str
    label: Verdict
    """Supported, not supported, or irrelevant."""


@dataclass(frozen=True)
class LabeledGeneration:
    """A generation with its human facts; a plain row counts as a generation of one fact."""

    line: int
    topic: str | None
    facts: tuple[LabeledFact, ...]
    answered: bool = True
    categories: tuple[str, ...] = ()
    """FActScore's `cat`: how often the topic is read about, and its region."""
    evidence: tuple[str, ...] | None = None
    """Texts that came with the row; None where a knowledge source is to be searched."""


@dataclass(frozen=True)
class LabeledFile:
    """The generations of a file, and one line for each row that could not be read."""

    name: str
    generations: tuple[LabeledGeneration, ...]
    rejected: tuple[str, ...] = ()

    @property
    def needs_knowledge(self) -> bool:
        """Whether some facts came without evidence."""
        return any(one.evidence is None and one.facts for one in self.generations)


def read_labeled(path: Path) -> LabeledFile:
    """Reads a labelled file of either format (rows of both may stand together).

    Raises:
        UsageError: The file cannot be read, or holds no usable row.
    """
    return LabeledFile(path.stem, *_read(path, _generation))


def read_pairs(path: Path) -> tuple[tuple[PairRow, ...], tuple[str, ...]]:
    """Reads plain rows; returns them and one line for each that could not be read.

    Raises:
        UsageError: The file cannot be read, or holds no usable row.
    """
    return _read(path, lambda number, row: PairRow.model_validate(row))


def read_annotated(path: Path) -> tuple[tuple[GenerationLabelRow, ...], tuple[str, ...]]:
    """Reads rows of FActScore's format, sentence by sentence; returns them and one line for each bad row.

    Raises:
        UsageError: The file cannot be read, or holds no usable row.
    """
    return _read(path, lambda number, row: GenerationLabelRow.model_validate(row))


def read_rows(path: Path, parse: Callable[[dict[str, Any]], T]) -> tuple[tuple[T, ...], tuple[str, ...]]:
    """Reads the rows of a JSONL file with `parse`; returns them and one line for each bad row.

    Raises:
        UsageError: The file cannot be read, or holds no usable row.
    """
    return _read(path, lambda number, row: parse(row))


def _read(path: Path, parse: Callable[[int, dict[str, Any]], T]) -> tuple[tuple[T, ...], tuple[str, ...]]:
    rows: list[T] = []
    rejected: list[str] = []
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        try:
            rows.append(parse(number, _object(line)))
        except (ValueError, RecursionError) as error:
            rejected.append(f"{path.name}, line {number}: {_reason(error)}")
    if not rows:
        detail = f" {rejected[0]}" if rejected else ""
        raise UsageError(f"{path.name} holds no labelled row.{detail} Give one JSON object a line.")
    return tuple(rows), tuple(rejected)


def _lines(path: Path) -> Sequence[str]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UsageError(f"The file {str(path)!r} cannot be read: {reason}. Give a JSONL file.") from error
    # Not splitlines(): a row may hold U+2028 and the like unescaped.
    return _items(text) if text.lstrip().startswith("[") else text.split("\n")


def _items(text: str) -> Sequence[str]:
    """The items of one JSON list as lines of their own; a list that is broken stays the lines that it was."""
    try:
        return [json.dumps(item) for item in json.loads(text)]
    except (ValueError, RecursionError):
        return text.split("\n")


def _object(line: str) -> dict[str, Any]:
    value = json.loads(line)
    if not isinstance(value, dict):
        raise ValueError(f"a {type(value).__name__} stands where an object should")
    return value


def _generation(number: int, row: dict[str, Any]) -> LabeledGeneration:
    if row.keys() & _FACTSCORE_KEYS:
        return _from_factscore(number, GenerationLabelRow.model_validate(row))
    pair = PairRow.model_validate(row)
    return LabeledGeneration(
        number, pair.topic, (LabeledFact(pair.claim, pair.label),), evidence=tuple(pair.evidence)
    )


def _from_factscore(number: int, row: GenerationLabelRow) -> LabeledGeneration:
    facts = [fact for sentence in row.annotations or [] for fact in sentence.facts or []]
    return LabeledGeneration(
        number,
        row.topic,
        tuple(LabeledFact(fact.text, fact.label) for fact in facts),
        answered=row.annotations is not None,
        categories=tuple(row.cat),
    )


def _reason(error: BaseException) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        message: str = first["msg"].removeprefix("Value error, ")
        return f"{where}: {message}" if where else message
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON ({error.msg} at column {error.colno})"
    return "JSON nested too deeply" if isinstance(error, RecursionError) else str(error)
