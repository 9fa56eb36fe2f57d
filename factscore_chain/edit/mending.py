"""One sentence from its edit request to its edit: corrected, then freed of what is left, or hedged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from factscore_chain.decompose.language import guess_language
from factscore_chain.decompose.markup import without_tags
from factscore_chain.decompose.words import Word, split_words
from factscore_chain.edit.base import EditRequest, FactAction, Policy, SentenceEdit
from factscore_chain.edit.correction import correction
from factscore_chain.edit.draft import Draft
from factscore_chain.edit.english import RELATIVE, UNDOING
from factscore_chain.edit.grammar import with_articles
from factscore_chain.edit.hedging import hedge_sentence, hedge_words, is_marked
from factscore_chain.edit.phrases import MODIFIERS
from factscore_chain.edit.removal import merged, remove
from factscore_chain.edit.slots import slot
from factscore_chain.edit.stated import stated_words
from factscore_chain.edit.told import absent
from factscore_chain.values import Span, Verdict
from factscore_chain.verify.lexicon import NEGATIONS, denies, stem

_LABEL = re.compile(r"\w{1,20}:\s")
"""Who speaks, or what is told of: "A: ...", "Note: ..."."""
HELD = frozenset(Verdict) - {Verdict.IRRELEVANT}
"""Verdicts of facts that keep their words."""
_STAYING = 2
"""Of a fact of which only some words go, as many at least stay for each that goes."""
NO_WORDS = "every word of it is needed by a fact that stays"


@dataclass(frozen=True)
class Mending:
    """The sentence as far as it is mended."""

    request: EditRequest
    draft: Draft
    stated: tuple[frozenset[int], ...]
    """For each fact of the request, the origins of the words that state it."""
    needed: frozenset[int]
    """Origins of words that have to stay."""
    open: tuple[int, ...]
    """Facts that nothing has been done about yet, as indices."""
    actions: tuple[FactAction, ...] = ()
    dropped: bool = False
    """Whether the whole sentence goes."""
    hedged: str | None = None
    """The whole sentence marked as unverified."""
    changed: frozenset[int] = field(default=frozenset())
    """Origins of words that a correction has replaced."""
    tried: frozenset[str] = frozenset()
    """Sentences that no removal is to end in: they were proposed, and not kept."""

    def own(self, fact: int) -> frozenset[int]:
        """Origins of the words that state a fact and none that has to stay."""
        return self.stated[fact] - self.needed

    def done(self, facts: Iterable[int], action: FactAction, **changes: Any) -> Mending:
        """The same with an action for some facts, each in its name."""
        acted = [replace(action, fact=index) for index in facts]
        left = tuple(index for index in self.open if index not in {one.fact for one in acted})
        return replace(self, open=left, actions=(*self.actions, *acted), **changes)

    @property
    def edit(self) -> SentenceEdit:
        """What came of it."""
        actions = tuple(sorted(self.actions, key=lambda one: self.request.mend.index(one.fact)))
        if all(one.action == "left" for one in actions):
            return SentenceEdit(None, actions)
        return SentenceEdit("" if self.dropped else self.hedged or self.draft.text, actions)


def begin(
    request: EditRequest,
    chosen: Sequence[int],
    tried: frozenset[str] = frozenset(),
    held: frozenset[Verdict] = HELD,
    *,
    precise: bool = False,
) -> Mending:
    """Reads a request; of the facts to mend, those that are not `chosen` keep their words.

    Args:
        request: The sentence and its facts.
        chosen: Which facts are to be mended now, as indices.
        tried: Sentences that no removal is to end in.
        held: Verdicts of the other facts that keep their words.
        precise: Whether the words of a wrong fact that its passages have stay too, where most are such.
    """
    words = split_words(without_tags(request.sentence.text))
    start = request.sentence.span.start
    stated = tuple(
        stated_words(words, fact.text, fact.span and Span(fact.span.start - start, fact.span.end - start))
        for fact in request.facts
    )
    stays = [words for index, words in enumerate(stated) if _stays(request, index, chosen, held)]
    if precise:
        stays += [_matched(request, index, words, stated[index]) for index in chosen]
    needed = frozenset[int]().union(*stays)
    draft = Draft.of(request.sentence.text)
    mending = Mending(request, draft, stated, needed, tuple(request.mend), tried=tried)
    later = [index for index in request.mend if index not in chosen]
    return mending.done(later, _left("another fact of the sentence is mended first"))


def _matched(
    request: EditRequest, index: int, words: Sequence[Word], stated: frozenset[int]
) -> frozenset[int]:
    """The words of a wrong fact that the best sentence of its passages has; none where that says no more."""
    fact = request.facts[index]
    if denies(word.text for word in words):
        return frozenset()
    missing = absent(fact, request.generation.topic)
    right = frozenset(i for i in stated if stem(words[i].text) not in missing)
    return right if 0 < _STAYING * len(stated - right) <= len(right) else frozenset()


def _stays(request: EditRequest, index: int, chosen: Sequence[int], held: frozenset[Verdict]) -> bool:
    """Whether a fact holds its words: one that is not about the topic goes with what it hangs on."""
    if index in chosen:
        return False
    return index in request.mend or request.facts[index].verdict in held


def corrected(mending: Mending) -> Mending:
    """Puts the passages' values in the place of wrong ones, where there is no doubt which."""
    for index in mending.open:
        if index not in mending.open:
            continue
        mending = _corrected(mending, index)
    return mending


