"""The published protocol against the published formulas, written down here a second time.

Facts, passages and the model's replies are stored; decisions and scores must be equal to 1e-9. What differs
on purpose is a test of its own, at the end.
"""

from __future__ import annotations

import json
import math
import random
import re
import string
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.errors import MissingExtraError, TitleNotFoundError, UsageError
from factscore_chain.original.np import OriginalNP
from factscore_chain.original.passages import Retrieval
from factscore_chain.original.pickles import CacheFileError
from factscore_chain.retrieval import DocDB
from factscore_chain.values import AtomicFact, Claim, Passage, Verdict
from factscore_chain.verify.ensemble import EnsembleVerifier
from factscore_chain.verify.npm import MaskedLMVerifier
from factscore_chain.verify.published import OriginalVerifier, verification_prompt
from factscore_chain.verify.published_reading import published_verdict
from tests.published import make_data_dir, make_original_db, make_scorer, reply_of
from tests.scripted import ScriptedChatModel

REPLIES = (
    *("True", "False", "true.", "The answer is False.", "False. It is not true that she sang.", ""),
    *("True. It would be false to say otherwise.", "No", "N/A", "I do not know.", "Untrue", "unknown"),
    *("The context gives no information.", "It cannot be told.", "Yes.", "TRUE", "It is not stated!"),
)


def transcribed_verdict(reply: str) -> bool:
    """The published rule, word for word of its description."""
    said = reply.lower()
    if "true" in said and "false" not in said:
        return True
    if "false" in said and "true" not in said:
        return False
    if "true" in said:
        return said.index("true") > said.index("false")
    words = "".join(letter for letter in said if letter not in string.punctuation).split()
    return all(doubt not in words for doubt in ("not", "cannot", "unknown", "information"))


def transcribed_score(decisions: list[list[bool] | None], gamma: float) -> dict[str, float]:
    """The published formulas."""
    answered = [one for one in decisions if one is not None]
    shares = [sum(one) / len(one) for one in answered]
    penalties = [1.0 if len(one) > gamma else math.exp(1 - gamma / len(one)) for one in answered]
    penalties = penalties if gamma else [1.0] * len(answered)
    return {
        "score": sum(a * b for a, b in zip(shares, penalties, strict=True)) / len(answered),
        "init_score": sum(shares) / len(shares),
        "respond_ratio": len(answered) / len(decisions),
        "num_facts_per_response": sum(map(len, answered)) / len(answered),
    }


@pytest.mark.parametrize("reply", REPLIES)
def test_replies_are_read_as_published(reply: str) -> None:
    assert published_verdict(reply) is transcribed_verdict(reply)


def test_random_replies_are_read_as_published() -> None:
    words = ["true", "False", "not", "un", "cannot.", "information", "the", "UNKNOWN", "", "?", "no"]
    random.seed(0)
    for _ in range(2000):
        reply = random.choice((" ", "")).join(random.choices(words, k=random.randrange(6)))
        assert published_verdict(reply) is transcribed_verdict(reply), reply


def stored(seed: int) -> tuple[list[str], list[list[str] | None], dict[str, str]]:
    """Topics, facts of each (None for an abstention), and a reply for each fact."""
    generator = random.Random(seed)
    topics = ["Ada Lovelace", "Charles Babbage", "Mercury (planet)"] * 2
    facts: list[list[str] | None] = [
        [f"Fact {number}.{i} of {seed}." for i in range(generator.choice((1, 2, 9, 10, 11, 25)))]
        for number in range(len(topics))
    ]
    facts[generator.randrange(len(facts))] = None
    replies = {fact: generator.choice(REPLIES[:5] + REPLIES[6:]) for one in facts if one for fact in one}
    return topics, facts, replies


@pytest.mark.parametrize("gamma", [0, 1, 10, 20])
@pytest.mark.parametrize("seed", range(3))
def test_stored_facts_and_replies_give_the_published_score(seed: int, gamma: int, tmp_path: Path) -> None:
    topics, facts, replies = stored(seed)

    def reply(prompt: str) -> str:
        found = re.search(r"Input: (.*) True or False\?\nOutput:$", prompt)
        return replies[found.group(1)] if found else ""

    scorer = make_scorer(make_data_dir(tmp_path / "data"), reply)
    out = scorer.get_score(topics, ["A text."] * len(topics), gamma, facts)
    decided = [None if one is None else [transcribed_verdict(replies[fact]) for fact in one] for one in facts]
    wanted = transcribed_score(decided, gamma)
    if not gamma:
        assert "init_score" not in out
        del wanted["init_score"]
    for name, value in wanted.items():
        assert out[name] == pytest.approx(value, abs=1e-9)  # type: ignore[literal-required]
    assert [one and [fact["is_supported"] for fact in one] for one in out["decisions"]] == decided
    assert [one and [fact["atom"] for fact in one] for one in out["decisions"]] == facts


