"""Numbers and dates in a sentence, which the published post-processing holds facts to.

The original takes them from spaCy's `en_core_web_sm`. Where spaCy or that model is not installed, a plain
rule stands in: integers, and English month names with a day and a year beside them.
"""

from __future__ import annotations

import re
import string
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

SPACY_MODEL = "en_core_web_sm"

Spans = Callable[[str], Iterable[str]]
"""Stretches of a text that may be numbers or dates."""

_KINDS = frozenset({"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"})
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
_LOWER_MONTHS = frozenset(month.lower() for month in _MONTHS)
_MONTH = rf"(?:{'|'.join(_MONTHS)})"
_RUN = re.compile(
    rf"\b(?:\d{{1,2}} +)?{_MONTH}(?: +\d{{1,2}}\b)?(?:,? +\d{{3,4}})?\b|\b\d{{1,3}}(?:,\d{{3}})+\b|\b\d+\b"
)
_INTEGER = re.compile(r"\b\d+\b")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_NO_MARKS = str.maketrans("", "", string.punctuation)


def normalize_answer(s: str) -> str:
    """Lower case, without marks and articles, single blanks."""
    return " ".join(_ARTICLE.sub(" ", s.lower().translate(_NO_MARKS)).split())


def is_integer(s: str) -> bool:
    """Whether Python reads it as a whole number."""
    try:
        int(s)
    except ValueError:
        return False
    return True


is_num = is_integer


def is_date(text: str) -> bool:
    """Whether it is made of whole numbers and month names alone."""
    return all(is_integer(token) or token in _LOWER_MONTHS for token in normalize_answer(text).split(" "))


def extract_numeric_values(text: str) -> set[str]:
    """The integers of a text."""
    return set(_INTEGER.findall(text))


def detect_entities(text: str, nlp: Any = None) -> set[str]:
    """The numbers and dates of a text.

    Args:
        text: A sentence or a fact.
        nlp: A spaCy pipeline with named entities; None takes what `entity_spans` finds installed.
    """
    spans = entity_spans()[1](text) if nlp is None else _spacy_spans(nlp, text)
    entities = {part for span in spans for dated in _dated(span) for part in _parts(dated)}
    for number in sorted(extract_numeric_values(text)):
        if not any(number in entity for entity in entities):
            entities.add(number)
    return entities


@cache
def entity_spans() -> tuple[str, Spans]:
    """What finds the spans, and its name for a manifest."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import spacy

            nlp = spacy.load(SPACY_MODEL)
    except (ImportError, OSError):
        return "plain rule", _plain_spans
    return f"spacy {SPACY_MODEL} {nlp.meta['version']}", lambda text: _spacy_spans(nlp, text)


def _spacy_spans(nlp: Any, text: str) -> list[str]:
    return [entity.text for entity in nlp(text).ents if entity.label_ in _KINDS]


def _plain_spans(text: str) -> list[str]:
    # "May" is a word as well; alone it is no date.
    return [run for run in _RUN.findall(text) if run != "May"]


def _dated(span: str) -> Iterator[str]:
    if is_date(span):
        yield span
    else:
        yield from filter(is_date, span.split())


def _parts(entity: str) -> list[str]:
    return [part.strip() for part in entity.split("-")] if "-" in entity else [entity]
