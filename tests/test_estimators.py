"""Estimators by name: our own, and those of the original package and the paper."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from factscore_chain import FactScoreChain
from factscore_chain.cli.main import main
from factscore_chain.errors import FactScoreError, MissingExtraError, UsageError
from factscore_chain.estimators import ESTIMATORS, make_estimator
from factscore_chain.published_names import CHAT_GPT, MODEL_NAMES
from factscore_chain.verify.masked_lm import load_masked_lm
from tests.scripted import ScriptedChatModel
from tests.tiny_models import save_causal, save_masked

HAS_TORCH = importlib.util.find_spec("torch") is not None
NPM = [name for name in MODEL_NAMES if "npm" in name]


def scripted() -> ScriptedChatModel:
    return ScriptedChatModel(script=lambda asked: "True")


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_of_ours_is_made(name: str) -> None:
    found = make_estimator(name, scripted())
    assert found.name == name
    assert found.needs_passages is (name not in {"no-context", "self-check"})


@pytest.mark.parametrize(
    ("name", "canonical", "kind"),
    [
        ("retrieval+ChatGPT", "retrieval+ChatGPT", "llm"),
        ("Retrieve+chatgpt", "retrieval+ChatGPT", "llm"),
        ("retrieval+llama", "retrieval+llama", "llm"),
        ("LLAMA", "retrieval+llama", "llm"),
        ("no-context+ChatGPT", "no-context+ChatGPT", "no-context"),
        ("no-context+llama", "no-context+llama", "no-context"),
        ("self-check+ChatGPT", "self-check+ChatGPT", "self-check"),
    ],
)
def test_a_name_of_the_original_is_the_same_estimator_of_our_parts(
    name: str, canonical: str, kind: str
) -> None:
    found = make_estimator(name, scripted())
    assert (found.name, found.verifier.identity["kind"]) == (canonical, kind)


def test_chatgpt_without_a_model_is_the_originals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    found = make_estimator("retrieval+ChatGPT")
    assert f"openai:{found.verifier.identity['model']}" == CHAT_GPT


def test_chatgpt_without_a_key_says_so() -> None:
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        make_estimator("retrieval+ChatGPT")


@pytest.mark.parametrize("name", ["retrieval+llm", "retrieval+llama", "no-context+llama", "original"])
def test_a_model_that_nobody_named_is_asked_for(name: str) -> None:
    with pytest.raises(UsageError, match="transformers:NAME"):
        make_estimator(name)


@pytest.mark.parametrize("name", ["retrieval+gpt", "", "llama+ChatGPT", "npm+embedded"])
def test_an_unknown_name_is_answered_with_all_there_are(name: str) -> None:
    if name:
        with pytest.raises(UsageError, match=r"self-check.*retrieval\+llama\+npm"):
            make_estimator(name)
    else:
        assert make_estimator(name).name == "embedded"


@pytest.mark.skipif(HAS_TORCH, reason="torch is installed")
@pytest.mark.parametrize("name", NPM)
def test_npm_without_its_extra_names_the_extra_and_what_needs_none(name: str) -> None:
    with pytest.raises(MissingExtraError, match=r"'np' is the same check.*factscore-chain\[hf\]"):
        make_estimator(name, scripted())


@pytest.mark.skipif(HAS_TORCH, reason="torch is installed")
def test_local_weights_without_their_extra_name_it() -> None:
    with pytest.raises(MissingExtraError, match=r"factscore-chain\[hf\]"):
        make_estimator("retrieval+llama", "transformers:some/weights")


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Tiny weights in the current folder, under the names that published ones have on the hub."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    load_masked_lm.cache_clear()
    save_masked(tmp_path / "facebook" / "npm-single")
    return save_causal(tmp_path / "some" / "llama", longest=1024)


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("npm", ["masked-lm"]),
        ("retrieval+ChatGPT+npm", ["masked-lm", "llm"]),
        ("retrieval+llama+npm", ["masked-lm", "causal-lm"]),
        ("retrieval+llama", ["causal-lm"]),
        ("no-context+llama", ["no-context-causal-lm"]),
        ("retrieval+llm+np", ["nonparametric", "causal-lm"]),
        ("original", ["original-causal"]),
    ],
)
def test_names_with_local_models_resolve_to_them(weights: str, name: str, kinds: list[str]) -> None:
    llm: Any = scripted() if "ChatGPT" in name else f"transformers:{weights}"
    verifier = make_estimator(name, None if name == "npm" else llm).verifier
    assert [part.identity["kind"] for part in getattr(verifier, "members", (verifier,))] == kinds


def test_self_check_needs_a_model_that_writes() -> None:
    with pytest.raises(UsageError, match="needs a chat model that writes"):
        make_estimator("self-check", "transformers:some/weights")


def test_weights_that_are_nowhere_are_told_before_the_work(weights: str) -> None:
    with pytest.raises(FactScoreError, match="'no/weights' are neither on this machine"):
        make_estimator("retrieval+llama", "transformers:no/weights")


def test_a_chain_on_local_models_gives_every_fact_a_probability(weights: str, repository: Path) -> None:
    chain = FactScoreChain(
        repository / "examples/knowledge.jsonl",
        llm=f"transformers:{weights}",
        estimator="retrieval+llama+npm",
    )
    report = chain.score("Alan Turing was born in London. He studied in Paris.", "Alan Turing")
    assert (report.manifest.estimator, report.generations[0].status) == ("retrieval+llama+npm", "scored")
    facts = report.generations[0].facts
    assert len(facts) == 2
    assert all(part.probability is not None for fact in facts for part in fact.parts)


def test_the_command_takes_local_weights(weights: str, repository: Path, capsys: Any) -> None:
    knowledge = str(repository / "examples/knowledge.jsonl")
    text = "Alan Turing was born in London."
    arguments = ["score", text, "--topic", "Alan Turing", "--knowledge", knowledge, "--format", "json"]
    assert main([*arguments, "--estimator", "LLAMA", "--llm", f"transformers:{weights}"]) == 0
    assert '"estimator": "retrieval+llama"' in capsys.readouterr().out.replace('":"', '": "')