def test_generations_are_broken_up_looked_up_and_judged_as_published(tmp_path: Path) -> None:
    scorer = make_scorer(make_data_dir(tmp_path / "data"), reply_of)
    text = "Ada was born in London. She wrote notes.\nShe died in London."
    out = scorer.get_score(["Ada Lovelace", "Charles Babbage"], [text, "He drew."])
    assert out["decisions"] == [
        [
            {"atom": "Ada was born in London.", "is_supported": True},
            {"atom": "She wrote notes.", "is_supported": False},
            {"atom": "She died in London.", "is_supported": True},
        ],
        [{"atom": "He drew.", "is_supported": False}],
    ]
    assert out["score"] == pytest.approx((2 / 3 * math.exp(1 - 10 / 3) + 0) / 2, abs=1e-9)
    assert scorer.report is not None
    assert scorer.report.manifest.estimator == "original protocol: retrieval+ChatGPT"
    assert scorer.report.manifest.retriever == {"kind": "original", "ranker": "bm25", "k": "5"}


def test_the_prompt_has_the_best_passage_last_and_ends_as_published() -> None:
    passages = [Passage("1", "Best!", "Ada"), Passage("2", "Second (best)", "Ada")]
    prompt = verification_prompt("About $topic:", "Ada", " She wrote. ", passages)
    assert prompt == (
        "About Ada:\n\nTitle: Ada\nText: Second (best)\n\nTitle: Ada\nText: Best!\n\n"
        "Input: She wrote. True or False?\nOutput:"
    )
    bare = verification_prompt("About $topic", "$x {y} z", "She wrote.", passages[::-1][:0])
    assert bare == "About $x {y} z.\n\nInput: She wrote. True or False?\nOutput:"


async def test_one_user_message_is_sent() -> None:
    model = ScriptedChatModel(script=["True"])
    await OriginalVerifier(model=model).ainvoke(Claim(AtomicFact("She wrote."), topic="Ada"))
    assert [type(message).__name__ for message in model.prompts[0]] == ["HumanMessage"]


@pytest.mark.parametrize(
    ("said", "probability", "supported", "np_asked"),
    [
        ("True", 0.31, True, True),
        ("True", 0.3, False, True),
        ("True", 0.0, False, True),
        ("False", 0.99, False, False),
    ],
)
async def test_np_can_only_lower_what_the_model_found_true(
    said: str, probability: float, supported: bool, np_asked: bool, tmp_path: Path
) -> None:
    asked: list[str] = []

    def known(key: str) -> str:
        asked.append(key)
        return repr(probability)

    db = DocDB(
        make_original_db(tmp_path / "a.db", {"Ada": ["<s>One.</s>", "<s>Two.</s>", "Three.", "Four."]})
    )
    bm25 = Retrieval(db, retrieval_type="bm25")
    np_check = OriginalNP(check=MaskedLMVerifier(), retrieval=bm25, known=known)
    lm = OriginalVerifier(model=ScriptedChatModel(script=[said]))
    both = EnsembleVerifier(members=(lm, np_check))
    decision = await both.ainvoke(Claim(AtomicFact("Two."), topic="Ada"))
    assert (decision.verdict is Verdict.SUPPORTED) is supported
    # The key of the original's cache: the fact and the three passages that BM25 finds best.
    assert asked == (["Two.#<s>Two.</s>#<s>One.</s>#Three."] if np_asked else [])


def test_passages_of_the_retrieval_cache_are_shown(tmp_path: Path) -> None:
    data = make_data_dir(tmp_path / "data")
    passages = [{"title": "Ada Lovelace", "text": f"<s>Passage {number}</s>"} for number in range(5)]
    cache = {"Ada Lovelace#Ada Lovelace She wrote.": passages}
    (data / "retrieval-enwiki-20230401.json").write_text(json.dumps(cache))
    scorer = make_scorer(data, reply_of, retrieval_type="gtr-t5-large")
    scorer.get_score(["Ada Lovelace"], ["x"], atomic_facts=[["She wrote."]])
    assert scorer.report is not None
    shown = scorer.report.generations[0].facts[0].passages
    assert [passage.text for passage in shown] == [f"Passage {number}" for number in range(5)]


