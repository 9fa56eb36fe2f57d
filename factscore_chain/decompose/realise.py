"""A fact in words: subject, copula where none stands, predicate, in the sentence's own words.

The only words that a fact may have and its sentence not are the topic or name that a pronoun stands for, and
`tagger.INSERTIONS` with the article that fits (is, are, was, were, has, had, in, from, among, a, an, the).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from factscore_chain.decompose.completion import complete
from factscore_chain.decompose.coreference import (
    Mention,
    Referents,
    family_of,
    find_mentions,
    is_possessive,
    is_vague,
)
from factscore_chain.decompose.noun_phrases import run_start
from factscore_chain.decompose.selection import chosen
from factscore_chain.decompose.soundness import is_sound, may_lead, without_loose_words
from factscore_chain.decompose.subjects import first_verb, owned_before, place_before, whole_subject
from factscore_chain.decompose.tagger import VERBS, Part, Pattern, Tagged
from factscore_chain.decompose.wording import finish, is_countable, possessive, with_copula
from factscore_chain.decompose.words import Word, is_content, is_mark, join, split_words

_PAST = frozenset({"was", "were", "had"})
_AFTER_OBJECT_LIST = "a an the to in on at for with and or as from by into of that who which"
_AFTER_OBJECTS = frozenset(_AFTER_OBJECT_LIST.split()) | {"", ",", ".", ";"}
_GROUP_ENDS = frozenset({"preposition", "conjunction", "pronoun"})
_LONGEST_GROUP = 8
_IN_PLACE = frozenset({"is in", "was in"})
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
        self._subjects = [
            whole_subject(words, tagged, parts, chosen(words, parts, "subject")) for parts in self._parts
        ]
        self.lost: set[int] = set()
        """Indices of words that were chosen and are in no statement, because they do not hang together."""
        self._main = self._main_subject()
        self._subjects = [
            subject or self._shared(parts) for parts, subject in zip(self._parts, self._subjects, strict=True)
        ]

    @property
    def mentions(self) -> list[Mention]:
        """The names in the sentence, and the thing that it is about, by whatever word; that one is marked."""
        named = self._name(self._main) if self._main else None
        if named is None or not named[1]:
            return self._mentions
        name = re.sub(r"^the ", "", named[0], flags=re.IGNORECASE)
        found = [replace(one, subject=one.name == name) for one in self._mentions]
        if not any(one.subject for one in found) and self._is_thing(self._main):
            plural = self._tagged.tags[self._main[-1]] == "plural"
            found.append(Mention(named[0], person=False, plural=plural, subject=True))
        return found

    def _is_thing(self, subject: Sequence[int]) -> bool:
        family = family_of(self._words[subject[0]].text)
        people = any(self._tagged.entities[i] in ("person", "group") for i in subject)
        return not people and (family is None or (family == "it" and len(subject) == 1))

    def statements(self, whole: Sequence[range] = ()) -> list[Statement]:
        """One statement for each pattern that makes one.

        Args:
            whole: Ranges of words that are not to be taken apart.
        """
        made = zip(self._tagged.patterns, self._parts, self._subjects, strict=True)
        found = [self._statement(*one) for one in made if not _touches(one[1], whole)]
        return [one for one in found if one is not None]

    def _main_subject(self) -> list[int]:
        counted = Counter(map(tuple, filter(None, self._subjects)))
        return list(counted.most_common(1)[0][0]) if counted else []

    def _shared(self, parts: Sequence[Part]) -> list[int]:
        """The subject of another pattern with the same verb; none where there is no such pattern."""
        verb = first_verb(self._tagged, parts)
        if verb is None:
            return []
        others = zip(self._parts, self._subjects, strict=True)
        return next((own for other, own in others if own and verb == first_verb(self._tagged, other)), [])

    def _statement(self, pattern: Pattern, parts: Sequence[Part], subject: list[int]) -> Statement | None:
        about = set(subject or self._main)
        predicate = [i for i in chosen(self._words, parts, "predicate") if i not in about]
        predicate = self._verb_first(predicate)
        if not any(is_content(self._words[i].text) or self._words[i].text.isdigit() for i in predicate):
            return None
        if not subject or subject == self._main:
            predicate = self._with_verb(predicate, lacks_verb=not pattern.insertion)
        if pattern.insertion in _IN_PLACE and (place := place_before(self._words, self._tagged, predicate)):
            subject = place
        predicate = without_loose_words(self._words, self._tagged, predicate)
        named = self._name(subject)
        if named is None:
            return None
        if not is_sound(self._words, self._tagged, subject or self._main, predicate):
            self.lost.update(subject, predicate)
            return None
        subject_text, checkable = named
        if owned := owned_before(self._words, self._tagged, predicate):
            predicate = [i for i in predicate if i not in owned]
            subject_text = (
                f"{possessive(subject_text)} {join(self._sentence, self._words[owned[0] : owned.stop])}"
            )
        predicate_text, resolved = self._resolve_inside(self._predicate(pattern, predicate), subject_text)
        places = [*subject, *predicate]
        text = finish(f"{subject_text} {predicate_text}")
        start = min(self._words[i].start for i in places)
        end = max(self._words[i].end for i in places)
        return Statement(text, start, end, checkable and resolved)

    def _verb_first(self, predicate: list[int]) -> list[int]:
        """Puts the verb first ("In 1985 she moved"); of verbs in a row only the last stays."""
        tags = self._tagged.tags
        for k in range(len(predicate) - 2, -1, -1):
            both = tags[predicate[k]] == tags[predicate[k + 1]] == "finite"
            if both and predicate[k + 1] - predicate[k] > 1:
                predicate = [*predicate[:k], *predicate[k + 1 :]]
        verb = next((k for k, i in enumerate(predicate) if tags[i] == "finite"), None)
        if not verb:
            return predicate
        while (
            verb > 0 and tags[predicate[verb - 1]] == "adverb" and predicate[verb - 1] == predicate[verb] - 1
        ):
            verb -= 1
        lead, rest = predicate[:verb], predicate[verb:]
        says_all = not any(is_content(self._words[i].text) for i in rest)
        keeps = bool(lead) and (says_all or may_lead(self._words, self._tagged, lead))
        if not keeps:
            self.lost.update(lead)
        return rest + (lead if keeps else [])

    def _with_verb(self, predicate: list[int], *, lacks_verb: bool) -> list[int]:
        """Gives "in Oslo", or an object alone, the verb that it belongs to in the sentence."""
        tags = self._tagged.tags
        if any(tags[i] in VERBS for i in predicate):
            return predicate
        verbs = [i for i, tag in enumerate(tags) if tag == "finite"]
        before = [i for i in verbs if i < predicate[0]]
        if tags[predicate[0]] != "preposition":
            between = range(before[-1], predicate[0]) if before else range(0)
            one_phrase = not any(is_mark(self._words[i].text) or tags[i] == "conjunction" for i in between)
            near = 0 < len(between) <= _LONGEST_GROUP and one_phrase
            return [*between, *predicate] if lacks_verb and near else predicate
        if not verbs:
            return predicate
        start = before[-1] if before else verbs[0]
        end = start + 1
        while end < len(tags) and end - start <= _LONGEST_GROUP and tags[end] not in _GROUP_ENDS:
            if end in predicate or is_mark(self._words[end].text):
                break
            end += 1
        return [*range(start, end), *predicate]

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
            return text, self._is_expletive(subject)
        if family_of(first.text) is None:
            tags = [self._tagged.tags[i] for i in subject]
            bare = is_countable(tags) and "name" not in tags and self._has_article(subject)
            return (f"the {self._text(subject)}" if bare else text), True
        if len(subject) > 1 and not is_possessive(first.text):
            return text, False
        earlier = [one for one in self._mentions if 0 <= self._sentence.find(one.name) < first.start]
        name = self._referents.resolve(first.text, earlier)
        if name is None:
            return text, False
        rest = join(self._sentence, [self._words[i] for i in subject[1:]])
        return (f"{possessive(name)} {rest}" if rest else name), True

    def _is_expletive(self, subject: Sequence[int]) -> bool:
        """Whether "there" says no more than that something is."""
        following = self._words[subject[-1] + 1 : subject[-1] + 2]
        return self._words[subject[0]].lower == "there" and any(word.lower in _BE for word in following)

    def _has_article(self, subject: Sequence[int]) -> bool:
        """Whether its sentence gives a noun an article or an owner; "gold" has none."""
        before = run_start(self._words, self._tagged, subject[0]) - 1
        return before >= 0 and self._tagged.tags[before] in ("determiner", "pronoun", "other")

    def _predicate(self, pattern: Pattern, predicate: Sequence[int]) -> str:
        words = [self._words[i] for i in predicate]
        tags = [self._tagged.tags[i] for i in predicate]
        text = self._text(predicate)
        if "finite" in tags[:3]:
            return self._with_article(predicate) or text
        copula = pattern.insertion or pattern.copula
        verb = copula.split()[0]
        first = words[0].lower
        if first == "having" and len(words) > 1:
            return f"{'had' if verb in _PAST else 'has'} {self._text(predicate[1:])}"
        if first == "born":
            place = len(predicate) > 1 and self._tagged.entities[predicate[1]] == "place"
            return f"was born in {self._text(predicate[1:])}" if place else f"was {text}"
        if tags[0] in ("participle", "gerund", "infinitive", "preposition", "adverb"):
            verb = {"has": "is", "had": "was"}.get(verb, verb)
            to = "to " if tags[0] == "infinitive" and first != "to" else ""
            return f"{verb} {to}{text}"
        return with_copula(copula, text, tags)

    def _text(self, indices: Sequence[int]) -> str:
        """Words as they stand; the sentence's first loses its capital unless it is a name's."""
        words = [self._words[i] for i in indices]
        if 0 in indices and self._tagged.tags[0] != "name" and self._tagged.entities[0] in ("", "date"):
            first = self._words[0]
            spelled = first.text[1:] != first.text[1:].lower()
            lowered = first if spelled else first._replace(text=first.text[:1].lower() + first.text[1:])
            words = [lowered if word is first else word for word in words]
        return join(self._sentence, words)

    def _with_article(self, predicate: Sequence[int]) -> str | None:
        """Gives "was writer" the article that "was an English writer" has; None where none is missing."""
        words = [self._words[i] for i in predicate]
        tags = [self._tagged.tags[i] for i in predicate]
        if words[0].lower not in _BE or len(words) < 2:
            return None
        after = self._words[predicate[0] + 1] if predicate[0] + 1 < len(self._words) else None
        had = after is not None and after.lower in ("a", "an")
        rest = self._text(predicate[1:])
        if had and is_countable(tags[1:]):
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
            following = words[position + 1].lower if position + 1 < len(words) else ""
            name, sure = self._inside(word.text, subject, followed=following not in _AFTER_OBJECTS)
            known = known and sure
            if name:
                out += [predicate[at : word.start], name]
                at = word.end
        return "".join([*out, predicate[at:]]), known

    def _inside(self, pronoun: str, subject: str, *, followed: bool) -> tuple[str | None, bool]:
        owns = is_possessive(pronoun) and (followed or pronoun.lower() != "her")
        if owns and self._may_be_subject(pronoun, subject):
            return None, True
        if pronoun.lower() == "it":
            return None, True
        name = self._referents.resolve(pronoun, self._mentions[:1], other_than=subject)
        if name is None:
            return None, owns
        return (possessive(name) if owns else name), True

    def _may_be_subject(self, pronoun: str, subject: str) -> bool:
        topic = self._referents.topic
        if topic is None or family_of(pronoun) in ("it", "they"):
            return True
        return bool(set(subject.split()) & set(topic.split())) or self._referents.resolve(pronoun) != topic


def _touches(parts: Sequence[Part], ranges: Sequence[range]) -> bool:
    """Whether a predicate has words in one of the ranges; the full stop of a sentence is none."""
    return any(parts[i] == "predicate" for one in ranges for i in one[: len(parts) - 1 - one.start])
