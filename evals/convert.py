"""Turns published claim and evidence data into the rows that `factscore eval pairs` reads.

    python -m factscore_chain.evals.convert wice claim_dev.jsonl wice.jsonl

| format | row | supported | not supported |
|---|---|---|---|
| `wice` | a claim and its whole cited article | supported | partially_supported, not_supported |
| `fool-me-twice` | a claim and its gold evidence | SUPPORTS | REFUTES |
| `fool-me-twice-retrieved` | the same with the evidence retrieved from the page | SUPPORTS | REFUTES |
| `fever-symmetric` | a claim and one sentence, token marks undone | SUPPORTS | REFUTES |
| `factcheck-gpt` | a claim and one piece of web text (stance file) | completely-support | all other stances |
| `wikibio` | a sentence of a GPT-3 biography, the true text | accurate | minor_, major_inaccurate |
"""

from __future__ import annotations

import argparse
import json
import sys
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from factscore_chain.errors import FactScoreError, UsageError
from factscore_chain.evals.untokenize import untokenize

Row = dict[str, str]


class Published(BaseModel):
    """A row of a published data set."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    @abstractmethod
    def rows(self) -> Iterator[Row]:
        """The claim and evidence rows that it holds."""


class WiceRow(Published):
    """WiCE, claim level; the sentences of the article stay together, so that they are read in context."""

    claim: str
    evidence: list[str]
    label: Literal["supported", "partially_supported", "not_supported"]

    def rows(self) -> Iterator[Row]:
        """Gives one row."""
        yield _row(self.claim, "\n".join(self.evidence), self.label == "supported")


class _Text(BaseModel):
    text: str


class FoolMeTwiceRow(Published):
    """FoolMeTwice with its gold evidence."""

    text: str
    label: Literal["SUPPORTS", "REFUTES"]
    gold_evidence: list[_Text]

    def rows(self) -> Iterator[Row]:
        """Gives one row."""
        yield _row(self.text, "\n".join(one.text for one in self._evidence), self.label == "SUPPORTS")

    @property
    def _evidence(self) -> Sequence[_Text]:
        return self.gold_evidence


class FoolMeTwiceRetrievedRow(FoolMeTwiceRow):
    """FoolMeTwice with the sentences retrieved from the page."""

    retrieved_evidence: list[_Text]

    @property
    def _evidence(self) -> Sequence[_Text]:
        return self.retrieved_evidence


class FeverSymmetricRow(Published):
    """FEVER symmetric, any version."""

    claim: str
    evidence: str = Field(validation_alias=AliasChoices("evidence", "evidence_sentence"))
    label: Literal["SUPPORTS", "REFUTES"] = Field(validation_alias=AliasChoices("label", "gold_label"))

    def rows(self) -> Iterator[Row]:
        """Gives one row."""
        yield _row(untokenize(self.claim), untokenize(self.evidence), self.label == "SUPPORTS")


class StanceRow(Published):
    """Factcheck-GPT, stance of one piece of evidence towards one claim."""

    claim: str
    evidence: str
    stance: Literal["completely-support", "partially-support", "refute", "irrelevant"]

    def rows(self) -> Iterator[Row]:
        """Gives one row."""
        yield _row(self.claim, self.evidence, self.stance == "completely-support")


class WikiBioRow(Published):
    """A GPT-3 biography of SelfCheckGPT's data, labelled by sentence."""

    wiki_bio_text: str
    main_sentences: list[str]
    annotation: list[Literal["accurate", "minor_inaccurate", "major_inaccurate"]]

    def rows(self) -> Iterator[Row]:
        """Gives a row for each sentence."""
        for sentence, label in zip(self.main_sentences, self.annotation, strict=True):
            yield _row(sentence, self.wiki_bio_text, label == "accurate")


FORMATS: dict[str, type[Published]] = {
    "wice": WiceRow,
    "fool-me-twice": FoolMeTwiceRow,
    "fool-me-twice-retrieved": FoolMeTwiceRetrievedRow,
    "fever-symmetric": FeverSymmetricRow,
    "factcheck-gpt": StanceRow,
    "wikibio": WikiBioRow,
}


def convert(format_name: str, text: str) -> list[Row]:
    """Converts the content of a published file (JSON lines, or one JSON list).

    Raises:
        UsageError: The format is unknown, or a row is not of that format.
    """
    kind = FORMATS.get(format_name)
    if kind is None:
        raise UsageError(f"There is no format {format_name!r}. Choose one of: {', '.join(FORMATS)}.")
    numbered = enumerate(_values(text), 1)
    return [row for number, value in numbered for row in _rows(format_name, kind, number, value)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Converts one file; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m factscore_chain.evals.convert", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("format", choices=FORMATS)
    parser.add_argument("input", type=Path)
    parser.add_argument("output", type=Path)
    options = parser.parse_args(arguments)
    try:
        rows = convert(options.format, options.input.read_text(encoding="utf-8"))
        options.output.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    except (FactScoreError, OSError) as error:
        print(f"convert: {error}", file=sys.stderr)
        return 2
    print(f"{len(rows)} rows, {sum(row['label'] == 'supported' for row in rows)} supported")
    return 0


def _values(text: str) -> list[Any]:
    try:
        if text.lstrip().startswith("["):
            return list(json.loads(text))
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    except ValueError as error:
        raise UsageError(f"The file is neither JSON lines nor one JSON list: {error}.") from error


def _rows(format_name: str, kind: type[Published], number: int, value: Any) -> list[Row]:
    try:
        return list(kind.model_validate(value).rows())
    except ValueError as error:
        raise UsageError(f"Row {number} is not of the format {format_name!r}: {_reason(error)}.") from error


def _row(claim: str, evidence: str, supported: bool) -> Row:
    return {"claim": claim, "evidence": evidence, "label": "supported" if supported else "not_supported"}


def _reason(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


if __name__ == "__main__":
    sys.exit(main())
