"""The drop-in class: what scripts written for the original do, with only the import changed."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.abstain_detection import is_response_abstained
from factscore_chain.errors import FatalModelError, KnowledgeSourceError, MissingExtraError, UsageError
from factscore_chain.factscorer import FactScorer
from factscore_chain.language_model import LanguageModel
from factscore_chain.original.cost import cost_line
from factscore_chain.original.models import chat_model, read_key
from factscore_chain.original.setup import Setup
from factscore_chain.published_names import MODEL_NAMES, parse_model_name
from tests.pages import PAGES, write_rows
from tests.published import make_data_dir, make_original_db, make_scorer, reply_of
from tests.scripted import ScriptedChatModel


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return make_data_dir(tmp_path / "data")


def answers(prompt: str) -> str:
    """Replies to our own prompts: a sentence is one fact; what names London is true."""
    asked = prompt.lower().rstrip()
    if asked.endswith("true or false?"):
        return "True" if "london" in prompt.rsplit("<statement>", 1)[-1].lower() else "False"
    return "- " + prompt.rsplit("<sentence>\n", 1)[-1].split("\n</sentence>")[0]


# Snippets of the original's README, in data of our own.


@pytest.mark.parametrize("protocol", ["default", "original"])
def test_two_generations_are_scored(protocol: str, data: Path) -> None:
    fs = make_scorer(data, answers if protocol == "default" else reply_of, protocol=protocol)
    topics = ["Ada Lovelace", "Charles Babbage"]
    generations = ["Ada Lovelace was born in London.", "Charles Babbage was a baker. He died in London."]
    out = fs.get_score(topics, generations, gamma=10)
    assert set(out) == {"score", "respond_ratio", "decisions", "num_facts_per_response", "init_score"}
    assert out["init_score"] == pytest.approx((1 + 0.5) / 2)
    assert out["score"] == pytest.approx((math.exp(1 - 10) + 0.5 * math.exp(1 - 5)) / 2)
    assert out["respond_ratio"] == 1.0
    assert out["num_facts_per_response"] == 1.5
    assert [[one["is_supported"] for one in decisions] for decisions in out["decisions"]] == [
        [True],
        [False, True],
    ]


def test_a_custom_knowledge_source_is_scored_against(data: Path, tmp_path: Path) -> None:
    fs = make_scorer(data, reply_of)
    pages = write_rows(tmp_path / "mine.jsonl", PAGES)
    fs.register_knowledge_source("mine", data_path=str(pages), db_path=str(tmp_path / "mine.db"))
    out = fs.get_score(["Ada Lovelace"], ["She was in London."], knowledge_source="mine")
    assert out["init_score"] == 1.0
    with pytest.raises(UsageError, match="registered already"):
        fs.register_knowledge_source("mine", data_path=str(pages), db_path=str(tmp_path / "mine.db"))


@pytest.mark.parametrize("protocol", ["default", "original"])
def test_a_database_of_the_original_is_scored_against(protocol: str, tmp_path: Path) -> None:
    data = make_data_dir(tmp_path / "data", jsonl=False)
    passages = ["<s>Ann Lee painted.</s><s>She lived in London.</s>", "<s>She died.</s>"]
    make_original_db(data / "enwiki-20230401.db", {"Ann Lee": passages})
    fs = make_scorer(data, answers if protocol == "default" else reply_of, protocol=protocol)
    out = fs.get_score("Ann Lee", "She lived in London.", gamma=0)
    assert out["decisions"] == [[{"atom": "She lived in London.", "is_supported": True}]] or (
        out["decisions"] == [[{"atom": "Ann Lee lived in London.", "is_supported": True}]]
    )
    assert fs.report is not None
    shown = fs.report.generations[0].facts[0].passages
    assert all("<s>" not in passage.text for passage in shown)


def test_abstentions_are_detected(data: Path) -> None:
    fs = make_scorer(data, reply_of, abstain_detection_type="generic")
    generations = ["I'm sorry, I do not know Ada.", "She was in London."]
    out = fs.get_score(["Ada Lovelace"] * 2, generations)
    assert out["decisions"][0] is None
    assert (out["respond_ratio"], out["init_score"]) == (0.5, 1.0)


@pytest.mark.parametrize(
    ("generation", "kind", "abstained"),
    [
        ("I'm sorry, but no.", "generic", True),
        ("Could you provide more context?", "generic", True),
        ("Ada was born in London.", "generic", False),
        ("There is no information about Ada [1].", "perplexity_ai", True),
        ("Ada was born in London [1].", "perplexity_ai", False),
        ("I'm sorry, but no.", "perplexity_ai", False),
        ("I'm sorry, but no.", None, False),
        ("I'm sorry, but no.", "none", False),
        ("", "none", False),
        ("I do not know anything about her.", "default", True),
    ],
)
def test_the_detector_by_itself(generation: str, kind: str | None, abstained: bool) -> None:
    assert is_response_abstained(generation, kind) is abstained


def test_an_unknown_detector_is_wrong_use(data: Path) -> None:
    with pytest.raises(UsageError, match="no abstention detector 'perplexity'"):
        is_response_abstained("x", "perplexity")
    with pytest.raises(UsageError, match="no abstention detector 'perplexity'"):
        make_scorer(data, reply_of, abstain_detection_type="perplexity")


# Arguments and output.


def plain(value: Any) -> bool:
    """Whether it is made of plain Python types alone."""
    if type(value) is dict:
        return all(map(plain, value.values()))
    return (
        all(map(plain, value)) if type(value) is list else type(value) in {str, int, float, bool, type(None)}
    )


@pytest.mark.parametrize("protocol", ["default", "original"])
def test_the_output_is_plain_and_json(protocol: str, data: Path) -> None:
    fs = make_scorer(data, answers if protocol == "default" else reply_of, protocol=protocol)
    out = fs.get_score(
        ["Ada Lovelace"] * 2, ["In London.", "x"], atomic_facts=[["In London.", "At sea."], None]
    )
    assert plain(out)
    assert json.loads(json.dumps(out)) == out
    assert out["decisions"][1] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["Ada"], "text"), "generations is of type str"),
        (("Ada", ["text"]), "topics is of type str"),
        ((("Ada",), ["text"]), "topics is a tuple of str"),
        (([1], ["text"]), "topics is a list of int"),
        ((["Ada"], [None]), "generations is a list of NoneType"),
        ((["Ada", "Bob"], ["text"]), "2 topics for 1 generations"),
        ((["Ada"], ["text"], 10, [["a"], ["b"]]), "facts of 2 items for 1 topics"),
        ((["Ada"], ["text"], 10, ["a fact"]), "facts of an item are of type str"),
        ((["Ada"], ["text"], 10, {}), "atomic_facts is of type dict"),
        ((["Ada"], ["text"], -1), "gamma is -1"),
    ],
)
def test_arguments_that_do_not_fit_are_named(arguments: tuple[Any, ...], message: str, data: Path) -> None:
    with pytest.raises(UsageError, match=message):
        make_scorer(data, reply_of).get_score(*arguments)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model_name": "retrieval+GPT-9"}, "no model_name 'retrieval"),
        ({"protocol": "old"}, "protocol is 'old'"),
        ({"cost_estimate": "maybe"}, "cost_estimate is 'maybe'"),
    ],
)
def test_settings_that_do_not_exist_are_named(settings: dict[str, Any], message: str, data: Path) -> None:
    with pytest.raises(UsageError, match=message):
        make_scorer(data, reply_of, **settings)


def test_no_penalty_leaves_init_score_out(data: Path) -> None:
    fs = make_scorer(data, reply_of)
    for gamma in (0, None):
        out = fs.get_score("Ada Lovelace", "In London.", gamma=gamma)
        assert "init_score" not in out
        assert out["score"] == 1.0


def test_a_missing_knowledge_source_is_named(tmp_path: Path) -> None:
    fs = make_scorer(make_data_dir(tmp_path / "data", jsonl=False), reply_of)
    with pytest.raises(KnowledgeSourceError, match=r"enwiki-20230401\.db"):
        fs.get_score("Ada Lovelace", "In London.")


def test_a_progress_bar_is_shown_on_request(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_scorer(data, reply_of).get_score(["Ada Lovelace"] * 2, ["In London."] * 2, verbose=True)
    assert "2/2" in capsys.readouterr().err


def test_decisions_on_given_facts(data: Path) -> None:
    found = make_scorer(data, reply_of)._get_score("Ada Lovelace", "x", ["In London.", "At sea."])
    assert [one["is_supported"] for one in found] == [True, False]


# Models, keys and what they cost.


@pytest.mark.parametrize("name", MODEL_NAMES)
def test_every_name_of_the_original_is_known(name: str) -> None:
    assert parse_model_name(name).name == name


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("LLAMA+NP", "retrieval+llama+npm"),
        ("ChatGPT", "retrieval+ChatGPT"),
        ("NP", "npm"),
        ("retrieval+npm", "npm"),
        ("retrieval+npm+chatgpt", "retrieval+ChatGPT+npm"),
    ],
)
def test_names_of_the_paper_are_understood(name: str, meant: str) -> None:
    assert parse_model_name(name).name == meant


@pytest.mark.parametrize(
    "name", ["", "retrieval", "no-context", "no-context+npm", "no-context+llama+npm", "llama+ChatGPT", "gpt"]
)
def test_other_names_are_not(name: str) -> None:
    with pytest.raises(UsageError, match="Choose one of"):
        parse_model_name(name)


def test_the_key_is_the_first_line_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "api.key").write_text("the-key\nsecond line\n")
    assert read_key(str(tmp_path / "api.key")) == "the-key"
    (tmp_path / "empty.key").write_text("\n")
    with pytest.raises(UsageError, match="is empty"):
        read_key(str(tmp_path / "empty.key"))
    monkeypatch.setenv("OPENAI_API_KEY", "from the environment")
    assert read_key(str(tmp_path / "none.key")) is None


def test_a_key_in_place_of_a_path_is_not_repeated() -> None:
    with pytest.raises(UsageError, match="looks like a key") as caught:
        read_key("sk-proj-abcdef1234567890")
    assert "abcdef" not in str(caught.value)


def test_chatgpt_means_the_originals_model_with_the_key_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "api.key").write_text("the-key\n")
    model = chat_model(None, str(tmp_path / "api.key"), None, temperature=0.7, max_tokens=512)
    assert model.name == "gpt-3.5-turbo"
    assert model.model.openai_api_key.get_secret_value() == "the-key"  # type: ignore[attr-defined]
    assert "the-key" not in repr(model.model)


def test_a_model_of_ones_own_is_taken_as_it_is() -> None:
    mine = LanguageModel(ScriptedChatModel(script=[]))
    assert chat_model(mine, "api.key", None) is mine
    with pytest.raises(UsageError, match="int is no model"):
        chat_model(3, "api.key", None)


def test_no_key_is_needed_where_no_hosted_model_is_asked(data: Path) -> None:
    folder = str(data)
    fs = FactScorer("retrieval+llama", folder, folder, folder, llm=ScriptedChatModel(script=answers))
    assert fs.get_score("Ada Lovelace", "Ada was in London.", gamma=0)["score"] == 1.0


def test_a_wrong_key_ends_the_run_at_once(data: Path) -> None:
    class RefusedError(Exception):
        status_code = 401

    asked: list[str] = []

    def script(prompt: str) -> Exception:
        asked.append(prompt)
        return RefusedError()

    with pytest.raises(FatalModelError, match="the key was refused"):
        make_scorer(data, script).get_score("Ada Lovelace", "She wrote.")
    assert len(asked) == 1


def test_without_npm_the_check_of_the_shipped_encoder_stands_in(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(setup: Setup) -> None:
        raise MissingExtraError("The NP check by facebook/npm-single", "hf")

    monkeypatch.setattr(Setup, "masked_lm", missing)
    fs = make_scorer(data, answers, protocol="default", model_name="npm")
    with pytest.warns(UserWarning, match="shipped encoder stands in for npm"):
        out = fs.get_score(
            "Ada Lovelace", "x", atomic_facts=[["Ada Lovelace was born in London.", "She sold ice cream."]]
        )
    assert [one["is_supported"] for one in out["decisions"][0]] == [True, False]
    assert fs.report is not None
    assert fs.report.manifest.verifier["kind"] == "nonparametric"
    assert fs.report.manifest.estimator == "npm"


def test_no_paid_model_is_asked_that_was_not_named(data: Path) -> None:
    folder = str(data)
    fs = FactScorer("npm", folder, folder, folder)
    with pytest.warns(UserWarning, match="shipped encoder stands in"):
        out = fs.get_score("Ada Lovelace", "Ada Lovelace was born in London.", gamma=0)
    assert fs.report is not None
    assert fs.report.manifest.decomposer["kind"] == "embedded"
    assert set(fs.report.manifest.usage.values()) == {0}
    assert out["score"] == 1.0


@pytest.mark.parametrize(
    ("words", "model", "line"),
    [
        (750, "gpt-3.5-turbo", "750 words, 1000 tokens, $0.00 at prices of 2023"),
        (75_000, "davinci-003", "75000 words, 100000 tokens, $2.00 at prices of 2023"),
        (750, "other", "750 words, 1000 tokens, price not known"),
    ],
)
def test_cost_lines(words: float, model: str, line: str) -> None:
    assert cost_line(words, "a task", model) == f"Estimated cost of a task by {model}: {line}"


@pytest.mark.parametrize("protocol", ["default", "original"])
def test_costs_are_logged_before_the_work_and_cached_prompts_left_out(
    protocol: str, data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    script = answers if protocol == "default" else reply_of
    for number in range(2):
        fs = make_scorer(data, script, protocol=protocol, cost_estimate="consider_cache")
        fs.get_score("Ada Lovelace", "Ada was in London.")
        lines = [record.message for record in caplog.records if record.levelname == "CRITICAL"]
        caplog.clear()
        assert len(lines) == 2
        known = protocol == "original" and number == 1
        assert (": 0 words" in lines[0]) is known
        assert "factscore evaluation" in lines[1]
