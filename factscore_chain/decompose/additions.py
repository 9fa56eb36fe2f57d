"""Numbers and names in a fact that its text does not have: the decomposer made them up."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from factscore_chain.decompose.language import guess_language

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_WORD = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]\b\.?|[^\W\d_]+(?:['’-][^\W\d_]+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
_COUNTING = (
    "zero no|one first once|two second twice both|three third|four fourth|five fifth|six sixth|seven seventh|"
    "eight eighth|nine ninth|ten tenth|eleven eleventh|twelve twelfth dozen"
)
_NUMBER_WORDS = {
    word: str(value) for value, words in enumerate(_COUNTING.split("|")) for word in words.split()
}
_COMMONLY_ADDED = frozenset({"The", "His", "Her", "Its", "Their", "In", "On", "At", "From", "TV"})
_NOUNS_ARE_CAPITALISED = {"de"}


def addition(fact: str, known: str) -> str | None:
    """The first number or name of a fact that stands neither in its sentence, context nor topic.

    Other writings of a number ("1,000", "two", the 18 of "1914-18") and forms of a name ("Italy", "Italian";
    "WHO" and the words it stands for) count as the same. Names are told by their capitals, so they are not
    looked at in languages that capitalise all nouns.

    Args:
        fact: The fact.
        known: Everything that the decomposer was shown, in one text.
    """
    return next(new_numbers(fact, known), None) or next(new_names(fact, known), None)


def new_numbers(fact: str, known: str) -> Iterator[str]:
    """The numbers of a fact that stand nowhere in `known`, in whatever writing."""
    numbers = {_plain_number(match[0]) for match in _NUMBER.finditer(known)}
    numbers |= {_NUMBER_WORDS[word] for word in re.findall(r"\w+", known.lower()) if word in _NUMBER_WORDS}
    for match in _NUMBER.finditer(fact):
        number = _plain_number(match[0])
        if number not in numbers and not _is_abbreviated(number, numbers):
            yield match[0]


def _plain_number(number: str) -> str:
    plain = number.replace(",", "") if _THOUSANDS.fullmatch(number) else number.replace(",", ".")
    return plain.lstrip("0") or "0"


def _is_abbreviated(year: str, numbers: set[str]) -> bool:
    """Whether a year stands in the text as the end of a span of years, such as the 18 of "1914-18"."""
    return (
        len(year) == 4
        and year[2:] in numbers
        and any(n.startswith(year[:2]) and len(n) == 4 for n in numbers)
    )


def new_names(fact: str, known: str) -> Iterator[str]:
    """The words of names in a fact that stand nowhere in `known`, told by their capitals."""
    if guess_language(known) in _NOUNS_ARE_CAPITALISED:
        return
    words = [_POSSESSIVE.sub("", word) for word in _WORD.findall(fact)]
    known_words = [_POSSESSIVE.sub("", word) for word in _WORD.findall(known)]
    folded = {_folded(word) for word in known_words}
    folded |= {part for word in folded for part in re.split(r"['’-]", word)}
    shortened = _initials(known_words)
    spelled_out = _initials(words)
    for position, word in enumerate(words):
        if not _is_name(words, position) or _is_known(word, folded):
            continue
        short = word.replace(".", "")
        if short.isupper() and short in shortened:
            continue
        if any(known_word in spelled_out for known_word in _acronyms(known_words)):
            continue
        yield word


def _is_name(words: list[str], position: int) -> bool:
    word = words[position]
    if len(word) < 2 or not word[0].isupper():
        return False
    if word in _COMMONLY_ADDED or position > 0:
        return word not in _COMMONLY_ADDED
    # The first word has its capital from the sentence, unless a second one shows that a name begins.
    return len(words) > 1 and words[1][0].isupper() and len(words[1]) > 1


def _folded(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", word.casefold().replace(".", ""))
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _is_known(name: str, folded: set[str]) -> bool:
    parts = [part for part in re.split(r"['’-]", _folded(name)) if part]
    return all(any(_same(part, word) for word in folded) for part in parts)


def _same(part: str, word: str) -> bool:
    if part == word:
        return True
    shorter, longer = sorted((part, word), key=len)
    return (len(shorter) >= 3 and longer.startswith(shorter)) or (len(shorter) >= 5 and part[:4] == word[:4])


def _initials(words: list[str]) -> str:
    """First letters of capitalised words, in order; other words separate runs, little ones aside."""
    return "".join(
        word[0] if word[0].isupper() else "" if word in {"of", "the", "and", "for"} else " " for word in words
    )


def _acronyms(words: list[str]) -> list[str]:
    plain = [word.replace(".", "") for word in words]
    return [word for word in plain if 2 <= len(word) <= 6 and word.isupper()]
