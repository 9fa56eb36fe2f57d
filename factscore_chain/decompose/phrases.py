"""Groups of words that lose their sense in part: verb groups, "between A and B", objects, titles."""

from __future__ import annotations

from collections.abc import Sequence

from factscore_chain.decompose.noun_phrases import phrase_end
from factscore_chain.decompose.tagger import Part, Tagged
from factscore_chain.decompose.words import MODALS, Word, is_mark

_AUXILIARY_LIST = "is are was were am be been being has have had do does did"
_AUXILIARIES = frozenset(_AUXILIARY_LIST.split()) | MODALS
_STANDS_ALONE = frozenset({"is", "are", "was", "were", "has", "have", "had"})
_HAVE = frozenset({"has", "have", "had"})
_PLACING = frozenset({"at", "in", "on", "by", "from", "with", "into"})
_MAIN = frozenset({"infinitive", "participle"})
_LITTLE_LIST = "a an the on in of to from at for with by into over under"
_LITTLE = frozenset(_LITTLE_LIST.split())
_LONGEST_OBJECT = 7
_JOINT_LIST = "and or & nor both neither either such as of , the"
_JOINT = frozenset(_JOINT_LIST.split())


def keep_phrases(words: Sequence[Word], tagged: Tagged, parts: list[Part]) -> None:
    """Makes such groups whole of which a part is chosen, in place."""
    _fill_titles(words, parts)
    _fill_verb_groups(words, tagged, parts)
    _fill_between(words, tagged, parts)
    _fill_prepositions(words, tagged, parts)
    _fill_objects(words, tagged, parts)


def _fill_titles(words: Sequence[Word], parts: list[Part]) -> None:
    """Takes a title that begins with a little word whole: "On the Origin of Species"."""
    at = 1
    while at < len(words) - 1:
        word = words[at]
        end = at
        if word.text[0].isupper() and word.lower in _LITTLE and not word.text.isupper():
            end = _title_end(words, at)
        if end > at + 1:
            taken = [part for part in parts[at:end] if part != "out"]
            if taken:
                parts[at:end] = [taken[-1]] * (end - at)
        at = max(end, at + 1)


def _title_end(words: Sequence[Word], at: int) -> int:
    """Behind the last capitalised word of those that follow with little words between them."""
    end = i = at + 1
    while i < len(words) and i - end < 3:
        if words[i].text[0].isupper() and words[i].lower not in ("i",):
            end = i + 1
        elif words[i].lower not in _LITTLE:
            break
        i += 1
    return end


def _fill_verb_groups(words: Sequence[Word], tagged: Tagged, parts: list[Part]) -> None:
    """Takes the verb in after an auxiliary: "may have dropped", "was signed in"."""
    for at in range(len(words) - 1):
        if parts[at] != "predicate" or not is_auxiliary(words, tagged, at):
            continue
        chosen = next((i for i in range(at + 1, len(words)) if parts[i] == "predicate"), len(words) - 1)
        verbs = verb_group(tagged, at)
        if not verbs or tagged.tags[chosen] == "finite":
            continue
        linked = chosen - 1 > verbs[-1] and words[chosen - 1].lower in _PLACING
        if linked:  # "was burned at the stake" is no "was the stake"
            parts[chosen - 1] = "predicate"
        needs = linked or words[at].lower not in _STANDS_ALONE
        if needs or chosen in verbs or tagged.tags[chosen] == "preposition":
            for i in verbs:
                parts[i] = "predicate"


def is_auxiliary(words: Sequence[Word], tagged: Tagged, i: int) -> bool:
    """Whether a word may be the first of several verbs that belong together."""
    return words[i].lower in _AUXILIARIES and tagged.tags[i] in ("finite", "infinitive", "participle")


def verb_group(tagged: Tagged, auxiliary: int) -> list[int]:
    """The verbs that follow an auxiliary, adverbs between them aside."""
    found: list[int] = []
    i = auxiliary + 1
    while i < len(tagged.tags) and tagged.tags[i] in (*_MAIN, "adverb"):
        if tagged.tags[i] != "adverb":
            found.append(i)
        i += 1
    return found


def _fill_between(words: Sequence[Word], tagged: Tagged, parts: list[Part]) -> None:
    """Keeps "between Nepal and China" whole."""
    for at in range(len(words) - 3):
        if words[at].lower != "between":
            continue
        joint = phrase_end(words, tagged, at + 1)
        if not at + 1 < joint < len(words) - 1 or words[joint].lower != "and":
            continue
        end = phrase_end(words, tagged, joint + 1)
        if end > joint + 1 and "predicate" in parts[at:end]:
            parts[at:end] = ["predicate"] * (end - at)


def _fill_prepositions(words: Sequence[Word], tagged: Tagged, parts: list[Part]) -> None:
    """Takes in a preposition, with an article, or a participle between two words of a predicate."""
    for at in range(1, len(words) - 2):
        if parts[at] != "out" or parts[at - 1] != "predicate":
            continue
        if (
            tagged.tags[at] == "participle"
            and parts[at + 1] == "predicate"
            and tagged.tags[at - 1] == "adverb"
        ):
            parts[at] = "predicate"
        if tagged.tags[at] != "preposition":
            continue
        end = at + 2 if tagged.tags[at + 1] == "determiner" else at + 1
        if parts[end] == "predicate" and tagged.tags[end] not in (*_MAIN, "finite"):
            parts[at:end] = ["predicate"] * (end - at)


def _fill_objects(words: Sequence[Word], tagged: Tagged, parts: list[Part]) -> None:
    """Takes in what a verb is done to: "won the 1911 Nobel Prize in ...", never "won in ..."."""
    for verb in range(len(words) - 2):
        if parts[verb] != "predicate" or not _is_active(words, tagged, verb):
            continue
        end = phrase_end(words, tagged, verb + 1)
        inside = range(verb + 1, end)
        if not 0 < len(inside) <= _LONGEST_OBJECT or end >= len(words):
            continue
        if "subject" in parts[verb + 1 : end] and "subject" not in parts[:verb]:
            continue
        chosen = next((i for i in range(verb + 1, len(words)) if parts[i] == "predicate"), None)
        if chosen is None or is_mark(words[chosen].text):
            continue
        if words[verb].lower in _AUXILIARIES and not (words[chosen].lower == "to" and chosen == end):
            continue  # "was a poet in Rome" may be two facts
        counts = chosen == end - 1 and tagged.tags[chosen] == "number" and tagged.tags[verb + 1] == "name"
        if chosen in inside and counts:
            parts[verb + 1 : end] = ["predicate"] * len(inside)
        elif chosen in inside and parts[end - 1] != "predicate":
            first = verb + 1 if tagged.tags[verb + 1] == "determiner" else chosen
            parts[first:end] = ["predicate"] * (end - first)
        elif tagged.tags[chosen] == "preposition" and chosen == end:
            parts[verb + 1 : end] = ["predicate"] * len(inside)


def _is_active(words: Sequence[Word], tagged: Tagged, verb: int) -> bool:
    """Whether a verb may have an object: "won", "may have won", and not "was won"."""
    if tagged.tags[verb] == "participle":
        return any(words[i].lower in _HAVE for i in range(max(0, verb - 2), verb))
    return tagged.tags[verb] in ("finite", "infinitive")
