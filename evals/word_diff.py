"""What an edit keeps and adds, word by word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from factscore_chain.decompose.words import is_mark, split_words


@dataclass(frozen=True)
class WordDiff:
    """An edit of a text, in words; case and punctuation do not count."""

    kept: tuple[bool, ...]
    """For each word of the text before, whether it still stands there, in order."""
    added: Counter[str]
    """Words that the text after has besides, case folded."""


def words_of(text: str) -> list[str]:
    """The words and numbers of a text, case folded."""
    return [word.text.casefold() for word in split_words(text) if not is_mark(word.text)]


def word_diff(before: str, after: str) -> WordDiff:
    """Aligns the words of two texts by their matching blocks."""
    return diff_words(words_of(before), words_of(after))


def diff_words(before: Sequence[str], after: Sequence[str]) -> WordDiff:
    """The same for texts that are already split."""
    kept, new = [False] * len(before), [True] * len(after)
    for block in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks():
        kept[block.a : block.a + block.size] = [True] * block.size
        new[block.b : block.b + block.size] = [False] * block.size
    return WordDiff(tuple(kept), Counter(word for word, is_new in zip(after, new, strict=True) if is_new))
