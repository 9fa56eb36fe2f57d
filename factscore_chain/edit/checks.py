"""What speaks against an edit before anything is verified: pure functions of request and new sentence.

A verifier reads what a sentence says; it does not see that the sentence now says something else. These do.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from factscore_chain.decompose.language import guess_language
from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.decompose.words import is_mark, split_words
from factscore_chain.edit.base import EditRequest, Policy
from factscore_chain.edit.hedging import only_marks
from factscore_chain.edit.polarity import flipped, says_so
from factscore_chain.edit.wording import (
    added_values,
    content_stems,
    missing_stems,
    without_dates,
    without_hedges,
    years,
)
from factscore_chain.report import FactRecord
from factscore_chain.values import Passage
from factscore_chain.verify.orders import without_orders

_MOST_FOREIGN = 0.5
"""Share of a version's content words that stand neither in the text nor in the passages, at most."""
_MOST_ADDED = 25
"""Words by which a version may be longer than the sentence: room for a hedge and a longer name."""

_LEADING = """
and or but nor the a an of in on at to for from with by as into than that which who then including
"""
_LEADS_ON = frozenset(_LEADING.split())
"""Words that no sentence ends with unless it did before."""

_PRONOUN = re.compile(r"\b(?:he|she|it|they|his|her|hers|its|their|him|them)\b", re.IGNORECASE)
_LABELLED = re.compile(r"\W*[^\W\d]+(?: [^\W\d]+){0,3}\s*:\s")
_OPENS_LATE = re.compile(r"(?:\W*|\w+,\s+)(?P<word>and|or|but|nor|which|who)\b")


def objection(request: EditRequest, text: str) -> str | None:
    """Says why an edit cannot be kept whatever a verifier would say; None if nothing speaks against it.

    Args:
        request: What was to be mended.
        text: The new sentence; empty where it is to be dropped.
    """
    if not text:
        allowed = request.policy in {Policy.REMOVE, Policy.AUTO}
        return None if allowed else f"it drops the sentence, and the policy is {request.policy.value!r}"
    if only_marks(request.sentence.text, text):
        return None
    return next(filter(None, (check(request, text) for check in _CHECKS)), None)


def _is_version(request: EditRequest, text: str) -> str | None:
    old, new = content_stems(request.sentence.text), content_stems(text)
    told = content_stems(f"{request.generation.text}\n{_told(request)}")
    if old and (not old & new or len(new - told) > _MOST_FOREIGN * len(new)):
        return "it is no version of the sentence"
    if len(text.split()) > len(request.sentence.text.split()) + _MOST_ADDED:
        return "it is much longer than the sentence"
    return None


def _keeps_form(request: EditRequest, text: str) -> str | None:
    sentence = request.sentence.text
    if "\n" in text.strip() and "\n" not in sentence:
        return "it has more lines than the sentence"
    if request.sentence.kind == "table_row" and text.count("|") != sentence.count("|"):
        return "it changes the number of the row's cells"
    last = _last_word(text)
    if last in _LEADS_ON and last != _last_word(sentence):
        return f"it breaks off at {last!r}"
    if (opening := _OPENS_LATE.match(text)) and not _OPENS_LATE.match(sentence):
        return f"nothing stands before {opening['word']!r}"
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
    values = [value for value in added_values(without_dates(text), sentence) if not years(value)]
    sentences = _sentences(request.passages)
    for fact in request.wrong if values else ():
        if not (when := years(fact.text)) or not _lost_value(fact, sentence, text):
            continue
        moved = not when & years(text) and years(text) - years(sentence)
        if moved or not all(_said_of(value, when, sentences) for value in values):
            return f"it gives a value of another time in place of that of {', '.join(sorted(when))}"
    return None


def _keeps_subject(request: EditRequest, text: str) -> str | None:
    """A new year comes from a sentence that names the subject or has a pronoun for it (English)."""
    new = years(text) - years(request.sentence.text)
    subject = _subject(request) - new
    if not subject or not new or guess_language(request.generation.text) != "en":
        return None
    for year in sorted(new):
        holding = [one for one in _sentences(request.passages) if year in years(one)]
        if not any(subject & content_stems(one) or _PRONOUN.search(one) for one in holding) and not any(
            subject & content_stems(one.title or "") and year in _labelled_years(one)
            for one in request.passages
        ):
            return f"the passages have {year} of something else"
    return None


def _labelled_years(passage: Passage) -> set[str]:
    """The years in lines such as "Died: 13 July 1964", which tell of what the page is about."""
    lines = without_orders(passage.text).splitlines()
    return {year for line in lines if _LABELLED.match(line) for year in years(line)}


def _subject(request: EditRequest) -> frozenset[str]:
    """Stems of what names the subject of the wrong facts; without a name, of all their values."""
    # The first word of a sentence is no name by its capital; behind another one it is.
    values = [value for fact in request.wrong for value in added_values(f"that {fact.text}", "")]
    names = [value for value in values if not any(map(str.isdigit, value))]
    topic = request.generation.topic or ""
    return content_stems(" ".join([topic, *names])) or content_stems(" ".join(values))


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
    _keeps_form,
    _keeps_policy,
    _has_evidence,
    _keeps_polarity,
    _keeps_time,
    _keeps_subject,
)


def _told(request: EditRequest) -> str:
    return "\n".join(f"{one.title or ''}\n{without_orders(one.text)}" for one in request.passages)


def _sentences(passages: tuple[Passage, ...]) -> list[str]:
    return [one.text for passage in passages for one in split_sentences(without_orders(passage.text))]


def _last_word(text: str) -> str:
    words = [word.lower for word in split_words(text) if not is_mark(word.text)]
    return words[-1] if words else ""


def _spelled(text: str, stemmed: str) -> str:
    return next((word for word in text.split() if stemmed in word.lower()), stemmed)


def _lost_value(fact: FactRecord, before: str, after: str) -> bool:
    """Whether a number or name of the fact, other than its date, is gone."""
    lost = missing_stems(fact.text, before, after)
    values = added_values(without_dates(fact.text), "")
    return any(content_stems(value) & lost for value in values if not years(value))


def _said_of(value: str, when: frozenset[str], sentences: list[str]) -> bool:
    """Whether a sentence has the value for one of the years, or without any year."""
    holding = [sentence for sentence in sentences if not added_values(value, sentence)]
    return any(not years(sentence) or _year_nearest(value, sentence) in when for sentence in holding)


def _year_nearest(value: str, sentence: str) -> str:
    place = max(0, sentence.find(value))
    return min(years(sentence), key=lambda year: abs(sentence.find(year) - place))
