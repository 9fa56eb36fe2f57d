"""Phrases and clauses that a sentence can do without: where they begin, and where they may end."""

from __future__ import annotations

from collections.abc import Iterator

from factscore_chain.decompose.tagger import VERBS
from factscore_chain.edit.draft import Draft
from factscore_chain.edit.english import (
    BE,
    CONJUNCTIONS,
    INTRANSITIVE,
    OWNERS,
    RELATIVE,
    SUBORDINATE,
    UNDOING,
)
from factscore_chain.edit.piece import Piece
from factscore_chain.verify.lexicon import NEGATIONS

_PREPOSITION_PAIRS = frozenset(
    {("such", "as"), ("as", "well"), ("along", "with"), ("due", "to"), ("rather", "than"), ("instead", "of")}
)
_NOUNS = frozenset({"noun", "plural", "name", "number"})
_MODIFIERS = frozenset({"adjective", "noun", "name", "adverb", "number"})
_END_WORDS = frozenset({",", ";", "–", "—", "(", "to"}) | RELATIVE | CONJUNCTIONS | SUBORDINATE
_BRACKETED = "the words between commas"
_DASHED = "the words after a dash"
_CLAUSE = "a clause"
_RELATIVE_CLAUSE = "a relative clause"
_PHRASE = "a phrase"
_MODIFIER, _ADVERB = "a modifier", "an adverb"
MODIFIERS = frozenset({_MODIFIER, _ADVERB})
"""Names of pieces that only say more of a word that stays."""
_ENDS: dict[str, frozenset[str]] = {
    _BRACKETED: frozenset(),
    _DASHED: frozenset(),
    _CLAUSE: frozenset(),
    _RELATIVE_CLAUSE: frozenset({"finite"}),
    _PHRASE: frozenset({"preposition", "finite", "participle", "gerund", "adverb"}),
}
"""Kinds of words before which a piece of each sort may end, besides those in `_END_WORDS`."""
_LEADS = frozenset({"preposition", "participle", "gerund", "adverb"})
_OBJECT = frozenset({"determiner", "adjective", "noun", "plural", "name", "number"})
_ARTICLES = frozenset({"a", "an", "the"})
_WHEN = frozenset({"last", "this", "next", "earlier", "later"})
_SUBJECTS = frozenset({"pronoun", "name", "determiner", "noun", "plural", "number", "adjective"})


def find_phrases(draft: Draft, target: frozenset[int]) -> Iterator[Piece]:
    """Pieces that hold all of `target`, whether or not the sentence can do without them."""
    first, last = min(target), max(target) + 1
    for start in range(first, -1, -1):
        name = _opener(draft, start)
        if name is not None:
            ends = (end for end in _ends(draft, start, last, name) if not _leaves_behind(draft, start, end))
            yield from (_piece(draft, start, end, name) for end in ends)
    yield from _brackets(draft, first, last)
    yield from _modifiers(draft, first, last)
    yield from _titles(draft, first, last)
    yield from _predicates(draft, first, last)
    yield from _leading(draft, last)
    yield from _times(draft, first, last)
    yield from _objects(draft, first, last)


def _opener(draft: Draft, i: int) -> str | None:
    """What kind of piece may begin at a token."""
    word, before = draft.lower[i], draft.lower[i - 1] if i else ""
    if word in {",", "–", "—"} or (word == "-" and draft.tokens[i].gap):
        return _BRACKETED if word == "," else _DASHED
    if word == ";":
        return _CLAUSE
    if not i or before in {",", "("}:
        return None
    if word in CONJUNCTIONS and (_is_clause(draft, i + 1) or _is_second_verb(draft, i + 1)):
        return _CLAUSE
    if word in RELATIVE and (word != "that" or draft.tags[i - 1] in _NOUNS):
        return _RELATIVE_CLAUSE
    if word in SUBORDINATE and _is_clause(draft, i + 1):
        return _CLAUSE
    return _PHRASE if _opens_phrase(draft, i) else None


def _opens_phrase(draft: Draft, i: int) -> bool:
    word, tag = draft.lower[i], draft.tags[i]
    if word == "of":
        return False  # "the director of" waits for what it is of
    if tag in ("participle", "gerund"):
        return draft.tags[i - 1] in _NOUNS
    if word == "to" and draft.tags[i + 1 : i + 2] == ("infinitive",):
        wants = draft.tags[i - 1] in VERBS and draft.lower[i - 1] not in INTRANSITIVE
        return "finite" in draft.tags[:i] and not wants
    return tag == "preposition" or draft.lower[i : i + 2] in _PREPOSITION_PAIRS


def _is_clause(draft: Draft, start: int) -> bool:
    """Whether a subject and its verb follow, or "there are"."""
    if draft.lower[start : start + 1] == ("there",) and start + 1 < draft.stop:
        return draft.tags[start + 1] == "finite"
    if start >= draft.stop or draft.tags[start] not in _SUBJECTS:
        return False
    for i in range(start, min(start + 8, draft.stop)):
        if draft.tags[i] == "finite":
            return i > start
        if draft.lower[i] in {",", ";"} | CONJUNCTIONS:
            return False
    return False


