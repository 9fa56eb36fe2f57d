"""The paper's variants on a model that knows nothing but what its prompt shows."""

from __future__ import annotations

import re

from factscore_chain.edit.base import EditRequest
from factscore_chain.edit.llm import VARIANTS, LLMEditor
from factscore_chain.evals.editing_metrics import as_table, count, figures
from factscore_chain.report import FactRecord
from factscore_chain.values import Generation, Passage, Sentence, Span, Verdict
from tests.editing import sentence_in
from tests.scripted import ScriptedChatModel

# Sentence, its supported fact, its unsupported fact, a passage, what people would make of it.
CASES = (
    (
        "Ada Lovelace met Babbage in 1835 in Mayfair.",
        "Ada Lovelace met Babbage in Mayfair.",
        "Ada Lovelace met Babbage in 1835.",
        "Ada Lovelace first met Babbage in 1833.",
        "Ada Lovelace met Babbage in 1833 in Mayfair.",
    ),
    (
        "The notes of 1843 were sent by Babbage to Genoa.",
        "The notes of 1843 were sent by Babbage.",
        "The notes were sent to Genoa.",
        "The notes of 1843 were sent to Turin.",
        "The notes of 1843 were sent by Babbage to Turin.",
    ),
)


def _only_by_what_it_is_shown(question: str) -> str:
    """Changes the values that a shown fact calls false, else those that no shown passage has."""
    sentence = sentence_in(question)
    false = " ".join(re.findall(r"- False: (.*)", question))
    true = " ".join(re.findall(r"- True: (.*)", question))
    told = " ".join(re.findall(r"<passage-1>\n.*?\n(.*?)\n</passage-1>", question, re.DOTALL))
    values = re.findall(r"\b(?:\d{4}|[A-Z]\w+)\b", sentence.removeprefix("The "))
    doubted = [v for v in values if (v in false and v not in true) or (not false and told and v not in told)]
    for value in doubted:
        kind = r"\d{4}" if value.isdigit() else r"[A-Z]\w+"
        others = [other for other in re.findall(rf"\b{kind}\b", told) if other not in sentence]
        sentence = re.sub(rf"( in| to| by) {value}", rf"\1 {others[0]}" if others else "", sentence)
    return sentence


def _edited(variant: str, case: tuple[str, ...]) -> str:
    text, right, wrong, passage, _ = case
    given = (Passage("p", passage, "Notes"),)
    facts = (
        FactRecord(text=right, verdict=Verdict.SUPPORTED, verifier="test"),
        FactRecord(text=wrong, verdict=Verdict.NOT_SUPPORTED, verifier="test", passages=given),
    )
    request = EditRequest(Generation(text), Sentence(text, Span(0, len(text)), 0), facts, (1,))
    model = ScriptedChatModel(script=_only_by_what_it_is_shown)
    return LLMEditor(model=model, variant=variant).invoke(request).text or text


def test_each_variant_lets_a_model_do_what_it_shows_the_grounds_for() -> None:
    made = {
        variant: figures(
            as_table([count(case[0], _edited(variant, case), case[4], (), 0.0) for case in CASES])
        )
        for variant in VARIANTS
    }
    found = [made[variant]["err_loc"] or 0.0 for variant in VARIANTS]
    corrected = [made[variant]["err_corr"] or 0.0 for variant in VARIANTS]
    # Facts show where the error is, passages what should stand there; only both show both.
    no_context, facts, passages, both = found
    assert no_context < passages < facts < both == 1.0
    no_context, facts, passages, both = corrected
    assert no_context == facts == 0.0 < passages <= both == 1.0
