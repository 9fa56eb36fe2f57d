"""Where a reply uses a verdict's label, and how: as a verdict, in passing, hedged, or in another sense."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Strength = Literal["strong", "weak", "hedged"]


@dataclass(frozen=True)
class Labels:
    """The words that a prompt asks for, and what else means the same; compared without regard to case."""

    supported: tuple[str, ...]
    not_supported: tuple[str, ...]

    def is_bare(self, answer: str) -> bool:
        """Whether the answer is one label and nothing else."""
        return answer.strip(" .!\"'()").casefold() in {*self.supported, *self.not_supported}


ENGLISH = Labels(
    supported=("true", "supported", "correct", "accurate"),
    not_supported=("false", "untrue", "unsupported", "incorrect", "inaccurate", "wrong"),
)
"""The labels of the shipped prompts, with their usual synonyms."""


@dataclass(frozen=True)
class Mention:
    """One use of a label."""

    supports: bool
    strength: Strength
    """"strong" is said of the whole statement, "weak" of something in it, "hedged" of what may be."""
    alone: bool = False
    """Nothing follows it in its clause."""


@dataclass(frozen=True)
class _Clause:
    text: str
    opener: str
    """What separates it from the clause before."""
    closer: str
    lead: str
    """What stands before it in its sentence."""
    rest: str
    """What follows it in its sentence."""


_SEPARATOR = re.compile(
    r"[.!?;:,\n()\[\]{}\"|]|\s[-–—]+\s|—|"
    r"\b(?:(?<!anything )but|so|because|therefore|thus|hence|since|while|although|though|whereas|however|"
    r"and|yet)\b",
    re.IGNORECASE,
)
_CONCESSIONS = frozenset({"while", "although", "though", "whereas"})
# Said of a whole statement; a subject in other words makes a remark about something within it.
_FILLER_WORDS = """
the my final correct answer answers verdict label judgment judgement conclusion response result output is it
this that statement claim fact assertion input sentence proposition overall in to a an as i say think
believe conclude s are was were be been must can definitely clearly actually certainly indeed really simply
explicitly directly fully entirely completely also not never cannot isn't wasn't aren't can't marked
considered remains given according based on from by of at all passage passages context text source sources
evidence provided information above following should wait no then supported would
"""
_FILLER = frozenset(_FILLER_WORDS.split())
_ALLOWED_AFTER = frozenset(
    {"as", "based", "according", "given", "in", "per", "by", "for", "on", "at", "under"}
)
_ALLOWED_AFTER |= {"here", "overall", "from", "with", "that"}
_STATEMENTS = frozenset({"statement", "claim", "fact", "assertion", "proposition"})
_COPULA = re.compile(r"(?:\b(?:is|are|was|were|be|been|as)|'s|n't|\bnot|\bcannot be)(?:\s+\w+ly)?\s*$")
_HEDGE = re.compile(
    r"\b(?:partially|partly|mostly|largely|somewhat|half|probably|possibly|perhaps|maybe|likely|unlikely|"
    r"may|might|could|(?<!\bi )would|seems?|appears?|if|whether|unclear|uncertain|nearly|almost|necessarily|"
    r"neither|nor|either|opposite|reverse|contrary|anything but|far from|hardly|barely)\b"
)
_QUALIFIED = re.compile(
    r"\b(?:partially|partly|in part|only (?:some|half)|not (?:entirely|fully|completely|sure|certain)|"
    r"uncertain|unsure|except|if|unless|assuming)\b"
)
_CONDITION = re.compile(r"\b(?:if|unless|assuming|suppose|supposing|had)\b")
_CONTEXT = 300
"""Characters of a sentence that are looked at around a clause."""
_NEGATED = re.compile(
    r"(?:\bnot|n't|\bnever|\bno longer|\bcannot(?: be)?)"
    r"(?:\s+(?:be|a|an|as|at|all|considered|been|actually|really|strictly|"
    r"(?P<degree>entirely|fully|completely|wholly|totally|quite|exactly)))*\s*$"
)
_DENIAL = re.compile(
    r"\b(?:not|no|never|nothing|none|without|unable|cannot|fails?|lacks?|impossible|hard|difficult|deny|"
    r"denies)\b|n't\b"
)
_EITHER = "{0}\\W{{0,4}}(?:or|and|nor|vs\\.?|/|\\|)\\W{{0,4}}{1}"


@lru_cache(maxsize=16)
def _patterns(labels: Labels) -> tuple[re.Pattern[str], re.Pattern[str]]:
    def words(of: tuple[str, ...]) -> str:
        return "(?:" + "|".join(re.escape(word) for word in sorted(of, key=len, reverse=True)) + ")"

    yes, no = words(labels.supported), words(labels.not_supported)
    label = re.compile(rf"(?<![\w'-])(?:(?P<yes>{yes})|(?P<no>{no}))(?![\w'-])")
    either = re.compile(rf"\b(?:{_EITHER.format(yes, no)}|{_EITHER.format(no, yes)})\b")
    return label, either


def mentions(answer: str, labels: Labels = ENGLISH) -> Iterator[Mention]:
    """Finds the uses of labels in a reply, in order; questions and attributes are none."""
    label, either = _patterns(labels)
    asked_if_false = False
    for clause in _clauses(either.sub(" ", answer.casefold())):
        if clause.closer == "?":
            asked_if_false = any(match["no"] for match in label.finditer(clause.text))
            continue
        # "Is it false? Yes." is no yes to the statement.
        if labels == ENGLISH and clause.text in {"yes", "no"} and not asked_if_false:
            yield Mention(clause.text == "yes", "weak")
        for match in label.finditer(clause.text):
            mention = _mention(clause, match)
            if mention is not None:
                yield mention


def _clauses(answer: str) -> Iterator[_Clause]:
    opener, start, sentence = "", 0, 0
    for separator in [*_SEPARATOR.finditer(answer), None]:
        end = len(answer) if separator is None else separator.start()
        mark = "" if separator is None else separator[0].strip()
        if body := answer[start:end].strip(" \t'"):
            lead = answer[max(sentence, start - _CONTEXT) : start]
            rest = re.split(r"[.!?\n]", answer[end : end + _CONTEXT], maxsplit=1)[0]
            yield _Clause(body, opener, mark, lead, rest)
        if separator is not None:
            opener, start = mark, separator.end()
            sentence = start if mark in {"", ".", "!", "?"} else sentence


def _mention(clause: _Clause, match: re.Match[str]) -> Mention | None:
    before, after = clause.text[: match.start()], clause.text[match.end() :].strip(" '")
    # A tab or the like may be all that follows.
    follows = next(iter(after.split(maxsplit=1)), "")
    if not _is_verdict(clause, match[0], before, follows):
        return None
    supports, hedged = _polarity(before, match["yes"] is not None)
    if hedged or clause.opener in _CONCESSIONS or (supports and _is_qualified(clause, after)):
        return Mention(supports, "hedged")
    if set(re.findall(r"[\w']+", before.replace("'s", " "))) - _FILLER or follows == "that":
        if not _COPULA.search(before.rstrip()):
            return None
        return Mention(supports, "hedged" if supports and _is_contrasted(clause) else "weak")
    return Mention(supports, "strong", alone=not after.strip())


def _is_verdict(clause: _Clause, word: str, before: str, follows: str) -> bool:
    if follows in _STATEMENTS:
        # "This is a false statement", but not "The correct statement would be".
        return re.search(r"\ban?\s*$", before) is not None
    if follows:
        return follows in _ALLOWED_AFTER
    # "Supported: False" names a field.
    return clause.closer != ":" or word in {"true", "false"}


def _polarity(before: str, supports: bool) -> tuple[bool, bool]:
    if _HEDGE.search(before):
        return supports, True
    if negated := _NEGATED.search(before):
        # "not entirely true" is not true; "not entirely false" is anything.
        return not supports, bool(negated["degree"]) and not supports
    return supports, _DENIAL.search(before) is not None


def _is_qualified(clause: _Clause, after: str) -> bool:
    return bool(_CONDITION.search(clause.lead) or _QUALIFIED.search(f"{after} {clause.rest}"))


def _is_contrasted(clause: _Clause) -> bool:
    return re.search(r"\b(?:but|however|although|though|except|yet)\b", clause.rest) is not None
