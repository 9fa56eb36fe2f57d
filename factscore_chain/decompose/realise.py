"""A fact in words: subject, copula where none stands, predicate, in the sentence's own words.

The only words that a fact may have and its sentence not are the topic or name that a pronoun stands for, and
`tagger.INSERTIONS` with the article that fits (is, are, was, were, has, had, in, from, among, a, an, the).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from factscore_chain.decompose.coreference import (
    Mention,
    Referents,
    family_of,
    find_mentions,
    is_possessive,
    is_vague,
)
from factscore_chain.decompose.selection import chosen, complete
from factscore_chain.decompose.tagger import Pattern, Tagged
from factscore_chain.decompose.words import Word, is_content, join, split_words

_PAST = frozenset({"was", "were", "had"})
_BE = frozenset({"is", "was", "are", "were"})


class Statement(NamedTuple):
    """A fact as it will be read, and the part of the sentence that states it."""

    text: str
    start: int
    end: int
    checkable: bool = True


class Realiser:
    """Puts the patterns of one sentence into words."""

    def __init__(self, sentence: str, words: Sequence[Word], tagged: Tagged, referents: Referents) -> None:
        self._sentence = sentence
        self._words = words
        self._tagged = tagged
        self._referents = referents
        self._mentions = list(find_mentions(sentence, words, tagged.entities))
        self._parts = [complete(words, tagged, pattern.parts) for pattern in tagged.patterns]
        self._subjects = [chosen(words, parts, "subject") for parts in self._parts]
        self._main = self._main_subject()

    @property
    def mentions(self) -> list[Mention]:
        """The names in the sentence."""
        return self._mentions

    def statements(self) -> list[Statement]:
        """One statement for each pattern that makes one."""
        made = zip(self._tagged.patterns, self._parts, self._subjects, strict=True)
        found = [self._statement(*one) for one in made]
        return [one for one in found if one is not None]

    def _main_subject(self) -> list[int]:
        counted = Counter(map(tuple, filter(None, self._subjects)))
        return list(counted.most_common(1)[0][0]) if counted else []

    def _statement(self, pattern: Pattern, parts: Sequence[str], subject: list[int]) -> Statement | None:
        predicate = self._verb_first(chosen(self._words, list(parts), "predicate"), subject)  # type: ignore[arg-type]
        if not any(is_content(self._words[i].text) or self._words[i].text.isdigit() for i in predicate):
            return None
        named = self._name(subject)
        if named is None:
            return None
        subject_text, checkable = named
        predicate_text = self._predicate(pattern, predicate, plural=False)
        predicate_text, resolved = self._resolve_inside(predicate_text, subject_text)
        places = [*subject, *predicate]
        text = finish(f"{subject_text} {predicate_text}")
        start = min(self._words[i].start for i in places)
        end = max(self._words[i].end for i in places)
        return Statement(text, start, end, checkable and resolved)

    def _verb_first(self, predicate: list[int], subject: Sequence[int]) -> list[int]:
        """Moves what stands before the verb ("In 1985 she moved") behind it."""
        tags = self._tagged.tags
        verb = next((k for k, i in enumerate(predicate) if tags[i] == "finite"), None)
        if not verb:
            return predicate
        while (
            verb > 0 and tags[predicate[verb - 1]] == "adverb" and predicate[verb - 1] == predicate[verb] - 1
        ):
            verb -= 1
        return predicate[verb:] + predicate[:verb]

    def _name(self, subject: Sequence[int]) -> tuple[str, bool] | None:
        """The subject in words, and whether it names somebody or something; None if there is none."""
        if not subject and self._referents.topic:
            return self._referents.topic, True
        subject = subject or self._main
        if not subject:
            return None
        text = join(self._sentence, [self._words[i] for i in subject])
        first = self._words[subject[0]]
        if is_vague(text):
            return text, False
        if family_of(first.text) is None:
            return text, True
        if len(subject) > 1 and not is_possessive(first.text):
            return text, False
        earlier = [one for one in self._mentions if 0 <= self._sentence.find(one.name) < first.start]
        name = self._referents.resolve(first.text, earlier)
        if name is None:
            return text, False
        rest = join(self._sentence, [self._words[i] for i in subject[1:]])
        return (f"{_possessive(name)} {rest}" if rest else name), True

    def _predicate(self, pattern: Pattern, predicate: Sequence[int], *, plural: bool) -> str:
        words = [self._words[i] for i in predicate]
        tags = [self._tagged.tags[i] for i in predicate]
        text = join(self._sentence, words)
        if "finite" in tags[:3]:
            return self._with_article(predicate) or text
        copula = pattern.insertion or pattern.copula
        verb = copula.split()[0]
        first = words[0].lower
        if first == "having" and len(words) > 1:
            return f"{'had' if verb in _PAST else 'has'} {join(self._sentence, words[1:])}"
        if first == "born":
            return f"was {text}"
        if tags[0] in ("participle", "gerund", "infinitive", "preposition", "adverb"):
            verb = {"has": "is", "had": "was"}.get(verb, verb)
            to = "to " if tags[0] == "infinitive" and first != "to" else ""
            return f"{verb} {to}{text}"
        return _with_copula(copula, text, tags)

    def _with_article(self, predicate: Sequence[int]) -> str | None:
        """Gives "was writer" the article that "was an English writer" has; None where none is missing."""
        words = [self._words[i] for i in predicate]
        tags = [self._tagged.tags[i] for i in predicate]
        if words[0].lower not in _BE or len(words) < 2:
            return None
        after = self._words[predicate[0] + 1] if predicate[0] + 1 < len(self._words) else None
        had = after is not None and after.lower in ("a", "an")
        rest = join(self._sentence, words[1:])
        if had and _is_countable(tags[1:]):
            return f"{words[0].text} a {rest}"
        # "an English mathematician" without the mathematician is "English".
        if tags[1] == "determiner" and had and len(words) == 3 and tags[2] == "adjective":
            return f"{words[0].text} {words[2].text}"
        return None

    def _resolve_inside(self, predicate: str, subject: str) -> tuple[str, bool]:
        """Names the people that pronouns in a predicate stand for, other than its subject."""
        words = split_words(predicate)
        out, at, known = [], 0, True
        for position, word in enumerate(words):
            if family_of(word.text) is None or word.text.lower().endswith("self"):
                continue
            name, sure = self._inside(word.text, subject, followed=position + 1 < len(words))
            known = known and sure
            if name:
                out += [predicate[at : word.start], name]
                at = word.end
        return "".join([*out, predicate[at:]]), known

    def _inside(self, pronoun: str, subject: str, *, followed: bool) -> tuple[str | None, bool]:
        possessive = is_possessive(pronoun) and (followed or pronoun.lower() != "her")
        if possessive and self._may_be_subject(pronoun, subject):
            return None, True
        if pronoun.lower() == "it":
            return None, True
        name = self._referents.resolve(pronoun, self._mentions[:1], other_than=subject)
        if name is None:
            return None, possessive
        return (_possessive(name) if possessive else name), True

    def _may_be_subject(self, pronoun: str, subject: str) -> bool:
        topic = self._referents.topic
        if topic is None or family_of(pronoun) in ("it", "they"):
            return True
        return bool(set(subject.split()) & set(topic.split())) or self._referents.resolve(pronoun) != topic


def _with_copula(copula: str, text: str, tags: Sequence[str]) -> str:
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
    return f"{verb} {text}"


def _is_countable(tags: Sequence[str]) -> bool:
    """Whether words are a noun in the singular with its adjectives, and no article."""
    return tags[-1] == "noun" and all(tag in ("noun", "adjective", "name") for tag in tags)


def _possessive(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"


_ARTICLE = re.compile(r"\b(an?) (?=([\"“(']*)([^\W_]+))", re.IGNORECASE)
_VOWEL_SOUND = re.compile(
    r"(?:[aeio8]|u(?![ns]i|[bcfhjkqrst][aeiou])|hono|hour|heir|11\b|18\b)", re.IGNORECASE
)
_CONSONANT_SOUND = re.compile(r"(?:eu|ewe|one\b|once|uni(?!m|n)|usu|use)", re.IGNORECASE)


def finish(text: str) -> str:
    """Spaces and articles put right, a capital at the head and a full stop at the end."""
    text = _ARTICLE.sub(_article, " ".join(text.split()))
    text = re.sub(r"\s+([,;:.!?)])", r"\1", text).strip(" ,;:")
    if not text.endswith((".", "!", "?", ".”", '."')):
        text += "."
    return text[0].upper() + text[1:]


def _article(match: re.Match[str]) -> str:
    vowel = _VOWEL_SOUND.match(match[3]) and not _CONSONANT_SOUND.match(match[3])
    article = "an" if vowel else "a"
    return f"{article.capitalize() if match[1][0].isupper() else article} "
