"""Minimal edits that make a true statement false: another number, name or role, a negation, swapped parties.

An edit that replaces one string by another says so, since the same replacement made in the evidence turns
the false statement true and the true one false: pairs that can only be told apart by reading both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from importlib.resources import files
from random import Random
from typing import NamedTuple

import yaml

_NAME = re.compile(
    r"(?:[A-ZÀ-Þ][\w'’.-]+)"
    r"(?:\s+(?:of|the|and|de|da|von|van|for)\s+(?=[A-ZÀ-Þ])|\s+(?=[A-ZÀ-Þ])|[A-ZÀ-Þ][\w'’.-]+)*"
)
_NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?!\w)|(?<![\w.,])\d+(?:\.\d+)?(?!\w)")
_AUXILIARY = re.compile(r"\b(is|was|were|are|has|had|can|could|will|would|did)\b(?! not)(?!n)")
_PAST = re.compile(r"\b([a-z]{3,}ed)\b")
_DIRECTED = re.compile(
    r"\b(defeated|beat|directed|married|succeeded|replaced|influenced|taught|founded|wrote|killed|by|of|than"
    r"|preceded|joined|acquired|bought|signed|followed|son|daughter)\b"
)
EVEN = (
    *("number", "number", "month", "nationality", "role", "role", "place"),
    *("name", "name", "name", "antonym", "antonym", "negate", "argument_swap"),
)
"""Kinds of edits, each as often as it is tried first."""
HARD = (*EVEN, *("number", "number", "month", "month", "argument_swap", "argument_swap"))
"""More of what a reader of words alone misses."""
EXCHANGED = frozenset({"argument_swap", "misplaced"})
"""Kinds of edits after which two strings are in each other's place."""
_NEGATE_LAST = 0.6
_LEAST_BETWEEN = 2


class Edit(NamedTuple):
    """A statement made false."""

    kind: str
    text: str
    old: str | None
    """The string replaced by `new`, or exchanged with it (swapped parties); None where words are added."""
    new: str | None


class _Words(NamedTuple):
    lists: dict[str, list[str]]
    pairs: list[tuple[str, str]]


@lru_cache(maxsize=1)
def _words() -> _Words:
    text = (files("factscore_chain.evals") / "training/verifier/edit_words.yaml").read_text(encoding="utf-8")
    data = yaml.safe_load(text)
    kinds = {"month": "months", "nationality": "nationalities", "role": "roles", "place": "places"}
    lists = {kind: data[name].split() for kind, name in kinds.items()}
    return _Words(lists, [(left, right) for left, right in data["pairs"]])


def _whole(text: str) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)" + re.escape(text) + r"(?!\w)")


def replace_everywhere(text: str, old: str, new: str) -> str | None:
    """The text with every whole-word occurrence replaced; None if there is none."""
    changed, count = _whole(old).subn(lambda _: new, text)
    return changed if count else None


def exchange(text: str, left: str, right: str) -> str | None:
    """The text with two strings in each other's place, wherever they stand; None if one is missing."""
    if not (_whole(left).search(text) and _whole(right).search(text)):
        return None
    either = re.compile(rf"{_whole(left).pattern}|{_whole(right).pattern}")
    return either.sub(lambda match: right if match.group() == left else left, text)


def _replace_once(text: str, old: str, new: str) -> str:
    return _whole(old).sub(lambda _: new, text, count=1)


def _number(text: str, rng: Random) -> Edit | None:
    found = [match.group() for match in _NUMBER.finditer(text)]
    if not found:
        return None
    old = rng.choice(found)
    new = _other_number(old, rng)
    return Edit("number", _replace_once(text, old, new), old, new)


