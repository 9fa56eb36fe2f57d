"""Which words two wordings of a sentence have in common, and which values one has that the other has not."""

from __future__ import annotations

import re

from factscore_chain.decompose.additions import new_names, new_numbers
from factscore_chain.decompose.words import is_content, split_words
from factscore_chain.verify.lexicon import stem

_YEAR = re.compile(r"(?<![\w.,])(?:1\d{3}|20\d{2})(?![\w]|[.,]\d)")
_MONTH = (
    "(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?)"
)
_DATE = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}\b,?(?:\s+\d{{4}}\b)?"
    rf"|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?\b,?(?:\s+\d{{4}}\b)?|{_MONTH},?\s+\d{{4}}\b)"
)
_END = re.compile(r"(?P<mark>[.!?…。！？।]+)[\"”’')\]*_]*$")
_HEDGE = re.compile(
    r"\b(?:reportedly|allegedly|purportedly|supposedly|apparently|unverified|unconfirmed"
    r"|(?:is|are|was|were) said to|(?:it|this|that|which) (?:is|was|has|have|could|can) ?not (?:be(?:en)? )?"
    r"(?:verified|confirmed)|(?:not|never) (?:been )?(?:independently )?(?:verified|confirmed)"
    r"|(?:could|can)(?: ?not|n['’]t) be (?:verified|confirmed))\b",
    re.IGNORECASE,
)


def content_stems(text: str) -> frozenset[str]:
    """Stems of the words that carry information."""
    return frozenset(stem(word.text) for word in split_words(text) if is_content(word.text))


def missing_stems(fact: str, before: str, after: str) -> frozenset[str]:
    """What a wording has lost of a fact: its content words that stood in the sentence, and no longer do."""
    return (content_stems(fact) & content_stems(before)) - content_stems(after)


def years(text: str) -> frozenset[str]:
    """The years that a text names, 1000 to 2099."""
    return frozenset(_YEAR.findall(text))


def without_dates(text: str) -> str:
    """The text without its dates of day or month (English); bare years stay."""
    return _DATE.sub(" ", text)


def added_values(after: str, known: str) -> tuple[str, ...]:
    """Numbers and names of a sentence that stand nowhere in `known`, each once."""
    return tuple(dict.fromkeys([*new_numbers(after, known), *new_names(after, known)]))


def is_hedged(text: str) -> bool:
    """Whether something in the text is marked as unverified (English)."""
    return _HEDGE.search(text) is not None


def without_hedges(text: str) -> str:
    """The text without the words that mark something as unverified."""
    return _HEDGE.sub(" ", text)


def ended(text: str, sentence: str) -> str:
    """The text with the final mark of the sentence that it stands for, where it has none."""
    end = _END.search(sentence)
    return text if not text or end is None or _END.search(text) else text + end["mark"]
