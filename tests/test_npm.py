"""The published NP check and the local judge, on tiny models made here and loaded as real ones are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from factscore_chain.factscorer import FactScorer
from factscore_chain.hub import WeightsNotFoundError, from_hub
from factscore_chain.npm import NPM
from factscore_chain.original import setup
from factscore_chain.retrieval import DocDB, Retrieval
from factscore_chain.values import AtomicFact, Claim, Passage, Verdict
from factscore_chain.verify import masked_lm
from factscore_chain.verify.masked_lm import Tokens, load_masked_lm
from factscore_chain.verify.npm import MaskedLMVerifier, token_probability
from factscore_chain.verify.published import verification_prompt
from factscore_chain.verify.published_causal import OriginalCausalVerifier
from tests.published import make_data_dir, make_original_db, make_scorer, reply_of
from tests.tiny_models import save_causal, save_masked


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A folder with a tiny RoBERTa."""
    yield save_masked(tmp_path_factory.mktemp("masked"))
    load_masked_lm.cache_clear()


@pytest.fixture(scope="module")
def causal(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with a tiny causal model, where the original looks for Inst-LLAMA."""
    return save_causal(tmp_path_factory.mktemp("models") / "inst-llama-7B", longest=512)


def transcribed(folder: str, fact: str, passages: list[str], skipped: set[int]) -> float:
    """The published computation, one mask at a time, by transformers and numpy alone."""
    import torch
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    tokenizer, model = (
        AutoTokenizer.from_pretrained(folder),
        AutoModelForMaskedLM.from_pretrained(folder).eval(),
    )

    def hidden(ids: list[int]) -> Any:
        with torch.inference_mode():
            return model(torch.tensor([ids]), output_hidden_states=True).hidden_states[-1][0].numpy()

    keys, vectors = [], []
    for passage in passages:
        ids = tokenizer(passage, add_special_tokens=False)["input_ids"]
        keys += ids
        vectors.append(hidden([0, *ids, 2])[1:-1])
    p = np.concatenate(vectors)
    ids = [0, *tokenizer(f"Fact: {fact}", add_special_tokens=False)["input_ids"], 2]
    colon = tokenizer.convert_tokens_to_ids(":")
    found = []
    for place in range(ids.index(colon) + 1, len(ids) - 1):
        if ids[place] in skipped:
            continue
        asked = list(ids)
        asked[place] = tokenizer.mask_token_id
        weight = np.exp(p @ hidden(asked)[place] / np.sqrt(p.shape[1]))
        found.append(weight[np.array(keys) == ids[place]].sum() / weight.sum())
    return float(np.mean(found))


STOPWORDS = frozenset(range(5, 13))


@pytest.mark.parametrize("fact", ["Ada was born in London.", "She wrote notes.", "Paris."])
def test_the_probability_is_the_published_one(masked: str, fact: str) -> None:
    passages = ["Ada was born in London.", "She wrote notes in Paris. He died.", "The notes."]
    check = MaskedLMVerifier(model_name=masked, stopwords=STOPWORDS)
    wanted = transcribed(masked, fact, passages, set(STOPWORDS) | {0, 1, 2, 3, 4})
    assert check.probability(fact, passages) == pytest.approx(wanted, abs=1e-5)


def test_the_probability_does_not_depend_on_the_batch(masked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    passages = ["Ada was born in London.", "She wrote notes in Paris. He died.", "The notes."]
    whole = MaskedLMVerifier(model_name=masked).probability("Ada wrote notes in London.", passages)
    monkeypatch.setattr(masked_lm, "_TOKENS_AT_ONCE", 1)
    single = MaskedLMVerifier(model_name=masked).probability("Ada wrote notes in London.", passages)
    assert single == pytest.approx(whole, abs=1e-5)


def test_long_facts_and_passages_are_read_in_parts(masked: str) -> None:
    check = MaskedLMVerifier(model_name=masked)
    for fact, passage in (
        ("Ada wrote. " * 40, "Ada wrote notes. " * 400),
        ("Ada wrote.", "Ada wrote. " * 400),
    ):
        probability = check.probability(fact, [passage])
        assert probability is not None
        assert 0 <= probability <= 1


def test_a_fact_of_stop_words_is_not_applicable(masked: str) -> None:
    check = MaskedLMVerifier(model_name=masked)
    decision = check.invoke(Claim(AtomicFact("He was in the."), (Passage("1", "Ada wrote."),)))
    assert decision.verdict is Verdict.UNDECIDED
    assert (decision.cause or "").startswith("not applicable")


def test_without_passages_nothing_is_supported(masked: str) -> None:
    decision = MaskedLMVerifier(model_name=masked).invoke(Claim(AtomicFact("Ada wrote.")))
    assert (decision.verdict, decision.probability) == (Verdict.NOT_SUPPORTED, 0.0)


def test_the_arithmetic_by_hand() -> None:
    passages = Tokens(np.array([7, 8, 7]), np.array([[2.0, 0], [0, 2], [2, 2]], np.float32))
    mask = np.array([[1.0, 0]], np.float32)
    e = np.exp(2 / np.sqrt(2))
    assert token_probability(mask, [7], passages) == pytest.approx(2 * e / (2 * e + 1), abs=1e-6)
    assert token_probability(mask, [9], passages) == 0.0


def test_the_class_is_called_as_in_the_original(masked: str, tmp_path: Path) -> None:
    with DocDB(
        make_original_db(tmp_path / "a.db", {"Ada": ["<s>Ada was born in London.</s>", "Notes."]})
    ) as db:
        npm = NPM(Retrieval(db, retrieval_type="bm25"), masked)
        wanted = MaskedLMVerifier(model_name=masked).probability(
            "Born in London.", ["Ada was born in London.", "Notes."]
        )
        assert npm.get_probabilty("Ada", "Born in London.") == wanted


def test_a_scorer_uses_npm_and_gives_plain_types(
    masked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup, "MaskedLMVerifier", partial(MaskedLMVerifier, model_name=masked))
    data = make_data_dir(tmp_path / "data")
    scorer = make_scorer(data, reply_of, model_name="retrieval+ChatGPT+npm")
    out = scorer.get_score("Ada Lovelace", "x", 0, [["She was born in London.", "He died in Paris."]])
    assert [type(one["is_supported"]) for one in out["decisions"][0]] == [bool, bool]
    assert scorer.report is not None
    parts = scorer.report.generations[0].facts[0].parts
    assert [part.verifier for part in parts] == ["original:ScriptedChatModel", "npm"]


def test_weights_that_are_nowhere_are_named() -> None:
    asked: list[bool] = []

    def load(local_only: bool) -> None:
        asked.append(local_only)
        raise OSError("not here")

    with pytest.raises(WeightsNotFoundError, match="'some/weights' are neither on this machine"):
        from_hub("some/weights", load)
    assert asked == [True, False]


@pytest.mark.parametrize("text", ["Ada wrote notes.", "Ada wrote notes in London. " * 80])
def test_the_judge_compares_true_and_false_behind_the_end_of_the_prompt(causal: str, text: str) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    claim = Claim(AtomicFact("Ada wrote."), (Passage("1", text, "Ada"),), "Ada")
    verifier = OriginalCausalVerifier(weights=causal, lead="About $topic")
    tokenizer, model = (
        AutoTokenizer.from_pretrained(causal),
        AutoModelForCausalLM.from_pretrained(causal).eval(),
    )
    prompt = verification_prompt("About $topic", "Ada", "Ada wrote.", claim.passages)
    ids = tokenizer(prompt)["input_ids"][-384:]
    with torch.inference_mode():
        logits = model(torch.tensor([ids])).logits[0, -1]
    true, false = (logits[tokenizer.convert_tokens_to_ids(word)] for word in ("true", "false"))
    decision = verifier.invoke(claim)
    assert decision.probability == pytest.approx(float(torch.sigmoid(true - false)), abs=1e-5)
    assert (decision.verdict is Verdict.SUPPORTED) is bool(true > false)


@pytest.mark.parametrize("protocol", ["default", "original"])
def test_llama_is_loaded_from_the_models_folder(protocol: Any, causal: str, tmp_path: Path) -> None:
    folder = str(make_data_dir(tmp_path / "data"))
    scorer = FactScorer(
        "retrieval+llama", folder, str(Path(causal).parent), folder, cost_estimate=None, protocol=protocol,
        retrieval_type="bm25",
    )  # fmt: skip
    out = scorer.get_score("Ada Lovelace", "x", atomic_facts=[["She wrote notes."]])
    assert type(out["decisions"][0][0]["is_supported"]) is bool
    assert scorer.report is not None
    assert scorer.report.manifest.verifier["model"] == causal