def _other_number(old: str, rng: Random) -> str:
    digits = old.replace(",", "")
    if "." in digits:
        return f"{float(digits) * rng.choice([0.5, 1.3, 2]):.1f}"
    value = int(digits)
    if 1000 <= value <= 2100 and "," not in old:
        other = value + rng.choice([-1, 1]) * rng.choice([1, 1, 2, 3, 4, 5, 6, 8, 10, 12, 20, 30, 100])
    elif value <= 31:
        other = max(1, value + rng.choice([-7, -4, -3, -2, -1, 1, 2, 3, 4, 5, 8]))
        other = other if other != value else value + 1
    else:
        other = max(1, int(value * rng.choice([0.4, 0.5, 0.8, 1.2, 1.5, 2, 3])))
        other = other if other != value else value + 2
    return f"{other:,}" if "," in old else str(other)


def _from_list(kind: str) -> Callable[[str, Random], Edit | None]:
    def edit(text: str, rng: Random) -> Edit | None:
        words = _words().lists[kind]
        found = [word for word in words if _whole(word).search(text)]
        if not found:
            return None
        old = rng.choice(found)
        new = rng.choice([word for word in words if word != old])
        return Edit(kind, _with_article(_replace_once(text, old, new), new), old, new)

    return edit


def _with_article(text: str, word: str) -> str:
    if word[0] in "aeiouAEIOU":
        return re.sub(rf"\b([Aa]) {word}", rf"\1n {word}", text)
    return re.sub(rf"\b([Aa])n {word}", rf"\1 {word}", text)


def _antonym(text: str, rng: Random) -> Edit | None:
    found = [(old, new) for old, new in _words().pairs if _whole(old).search(text)]
    if not found:
        return None
    old, new = rng.choice(found)
    return Edit("antonym", _replace_once(text, old, new), old, new)


def negate(text: str, rng: Random) -> Edit | None:
    """The statement denied."""
    match = _AUXILIARY.search(text)
    if match:
        word = "not" if match.group() == "did" else rng.choice(["not", "not", "never"])
        return Edit("negate", f"{text[: match.end()]} {word}{text[match.end() :]}", None, None)
    match = _PAST.search(text)
    if match:
        return Edit("negate", f"{text[: match.start()]}never {text[match.start() :]}", None, None)
    return None


def _argument_swap(text: str, rng: Random) -> Edit | None:
    names = [match for match in _NAME.finditer(text) if match.group() not in _words().lists["month"]]
    if len(names) < 2:
        return None
    first, last = names[0], names[-1]
    left, right = first.group(), last.group().rstrip(".")
    between = text[first.end() : last.start()]
    symmetric = " and " in between or re.fullmatch(r"\W*(in|at|,)?\W*", between)
    if left == right or first.end() >= last.start() or symmetric or not _DIRECTED.search(between):
        return None
    swapped = text[: first.start()] + right + between + left + text[last.start() + len(right) :]
    return Edit("argument_swap", swapped, left, right)


def misplace(text: str, evidence: str, rng: Random, topic: str = "") -> Edit | None:
    """The statement with one of its values replaced by one that the evidence gives for something else.

    Every word of the result stands in the evidence, so that only a reader of who did what, when and where can
    tell. None where the evidence gives no such value, or names the two side by side, as in a list of which
    all may be true.
    """
    found = [
        (old, new)
        for old, kind in _values(text, topic)
        for new, other in _values(evidence, topic)
        if kind == other and not _whole(new).search(text) and _apart(evidence, old, new)
    ]
    if not found:
        return None
    old, new = rng.choice(sorted(set(found)))
    return Edit("misplaced", _with_article(_replace_once(text, old, new), new), old, new)


def _values(text: str, topic: str) -> list[tuple[str, str]]:
    """Numbers, listed words and names of a text, each with what may stand in its place.

    No roles: somebody may have two of them.
    """
    found = [(match.group(), _magnitude(match.group())) for match in _NUMBER.finditer(text)]
    for kind in ("month", "nationality", "place"):
        words = [word for word in _words().lists[kind] if word in text and _whole(word).search(text)]
        found += [(word, kind) for word in words]
    listed = {value for value, _ in found}
    for match in _names_in(text, topic):
        name = match.group().rstrip(".")
        if name not in listed:
            found.append((name, f"name {_slot(text, match)}"))
    return found


