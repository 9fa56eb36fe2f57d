"""A sentence while it is edited: its words, what kind each is, and where it stood at the start."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from factscore_chain.decompose.markup import only_tags, without_empty_pairs, without_tags
from factscore_chain.decompose.tagger import load_tagger
from factscore_chain.decompose.words import is_content, is_mark, split_words

_NO_ANCHORS = 2.0
"""No probability reaches it: the tagger names kinds and entities, and looks for no facts."""
_CLOSERS = frozenset(".!?…\"”’»)]'*_")
_WHOLE = frozenset({"person", "organisation", "work", "date", "place"})
_LINKS = frozenset("-–—/&'’.+")


@dataclass(frozen=True)
class Token:
    """A word or mark with the white space before it."""

    text: str
    gap: str
    origin: int | None
    """Its index among the sentence's words at the start; None for a word that the edit put in."""
    edited: bool = False
    """Whether it stands in the place of another word."""


@dataclass(frozen=True)
class Draft:
    """The sentence as it stands now. Indices are those of its tokens."""

    tokens: tuple[Token, ...]

    @classmethod
    def of(cls, sentence: str) -> Draft:
        """The sentence before any edit."""
        words = split_words(without_tags(sentence))
        ends = [0, *(word.end for word in words)]
        return cls(
            tuple(
                Token(word.text, sentence[end : word.start], i)
                for i, (word, end) in enumerate(zip(words, ends, strict=False))
            )
        )

    @property
    def text(self) -> str:
        """The sentence in words, with the tags that stand between them."""
        return without_empty_pairs("".join(token.gap + token.text for token in self.tokens)).strip()

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def lower(self) -> tuple[str, ...]:
        """The words in lower case."""
        return tuple(token.text.lower() for token in self.tokens)

    @cached_property
    def _tagged(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        tagged = load_tagger().tag([token.text for token in self.tokens], _NO_ANCHORS, _NO_ANCHORS)
        return tagged.tags, tagged.entities

    @property
    def tags(self) -> tuple[str, ...]:
        """The kind of each word, one of `tagger.TAGS`."""
        return self._tagged[0]

    @property
    def entities(self) -> tuple[str, ...]:
        """The kind of thing each word names, one of `tagger.ENTITIES`."""
        return self._tagged[1]

    @cached_property
    def stop(self) -> int:
        """Index after the last word: where the marks that end the sentence begin."""
        end = len(self.tokens)
        while end and self.tokens[end - 1].text in _CLOSERS and not self._closes(end - 1):
            end -= 1
        return end

    def _closes(self, i: int) -> bool:
        """Whether a bracket or quotation mark at the end has its other half within the sentence."""
        opener = {")": "(", "]": "[", "”": "“", "»": "«"}.get(self.tokens[i].text)
        texts = [token.text for token in self.tokens[:i]]
        if opener is not None:
            return opener in texts
        return self.tokens[i].text == '"' and texts.count('"') % 2 == 1

    def is_mark(self, i: int) -> bool:
        """Whether a token is punctuation, or no token at all."""
        return not 0 <= i < len(self.tokens) or is_mark(self.tokens[i].text)

    @cached_property
    def units(self) -> tuple[tuple[int, int], ...]:
        """Stretches that no edit may split: names, dates, quotations, words joined by a hyphen."""
        found = [*self._runs(), *self._quotations()]
        return tuple(found)

    def _runs(self) -> list[tuple[int, int]]:
        runs: list[tuple[int, int]] = []
        start = 0
        for i in range(1, len(self.tokens) + 1):
            if i < len(self.tokens) and (self._goes_on(start, i) or self._is_glued(i)):
                continue
            if i - start > 1:
                runs.append((start, i))
            start = i
        return runs

    def _goes_on(self, start: int, i: int) -> bool:
        entity = self.entities[start]
        if entity not in _WHOLE or self.entities[i] != entity:
            return False
        if entity == "place" and self.tokens[start].text.islower() and self.tags[start] != "determiner":
            return False  # "western" of "western Norway"
        return self.lower[i] not in {",", ";", "(", ")", "and", "or", "in", "on"} and self.lower[i - 1] != ","

    def _is_glued(self, i: int) -> bool:
        """Whether a token belongs to the word before it: "U.S.-based", "24/7"."""
        joins = self.tokens[i].text in _LINKS or self.tokens[i - 1].text in _LINKS
        return joins and not self.tokens[i].gap and i < self.stop

    def _quotations(self) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        opened: int | None = None
        for i, token in enumerate(self.tokens):
            if opened is not None and token.text in ('"', "”", "»"):
                found.append((opened, i + 1))
                opened = None
            elif token.text in ('"', "“", "«"):
                opened = i
        return found

    def after_note(self, end: int) -> int:
        """Past the parenthesis that begins at a token, if one does."""
        if end < len(self) and self.lower[end] == "(" and ")" in self.lower[end:]:
            return self.lower.index(")", end) + 1
        return end

    def before_note(self, end: int) -> int:
        """Where the parenthesis that ends before a token begins, if one does."""
        if end > 0 and self.lower[end - 1] == ")" and "(" in self.lower[:end]:
            return max(i for i in range(end) if self.lower[i] == "(")
        return end

    def weight(self, dropped: Collection[int]) -> int:
        """How many of some tokens carry information."""
        return sum(is_content(self.tokens[i].text) for i in dropped)

    def splits_unit(self, dropped: Collection[int]) -> bool:
        """Whether dropping tokens would leave a part of a unit."""
        for start, end in self.units:
            words = [i for i in range(start, end) if not self.is_mark(i)]
            if 0 < sum(i in dropped for i in words) < len(words):
                return True
        return False

    def changed(self, dropped: Collection[int], put: Mapping[int, Sequence[str]] | None = None) -> Draft:
        """The sentence without some tokens, and with words put in before others."""
        kept: list[Token] = []
        tags = ""
        for i, token in enumerate(self.tokens):
            tags += only_tags(token.gap) if i in dropped else ""
            for word in (put or {}).get(i, ()):
                kept.append(Token(word, tags + ("" if word in (",", ".") else " "), None))
                tags = ""
            if i not in dropped:
                kept.append(replace(token, gap=tags + token.gap))
                tags = ""
        return Draft(tuple(_spaced(kept, self.tokens)))

    def replaced(self, start: int, end: int, text: str) -> Draft:
        """The sentence with other words in the place of some, which pass their origins on."""
        origins = [token.origin for token in self.tokens[start:end]]
        new = list(Draft.of(text).tokens)
        origins += [None] * (len(new) - len(origins))
        put = [
            replace(token, origin=origin, edited=True) for token, origin in zip(new, origins, strict=False)
        ]
        put[0] = replace(put[0], gap=self.tokens[start].gap)
        tags = "".join(only_tags(token.gap) for token in self.tokens[start + 1 : end])
        rest = [replace(one, gap=tags + one.gap) for one in self.tokens[end : end + 1]]
        return Draft((*self.tokens[:start], *put, *rest, *self.tokens[end + 1 :]))


def _spaced(kept: Sequence[Token], before: Sequence[Token]) -> list[Token]:
    """Blanks where a token has lost its neighbour, and a capital at the head."""
    result = list(kept)
    if result and before and result[0] != before[0]:
        first = result[0]
        result[0] = replace(first, gap="", text=first.text[:1].upper() + first.text[1:])
    for i in range(1, len(result)):
        token, neighbour = result[i], result[i - 1]
        apart = token.origin is None or neighbour.origin is None or token.origin != neighbour.origin + 1
        if apart and not token.gap and not is_mark(token.text) and neighbour.text not in "(“«[":
            result[i] = replace(token, gap=" ")
    return result
