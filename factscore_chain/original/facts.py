"""From a model's reply to the facts of a sentence, by the published rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from factscore_chain.original.entities import detect_entities

Pair = tuple[str, list[str]]
"""A sentence and its facts."""

_CUT_ENDINGS = (
    *("born.", " appointed.", " characterized.", " described.", " known.", " member.", " advocate."),
    *("served.", "elected."),
)
_WHOLE_ENDING = "founding member."
_NO_FACTS = "This sentence does not contain any facts"


def text_to_sentences(text: str) -> list[str]:
    """The facts of a reply: what follows each "- "; a list of another style gives none.

    An empty item, on which the original fails, is left out.
    """
    facts = [fact for part in text.split("- ")[1:] if (fact := part.strip())]
    if facts and not facts[-1].endswith("."):
        facts[-1] += "."
    return facts


def is_left_out(sentence: str, index: int) -> bool:
    """Whether a sentence is taken for talk, and its facts are dropped although the model was asked."""
    return sentence.startswith((_NO_FACTS, "Sure", "Please")) or (
        index == 0 and sentence.startswith("Here are")
    )


def postprocess_atomic_facts(
    _atomic_facts: Sequence[Pair | list[Any]], para_breaks: Sequence[int], nlp: Any = None
) -> tuple[list[Pair], list[int]]:
    """Mends the facts of a generation, sentence by sentence.

    Args:
        _atomic_facts: Sentences with their facts.
        para_breaks: At which sentences a paragraph begins.
        nlp: A spaCy pipeline; None takes what is installed.

    Returns:
        The same after mending, and the paragraph breaks in the new count.
    """
    pairs, breaks = _merged(_atomic_facts, para_breaks)
    return [(sentence, _mended(sentence, facts, nlp)) for sentence, facts in pairs], breaks


def _merged(
    given: Sequence[Pair | list[Any]], para_breaks: Sequence[int]
) -> tuple[list[tuple[str, list[str]]], list[int]]:
    pairs: list[tuple[str, list[str]]] = []
    breaks: list[int] = []
    for index, (sentence, facts) in enumerate(given):
        text = sentence.strip()
        if len(text.split()) == 1 and index > 0 and index not in para_breaks:
            before, its_facts = pairs[-1]
            pairs[-1] = (f"{before} {text}", [*its_facts, *facts])
            continue
        if index in para_breaks:
            breaks.append(len(pairs))
        pairs.append((text, list(facts)))
    return pairs, breaks


def _mended(sentence: str, facts: list[str], nlp: Any) -> list[str]:
    wanted = detect_entities(sentence, nlp)
    covered: set[str] = set()
    kept: list[str] = []
    for index, fact in enumerate(facts):
        if _is_cut_short(index, facts):
            continue
        found = detect_entities(fact, nlp)
        covered |= found & wanted
        mended = _with_entities(fact, found - wanted, wanted)
        if mended is None:
            continue
        text, put_in = mended
        covered |= put_in
        if text not in kept:
            kept.append(text)
    return kept if covered == wanted else facts


def _is_cut_short(index: int, facts: list[str]) -> bool:
    fact = facts[index]
    if not fact.endswith(_CUT_ENDINGS) or fact.endswith(_WHOLE_ENDING):
        return False
    return any(fact[:-1] in other for place, other in enumerate(facts) if place != index)


def _with_entities(fact: str, new: set[str], wanted: set[str]) -> tuple[str, set[str]] | None:
    """The fact with its sentence's own spelling of numbers and dates; None if one is not the sentence's.

    The original tries them in the order of a set, which changes from run to run; here it is the alphabet's.
    """
    put_in: set[str] = set()
    for entity in sorted(new):
        whole = next((one for one in sorted(wanted) if one.startswith(entity)), None)
        if whole is None:
            return None
        fact = fact.replace(entity, whole)
        put_in.add(whole)
    return fact, put_in
