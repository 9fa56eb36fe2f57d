"""Whether a sentence still reads as one after words were taken out, and small repairs."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from factscore_chain.decompose.wording import article_before
from factscore_chain.edit.draft import Draft
from factscore_chain.edit.english import ARTICLES, BE, INTRANSITIVE, SINGULAR, UNFINISHED, WANTING
from factscore_chain.edit.piece import Piece

_AFTER_ADJECTIVES = frozenset({"noun", "plural", "name", "adjective", "number", "adverb"})
_RELATIVES = frozenset({"who", "which", "whose", "whom", "where"})
_OPENERS = _RELATIVES | {
    "that",
    "when",
    "while",
    "where",
    "because",
    "since",
    "although",
    "though",
    "if",
    "as",
}
_PREPOSITIONS_TOO = frozenset({"as", "since", "that"})
_CLOSED_TO = {
    "determiner": frozenset({"preposition", "finite", "determiner", "pronoun", "conjunction"}),
    "preposition": frozenset({"preposition", "finite", "conjunction"}),
    "conjunction": frozenset({"conjunction"}),
}
"""After a word of the first kind none of the second can stand."""


def is_whole(before: Draft, after: Draft) -> bool:
    """Whether what was a sentence still is one.

    It looks at the places where words have lost their neighbours, and at verb and brackets; what it doubts
    does not pass.
    """
    if not after.stop or not any(token.text[0].isalnum() for token in after.tokens):
        return False
    if _has_main_verb(before) and not _has_main_verb(after):
        return False
    if after.is_mark(0) and after.tokens[0].text not in "(\"“«‘'*[":
        return False
    if after.lower[0] in {"and", "or", "but", "nor"} and before.lower[0] != after.lower[0]:
        return False
    return (
        all(_fits(after, i) for i in _seams(before, after))
        and _verbs_have_subjects(before, after)
        and _clauses_keep_verbs(before, after)
        and _conjunctions_join(before, after)
        and _lists_end(before, after)
        and _unbalanced(after) <= _unbalanced(before)
    )


def _has_main_verb(draft: Draft) -> bool:
    """Whether a finite verb stands in no clause that hangs on another: each opener takes the next verb."""
    waiting = 0
    for i, tag in enumerate(draft.tags[: draft.stop]):
        word = draft.lower[i]
        opens = word in _OPENERS and not (word in _PREPOSITIONS_TOO and tag == "preposition")
        waiting += opens and (word != "that" or tag != "determiner")
        if tag == "finite":
            if not waiting:
                return True
            waiting -= 1
    return False


def _clauses_keep_verbs(before: Draft, after: Draft) -> bool:
    """Whether each clause that is still opened has the verb it had, and each relative its noun."""
    kept = {token.origin for token in after.tokens}
    for i, word in enumerate(before.lower):
        if word not in _OPENERS or before.tokens[i].origin not in kept:
            continue
        if word in _PREPOSITIONS_TOO and before.tags[i] == "preposition":
            continue
        verb = next((j for j in range(i + 1, before.stop) if before.tags[j] == "finite"), None)
        if verb is not None and before.tokens[verb].origin not in kept:
            return False
        noun = next((j for j in range(i - 1, -1, -1) if not before.is_mark(j)), None)
        gone = noun is not None and before.tokens[noun].origin not in kept
        if word in _RELATIVES and gone and not _is_predicate(before, noun or 0):
            return False
    return True


def _conjunctions_join(before: Draft, after: Draft) -> bool:
    """Whether "and winning" still has something like it before it, if it had."""
    places = {token.origin: i for i, token in enumerate(before.tokens)}
    for i, word in enumerate(after.lower[:-1]):
        joined, at = after.tags[i + 1], places.get(after.tokens[i].origin, 0)
        alone = joined in ("gerund", "infinitive") and joined not in after.tags[:i]
        if word in {"and", "or"} and alone and joined in before.tags[:at]:
            return False
    return True


def _lists_end(before: Draft, after: Draft) -> bool:
    """Whether no list has lost its "and" together with its last item: "an engineer, writer."."""
    if before.lower.count("and") == after.lower.count("and") or "," not in after.lower[: after.stop]:
        return True
    for i in _seams(before, after):
        comma = next((j for j in range(i, -1, -1) if after.lower[j] == ","), None)
        if (
            comma is None
            or comma == i
            or {"finite", "participle", "gerund"}.intersection(after.tags[comma:i])
        ):
            continue
        item = after.tags[comma + 1] in ("noun", "determiner", "name", "adjective", "plural")
        listed = "and" not in after.lower[comma : i + 1] and after.entities[comma + 1] != "place"
        if item and listed and after.is_mark(i + 1) and _was_joined(before, after, i):
            return False
    return True


def _was_joined(before: Draft, after: Draft, i: int) -> bool:
    """Whether a comma or a conjunction followed a token."""
    at = next(j for j, token in enumerate(before.tokens) if token.origin == after.tokens[i].origin)
    return "and" in before.lower[at + 1 : at + 3]


def _is_predicate(draft: Draft, noun: int) -> bool:
    """Whether a noun says what the subject is, so that a relative after it is about the subject anyway."""
    verb = next((j for j in range(noun, -1, -1) if draft.tags[j] == "finite"), None)
    return verb is not None and draft.lower[verb] in BE and draft.tags[noun] == "noun"


def _unbalanced(draft: Draft) -> int:
    """Brackets and quotation marks without their other half."""
    count = {mark: draft.lower.count(mark) for mark in '()[]“”"'}
    return abs(count["("] - count[")"]) + abs(count["["] - count["]"]) + count['"'] % 2


def _seams(before: Draft, after: Draft) -> list[int]:
    """Tokens whose next neighbour is a new one; the last word counts with the end."""
    origins = {token.origin: i for i, token in enumerate(before.tokens)}
    found = []
    for i, token in enumerate(after.tokens):
        if token.origin is None:
            continue
        at = origins[token.origin]
        old = before.tokens[at + 1].origin if at + 1 < len(before) else None
        new = after.tokens[i + 1].origin if i + 1 < len(after) else None
        if old != new:
            found.append(i)
    return found


def _fits(after: Draft, i: int) -> bool:
    """Whether a token may stand before its new neighbour."""
    left, tag = after.lower[i], after.tags[i]
    if i + 1 >= after.stop or after.is_mark(i + 1):
        return _may_end(after, i)
    right = after.tags[i + 1]
    if right in _CLOSED_TO.get(tag, ()) or (left in ARTICLES and after.lower[i + 1] in BE):
        return False
    if after.lower[i + 1] in {"and", "or", "but"}:
        joined = after.tags[i + 2] if i + 2 < len(after) else ""
        return _may_end(after, i) and (joined != "infinitive" or "infinitive" in after.tags[: i + 1])
    if tag in ("noun", "plural", "name", "number") and right in ("determiner", "pronoun"):
        return False
    return tag != "adjective" or right in _AFTER_ADJECTIVES or not _is_attributive(after, i)


def _may_end(draft: Draft, i: int) -> bool:
    """Whether a phrase may end with a token."""
    word, tag = draft.lower[i], draft.tags[i]
    if draft.is_mark(i):
        return word in {")", '"', "”", "]", "»", "%", "'", "’", "*", "."}
    if i and draft.lower[i - 1] == "as" and tag in ("adverb", "adjective") and word != "well":
        return False  # "as long" waits for its "as"
    if word in ARTICLES | BE | WANTING | UNFINISHED or tag in ("determiner", "preposition", "conjunction"):
        return False
    if tag in ("finite", "gerund", "infinitive"):
        return word in INTRANSITIVE
    if tag == "participle":
        return word in INTRANSITIVE or any(word in BE for word in draft.lower[max(0, i - 3) : i])
    if tag == "adjective":
        return not _is_attributive(draft, i)
    return True


def _is_attributive(draft: Draft, i: int) -> bool:
    """Whether an adjective follows an article, and so waits for its noun."""
    while i and draft.tags[i] in ("adjective", "adverb"):
        i -= 1
    return draft.lower[i] in ARTICLES


def _verbs_have_subjects(before: Draft, after: Draft) -> bool:
    """Whether no verb has come to stand at the head, or right after a clause's comma."""
    if after.tags[0] == "finite" and before.tags[0] != "finite":
        return False
    return all(
        before.lower[0] == pair[0] or pair not in {(",", ","), ("(", ")"), (",", "."), (";", ".")}
        for pair in pairwise(after.lower)
    )


