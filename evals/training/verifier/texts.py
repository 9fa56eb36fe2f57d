"""Text repairs and cuts that the training data needs."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.verify.lexicon import STOPWORDS, stem

_BRACKETS = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    "``": '"',
    "''": '"',
}
_WINDOW = 45
_OWN_WEIGHT = 0.15


def undo_treebank(text: str) -> str:
    """Undoes the marks of treebank tokens: brackets, quotes, and the blanks before punctuation."""
    for mark, plain in _BRACKETS.items():
        text = text.replace(mark, plain)
    text = text.replace(" -- ", "–")
    text = re.sub(r"\s+([.,;:!?%)\]}])", r"\1", text)
    text = re.sub(r"([(\[{])\s+", r"\1", text)
    text = re.sub(r" ('s|n't|'re|'ve|'ll|'d|'m|')(?=\W|$)", r"\1", text)
    text = re.sub(r'"\s+([^"]*?)\s+"', r'"\1"', text)
    return re.sub(r"\s+", " ", text).strip()


def sentences_of(text: str) -> list[str]:
    """The sentences of a text."""
    return [sentence.text for sentence in split_sentences(text)]


def windows(sentences: Sequence[str], size: int = _WINDOW) -> list[str]:
    """Cuts sentences far longer than `size` words into runs of that many."""
    found: list[str] = []
    for sentence in sentences:
        words = sentence.split()
        if len(words) <= size * 1.4:
            found.append(sentence)
        else:
            found += [" ".join(words[i : i + size]) for i in range(0, len(words), size)]
    return found


def content_stems(text: str) -> list[str]:
    """Stems of the content words of a text."""
    return [stem(word) for word in re.findall(r"\w+", text) if word.lower() not in STOPWORDS]


def covering(claim: str, sentences: Sequence[str], most: int) -> str:
    """The sentences that together cover a claim's words best (rare ones first), in reading order."""
    stems = [set(content_stems(sentence)) for sentence in sentences]
    common = Counter(word for words in stems for word in words)
    need = {
        word: math.log(1 + (len(sentences) + 1) / (0.5 + common.get(word, 0)))
        for word in content_stems(claim)
    }
    left = dict(need)
    chosen: list[int] = []
    while len(chosen) < min(most, len(sentences)):
        rest = [i for i in range(len(sentences)) if i not in chosen]
        best = max(rest, key=lambda i: _worth(stems[i], left) + _OWN_WEIGHT * _worth(stems[i], need))
        chosen.append(best)
        left = {word: value for word, value in left.items() if word not in stems[best]}
    return " ".join(sentences[i] for i in sorted(chosen))


def _worth(words: set[str], weights: dict[str, float]) -> float:
    return sum(weights.get(word, 0.0) for word in sorted(words))


def under_title(title: str, text: str) -> str:
    """The text under its page's title, unless it names it soon."""
    return f"{title}. {text}" if title and title.lower() not in text.lower()[:200] else text
