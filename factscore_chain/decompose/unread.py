"""Sentences that say something and give no fact: they count as undecided, and never as saying nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factscore_chain import abstention_phrases as phrases
from factscore_chain.decompose.layout import NON_ANSWERS
from factscore_chain.decompose.words import is_content, split_words

_SEVERAL = 5
"""Words with a meaning of their own from which a fragment says something."""
_COURTESY = re.compile(
    r"(?:hello|hi|hey|dear|greetings|welcome|thanks|thank|good (?:morning|afternoon|evening|day|question)"
    r"|great|excellent|sure|certainly|of course|absolutely|no problem|goodbye|bye|cheers|best|kind regards"
    r"|sincerely|happy to help|hope|here|please|sorry)\b",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"\b(?:i|we)(?:['’]d| would|['’]ll| will| can| could|['’]m| am)? ?(?:be |really |gladly )?"
    r"(?:happy|glad|pleased|here|recommend|suggest|hope|wish|apologi[sz]e|appreciate)\b"
    r"|\b(?:let me know|feel free|would you like|do you want|help you|you (?:can|may|might|could|should))\b",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"^(?:sorry,? |unfortunately,? )?(?:i|we)(?:'m| am| are)?"
    r" (?:do not|don't|did not|didn't|cannot|can't|could not|couldn't|not|unable to) (?:\w+ )?"
    r"(?:know|say|tell|find|see|remember|recall|determine|confirm|verify|answer|sure|certain|able to)\b"
)
_SAYS_NOTHING = (
    _UNKNOWN,
    phrases.UNKNOWING,
    phrases.ABSENCE,
    phrases.APOLOGY,
    phrases.REQUEST,
    phrases.ASIDE,
    _OFFER,
)


def says_something(text: str, kinds: Sequence[str] = ()) -> bool:
    """Whether a text without a fact may still tell a reader something: a name, a number, several words.

    Questions, courtesies, offers, and that somebody does not know, tell nothing.

    Args:
        text: Plain text of a sentence.
        kinds: The tagger's kinds of its words, where they are known.
    """
    stripped = text.strip().strip("\"'”’)*_ ")
    if (
        not stripped
        or stripped.endswith(("?", "？", ":", "："))
        or stripped.lower().strip(".!") in NON_ANSWERS
    ):
        return False
    words = [word.text for word in split_words(stripped)]
    has_number = any(word[0].isdigit() for word in words)
    if _COURTESY.match(stripped) and not has_number:
        return False
    folded = stripped.casefold().replace("’", "'").rstrip(" .!")
    if any(pattern.search(folded) for pattern in _SAYS_NOTHING):
        return False
    if has_number or "name" in kinds:
        return True
    if any(word[0].isupper() and word not in ("I", "AI") for word in words[1:]):
        return True
    return not stripped.endswith("!") and sum(map(is_content, words)) >= _SEVERAL
