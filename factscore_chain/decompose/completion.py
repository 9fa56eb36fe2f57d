"""A fact's words made whole, where a choice word by word lost what changes the meaning.

Negations, qualifiers, signs of quantities, what an owner owns and what a verb is done to are put back; no
word comes from outside the sentence.
"""

from __future__ import annotations

from collections.abc import Sequence

from factscore_chain.decompose.comparisons import keep_comparisons
from factscore_chain.decompose.complements import keep_complements
from factscore_chain.decompose.phrases import keep_phrases
from factscore_chain.decompose.quantities import keep_quantities
from factscore_chain.decompose.tagger import VERBS, Part, Tagged
from factscore_chain.decompose.units import keep_units, separates
from factscore_chain.decompose.words import MODALS, UNIT_MARKS, Word

_NEGATIONS = frozenset({"not", "never", "n't", "no", "neither", "nor", "hardly", "barely", "cannot"})
_QUALIFIER_LIST = "former ex almost nearly about approximately around roughly over under allegedly reportedly"
_QUALIFIERS = frozenset(_QUALIFIER_LIST.split()) | {"supposedly", "possibly", "probably", "ca", "circa"}
_LINKS = frozenset("-–—/&'’.+_")
_OBJECTS = frozenset({"him", "her", "it", "them", "himself", "herself", "itself", "themselves"})
_OWNED = frozenset({"adjective", "noun", "plural", "name", "number"})


def complete(words: Sequence[Word], tagged: Tagged, parts: Sequence[Part]) -> list[Part]:
    """The tagger's parts with names, quantities, titles and verb groups made whole."""
    whole = list(parts)
    keep_units(words, tagged, whole)
    _fill_gaps(words, tagged, whole)
    _attach(words, tagged, whole)
    keep_complements(words, tagged, whole)
    keep_comparisons(words, tagged, whole)
    keep_quantities(words, tagged, whole)
    keep_phrases(words, tagged, whole)
    _finish_owner(words, tagged, whole)
    _finish_object(words, tagged, whole)
    return whole


def _finish_owner(words: Sequence[Word], tagged: Tagged, parts: list[Part]) -> None:
    """Goes on from "his" or "Curie's" to what is owned, where only the owner was chosen as the subject."""
    subject = [i for i, part in enumerate(parts) if part == "subject"]
    if not subject:
        return
    last = subject[-1]
    owns = words[last].lower in ("his", "her", "its", "their", "'s", "’s")
    if not owns and last + 1 < len(words) and words[last + 1].lower in ("'s", "’s"):
        owns = True
    i = last + 1
    while owns and i < len(words) and (tagged.tags[i] in _OWNED or words[i].lower in ("'s", "’s")):
        if parts[i] == "predicate":
            break
        parts[i] = "subject"
        i += 1


def _finish_object(words: Sequence[Word], tagged: Tagged, parts: list[Part]) -> None:
    """Takes in a pronoun right after the verb that a predicate ends on ("admired her")."""
    predicate = [i for i, part in enumerate(parts) if part == "predicate"]
    if not predicate or tagged.tags[predicate[-1]] not in VERBS:
        return
    following = predicate[-1] + 1
    if following < len(words) and words[following].lower in _OBJECTS:
        parts[following] = "predicate"


def _fill_gaps(words: Sequence[Word], tagged: Tagged, parts: list[Part]) -> None:
    """Takes in a word that splits a name, a date or a compound whose other words are chosen."""
    for i in range(1, len(words) - 1):
        before, after = parts[i - 1], parts[i + 1]
        if parts[i] != "out" or before != after or before == "out":
            continue
        text = words[i].text
        glued = words[i - 1].end == words[i].start and words[i].end == words[i + 1].start
        entity = tagged.entities[i]
        one_name = bool(entity) and entity == tagged.entities[i - 1] == tagged.entities[i + 1]
        joins = (text in _LINKS and glued) or text == "," or (one_name and not separates(words[i]))
        if joins or tagged.tags[i] == "determiner" or words[i].lower in _NEGATIONS:
            parts[i] = before


def _attach(words: Sequence[Word], tagged: Tagged, parts: list[Part]) -> None:
    """Takes in signs of quantities, and negations, auxiliaries and qualifiers before a chosen word."""
    for i in range(len(words) - 1, -1, -1):
        if parts[i] != "out":
            continue
        after = parts[i + 1] if i + 1 < len(words) else "out"
        before = parts[i - 1] if i else "out"
        text, lower = words[i].text, words[i].lower
        if text in UNIT_MARKS and (_is_number(words, i + 1) or _is_number(words, i - 1)):
            parts[i] = after if _is_number(words, i + 1) and after != "out" else before
        elif after == "predicate" and tagged.tags[i + 1] in VERBS:
            if lower in _NEGATIONS or _is_modal(words[i], tagged.tags[i]):
                parts[i] = after
        elif after != "out" and (lower in _QUALIFIERS or lower in _NEGATIONS):
            parts[i] = after


def _is_modal(word: Word, tag: str) -> bool:
    return tag == "finite" and (word.lower in MODALS or word.lower.endswith(("n't", "n’t")))


def _is_number(words: Sequence[Word], i: int) -> bool:
    return 0 <= i < len(words) and words[i].text[0].isdigit()
