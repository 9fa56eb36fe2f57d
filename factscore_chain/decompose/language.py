"""Which language a text is in, as far as its sentence marks and abbreviations depend on it."""

from __future__ import annotations

import re
from collections import Counter

_SAMPLE = 4000
"""Characters that are looked at; more would not change the answer."""

_SCRIPTS = {
    "ja": re.compile(r"[\u3040-\u30ff]"),
    "zh": re.compile(r"[\u4e00-\u9fff]"),
    "hi": re.compile(r"[\u0900-\u097f]"),
    "bn": re.compile(r"[\u0980-\u09ff]"),
    "ar": re.compile(r"[\u0600-\u06ff]"),
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "el": re.compile(r"[\u0370-\u03ff]"),
    "ko": re.compile(r"[\uac00-\ud7af]"),
    "hy": re.compile(r"[\u0530-\u058f]"),
    "my": re.compile(r"[\u1000-\u109f]"),
}

_COMMON_WORDS = {
    "en": "the of and in was is to a his her he she it that with for as by from were"
    " are has its been which who at but also after not an",
    "de": "der die das und wurde ist von mit im den des ein eine er sie war zu auf nach",
    "fr": "le la les des et est une dans il elle du en au aux qui né née fut sur par",
    "es": "el la los las y es una en del que fue por con su nació se vive era desde",
    "it": "il la di e è una nel della del che fu per con nato nata si sono era da",
    "pt": "o a os as e é uma em do da que foi por com nasceu se não era ao na",
    "nl": "de het een en van is in werd was op met voor zijn hij zij door te bij",
}
_LETTERS = {
    "de": "äöüß",
    "fr": "àâçéèêëîïôùûœ",
    "es": "áéíñóú",
    "it": "àèéìòù",
    "pt": "áâãàçéêíóôõú",
    "nl": "ëïé",
}
"""Letters that English has in names and loan words only."""
_LANGUAGE_OF_WORD = {
    word: [language for language, words in _COMMON_WORDS.items() if word in words.split()]
    for words in _COMMON_WORDS.values()
    for word in words.split()
}


def guess_language(text: str) -> str:
    """Names the language (ISO 639-1) by script and common words; English where nothing tells."""
    sample = text[:_SAMPLE]
    letters = sum(map(str.isalpha, sample))
    for language, pattern in _SCRIPTS.items():
        # Kana stand among Chinese characters, hence the low bound.
        if letters and len(pattern.findall(sample)) / letters > 0.15:
            return language
    votes: Counter[str] = Counter()
    for word in re.findall(r"[^\W\d_]+", sample):
        votes.update(_LANGUAGE_OF_WORD.get(word.lower(), ()))
        if word[0].islower() and not word.isascii():
            votes.update(one for one, letters in _LETTERS.items() if set(letters) & set(word))
    best, count = max(votes.items(), key=lambda vote: vote[1], default=("en", 0))
    return best if count > votes["en"] else "en"