def repaired(draft: Draft, piece: Piece, before: Draft) -> Draft:
    """Articles and verbs that fit what now stands beside them."""
    verb = _verb_of(before, piece) if piece.single else None
    if verb is None:
        return with_articles(draft)
    tokens = tuple(
        replace(one, text=SINGULAR[one.text]) if one.origin == verb else one for one in draft.tokens
    )
    return with_articles(Draft(tokens))


def with_articles(draft: Draft) -> Draft:
    """The sentence with "a" or "an" put right where another word follows it than at the start."""
    tokens = list(draft.tokens)
    for i, (token, following) in enumerate(pairwise(draft.tokens)):
        if draft.lower[i] not in ("a", "an") or draft.is_mark(i + 1):
            continue
        article = article_before(following.text)
        if draft.lower[i] != article and (following.edited or following.origin != (token.origin or 0) + 1):
            tokens[i] = replace(token, text=article.capitalize() if token.text[0].isupper() else article)
    return Draft(tuple(tokens))


def _verb_of(before: Draft, piece: Piece) -> int | None:
    """Origin of the plural verb whose subject was the series that now has one item."""
    end = max(piece.dropped) + 1
    while end < before.stop and before.tags[end] in ("noun", "name", "adjective", "adverb"):
        end += 1
    if end < before.stop and before.lower[end] in SINGULAR:
        starts_before = "finite" not in before.tags[: min(piece.dropped)]
        return before.tokens[end].origin if starts_before else None
    return None


def agrees(before: Draft, piece: Piece) -> bool:
    """Whether the verb of a series of one item is one that `repaired` can put right."""
    if not piece.single or "finite" in before.tags[: min(piece.dropped)]:
        return True
    verb = next((i for i in range(max(piece.dropped), before.stop) if before.tags[i] == "finite"), None)
    if verb is None:
        return True
    said = before.tags[verb + 1 : verb + 4]
    fits = before.lower[verb] in SINGULAR or before.lower[verb].endswith("ed")
    return fits and not (before.lower[verb] in BE and "plural" in said)
