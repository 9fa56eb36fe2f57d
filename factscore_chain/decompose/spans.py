"""Where in its sentence a fact is stated."""

from __future__ import annotations

import re
from collections import Counter

from factscore_chain.decompose.markup import without_tags
from factscore_chain.values import Sentence, Span

# Scripts without blanks between words count by the character.
_UNSPACED = "\u3040-\u30ff\u4e00-\u9fff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+(?:[.,'’:/-][^\W{_UNSPACED}]+)*")
_LITTLE_WORDS = (
    "a an the and or but of in on at to for from by with as is was are were be been being has have had did"
    " does do it its he his him she her they their them this that these those which who whom whose there into"
    " also der die das und im ist war ein eine le la les et est une un du de el los y del que"
    " 他 她 它 的 了 于 是 の は が を に"
)
_FUNCTION_WORDS = frozenset(_LITTLE_WORDS.split())


def fact_span(sentence: Sentence, fact: str, topic: str | None = None) -> Span:
    """Finds the shortest stretch of a sentence that holds the words of a fact.

    Function words, words that the sentence does not have, and the topic's name are not looked for (a name
    stands at the head of a sentence, far from what is said of it), unless nothing else is left.

    Returns:
        The stretch in positions of the generation; the whole sentence if it shares no word with the fact.
    """
    words = _words(without_tags(sentence.text))
    present = {word for word, _, _ in words}
    wanted = {word for word, _, _ in _words(fact)} & present
    content = wanted - _FUNCTION_WORDS
    wanted = content - {word for word, _, _ in _words(topic or "")} or content or wanted
    if not wanted:
        return sentence.span
    start, end = _shortest(words, wanted)
    return Span(sentence.span.start + start, sentence.span.start + end)


def _words(text: str) -> list[tuple[str, int, int]]:
    return [(_folded(match[0]), match.start(), match.end()) for match in _WORD.finditer(text)]


def _folded(word: str) -> str:
    return re.sub(r"['’]s$", "", word.casefold())


def _shortest(words: list[tuple[str, int, int]], wanted: set[str]) -> tuple[int, int]:
    """The shortest window of `words` with every wanted word; of equal ones the first."""
    inside: Counter[str] = Counter()
    best, left = (words[0][1], words[-1][2]), 0
    for word, _, end in words:
        if word in wanted:
            inside[word] += 1
        while len(inside) == len(wanted):
            first, start, _ = words[left]
            if end - start < best[1] - best[0]:
                best = (start, end)
            if inside[first] == 1:
                del inside[first]
            elif inside[first] > 1:
                inside[first] -= 1
            left += 1
    return best
