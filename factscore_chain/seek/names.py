"""Names in a text, and whether a sentence speaks of the one that a fact is about.

Evidence from another page counts only where it concerns the subject: "Pierre Curie was born in Paris and
married Marie Curie" is no evidence that she was born there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.retrievers.titles import folded
from factscore_chain.seek.values import Subject

_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")
_LINK = r"(?:of|the|and|de|da|di|von|van|der|la|le|du|for|in|on)"
_NAME = re.compile(rf"[A-ZÀ-Þ\d][\w'’.&-]*(?: (?:{_LINK} ){{0,2}}[A-ZÀ-Þ\d][\w'’.&-]*)*")
_OPENER_LIST = (
    "in on at after before during from by since until as while when although though both the a an this that"
    " these those his her its their there one it he she they following despite with for"
)
_OPENERS = frozenset(_OPENER_LIST.split())
_PRONOUNS = frozenset({"he", "she", "it", "they", "his", "her", "its", "their"})
_MONTH_LIST = "january february march april may june july august september october november december"
_MONTHS = frozenset(_MONTH_LIST.split())
_MOST_WORDS = 7
_WORDS_BEFORE = 3
"""As many as "In July 1895" has."""


def bare(title: str) -> str:
    """A title without its qualifier: "Mercury" for "Mercury (planet)"."""
    return _QUALIFIER.sub("", title).strip() or title


def mentions(text: str, name: str) -> bool:
    """Whether a text holds a name, whatever its case and accents."""
    return re.search(rf"(?<!\w){re.escape(folded(name))}(?!\w)", folded_text(text)) is not None


def folded_text(text: str) -> str:
    """A whole text in the form in which names are compared."""
    return " ".join(folded(part) for part in text.split())


def names_in(text: str) -> Iterator[str]:
    """Names as their capitals tell, in order, without the words that open a sentence; no dates."""
    for match in _NAME.finditer(text):
        words = re.sub(r"['’]s$", "", match[0].rstrip(".,'’-")).split()
        while words and (words[0].lower() in _OPENERS | _MONTHS or not any(map(str.isalpha, words[0]))):
            words = words[1:]
        if any(word.lower() not in _MONTHS and any(map(str.isalpha, word)) for word in words):
            yield " ".join(words)


def opening_name(text: str) -> str | None:
    """The name that a fact opens with, a time or place before it aside; None if it opens otherwise."""
    name = next(names_in(text), None)
    before = text.partition(name)[0] if name else text
    words = re.findall(r"[^\W\d_]+", before.lower())
    return name if _PRONOUNS.isdisjoint(words) and set(words) <= _OPENERS | _MONTHS else None


def titles_in(text: str, find: Callable[[str], str | None]) -> Iterator[str]:
    """Titles of documents that a text names, the longest first within each name.

    Args:
        text: A fact or a sentence.
        find: Gives the title of the one document that bears a name, or None.
    """
    for name in names_in(text):
        words = name.split()[:_MOST_WORDS]
        for length in range(len(words), 0, -1):
            parts = (" ".join(words[start : start + length]) for start in range(len(words) - length + 1))
            found = [title for part in parts if (title := _title(part, text, find)) is not None]
            if found:
                yield from found
                break


def _title(part: str, text: str, find: Callable[[str], str | None]) -> str | None:
    if not _may_be_title(part):
        return None
    return find(part) or (find(f"The {part}") if f"The {part}" in text else None)


def _may_be_title(part: str) -> bool:
    # A number, or a word such as a month, has a page too, but one that tells nothing of a fact's subject.
    return any(letter.isalpha() for letter in part) and len(part) > 3


def sentences_about(text: str, subject: Subject, fact: str, title: str | None) -> str:
    """The sentences of another page's passage that speak of a fact's subject, joined; "" if none does.

    A sentence counts if it names the subject, and if it begins with that name, or the first name in it is
    one that the fact has too: then it is not about somebody else who meets the subject in it. A pronoun
    before the subject's name stands for the page's own subject.

    Args:
        text: The passage.
        subject: Whom the fact is about.
        fact: The fact.
        title: The page's title.
    """
    return " ".join(
        sentence.text
        for sentence in split_sentences(text)
        if mentions(sentence.text, subject.name) and _is_headed_by(sentence.text, subject, fact, title)
    )


def _is_headed_by(sentence: str, subject: Subject, fact: str, title: str | None) -> bool:
    before = folded_text(sentence).partition(folded(subject.name))[0]
    if _PRONOUNS & set(re.findall(r"\w+", before)):
        return title is not None and mentions(fact, bare(title))
    head = next(names_in(sentence), None)
    if head is None or len(sentence.partition(head)[0].split()) > _WORDS_BEFORE:
        return False
    if folded_text(head) == folded_text(subject.name):
        return True
    # "Curie" alone is, on another page, the Curie of that page, and "Curie Institute" is no person.
    return _words(head).isdisjoint(_words(subject.name)) and mentions(fact, head)


def _words(name: str) -> set[str]:
    return set(re.findall(r"\w{2,}", folded_text(name)))