def test_npm_is_refused_where_it_cannot_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from factscore_chain.verify import npm

    def missing(name: str) -> None:
        raise MissingExtraError(f"The NP check by {name}", "hf")

    monkeypatch.setattr(npm, "load_masked_lm", missing)
    scorer = make_scorer(make_data_dir(tmp_path / "data"), reply_of, model_name="retrieval+ChatGPT+npm")
    with pytest.raises(MissingExtraError, match="facebook/npm-single"):
        scorer.get_score(["Ada Lovelace"], ["x"], atomic_facts=[["She wrote."]])


# What the original does otherwise, and this package does on purpose.


def scored(tmp_path: Path, **arguments: Any) -> Any:
    scorer = make_scorer(make_data_dir(tmp_path / "data"), arguments.pop("script", reply_of))
    return scorer.get_score(**arguments)


def test_exception_an_unknown_topic_costs_only_its_item(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="'Nobody'"):
        out = scored(tmp_path, topics=["Nobody", "Ada Lovelace"], generations=["x", "In London."])
    assert out["decisions"] == [None, [{"atom": "In London.", "is_supported": True}]]
    assert out["init_score"] == 1.0


def test_exception_a_topic_that_is_not_exactly_a_title_is_unknown(tmp_path: Path) -> None:
    db = DocDB(make_original_db(tmp_path / "a.db", {"Ada": ["One."]}))
    with pytest.raises(TitleNotFoundError, match="Near titles: 'Ada'"):
        db.check_title("ada")


def test_exception_all_abstained_is_none_and_not_nan(tmp_path: Path) -> None:
    out = scored(tmp_path, topics=["Ada Lovelace"], generations=["x"], atomic_facts=[None])
    assert out == {
        "score": None,
        "respond_ratio": 0.0,
        "decisions": [None],
        "num_facts_per_response": None,
        "init_score": None,
    }


def test_exception_an_empty_list_of_facts_is_no_division_by_zero(tmp_path: Path) -> None:
    topics = ["Ada Lovelace", "Ada Lovelace"]
    out = scored(tmp_path, topics=topics, generations=["x", "y"], atomic_facts=[[], ["In London."]])
    assert out["decisions"][0] is None
    assert (out["init_score"], out["respond_ratio"]) == (1.0, 0.5)


def test_exception_an_empty_bullet_is_left_out(tmp_path: Path) -> None:
    out = scored(
        tmp_path,
        topics=["Ada Lovelace"],
        generations=["Ada lived."],
        script=lambda prompt: "True" if prompt.endswith("Output:") else "- \n- Ada lived.",
    )
    assert [one["atom"] for one in out["decisions"][0]] == ["Ada lived."]


def test_exception_a_call_that_fails_ends_and_is_not_supported(tmp_path: Path) -> None:
    def script(prompt: str) -> str | Exception:
        return (
            TimeoutError("slow")
            if prompt.endswith("Output:") and "notes" in prompt[-60:]
            else reply_of(prompt)
        )

    with pytest.warns(UserWarning, match="1 of 2 facts not verified"):
        out = scored(
            tmp_path, topics="Ada Lovelace", generations="Born in London. She wrote notes.", script=script
        )
    assert [one["is_supported"] for one in out["decisions"][0]] == [True, False]


def test_exception_estimators_without_passages_are_not_in_the_published_package(tmp_path: Path) -> None:
    scorer = make_scorer(make_data_dir(tmp_path / "data"), reply_of, model_name="no-context+ChatGPT")
    with pytest.raises(UsageError, match="published package has no 'no-context"):
        scorer.get_score(["Ada Lovelace"], ["x"], atomic_facts=[["y"]])


def test_exception_a_hostile_cache_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    data = make_data_dir(tmp_path / "data")
    (data / "ChatGPT.pkl").write_bytes(b"cos\nsystem\n(S'echo'\ntR.")
    scorer = make_scorer(data, reply_of)
    with pytest.raises(CacheFileError, match=r"os\.system"):
        scorer.get_score(["Ada Lovelace"], ["x"], atomic_facts=[["y"]])
