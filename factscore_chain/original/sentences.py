"""Paragraphs and sentences as the published decomposition takes them.

Sentences come from nltk where it and its punkt model are installed, as there, else from our own splitter. The
repairs that follow are the published ones, with what they join too much.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module

from factscore_chain.decompose.sentences import split_sentences

Splitter = Callable[[str], list[str]]

_INITIALS = re.compile(r"[A-Z]\. ?[A-Z]\.")


def paragraphs(text: str) -> list[str]:
    """Lines with text in them, without blanks around."""
    return [line.strip() for line in text.split("\n") if line.strip()]


@cache
def sentence_splitter() -> tuple[str, Splitter]:
    """The splitter in use, and its name for a manifest."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tokenize = import_module("nltk").sent_tokenize
            tokenize("One. Two.")
    except (ImportError, LookupError):
        return "own", _own
    return "nltk punkt", lambda text: list(tokenize(text))


def _own(text: str) -> list[str]:
    return [sentence.text for sentence in split_sentences(text)]


def sentences_of(text: str, split: Splitter | None = None) -> tuple[list[str], list[int]]:
    """The sentences of a generation, and at which of them a new paragraph begins, but for the first."""
    split = split or sentence_splitter()[1]
    sentences: list[str] = []
    breaks: list[int] = []
    for number, paragraph in enumerate(paragraphs(text)):
        if number:
            breaks.append(len(sentences))
        sentences += fix_sentence_splitter(split(paragraph), detect_initials(paragraph))
    return sentences, breaks


def detect_initials(text: str) -> list[str]:
    """Pairs of initials, such as "J. K." or "J.K."."""
    return _INITIALS.findall(text)


def fix_sentence_splitter(curr_sentences: Sequence[str], initials: Sequence[str]) -> list[str]:
    """Joins what a splitter cut apart: initials, single words, and what goes on in lower case."""
    whole = list(curr_sentences)
    for initial in initials:
        if not any(initial in sentence for sentence in whole):
            whole = _rejoined(whole, *re.findall("[A-Z]", initial))
    return _joined(whole)


def _rejoined(sentences: list[str], first: str, second: str) -> list[str]:
    for place in range(len(sentences) - 1):
        if sentences[place].endswith(f"{first}.") and sentences[place + 1].startswith(f"{second}."):
            both = f"{sentences[place]} {sentences[place + 1]}"
            return [*sentences[:place], both, *sentences[place + 2 :]]
    return sentences


def _joined(sentences: Sequence[str]) -> list[str]:
    joined: list[str] = []
    waiting = False
    for sentence in sentences:
        short = len(sentence.split()) <= 1
        lower = sentence[:1].isalpha() and not sentence[:1].isupper()
        if not joined:
            joined.append(sentence)
            waiting = short
        elif short:
            # As published: a first word goes on waiting for a sentence even after this.
            joined[-1] += f" {sentence}"
        elif lower or waiting:
            joined[-1] += f" {sentence}"
            waiting = False
        else:
            joined.append(sentence)
    return joined