def _magnitude(number: str) -> str:
    value = float(number.replace(",", ""))
    plain = "," not in number and "." not in number
    if plain and 1000 <= value <= 2100:
        return "year"
    return "small number" if plain and value <= 31 else "number"


def _apart(evidence: str, old: str, new: str) -> bool:
    """Whether both stand in the evidence, and at least two small words between them wherever they meet."""
    places = [[match.span() for match in _whole(value).finditer(evidence)] for value in (old, new)]
    between = [
        evidence[min(left[1], right[1]) : max(left[0], right[0])] for left in places[0] for right in places[1]
    ]
    return bool(between) and all(len(re.findall(r"\b[a-z]+", one)) >= _LEAST_BETWEEN for one in between)


_KINDS: dict[str, Callable[[str, Random], Edit | None]] = {
    "number": _number,
    "antonym": _antonym,
    "negate": negate,
    "argument_swap": _argument_swap,
    **{kind: _from_list(kind) for kind in ("month", "nationality", "role", "place")},
}


def _names_in(text: str, topic: str) -> list[re.Match[str]]:
    """Names other than the topic's own; the first word counts only if a second name word follows it."""
    own = set(re.findall(r"\w+", topic.lower()))
    other = {*_words().lists["month"], *_words().lists["nationality"]}
    found = []
    for match in _NAME.finditer(text):
        sentence_case = match.start() == 0 and not re.match(r"[A-Z][\w.]+ [A-Z]", match.group())
        words = set(re.findall(r"\w+", match.group().lower()))
        if not sentence_case and not words & own and match.group() not in other:
            found.append(match)
    return found


class Editor:
    """Makes minimal edits; names are replaced by some seen after the same word, so they stay plausible."""

    def __init__(self, texts: Iterable[str], kinds: Sequence[str] = EVEN) -> None:
        self._kinds = kinds
        self._pool: dict[tuple[str, int], list[str]] = {}
        for text in texts:
            for match in _names_in(text, ""):
                self._pool.setdefault(_slot(text, match), []).append(match.group().rstrip("."))

    def edit(self, text: str, rng: Random, topic: str = "") -> Edit | None:
        """One edit of a kind that applies, the kind drawn at random; None if none applies."""
        kinds = list(self._kinds)
        rng.shuffle(kinds)
        if rng.random() < _NEGATE_LAST:
            kinds.sort(key=lambda kind: kind == "negate")
        for kind in kinds:
            edit = self._name(text, rng, topic) if kind == "name" else _KINDS[kind](text, rng)
            if edit and edit.text != text and not _renames(edit, topic):
                return edit
        return None

    def _name(self, text: str, rng: Random, topic: str) -> Edit | None:
        names: Sequence[re.Match[str]] = _names_in(text, topic)
        if len(names) > 1 or rng.random() < 0.7:
            # A statement about somebody else altogether teaches little: its subject seldom changes.
            names = [match for match in names if match.start()]
        if not names:
            return None
        match = rng.choice(names)
        old = match.group().rstrip(".")
        pool = self._pool.get(_slot(text, match)) or _words().lists["place"]
        for _ in range(8):
            new = rng.choice(pool)
            if new != old and new not in text:
                return Edit("name", text[: match.start()] + new + text[match.start() + len(old) :], old, new)
        return None


def _renames(edit: Edit, topic: str) -> bool:
    """Whether the topic's own name gave way to another."""
    return bool(edit.kind != "argument_swap" and topic and edit.old and edit.old in topic)


def _slot(text: str, match: re.Match[str]) -> tuple[str, int]:
    before = re.findall(r"[\w'\"“]+", text[: match.start()])
    return (before[-1].lower() if before else "", min(2, len(match.group().split())))
