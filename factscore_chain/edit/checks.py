"""What speaks against an edit before anything is verified: pure functions of request and new sentence.

A verifier reads what a sentence says; it does not see that the sentence now says something else. These do.
"""

from __future__ import annotations

from collections.abc import Callable

from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.edit.base import EditRequest, Policy
from factscore_chain.edit.polarity import flipped, says_so
from factscore_chain.edit.wording import (
    added_values,
    content_stems,
    missing_stems,
    without_hedges,
    years,
)
from factscore_chain.report import FactRecord
from factscore_chain.values import Passage

_LEAST_KEPT = 0.25
"""Share of a sentence's content words that a version of it keeps at least."""
_MOST_ADDED = 25
"""Words by which a version may be longer than the sentence: room for a hedge and a longer name."""


def objection(request: EditRequest, text: str) -> str | None:
    """Says why an edit cannot be kept whatever a verifier would say; None if nothing speaks against it.

    Args:
        request: What was to be mended.
        text: The new sentence; empty where it is to be dropped.
    """
    if not text:
        allowed = request.policy in {Policy.REMOVE, Policy.AUTO}
        return None if allowed else f"it drops the sentence, and the policy is {request.policy.value!r}"
    return next(filter(None, (check(request, text) for check in _CHECKS)), None)


def _is_version(request: EditRequest, text: str) -> str | None:
    old = content_stems(request.sentence.text)
    if len(old & content_stems(text)) < _LEAST_KEPT * len(old):
        return "it is no version of the sentence"
    if len(text.split()) > len(request.sentence.text.split()) + _MOST_ADDED:
        return "it is much longer than the sentence"
    rows = request.sentence.kind == "table_row"
    if "\n" in text.strip() and "\n" not in request.sentence.text:
        return "it has more lines than the sentence"
    if rows and text.count("|") != request.sentence.text.count("|"):
        return "it changes the number of the row's cells"
    return None


def _has_evidence(request: EditRequest, text: str) -> str | None:
    sentence, told = request.sentence.text, _told(request)
    numbers = [v for v in added_values(text, f"{sentence}\n{told}") if any(map(str.isdigit, v))]
    whole = f"{request.generation.topic or ''}\n{request.generation.text}\n{told}"
    names = [v for v in added_values(text, whole) if not any(map(str.isdigit, v))]
    if invented := [*numbers, *names]:
        return f"no passage has {invented[0]!r}"
    return None


def _keeps_polarity(request: EditRequest, text: str) -> str | None:
    old, new = without_hedges(request.sentence.text), without_hedges(text)
    sentences = _sentences(request.passages)
    for word in flipped(old, new):
        if not says_so(sentences, word, new):
            return (
                f"it turns the sentence into its opposite at {_spelled(new, word)!r}, and no passage says so"
            )
    return None


def _keeps_time(request: EditRequest, text: str) -> str | None:
    """A fact that carries a year is not given a value of another year."""
    sentence = request.sentence.text
    values = [value for value in added_values(text, sentence) if not years(value)]
    sentences = _sentences(request.passages)
    for fact in request.wrong if values else ():
        if not (when := years(fact.text)) or not _lost_value(fact, sentence, text):
            continue
        moved = not when & years(text) and years(text) - years(sentence)
        if moved or not all(_said_of(value, when, sentences) for value in values):
            return f"it gives a value of another time in place of that of {', '.join(sorted(when))}"
    return None


def _keeps_policy(request: EditRequest, text: str) -> str | None:
    sentence = request.sentence.text
    if request.policy is Policy.REMOVE:
        known = f"{request.generation.topic or ''}\n{request.generation.text}"
        if added := added_values(text, known):
            return f"it adds {added[0]!r}, and the policy is 'remove'"
    if request.policy is Policy.CORRECT and content_stems(text) < content_stems(sentence):
        return "it only drops words, and the policy is 'correct'"
    if request.policy is Policy.HEDGE and any(missing_stems(f.text, sentence, text) for f in request.wrong):
        return "it drops a claim, and the policy is 'hedge'"
    return None


_CHECKS: tuple[Callable[[EditRequest, str], str | None], ...] = (
    _is_version,
    _keeps_policy,
    _has_evidence,
    _keeps_polarity,
    _keeps_time,
)


def _told(request: EditRequest) -> str:
    return "\n".join(f"{passage.title or ''}\n{passage.text}" for passage in request.passages)


def _sentences(passages: tuple[Passage, ...]) -> list[str]:
    return [sentence.text for passage in passages for sentence in split_sentences(passage.text)]


def _spelled(text: str, stemmed: str) -> str:
    return next((word for word in text.split() if stemmed in word.lower()), stemmed)


def _lost_value(fact: FactRecord, before: str, after: str) -> bool:
    """Whether a number or name of the fact, other than its year, is gone."""
    lost = missing_stems(fact.text, before, after)
    return any(content_stems(value) & lost for value in added_values(fact.text, "") if not years(value))


def _said_of(value: str, when: frozenset[str], sentences: list[str]) -> bool:
    """Whether a sentence has the value for one of the years, or without any year."""
    holding = [sentence for sentence in sentences if not added_values(value, sentence)]
    return any(not years(sentence) or _year_nearest(value, sentence) in when for sentence in holding)


def _year_nearest(value: str, sentence: str) -> str:
    place = max(0, sentence.find(value))
    return min(years(sentence), key=lambda year: abs(sentence.find(year) - place))