def _is_second_verb(draft: Draft, start: int) -> bool:
    """Whether another verb of the subject follows: "but never won"."""
    at = start
    while at < draft.stop and (draft.tags[at] == "adverb" or draft.lower[at] in NEGATIONS):
        at += 1
    return at < draft.stop and draft.tags[at] == "finite" and "finite" in draft.tags[: start - 1]


def _ends(draft: Draft, start: int, last: int, name: str) -> Iterator[int]:
    """Where a piece that holds the tokens up to `last` may end, near ones first."""
    marks = _ENDS[name]
    depth = 0
    for end in range(last, draft.stop + 1):
        if end == draft.stop:
            yield end
            return
        word = draft.lower[end]
        depth += (word == "(") - (word == ")")
        if depth < 0:
            yield end
            return
        if depth == 0 and word != "of" and (word in _END_WORDS or draft.tags[end] in marks):
            yield end


def _leaves_behind(draft: Draft, start: int, end: int) -> bool:
    """Whether what belongs to a piece would stay: "born in 1942," from "born in 1942, in Ohio"."""
    if draft.tags[end : end + 1] == ("finite",) and _holds_subject(draft, start, end):
        return True
    comma = end < len(draft) and draft.lower[end] == ","
    after = end + comma
    if after >= draft.stop:
        return False
    if comma and draft.entities[end - 1] == draft.entities[after] == "place":
        return True  # "in Flint," from "in Flint, Michigan"
    if comma and draft.lower[start + 1] in CONJUNCTIONS:
        return draft.tags[after] in ("determiner", "noun", "name")
    verbs = {"participle", "gerund", "finite", "infinitive"}.intersection(draft.tags[start:end])
    return bool(verbs) and draft.tags[after] == "preposition"


def _holds_subject(draft: Draft, start: int, end: int) -> bool:
    """Whether the verb that follows belongs to a pronoun or a clause that the piece opens."""
    for i in range(end - 1, start - 1, -1):
        if draft.tags[i] == "finite":
            return False
        if draft.lower[i] in RELATIVE | SUBORDINATE or draft.tags[i] == "pronoun":
            return draft.lower[i] not in OWNERS
    return False


def _piece(draft: Draft, start: int, end: int, name: str) -> Piece:
    """The tokens from `start` to `end`, with the comma that has lost its use."""
    dropped = set(range(start, end))
    follows = draft.lower[end] if end < len(draft) else ""
    opened = draft.lower[start] in {",", "–", "—", "-"}
    if opened and follows == draft.lower[start]:
        after = draft.tags[end + 1] if end + 1 < len(draft) else ""
        if after in ("finite", "adverb", "preposition", "participle") and not _has_open_comma(draft, start):
            dropped.add(end)
    elif start and draft.lower[start - 1] == "," and (end >= draft.stop or follows == ","):
        dropped.add(start - 1)
    elif not opened and draft.lower[start] == ";" and end < draft.stop:
        dropped.discard(start)
    return Piece(frozenset(dropped), name=name)


def _has_open_comma(draft: Draft, start: int) -> bool:
    """Whether an earlier comma waits for one that closes it: "Bell, 25, of Oslo, confessed"."""
    commas = [i for i in range(start) if draft.lower[i] == ","]
    return len(commas) > _opens_before_clause(draft) and "finite" not in draft.tags[commas[-1] : start]


def _opens_before_clause(draft: Draft) -> bool:
    return draft.tags[0] in _LEADS or draft.lower[0] in SUBORDINATE


def _brackets(draft: Draft, first: int, last: int) -> Iterator[Piece]:
    """A parenthesis around the target."""
    for opener, closer in (("(", ")"), ("[", "]")):
        start = next((i for i in range(first, -1, -1) if draft.lower[i] in (opener, closer)), None)
        end = next((i for i in range(last, len(draft)) if draft.lower[i] in (opener, closer)), None)
        if start is None or end is None:
            continue
        if (draft.lower[start], draft.lower[end]) == (opener, closer):
            yield Piece(frozenset(range(start, end + 1)), name="a parenthesis")


def _modifiers(draft: Draft, first: int, last: int) -> Iterator[Piece]:
    """Adjectives and the like before a noun that stays."""
    if last >= draft.stop or any(draft.tags[i] not in _MODIFIERS for i in range(first, last)):
        return
    adverb = all(draft.tags[i] == "adverb" and draft.lower[i] not in NEGATIONS for i in range(first, last))
    if adverb and draft.tags[last] in ("finite", "participle", "preposition", "infinitive"):
        yield Piece(frozenset(range(first, last)), name=_ADVERB)
    head, tag = draft.tags[last], draft.tags[last - 1]
    if _is_spelled_large(draft, last - 1) and _is_spelled_large(draft, last):
        return  # "Prime" of "Prime Minister"
    if not UNDOING.isdisjoint(draft.lower[first:last]):
        return
    stays = head in ("noun", "plural") or (head == "adjective" and tag in ("adjective", "adverb"))
    if stays or (head == "name" and (tag == "adjective" or draft.tokens[last - 1].text.islower())):
        start = first
        while start and draft.tags[start - 1] == "adverb" and draft.tags[start] == "adjective":
            start -= 1
        if head == "name" and tag != "adjective" and start and draft.lower[start - 1] in _ARTICLES:
            start -= 1  # "the chemist" before a name
        # "modern, colourful" before a noun: the comma goes with either of the two.
        apart = start > 1 and draft.lower[start - 1] == "," and draft.tags[start - 2] == "adjective"
        yield Piece(frozenset(range(start - apart, last)), name=_MODIFIER)


