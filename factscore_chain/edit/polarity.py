"""Whether an edit turns a statement into its opposite: by a negation, or by a word for its contrary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from itertools import product

from factscore_chain.decompose.words import is_content, split_words
from factscore_chain.verify.lexicon import NEGATIONS, is_word, stem

_REACH = 3
"""Words after a negation that it can deny."""
_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non", "non-")
_LINKS = frozenset({"following", "including", "according", "regarding", "concerning", "considering"})
"""Participles that stand as prepositions: what is denied is never they."""
_PAIRS = """
accept reject, allow forbid, allow ban, approve oppose, support oppose, support reject, agree refuse,
win lose, won lost, victory defeat, succeed fail, succeeded failed, success failure,
admit deny, join leave, open close, buy sell, lend borrow, first last,
north south, east west, northern southern, eastern western, largest smallest, highest lowest, more less,
longest shortest, oldest youngest, early late, male female, husband wife, guilty innocent, alive dead,
convicted acquitted, ally enemy
"""
_UP = "increase rise rose risen grow grew grown climb gain improve expand double strengthen"
_DOWN = (
    "decrease fall fell fallen shrink shrank shrunk drop dropped decline lose reduce contract halve weaken"
)
_OPPOSITES = frozenset(
    frozenset({stem(one), stem(other)})
    for one, other in (
        *(pair.split() for pair in " ".join(_PAIRS.split()).split(",")),
        *product(_UP.split(), _DOWN.split()),
    )
)


def flipped(before: str, after: str) -> tuple[str, ...]:
    """Stems of the words of a sentence whose polarity an edit turned round.

    These are words that stay and are denied in one of the wordings only; new words that give way to their
    contrary ("successful", "unsuccessful"; "won", "lost"); and new words where a denied one went, or that
    are denied where none was ("did not write", "wrote").
    """
    old, new = _read(before), _read(after)
    gone = {word: denied for word, denied in old if word not in dict(new)}
    come = {word: denied for word, denied in new if word not in dict(old)}
    turned = [word for word, was, now in _kept(old, new) if was != now]
    turned += [word for word in come if any(_opposed(word, other) for other in gone)]
    turned += [word for word, denied in come.items() if gone and denied != any(gone.values())]
    return tuple(dict.fromkeys(turned))


def says_so(sentences: Iterable[str], word: str, after: str) -> bool:
    """Whether a sentence of the evidence uses a word with the polarity that it has in the edited sentence."""
    wanted = {denied for stemmed, denied in _read(after) if stemmed == word}
    return any(
        stemmed == word and denied in wanted for sentence in sentences for stemmed, denied in _read(sentence)
    )


def _read(text: str) -> list[tuple[str, bool]]:
    """The content words of a text as stems, each with whether a negation before it reaches it."""
    read: list[tuple[str, bool]] = []
    reach = 0
    for word in split_words(text):
        if not is_word(word.text):
            reach = 0 if word.text in ",;:.()" else reach
        elif _denies(word.lower):
            reach = _REACH + 1
        elif is_content(word.text) and word.lower not in _LINKS:
            read.append((stem(word.text), reach > 0))
        reach = max(0, reach - 1) if is_word(word.text) else reach
    return read


def _denies(word: str) -> bool:
    return word in NEGATIONS or word.endswith(("n't", "n’t"))


def _kept(old: list[tuple[str, bool]], new: list[tuple[str, bool]]) -> Iterator[tuple[str, bool, bool]]:
    matcher = SequenceMatcher(None, [word for word, _ in old], [word for word, _ in new], autojunk=False)
    for block in matcher.get_matching_blocks():
        for offset in range(block.size):
            word, was = old[block.a + offset]
            yield word, was, new[block.b + offset][1]


def _opposed(one: str, other: str) -> bool:
    if frozenset({one, other}) in _OPPOSITES:
        return True
    short, long = sorted((one, other), key=len)
    return any(long == prefix + short for prefix in _PREFIXES)
