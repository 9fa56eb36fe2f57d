"""Abstention: whether a generation declines to answer (paper, section 3.1: only answers are scored).

`generic` and `perplexity_ai` are the published rules. `default` judges clause by clause: a generation
abstains if nothing in it is a statement, or if it opens by saying that it knows nothing of its topic and does
not go on to answer after all.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import sentencex
from langchain_core.runnables import RunnableConfig
from pydantic import field_validator

from factscore_chain import abstention_phrases as phrases
from factscore_chain.errors import UsageError
from factscore_chain.stage import Stage

ClauseKind = Literal["unknowing", "partial", "apology", "request", "aside", "claim"]

_PERPLEXITY_PHRASES = (
    "i could not find any information",
    "the search results do not provide",
    "there is no information",
    "there are no search results",
    "there are no provided search results",
    "not provided in the search results",
    "is not mentioned in the provided search results",
    "there seems to be a mistake in the question",
    "not sources found",
    "no sources found",
    "try a more general question",
)
# Both look at a run of blanks only from its beginning: a text may hold very long ones.
_CITATION = re.compile(r"(?<!\s)\s*\[\d+(?:\s*[,;–-]\s*\d+)*\]")
_MARKUP = re.compile(
    r"[*_`#>|~]+|(?:\A|(?<!\s)(?P<line>[^\S\n]*\n)|^(?=\S))\s*(?:[-•]|\d+[.)])\s+", re.MULTILINE
)
_PLAIN = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-"})
_CLAUSE_END = re.compile(r";\s+|,?\s+-\s+|,\s+(?=but\b|however\b|nevertheless\b|aber\b|mais\b|pero\b|maar\b)")
_OPENING = re.compile(r"^(?:unfortunately|regrettably|sadly|sorry|well|leider|hélas|helaas)\b[,:]?\s*")
_BARE_NOT = re.compile(r"\b(do|did|does|ca|could|wo|is|was)nt\b")
# What stands in quotes is a title or a name, unless the quotes hold the whole answer.
_QUOTED = re.compile(r'(?<=\w )"[^"]{1,200}"')


def is_abstention(text: str, kind: str = "default") -> bool:
    """Whether `text` declines to answer.

    Args:
        text: The generation.
        kind: "default", or the published "generic" or "perplexity_ai"; "none" finds empty text only.

    Raises:
        UsageError: There is no such kind.
    """
    return _DETECTORS[check_kind(kind)](text)


_ENDS = 500
"""Characters at either end of a clause that are read."""


def check_kind(kind: str) -> str:
    """Returns `kind` if it names a detector.

    Raises:
        UsageError: It does not.
    """
    if kind not in _DETECTORS:
        raise UsageError(f"There is no abstention detector {kind!r}. Choose one of: {', '.join(_DETECTORS)}.")
    return kind


class AbstentionDetector(Stage[str, bool]):
    """Tells whether a generation declines to answer, as a step of a chain."""

    kind: str = "default"

    @field_validator("kind")
    @classmethod
    def _known(cls, kind: str) -> str:
        return check_kind(kind)

    async def _process(self, value: str, config: RunnableConfig) -> bool:
        return is_abstention(value, self.kind)


def _generic(text: str) -> bool:
    return not text.strip() or text.startswith("I'm sorry") or "provide more" in text


def _perplexity_ai(text: str) -> bool:
    cleaned = re.sub(r"\[\d+\]", "", text).strip().lower()
    first = cleaned.split("\n\n", maxsplit=1)[0].strip()
    return (
        not first
        or cleaned.startswith(_PERPLEXITY_PHRASES)
        or any(phrase in first for phrase in _PERPLEXITY_PHRASES)
    )


def _empty(text: str) -> bool:
    return not text.strip()


@dataclass(frozen=True)
class _Clause:
    text: str
    """Case kept, markup and citations removed."""
    contrast: bool
    """Opens with "but", "however" or the like, which `text` no longer holds."""
    kind: ClauseKind


def _default(text: str) -> bool:
    plain = _plain(text)
    if not any(character.isalnum() for character in plain):
        return True
    if plain.casefold().strip(" .!?,;:()[]\"'…。！？") in phrases.STOCK:
        return True
    clauses = list(_clauses(plain))
    kinds = {clause.kind for clause in clauses}
    if "claim" not in kinds:
        return kinds != {"aside"}
    return _opens_unknowing(clauses) and not _answers_after_all(clauses)


def _plain(text: str) -> str:
    composed = unicodedata.normalize("NFKC", text).translate(_PLAIN)
    return _MARKUP.sub(lambda mark: (mark["line"] or "") + " ", _CITATION.sub("", composed)).strip()


def _clauses(plain: str) -> Iterator[_Clause]:
    for sentence in sentencex.segment("en", plain):
        for piece in _CLAUSE_END.split(" ".join(sentence.split())):
            body = phrases.CONTRAST.sub("", _lower_first(piece))
            if any(character.isalnum() for character in body):
                yield _Clause(body, body != _lower_first(piece), _kind_of(body))


def _lower_first(piece: str) -> str:
    # Contrasts and openings are words that take a capital only because they stand first.
    return piece[:1].lower() + piece[1:]


def _kind_of(clause: str) -> ClauseKind:
    if len(clause) > 2 * _ENDS:
        # No wording of an abstention is so long, and text without an end is read slowly.
        clause = f"{clause[:_ENDS]} {clause[-_ENDS:]}"
    folded = _QUOTED.sub('" "', _BARE_NOT.sub(r"\1n't", clause.casefold())).rstrip(" .!?。！？")
    bare = phrases.CONCESSION.sub("", _OPENING.sub("", folded))
    if phrases.UNKNOWING.search(bare) or phrases.ABSENCE.search(bare):
        return "partial" if phrases.PARTIAL.search(bare) else "unknowing"
    tests: tuple[tuple[re.Pattern[str], ClauseKind], ...] = (
        (phrases.APOLOGY, "apology"),
        (phrases.REQUEST, "request"),
        (phrases.ASIDE, "aside"),
    )
    otherwise: ClauseKind = "aside" if clause.endswith("?") else "claim"
    return next((kind for pattern, kind in tests if pattern.search(bare or folded)), otherwise)


def _opens_unknowing(clauses: list[_Clause]) -> bool:
    opening = next((clause for clause in clauses if clause.kind not in ("apology", "aside")), None)
    return opening is not None and opening.kind == "unknowing"


def _answers_after_all(clauses: list[_Clause]) -> bool:
    names = {name for clause in clauses if clause.kind == "unknowing" for name in _names(clause.text)}
    claims = (clause for clause in clauses if clause.kind == "claim")
    return any(_is_answer(clause, names) for clause in claims)


def _names(clause: str) -> set[str]:
    return {match.strip(" .'").casefold() for match in phrases.SUBJECT.findall(clause)}


def _is_answer(clause: _Clause, names: set[str]) -> bool:
    said = phrases.PREFACE.sub("", clause.text)
    folded = said.casefold()
    if any(re.match(rf"{re.escape(name)}\b", folded) for name in names):
        return True
    if not clause.contrast:
        return False
    return bool(phrases.ANSWER_FOLLOWS.search(folded) or phrases.NAME_STATES.match(said))


_DETECTORS: dict[str, Callable[[str], bool]] = {
    "default": _default,
    "generic": _generic,
    "perplexity_ai": _perplexity_ai,
    "none": _empty,
}
