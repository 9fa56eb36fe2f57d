"""A local causal model as the judge, on a tiny one made here and loaded as real ones are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.errors import UsageError
from factscore_chain.prompts.prompt import Prompt, load_prompt
from factscore_chain.values import AtomicFact, Claim, Passage, Verdict
from factscore_chain.verify import causal_lm
from factscore_chain.verify.causal import CausalLMVerifier
from factscore_chain.verify.causal_lm import CausalLM, load_causal_lm
from factscore_chain.verify.mentions import Labels
from tests.tiny_models import CHAT_TEMPLATE, save_causal

PASSAGES = (Passage("1", "Ada was born in London.", "Ada"), Passage("2", "She wrote notes.", "Ada"))
FACTS = ("Ada was born in London.", "She died.", "He wrote notes in Paris. " * 3)
CLAIMS = [Claim(AtomicFact(fact), PASSAGES, "Ada") for fact in FACTS]
SHOWN = (
    "<passage-1>\nAda\nAda was born in London.\n</passage-1>\n"
    "<passage-2>\nAda\nShe wrote notes.\n</passage-2>"
)
SHORT = Prompt(name="short", version=1, instructions="true false ?", template="$passages $statement")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield save_causal(tmp_path_factory.mktemp("causal"), longest=512)
    load_causal_lm.cache_clear()


@pytest.fixture(scope="module")
def chat_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield save_causal(tmp_path_factory.mktemp("chat"), longest=512, chat_template=CHAT_TEMPLATE)
    load_causal_lm.cache_clear()


def logits(folder: str, text: str, *, markers: bool) -> tuple[float, float]:
    """Logits of true and false behind a text, by transformers alone."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder).float().eval()
    ids = tokenizer(text, add_special_tokens=markers)["input_ids"]
    with torch.inference_mode():
        end = model(torch.tensor([ids])).logits[0, -1]
    true, false = (float(end[tokenizer.convert_tokens_to_ids(word)]) for word in ("true", "false"))
    return true, false


def sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def test_the_probability_is_that_of_the_first_token_behind_the_prompt(folder: str) -> None:
    decision = CausalLMVerifier(weights=folder, prompt=SHORT).invoke(CLAIMS[0])
    text = f"true false ?\n\n{SHOWN} Ada was born in London.\nAnswer:"
    true, false = logits(folder, text, markers=True)
    assert decision.probability == pytest.approx(sigmoid(true - false), abs=1e-5)
    assert (decision.verdict is Verdict.SUPPORTED) is (true > false)
    assert decision.evidence == ("1", "2")


def test_a_model_is_asked_in_its_own_chat_template(chat_folder: str) -> None:
    decision = CausalLMVerifier(weights=chat_folder, prompt=SHORT).invoke(CLAIMS[1])
    passages = SHORT.template.replace("$passages", SHOWN).replace("$statement", "She died.")
    text = f"fact : true false ?input : {passages} output :"
    true, false = logits(chat_folder, text, markers=False)
    assert decision.probability == pytest.approx(sigmoid(true - false), abs=1e-5)


def test_a_template_without_system_messages_gets_the_instructions_with_the_question(folder: str) -> None:
    template = (
        "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
        "{{ messages[0].content }}"
    )
    model = load_causal_lm(folder)
    model._tokenizer.chat_template = template
    try:
        assert (
            model.chat_ids("true ?", "ada")
            == model._tokenizer("true ? ada", add_special_tokens=False)["input_ids"]
        )
    finally:
        model._tokenizer.chat_template = None


