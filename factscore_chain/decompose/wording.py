"""Small matters of English: copulas, articles, owners, the look of a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ARTICLE = re.compile(r"\b(an?) (?=([\"“(']*)([^\W_]+))", re.IGNORECASE)
_VOWEL_SOUND = re.compile(
    r"(?:[aeio8]|u(?![ns]i|[bcfhjkqrst][aeiou])|hono|hour|heir|11\b|18\b)", re.IGNORECASE
)
_CONSONANT_SOUND = re.compile(r"(?:eu|ewe|one\b|once|uni(?!m|n)|usu|use)", re.IGNORECASE)


def with_copula(copula: str, text: str, tags: Sequence[str]) -> str:
    """Puts one of `tagger.INSERTIONS` before a predicate without a verb, with the article that fits."""
    verb, _, rest = copula.partition(" ")
    if rest == "in":
        preposition = "from" if tags[0] == "number" else "in"
        return f"{verb} {preposition} {text}"
    if rest == "a":
        if tags[0] == "determiner":
            return f"{verb} {text}"
        if tags[-1] == "plural":
            return f"{verb} among the {text}"
        return f"{verb} {text}" if tags[-1] == "adjective" else f"{verb} a {text}"
    if not rest and is_countable(tags) and "name" not in tags:
        return f"{verb} a {text}"
    return f"{verb} {text}"


def is_countable(tags: Sequence[str]) -> bool:
    """Whether words are a noun in the singular with its adjectives, and no article."""
    return tags[-1] == "noun" and all(tag in ("noun", "adjective", "name") for tag in tags)


def possessive(name: str) -> str:
    """A name as the owner of what follows."""
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def finish(text: str) -> str:
    """Spaces and articles put right, a capital at the head and a full stop at the end."""
    text = _ARTICLE.sub(_article, " ".join(text.split()))
    text = re.sub(r"\s+([,;:.!?)])", r"\1", text).strip(" ,;:")
    text = re.sub(r",([\"”])$", r"\1", text)
    if not text.endswith((".", "!", "?", ".”", '."')):
        text += "."
    return text[0].upper() + text[1:]


def article_before(word: str) -> str:
    """The indefinite article that goes with a word: "a" or "an"."""
    spelled = word.isupper() and len(word) > 1
    if spelled:
        vowel = word[0] in "AEFHILMNORSX"
    else:
        vowel = bool(_VOWEL_SOUND.match(word)) and not _CONSONANT_SOUND.match(word)
    return "an" if vowel else "a"


def _article(match: re.Match[str]) -> str:
    article = article_before(match[3])
    return f"{article.capitalize() if match[1][0].isupper() else article} "
