from __future__ import annotations

from factscore_chain.edit.base import EditRequest, Policy
from factscore_chain.report import FactRecord
from factscore_chain.values import Generation, Passage, Sentence, Span, Verdict

TEXT = "It is old.  It stands in Rome. It is tall."


def _fact(text: str, *passages: Passage, evidence: tuple[str, ...] = ()) -> FactRecord:
    return FactRecord(
        text=text, verdict=Verdict.NOT_SUPPORTED, verifier="test", passages=passages, evidence=evidence
    )


def _request(*facts: FactRecord, mend: tuple[int, ...] = (0,)) -> EditRequest:
    sentence = Sentence("It stands in Rome.", Span(12, 30), 1)
    return EditRequest(Generation(TEXT), sentence, facts, mend, Policy.REMOVE)


def test_what_stands_around_the_sentence_adds_up_to_the_text() -> None:
    request = _request(_fact("It stands in Rome."))
    assert request.before + request.sentence.text + request.after == TEXT


def test_only_facts_to_mend_bring_their_passages() -> None:
    ours, other = Passage("a", "It stands in Oslo.", rank=1), Passage("b", "It is tall.", rank=1)
    request = _request(_fact("It stands in Rome.", ours), _fact("It is tall.", other))
    assert request.passages == (ours,)


def test_passages_that_a_verdict_rests_on_come_first_and_each_once() -> None:
    first, second = Passage("a", "It is old.", rank=1), Passage("b", "It stands in Oslo.", rank=2)
    one = _fact("It stands in Rome.", first, second, evidence=("b",))
    assert _request(one, _fact("Rome has it.", first), mend=(0, 1)).passages == (second, first)
