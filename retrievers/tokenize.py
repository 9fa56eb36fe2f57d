"""Words for lexical search: one definition for the on-disk index and for ranking in memory."""

from __future__ import annotations

import re
import string
import unicodedata

TOKENIZER_VERSION = 1
"""Raised with any change of `tokens`, so that an index made by another version is never searched."""

LONGEST = 64
"""Longer runs of letters are noise (encoded data); their head still finds them."""

# Scripts written without blanks between words, and Hangul, whose words carry their particles.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17d3\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
# Vowel signs of Indic scripts are marks, not letters; without them words would fall apart.
_MARKS = "\u0900-\u0963\u0966-\u0dff\u0f71-\u0f84"

_WORD = re.compile(
    rf"(?P<run>[{_UNSPACED}]+)|(?P<number>\d+(?:\.\d+)+)|(?P<word>(?:[^\W_{_UNSPACED}]|[{_MARKS}])+)"
)


def _is_accent(char: str) -> bool:
    # Above and below a letter (Latin, Greek, Cyrillic), Hebrew points, Arabic vowel marks. The lower classes
    # are part of the letter in their scripts (Japanese voicing, Indic nukta and virama) and stay.
    combining = unicodedata.combining(char)
    return combining >= 200 or 10 <= combining <= 35


_ACCENTS = re.compile(f"[{''.join(c for c in map(chr, range(0x300, 0x2100)) if _is_accent(c))}]+")
# Letters that Unicode takes for letters of their own, but writers replace by these.
_PLAIN = {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"}
_STROKED = re.compile(f"[{''.join(_PLAIN)}]")
_ASCII_WORD = re.compile(r"\d+(?:\.\d+)+|[a-z0-9]+")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_APOSTROPHES = re.compile("[’ʼ]")
_POSSESSIVE = re.compile(r"(?<=\w)'s\b")
_NUMBER = re.compile(r"(?<![\d.,])\d+(?:[.,]\d+)+(?![\d])")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")


def tokens(text: str) -> list[str]:
    """Splits text into the units that lexical search compares.

    Case, accents and compatibility forms are folded, punctuation is dropped, and so is a possessive "'s".
    Thousands separators vanish ("1,000" is "1000") and a decimal comma reads as a point ("1,5" is "1.5").
    Scripts without blanks give pairs of neighbouring characters, and Chinese characters by themselves too.

    Returns:
        Tokens in order of appearance, repetitions kept; empty if the text has no letter or digit.
    """
    folded = _prepare(fold(text))
    if folded.isascii():
        return [token[:LONGEST] for token in _ASCII_WORD.findall(folded)]
    found: list[str] = []
    for match in _WORD.finditer(folded):
        if match.lastgroup == "run":
            found.extend(_grams(match.group()))
        else:
            found.append(match.group()[:LONGEST])
    return found


def bare(word: str) -> str | None:
    """A plain word without the punctuation around it, in small letters; None for what is not that simple."""
    stripped = word.strip(string.punctuation)
    return stripped.lower() if stripped.isascii() and (stripped.isalnum() or not stripped) else None


def fold(text: str) -> str:
    """Folds case, accents and compatibility forms ("Ｃａｆé" becomes "cafe")."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    plain = _STROKED.sub(lambda match: _PLAIN[match.group()], _ACCENTS.sub("", decomposed))
    return unicodedata.normalize("NFC", plain)


def clean(text: str) -> str:
    """Makes text safe for SQLite and for tokenizers: no half surrogate pairs, no NUL."""
    if "\0" in text:
        text = text.replace("\0", " ")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        # Two halves that belong together are joined; a half alone becomes a replacement character.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _prepare(text: str) -> str:
    if not text.isascii():
        text = _APOSTROPHES.sub("'", text)
    if "'s" in text:
        text = _POSSESSIVE.sub("", text)
    return _NUMBER.sub(_plain_number, text)


def _plain_number(match: re.Match[str]) -> str:
    number = match.group()
    if _THOUSANDS.fullmatch(number):
        return number.replace(",", "")
    if number.count(".") + number.count(",") == 1:
        return number.replace(",", ".")
    # A date, a version or a list of numbers: its parts are compared one by one.
    return re.sub("[.,]", " ", number)


def _grams(run: str) -> list[str]:
    if len(run) == 1:
        return [run]
    pairs = [run[i : i + 2] for i in range(len(run) - 1)]
    return [*pairs, *_HAN.findall(run)]
