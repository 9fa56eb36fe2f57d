"""Sentences whose parts claim less, more or other than the whole: they are not taken apart.

"If it rains, the match is cancelled" does not say that the match is cancelled, nor "Columbus believed that he
had reached Asia" that he had. Such a sentence is one fact.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from factscore_chain.decompose.tagger import VERBS, Tagged
from factscore_chain.decompose.words import Word

_CONDITIONS = re.compile(
    r"(?<!as )(?<!even )\b(?:if(?! not\b| any\b)|unless|whether|lest|provided(?: only)? that|providing that"
    r"|supposing|assuming that|on (?:the )?condition that|in (?:the event|case)(?: that| of)?"
    r"|(?:as|so) long as(?= \D)|otherwise)\b",
    re.IGNORECASE,
)
_EVEN_IF = re.compile(r"\beven if\b", re.IGNORECASE)
_INVERTED = re.compile(
    r"(?:had|were|should)\s.*\b(?:would|could|might|will|must)\b"
    r"|.*,\s(?:had|were|should) (?:he|she|it|they|the)\b",
    re.IGNORECASE,
)
_UNREAL = re.compile(r"\b(?:would|could|might|should)(?: not|n['’]t)?(?: \w+)? have\b", re.IGNORECASE)
_WITHOUT = re.compile(r"\b(?:without|but for|otherwise|had)\b", re.IGNORECASE)
_ENDS_DENIED = re.compile(r"\b(?:is|was|are|were|did|does|do|has|had|have)(?: not|n['’]t)\W*$", re.IGNORECASE)
_CLEFT = re.compile(r"(?:it|what|whoever|whatever)\s", re.IGNORECASE)
_SAYING = (
    r"(?:said|says|say|wrote|writes|asked|asks|replied|answered|declared|remarked|stated|exclaimed|quipped"
    r"|shouted|proclaimed|called out)"
)
_SPEECH = re.compile(rf"\b{_SAYING}\b[^\"“”,:]{{0,40}}[,:]\s*[\"“]|[,?!][\"”]\s+(?:\w+\s){{0,4}}?{_SAYING}\b")
_ACCORDING = re.compile(r"\b(?:according to|in the (?:view|opinion|words) of)\b", re.IGNORECASE)
_WHENEVER = frozenset({"when", "whenever", "until"})
_TURNS = frozenset({"and", "but", "while", "whereas", "yet"})
_PRESENT = frozenset({"is", "are", "has", "have", "does", "do", "can", "will", "may", "must"})
_PAST = frozenset({"was", "were", "had", "did", "could", "would"})
_ESTABLISHED_LIST = (
    "discovered found showed shown shows proved proven proves revealed demonstrated confirmed learned learnt"
    " realised realized noticed knew known knows determined established announced"
)
_ESTABLISHES = frozenset(_ESTABLISHED_LIST.split())
"""Verbs whose "that" claims what follows as well."""
_BETWEEN_VERB_AND_THAT = 2


def wholes(sentence: str, words: Sequence[Word], tagged: Tagged) -> list[range]:
    """Clauses that hold a condition, somebody's word or belief, or what another clause turns round.

    Args:
        sentence: The sentence.
        words: Its words.
        tagged: What the tagger says of them.

    Returns:
        Ranges of words, in order.
    """
    if _opens_with_condition(sentence) or _ENDS_DENIED.search(sentence):
        return [range(len(words))]
    return [one for one in clauses(words, tagged) if _is_whole(sentence, words, tagged, one)]


def _opens_with_condition(sentence: str) -> bool:
    return _CONDITIONS.match(sentence) is not None or _INVERTED.match(sentence) is not None


def clauses(words: Sequence[Word], tagged: Tagged) -> list[range]:
    """Clauses with a subject and a verb of their own, as far as a comma before "and" or "but" shows."""
    starts = [0]
    for at in range(1, len(words) - 2):
        if words[at].text != "," or words[at + 1].lower not in _TURNS:
            continue
        own_subject = tagged.tags[at + 2] not in VERBS
        if own_subject and "finite" in tagged.tags[starts[-1] : at] and "finite" in tagged.tags[at + 2 :]:
            starts.append(at + 2)
    ends = [start - 2 for start in starts[1:]] + [len(words)]
    return [range(start, end) for start, end in zip(starts, ends, strict=True)]


def _is_whole(sentence: str, words: Sequence[Word], tagged: Tagged, clause: range) -> bool:
    text = sentence[words[clause[0]].start : words[clause[-1]].end]
    own = words[clause.start : clause.stop]
    tags = tagged.tags[clause.start : clause.stop]
    return (
        _is_conditional(text)
        or _SPEECH.search(text) is not None
        or _ACCORDING.search(text) is not None
        or _is_general(own, tags)
        or _is_cleft(text, own, tags)
        or _has_reported_clause(own, tags)
    )


def _is_conditional(sentence: str) -> bool:
    if _CONDITIONS.search(sentence) or _EVEN_IF.search(sentence) or _INVERTED.match(sentence):
        return True
    return _UNREAL.search(sentence) is not None and _WITHOUT.search(sentence) is not None


def _is_general(words: Sequence[Word], tags: Sequence[str]) -> bool:
    """Whether a clause says when a thing is so, in general: "Iron rusts when it is exposed to water"."""
    finite = [word.lower for word, tag in zip(words, tags, strict=True) if tag == "finite"]
    if len(finite) < 2 or any(one in _PAST or one.endswith("ed") for one in finite):
        return False
    in_general = any(word.lower in _WHENEVER for word in words)
    return in_general and all(one in _PRESENT or one.endswith("s") for one in finite)


def _is_cleft(sentence: str, words: Sequence[Word], tags: Sequence[str]) -> bool:
    """Whether what a sentence says is spread over two clauses: "It was not until 1920 that ..."."""
    if _CLEFT.match(sentence) is None or len(words) < 3:
        return False
    if words[0].lower == "it":
        return words[1].lower in ("is", "was") and any(word.lower == "that" for word in words[2:])
    return tags.count("finite") > 1


def _has_reported_clause(words: Sequence[Word], tags: Sequence[str]) -> bool:
    """Whether "that" follows a verb: "Scholars doubt that Homer wrote it"."""
    for at in range(1, len(words) - 2):
        if words[at].lower != "that" or not any(tag == "finite" for tag in tags[at + 1 :]):
            continue
        before = range(max(0, at - _BETWEEN_VERB_AND_THAT), at)
        verbs = [i for i in before if tags[i] in VERBS]
        if verbs and words[verbs[-1]].lower in _ESTABLISHES:
            continue
        if verbs and all(tags[i] in (*VERBS, "adverb", "pronoun") for i in range(verbs[-1], at)):
            return True
    return False