def _corrected(mending: Mending, index: int) -> Mending:
    fact, topic = mending.request.facts[index], mending.request.generation.topic
    rest = mending.own(index) - mending.changed
    found = None
    if mending.request.policy is not Policy.AUTO or fact.reason != "no_evidence":
        found = correction(mending.draft, fact, rest, topic) or slot(mending.draft, fact, rest, topic)
    if found is None and mending.changed.isdisjoint(mending.stated[index]):
        return mending
    needed = mending.needed | mending.stated[index]
    if found is None:
        # Whether the rest of it holds now is for verification to say.
        same = FactAction(index, "corrected", "the same value is wrong in it")
        return mending.done([index], same, needed=needed)
    value = found.value
    why = f"the passage has {found.text!r} in the place of {value.text!r}"
    action = FactAction(index, "corrected", why, (found.passage,))
    touched = {mending.draft.tokens[i].origin for i in range(value.start, value.end)}
    return mending.done(
        [index],
        action,
        draft=with_articles(mending.draft.replaced(value.start, value.end, found.text)),
        needed=needed,
        changed=mending.changed | {one for one in touched if one is not None},
    )


def freed(mending: Mending) -> Mending:
    """Takes out what is still open: piece by piece, or the sentence as a whole if nothing has to stay."""
    if mending.open and not mending.needed:
        return _dropped(mending)
    mending = _without_words(mending)
    if mending.open and (mending.request.sentence.kind == "table_row" or not _is_english(mending)):
        return mending.done(mending.open, _left("parts of sentences are removed from English prose only"))
    # What could not go may be able to once something beside it is gone, or together with it.
    for _ in range(2):
        for words, facts in _groups(mending):
            mending = _taken_out(mending, words, facts)
    together = frozenset[int]().union(*map(mending.own, mending.open))
    mending = _weakened(_taken_out(mending, together, mending.open))
    return closed(mending, "the sentence would not stand without the words that state it")


def _weakened(mending: Mending) -> Mending:
    """Takes one piece out of a fact that cannot go as a whole; verification says whether the rest holds."""
    for index in mending.open:
        if index not in mending.open:
            continue
        for at in _doubtful(mending, index):
            if mending.draft.lower[at] in NEGATIONS:
                continue
            is_detail = _is_detail(mending.draft, at)
            if not is_detail and not RELATIVE.isdisjoint(mending.draft.lower[at:]):
                continue  # what a "where" or "who" further on is about may be this
            word = frozenset(one for one in (mending.draft.tokens[at].origin,) if one is not None)
            removal = remove(mending.draft, word, mending.needed, mending.tried)
            # "Prime" of "Prime Minister", "mentally" of "mentally ill": without them it is something else.
            if removal is not None and (is_detail or removal.name not in MODIFIERS):
                action = FactAction(index, "removed", f"without {removal.name}, a part of it")
                mending = mending.done([index], action, draft=removal.draft)
                break
    return mending