def _is_spelled_large(draft: Draft, i: int) -> bool:
    return draft.tokens[i].text[0].isupper()


def _titles(draft: Draft, first: int, last: int) -> Iterator[Piece]:
    """What somebody is called before the name: "the Dutch physicist" before "Christiaan Huygens"."""
    end = last
    while end < draft.stop and draft.tags[end] in ("noun", "adjective") and not draft.entities[end]:
        end += 1
    if end >= draft.stop or draft.entities[end] not in ("person", "work") or draft.tags[end - 1] != "noun":
        return
    start = end
    while (
        start
        and draft.tags[start - 1] in ("noun", "adjective")
        and draft.lower[start - 1] not in ("'s", "’s")
    ):
        start -= 1
    if start and draft.tags[start - 1] == "determiner":
        start -= 1
    left = draft.tags[start - 1] if start else "other"
    if start <= first and left not in ("noun", "name", "adjective", "plural"):
        yield Piece(frozenset(range(start, end)), name="a title")


def _predicates(draft: Draft, first: int, last: int) -> Iterator[Piece]:
    """What somebody is, where it is said as well where from: "is a cyclist from Belgium"."""
    if last >= draft.stop or draft.lower[last] != "from":
        return
    start = next((i for i in range(first, 0, -1) if draft.lower[i - 1] in BE), None)
    if (
        start is not None
        and draft.tags[start] == "determiner"
        and "preposition" not in draft.tags[start:last]
    ):
        yield Piece(frozenset(range(start, last)), name="what the subject is said to be")


def _leading(draft: Draft, last: int) -> Iterator[Piece]:
    """What stands before the main clause: "In 1990, he ...", "Born in Oslo, she ..."."""
    opens = _opens_before_clause(draft)
    for comma in range(last, draft.stop):
        if opens and draft.lower[comma] == "," and _is_clause(draft, comma + 1):
            yield Piece(frozenset(range(comma + 1)), name="the words before the main clause")
            return
    for at in range(last, draft.stop):
        joined = draft.lower[at] in ("and", "but", ";", ":")
        if joined and _is_clause(draft, at + 1) and draft.tags[at + 1] != "pronoun":
            yield Piece(frozenset(range(at + 1)), name="a clause")
            return
    yield from _first_verbs(draft, last)


def _first_verbs(draft: Draft, last: int) -> Iterator[Piece]:
    """The first of two things that are said of a subject: "was tall but" of "He was tall but ran slowly"."""
    at = next((i for i in range(last, draft.stop) if draft.lower[i] == "but"), None)
    if at is None or not _is_second_verb(draft, at + 1) or draft.tags[:at].count("finite") != 1:
        return
    verb = draft.tags.index("finite")
    shared = draft.lower[verb] in BE | {"has", "have", "had"} and draft.lower[at + 1].endswith("ed")
    if verb and not shared and not draft.lower[:verb].count(",") % 2:
        yield Piece(frozenset(range(verb, at + 1)), name="the first of two statements")


def _times(draft: Draft, first: int, last: int) -> Iterator[Piece]:
    """A time that no preposition opens: "last year" of "She last year moved to Oslo"."""
    start, end = first, last
    while start and draft.entities[start - 1] == "date":
        start -= 1
    while end < draft.stop and draft.entities[end] == "date":
        end += 1
    dated = all(draft.entities[i] == "date" for i in range(start, end))
    if dated and draft.lower[start] in _WHEN and start and draft.tags[start - 1] != "preposition":
        yield Piece(frozenset(range(start, end)), name="a time")


def _objects(draft: Draft, first: int, last: int) -> Iterator[Piece]:
    """The object of a verb that can stand alone: "chess" of "She played chess in Oslo"."""
    verb = next((i for i in range(first, -1, -1) if draft.tags[i] in VERBS), None)
    if verb is None or draft.lower[verb] not in INTRANSITIVE:
        return
    end = verb + 1
    while end < draft.stop and (draft.tags[end] in _OBJECT or draft.tokens[end].text in "'‘’"):
        end += 1
    goes_on = end < draft.stop and draft.tags[end] != "preposition" and draft.lower[end] not in {",", "."}
    if end >= last and not goes_on:
        yield Piece(frozenset(range(verb + 1, end)), name="an object")
