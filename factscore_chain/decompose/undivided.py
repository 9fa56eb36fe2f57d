"""Sentences that are not taken apart: other languages, and those in which the tagger finds no fact."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factscore_chain.decompose.coreference import Referents, family_of, is_possessive, is_vague
from factscore_chain.decompose.realise import Statement
from factscore_chain.decompose.wording import finish, possessive
from factscore_chain.decompose.words import split_words

_CLAUSE_END = re.compile(r"[;；؛]\s*")
_LEADING_PRONOUNS = {
    "de": re.compile(r"(?:Er|Es)\s+"),
    "es": re.compile(r"(?:Él|Ella)\s+"),
    "fr": re.compile(r"(?:Il|Elle)\s+"),
    "it": re.compile(r"(?:Egli|Lui|Lei|Essa)\s+"),
    "pt": re.compile(r"(?:Ele|Ela)\s+"),
    "nl": re.compile(r"(?:Hij|Zij)\s+"),
    "ru": re.compile(r"(?:Он|Она|Оно)\s+"),
    "zh": re.compile(r"[他她它](?!们)"),
    "ja": re.compile(r"彼女?(?=[はがもの])"),
}
_EXPLETIVE = re.compile(
    r"(?:it (?:is|was|has been)\b.*\bthat\b|there (?:is|are|was|were|has been|have been|exists?)\b)",
    re.IGNORECASE,
)
"""Openings whose first word stands for nothing, so that nothing is missing."""
_UNSPACED = {"zh", "ja"}


def undivided(text: str, language: str, referents: Referents) -> Iterator[Statement]:
    """The clauses of a text that semicolons divide, each with its leading pronoun resolved to the topic.

    Args:
        text: A sentence.
        language: ISO 639-1.
        referents: Whom pronouns may stand for.

    Yields:
        At least one statement for a text with letters or digits in it.
    """
    start = 0
    for end in [*(match.end() for match in _CLAUSE_END.finditer(text)), len(text)]:
        clause = text[start:end].strip().strip(";；؛").strip()
        if any(map(str.isalnum, clause)):
            resolved, checkable = _with_subject(clause, language, referents)
            yield Statement(resolved, start, start + len(text[start:end].rstrip()), checkable)
        start = end


def _with_subject(clause: str, language: str, referents: Referents) -> tuple[str, bool]:
    if language != "en":
        return _foreign(clause, language, referents.topic)
    resolved, checkable = _english(clause, referents)
    return finish(resolved), checkable


def _english(clause: str, referents: Referents) -> tuple[str, bool]:
    words = split_words(clause)
    first = words[0]
    if _EXPLETIVE.match(clause):
        return clause, True
    if is_vague(clause) or is_vague(first.text):
        return clause, False
    if family_of(first.text) is None:
        return clause, True
    name = referents.resolve(first.text)
    if name is None:
        return clause, False
    owns = is_possessive(first.text) and len(words) > 1
    return f"{possessive(name) if owns else name}{clause[first.end :]}", True


def _foreign(clause: str, language: str, topic: str | None) -> tuple[str, bool]:
    pattern = _LEADING_PRONOUNS.get(language)
    pronoun = pattern.match(clause) if pattern else None
    if pronoun is None:
        return clause, True
    if topic is None:
        return clause, False
    gap = "" if language in _UNSPACED else " "
    return f"{topic}{gap}{clause[pronoun.end() :]}", True