def _doubtful(mending: Mending, index: int) -> list[int]:
    """The tokens of a fact's own words, those first that its passages do not have, then late ones.

    What is said last is mostly what is said: "three weeks later" of "was seen three weeks later".
    """
    draft, own = mending.draft, mending.own(index)
    missing = absent(mending.request.facts[index], mending.request.generation.topic)
    places = [i for i, token in enumerate(draft.tokens) if token.origin in own]
    return sorted(places, key=lambda i: (stem(draft.tokens[i].text) not in missing, -i))


def _is_detail(draft: Draft, at: int) -> bool:
    """Whether a word only narrows what the noun behind it names: "older", but not "former" or "Prime"."""
    word = draft.tokens[at].text
    noun = next((tag for tag in draft.tags[at : draft.stop] if tag != "adjective"), "")
    is_narrow = word.islower() and word not in UNDOING and not word.endswith("ly")
    return draft.tags[at] == "adjective" and is_narrow and noun in ("noun", "plural", "name")


def _groups(mending: Mending) -> list[tuple[frozenset[int], list[int]]]:
    """What is open, facts that share words together: the words, and the facts as indices."""
    open_facts = mending.open
    return [
        (words, [open_facts[position] for position in sorted(positions)])
        for words, positions in merged([mending.own(index) for index in open_facts])
    ]


def _dropped(mending: Mending) -> Mending:
    why = "nothing in the sentence is supported"
    return mending.done(mending.open, FactAction(0, "removed", why), dropped=True)


def _without_words(mending: Mending) -> Mending:
    bare = [index for index in mending.open if not mending.own(index)]
    return mending.done(bare, _left(NO_WORDS)) if bare else mending


def _taken_out(mending: Mending, words: frozenset[int], facts: Sequence[int]) -> Mending:
    """Takes out what states some facts, together if that can be done, else one by one."""
    if words and words.isdisjoint(token.origin for token in mending.draft.tokens):
        return mending.done(facts, FactAction(0, "removed", "it went with another fact's words"))
    removal = remove(mending.draft, words, mending.needed, mending.tried)
    if removal is not None:
        return mending.done(facts, FactAction(0, "removed", f"without {removal.name}"), draft=removal.draft)
    for index in facts if len(facts) > 1 else ():
        mending = _taken_out(mending, mending.own(index), [index])
    return mending


def _is_english(mending: Mending) -> bool:
    return guess_language(mending.request.generation.text) == "en"


def hedged(mending: Mending) -> Mending:
    """Marks what is open as unverified."""
    if is_marked(mending.draft.text):
        return mending.done(mending.open, _left("it is marked as unverified already"))
    is_plain = mending.request.sentence.kind == "prose" and not _LABEL.match(mending.draft.text)
    if not mending.needed and is_plain:
        why = "nothing in the sentence is supported"
        return mending.done(mending.open, FactAction(0, "hedged", why), hedged=hedge_sentence(mending.draft))
    mending = _without_words(mending)
    for words, facts in _groups(mending):
        draft = hedge_words(mending.draft, words)
        mending = mending.done(facts, FactAction(0, "hedged", "its words are marked"), draft=draft)
    return mending


def closed(mending: Mending, why: str) -> Mending:
    """Leaves what is open, and says why; of what lost words to another edit, it says that."""
    standing = {token.origin for token in mending.draft.tokens}
    gone = [index for index in mending.open if not mending.stated[index] <= standing]
    mending = mending.done(gone, FactAction(0, "removed", "words of it went with another fact's"))
    changed = [index for index in mending.open if mending.stated[index] & mending.changed]
    mending = mending.done(changed, FactAction(0, "corrected", "the same value is wrong in it"))
    return mending.done(mending.open, _left(why))


def _left(why: str) -> FactAction:
    return FactAction(0, "left", why)
