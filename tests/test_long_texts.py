"""What a long text costs grows with its length: counted in steps, never in seconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from factscore_chain.abstain import is_abstention
from factscore_chain.decompose import base, padding, roles
from factscore_chain.decompose.base import restricted
from factscore_chain.decompose.citations import without_citations
from factscore_chain.decompose.coreference import Mention, Referents
from factscore_chain.decompose.roles import RoleNames
from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.values import AtomicFact, Decomposition, Sentence
from factscore_chain.verify.orders import without_orders


class Counted:
    """A function that counts its calls."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.calls = 0

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        self.calls += 1
        return self._function(*arguments, **named)


def _sentences(count: int) -> tuple[Sentence, ...]:
    return split_sentences(" ".join(f"The painter moved to a town in {1000 + i}." for i in range(count)))


def test_a_role_is_looked_up_once_in_every_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Counted(roles._described)
    monkeypatch.setattr(roles, "_described", told)
    sentences = _sentences(300)
    names = RoleNames(None, sentences)
    for one in sentences:
        names.with_name(AtomicFact("The painter moved to a town.", one.span, one.index))
    assert told.calls < len(sentences)


def test_a_pronoun_looks_at_few_of_the_names_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = Counted(Referents._is)
    monkeypatch.setattr(Referents, "_is", staticmethod(compared))
    referents = Referents()
    for number in range(300):
        referents.add([Mention(f"Anna Berg{number}", person=True), Mention(f"Town{number}", person=False)])
        assert referents.resolve("she") == f"Anna Berg{number}"
        assert referents.resolve("it") == f"Town{number}"
    assert compared.calls == 600


def test_padding_compares_no_fact_with_every_other(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Counted(padding._First.of)
    added = Counted(padding._First.add)
    monkeypatch.setattr(padding._First, "of", lambda self, key: asked(self, key))
    monkeypatch.setattr(padding._First, "add", lambda self, key, number: added(self, key, number))
    texts = [f"Anna painted house {i} in {1000 + i}" for i in range(300)]
    assert len(padding.padding(texts, "Anna", [True] * 300)) == 300
    assert asked.calls == 600
    assert added.calls <= 900


def test_the_facts_of_some_sentences_are_found_by_their_places(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Counted(base._start)
    monkeypatch.setattr(base, "_start", seen)
    sentences = _sentences(512)
    facts = tuple(AtomicFact(one.text, one.span, one.index) for one in sentences)
    found = restricted(Decomposition(sentences, facts), [one.span for one in sentences[::2]])
    assert [fact.sentence for fact in found.facts] == list(range(0, 512, 2))
    assert seen.calls <= 10 * (512 + 256)


@pytest.mark.parametrize("blank", [" ", "\n", "\t", "\u00a0"])
def test_a_long_run_of_blanks_is_read_once(blank: str) -> None:
    # One that is read again from each of its blanks keeps this busy for hours.
    text = f"Marie Curie was born in{blank * 200_000}Warsaw."
    assert not is_abstention(text)
    assert without_orders(text) == text
    assert without_citations(text) == text


def test_a_name_that_comes_again_is_the_last_one() -> None:
    referents = Referents()
    referents.add([Mention("Anna Berg", person=True), Mention("Ida Lund", person=True)])
    referents.add([Mention("Anna Berg", person=True)])
    assert referents.resolve("she") == "Anna Berg"
    assert referents.resolve("she", other_than="Anna Berg") == "Ida Lund"


def test_a_name_changes_its_kind_with_its_last_mention() -> None:
    referents = Referents()
    referents.add([Mention("Nordlys", person=False)])
    referents.add([Mention("Nordlys", person=False, plural=True)])
    assert referents.resolve("it") is None
    assert referents.resolve("they") == "Nordlys"
