"""What a speaker says around a claim: "I think ...", "According to the sources, ...", "..., isn't it?".

A frame says how sure somebody is or where the claim is from; what it holds is as true or false without it.
"According to Plato, ..." is no frame: whose word it is belongs to the claim. Nor is what is denied or asked:
"I don't think that ..." claims nothing that could be looked up as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from factscore_chain.decompose.citations import KINDS, NUMBERED
from factscore_chain.decompose.layout import is_claim

_OPENER = (
    r"(?:(?:yes|no|sure|well|so|but|and|also|however|actually|honestly|unfortunately|certainly|oh|okay|ok"
    r"|still|though|of course|personally|frankly)\b[,!.:]?\s+){0,2}"
)
_MIND = (
    r"(?:think|believe|guess|suppose|assume|presume|suspect|reckon|feel|know|recall|remember|understand|find"
    r"|found(?: out)?|read|heard|learned|learnt|imagine|bet|gather|conclude|claim|say|said|tell you|told you"
    r"|assure you|inform you|remind you|promise|guarantee|confirm|add|note|mention|point out|state|report"
    r"|certify|affirm|declare|swear)"
)
_SURE = r"(?:sure|certain|confident|convinced|positive|aware|told)"
_MOOD = r"(?:sorry|afraid|sad|glad|happy|pleased|proud)"
_BE = r"(?: am|['’]m| are|['’]re| was| were)"
_SOME = r"(?:(?!not\b|never\b|cannot\b|hardly\b)\w+ ){0,3}?"
"""Words between a speaker and a verb; a negation would turn the claim round."""
_ASKS = (
    r"(?!(?:who|whom|what|which|about|of|if|whether|how|when|where|why|to|for|with|more|some\w*|any\w*)\b)"
)
_THAT = rf"(?:,? that\b,?|[,:])?\s+{_ASKS}"
_SOURCE = (
    rf"(?:(?:(?:the|these|those|this|your|my|our|all|both)\s+)(?-i:[a-z-]+\s+){{0,3}}?(?:{NUMBERED}|{KINDS})"
    r"(?: (?:above|below|provided|given|supplied|retrieved|available|that|which|you|i|we|have|has|was|were"
    rf"|gave|found|at|hand|to|me|us)){{0,6}}(?:\s?\[\d+\])?|{NUMBERED})"
)
_SAYS = (
    r"(?:says?|states?|mentions?|tells?(?: us| me)?|shows?|confirms?|indicates?|notes?|reports?|suggests?"
    r"|explains?|reads?|adds?|writes?|specif(?:y|ies)|clarif(?:y|ies)|makes? (?:it )?clear)"
)
_ATTRIBUTED = r"(?:according to|based (?:up)?on|as per|per|judging (?:by|from)|going by|as \w+ (?:in|by))"
_COMMA = r"(?:,\s+|\s+(?=(?-i:[A-Z])))"
_HEADS = (
    rf"(?:i|we)(?:['’](?:d|ll|ve))? {_SOME}{_MIND}{_THAT}",
    rf"(?:i|we){_BE} {_SOME}{_SURE}{_THAT}",
    rf"(?:i|we){_BE} {_SOME}{_MOOD} to (?:say|tell you|report|inform you|add)(?: that)?[,:]?\s+",
    rf"(?:as )?you(?:['’]ll)? {_SOME}(?:know|remember|recall|note|find|see|notice|be aware){_THAT}",
    rf"(?:did|do|didn['’]t|don['’]t) you (?:also |already |even )?(?:know|realise|realize){_THAT}",
    r"(?:as|so|if|unless|from what|correct me)\s(?:[\w'’]+\s){0,4}?(?:i|we|me)\b[^,.;:]{0,40},\s+",
    r"(?:to|in|from|by) (?:the best of )?(?:my|our) (?:\w+ )?(?:knowledge|understanding|recollection|memory"
    r"|opinion|view|belief|mind|information|sources?)(?: at least)?,\s+",
    rf"{_ATTRIBUTED} {_SOURCE}{_COMMA}",
    rf"(?:in|from|within|following|citing) {_SOURCE},\s+",
    rf"{_SOURCE} (?:\w+ )?{_SAYS}(?: that\b|,? that,|:)\s+",
    rf"{_SOURCE} (?:\w+ )?(?:says?|states?|confirms?|reads?|tells us)\s+(?!nothing\b|no\b|little\b){_ASKS}",
    rf"it (?:is|was|['’]s)? ?(?:\w+ )?(?:says?|said|stated|mentioned|noted|reported|shown|written|indicated"
    rf"|confirmed) in {_SOURCE},? that,?\s+",
    r"(?:please |kindly )?(?:note|remember|keep in mind|bear in mind|be aware|be advised|rest assured"
    r"|let me (?:tell you|add|say|note|confirm|assure you|remind you))(?:,? that\b,?|[,:])\s+",
    r"(?:it is|it['’]s) (?:worth noting|important to (?:note|know|remember)|true|clear|well[- ]known)"
    r" that\s+",
    r"(?:my|our) (?:\w+ )?(?:guess|understanding|belief|memory|answer|view|opinion|impression|recollection)"
    r" (?:is|was)(?:,? that\b,?|:)?\s+",
    r"(?:sources?|references?|citations?|(?:fun|quick) fact|(?:the )?(?:short |final )?answer|trust me"
    r"|believe me|believe it or not|to be (?:honest|clear|sure))\s*[,:]\s+",
)
_FRAME = re.compile(f"{_OPENER}(?:{'|'.join(_HEADS)})", re.IGNORECASE)
_VERB = r"(?:is|are|was|were|am|do|does|did|has|have|had|will|would|can|could|should|must|ai|wo)"
_TAG = (
    rf",\s*(?:{_VERB}(?:n['’]?t)? (?:it|he|she|they|we|you|i|there|that)(?: not)?|right|correct|no|yes|eh|huh"
    r"|okay|don['’]t you (?:think|agree|know)|you know"
    r"|(?:i|we) (?:think|believe|guess|suppose|recall|know)|i['’]m (?:\w+ )?sure|as far as i know)"
)
_TAG_AT_END = re.compile(rf"{_TAG}\s*[?.!]+\s*$", re.IGNORECASE)
_CITED_AT_END = re.compile(
    rf"(?:,\s*|\s+\(|\s+)(?:{_ATTRIBUTED}) {_SOURCE}\)?\s*(?=[.!]*\s*$)", re.IGNORECASE
)
_TAG_INSIDE = re.compile(rf"{_TAG}\s*(?=,)", re.IGNORECASE)
_TURN = re.compile(
    r";\s+|\s[–—-]+\s|,?\s+(?:but|however|yet|although|though|nevertheless)\b,?\s+|,\s+(?:and|because|so)\s+",
    re.IGNORECASE,
)
_MOST_FRAMES = 4
"""Frames inside one another that are taken off."""


def without_frame(text: str) -> str:
    """What a sentence claims inside its frames; the sentence itself where it has none.

    A question that its tag, or "Did you know", makes a statement loses its question mark.
    """
    rest = cited = _CITED_AT_END.sub("", text)
    if not any(map(str.isalnum, rest)):
        rest = cited = text
    for _ in range(_MOST_FRAMES):
        frame = _FRAME.match(rest)
        if frame is None or not any(map(str.isalnum, rest[frame.end() :])):
            break
        rest = rest[frame.end() :]
    if rest != cited and rest.endswith("?"):
        rest = f"{rest.rstrip('?! ')}."
    tag = _TAG_AT_END.search(rest)
    if tag and tag.start():
        rest = f"{rest[: tag.start()]}."
    inside = _TAG_INSIDE.sub("", rest)
    return f"{inside.rstrip('?! ')}." if inside != rest and inside.endswith("?") else inside


def claimed(text: str) -> str:
    """The part of a sentence that may claim something, after what its speaker says of himself; else "".

    "I'm sorry to say he died in 1973." claims that he died in 1973; in "I cannot praise her enough; she won
    in 1999." the second clause claims.
    """
    rest = without_frame(text)
    if is_claim(rest):
        return rest
    after = (without_frame(clause) for clause in _turns(rest))
    return next((clause for clause in after if is_claim(clause)), "")


def _turns(text: str) -> Iterator[str]:
    """What follows each turn of a sentence: "I don't know much, but ...", "...; ..."."""
    for turn in _TURN.finditer(text):
        yield text[turn.end() :]