def test_the_probability_does_not_depend_on_the_batch(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    together = CausalLMVerifier(weights=folder).batch(CLAIMS)
    monkeypatch.setattr(causal_lm, "_TOKENS_AT_ONCE", 1)
    for claim, decision in zip(CLAIMS, together, strict=True):
        alone = CausalLMVerifier(weights=folder).invoke(claim)
        assert alone.probability == pytest.approx(decision.probability, abs=1e-5)


def test_a_model_that_gives_all_logits_says_the_same(folder: str) -> None:
    model = load_causal_lm(folder)
    rows = [model.ids("ada wrote notes"), model.ids("ada")]
    chosen = model.shares(rows, *model.label_ids())
    model._chooses_places = not model._chooses_places
    try:
        assert model.shares(rows, *model.label_ids()) == pytest.approx(chosen, abs=1e-6)
    finally:
        model._chooses_places = not model._chooses_places


@pytest.mark.parametrize(("threshold", "verdict"), [(0.0, Verdict.SUPPORTED), (1.0, Verdict.NOT_SUPPORTED)])
def test_the_threshold_decides(folder: str, threshold: float, verdict: Verdict) -> None:
    assert CausalLMVerifier(weights=folder, threshold=threshold).invoke(CLAIMS[0]).verdict is verdict


def test_no_context_reads_no_passages(folder: str) -> None:
    judge = CausalLMVerifier(weights=folder, prompt=load_prompt("verify_no_context"))
    without = judge.invoke(Claim(CLAIMS[0].fact, (), "Ada"))
    assert judge.invoke(CLAIMS[0]).probability == without.probability
    assert (judge.reads_passages, without.passages) == (False, ())


def test_without_passages_nothing_is_supported(folder: str) -> None:
    decision = CausalLMVerifier(weights=folder, threshold=0).invoke(Claim(CLAIMS[0].fact, (), "Ada"))
    assert (decision.verdict, decision.reason) == (Verdict.NOT_SUPPORTED, "no_evidence")


def test_passages_beyond_the_context_are_left_out_and_noted(folder: str) -> None:
    long = tuple(Passage(str(i), "Ada wrote notes. " * 60, "Ada") for i in range(5))
    decision = CausalLMVerifier(weights=folder, prompt=SHORT).invoke(Claim(CLAIMS[0].fact, long, "Ada"))
    assert decision.probability is not None
    assert len(decision.passages) == 1
    assert (decision.note or "").startswith("To keep within the token budget, 4 passages")


def test_a_fact_longer_than_the_context_is_undecided(folder: str) -> None:
    claim = Claim(AtomicFact("Ada wrote notes. " * 400), PASSAGES, "Ada")
    long, other = CausalLMVerifier(weights=folder).batch([claim, CLAIMS[0]])
    assert (long.verdict, long.probability) == (Verdict.UNDECIDED, None)
    assert (long.cause or "").startswith("too long")
    assert other.probability is not None


class Pieces:
    """A tokenizer whose words are split by a table."""

    model_max_length = 64
    chat_template = None

    def __init__(self, table: dict[str, list[int]]) -> None:
        self.table = table

    def __call__(self, text: str, **options: Any) -> dict[str, list[int]]:
        return {"input_ids": self.table.get(text, [90, 91])}


def label_ids(folder: str, table: dict[str, list[int]], labels: Labels | None = None) -> Any:
    model = CausalLM(Pieces(table), load_causal_lm(folder)._model)
    return model.label_ids(*([] if labels is None else [labels]))


def test_every_spelling_that_is_one_token_counts(folder: str) -> None:
    table = {"True": [1], " True": [2], "true": [3], "TRUE": [4, 5], "False": [6], " false": [7]}
    assert label_ids(folder, table) == ([1, 2, 3], [6, 7])


def test_a_label_in_pieces_is_known_by_its_first(folder: str) -> None:
    assert label_ids(folder, {"True": [1, 2], "False": [3, 4]}) == ([1], [3])


def test_labels_that_begin_alike_are_refused(folder: str) -> None:
    with pytest.raises(UsageError, match="the same token"):
        label_ids(folder, {"True": [1, 2], "False": [1, 3]})


def test_the_identity_names_what_decides(folder: str) -> None:
    identity = CausalLMVerifier(weights=folder).identity
    assert (identity["kind"], identity["model"]) == ("causal-lm", folder)
    assert identity["prompt"].startswith("verify@")
    assert Path(folder).name in CausalLMVerifier(weights=folder).verifier_name
