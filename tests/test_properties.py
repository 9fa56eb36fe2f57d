"""What holds for any text and any JSON, over the whole chain."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import Counter
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factscore_chain.chain import FactScoreChain
from factscore_chain.decompose.embedded import EmbeddedDecomposer
from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.errors import UsageError
from factscore_chain.gate.scoring import score_rows
from factscore_chain.gate.store import RunStore
from factscore_chain.generation_files import parse_rows
from factscore_chain.report import GenerationReport, Report
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.values import Generation, Verdict
from tests.pages import make_source
from tests.stages import SentenceDecomposer, WordVerifier

few = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
many = settings(max_examples=150, deadline=None)

SCRIPTS = st.sampled_from(
    [
        "Ada Lovelace was born in London. ",
        "She wrote notes on the Analytical Engine.\n",
        "她出生于伦敦。",
        "وُلدت في لندن. ",
        "Ee\u0301 e\u0301 \u0628\u064f ",
        "👩‍👩‍👧‍👦🇫🇷 ",
        "\u202eabc\u202c",
        "\ud800",
        "\x00",
        "\u2028",
        "- item\n",
        "| a | b |\n|---|---|\n",
        "## Title\n",
        "REFUSE this. ",
        "I'm sorry. ",
        "x" * 3000,
    ]
)
anything = st.lists(SCRIPTS | st.text(st.characters(), max_size=12), max_size=12).map("".join)
topics = st.sampled_from(["Ada Lovelace", "Charles Babbage", "Nobody", "", None]) | anything
generations = st.lists(st.builds(Generation, anything, topics), max_size=4)
anyjson: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["output", "topic", "facts", "id", "x"]), inner, max_size=5)
    ),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeSource:
    return make_source(tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module")
def chain(source: KnowledgeSource) -> FactScoreChain:
    return FactScoreChain(source, decomposer=SentenceDecomposer(), verifier=WordVerifier())


@pytest.fixture(scope="module")
def embedded(source: KnowledgeSource) -> FactScoreChain:
    return FactScoreChain(source)


def check(one: GenerationReport) -> None:
    """What has to hold for every generation, whatever its text."""
    for fact in one.facts:
        assert fact.text.strip()
        for span in (fact.span, *fact.also):
            assert span is not None
            assert one.text[span.start : span.end].strip()
        assert fact.verdict is not Verdict.SUPPORTED or fact.passages
        assert set(fact.evidence) <= {passage.id for passage in fact.passages}
    verdicts = Counter(fact.verdict for fact in one.facts)
    assert sum(verdicts[verdict] for verdict in Verdict) == len(one.facts)
    for figure in (one.score, one.init_score, one.coverage, one.informative_score):
        assert figure is None or 0 <= figure <= 1
    assert (one.init_score is None) == (one.status != "scored")


def check_report(report: Report) -> None:
    for one in report.generations:
        check(one)
    counts = report.counts
    judged = (counts.supported, counts.not_supported, counts.irrelevant, counts.undecided, counts.failed)
    assert sum(judged) == counts.facts
    assert Report.model_validate_json(report.to_json()).counts == counts
    assert report.to_html()
    assert report.to_markdown()


@few
@given(generations)
def test_any_texts_are_scored_and_their_report_adds_up(
    chain: FactScoreChain, given_texts: list[Generation]
) -> None:
    check_report(chain.score_many(given_texts))


@few
@given(anything, topics)
def test_any_text_goes_through_the_shipped_models(
    embedded: FactScoreChain, text: str, topic: str | None
) -> None:
    check_report(embedded.score_many([Generation(text, topic)]))


@many
@given(anything)
def test_facts_lie_within_the_sentences_they_name(text: str) -> None:
    found = SentenceDecomposer().invoke(Generation(text))
    for fact in found.facts:
        assert fact.span is not None
        assert fact.sentence is not None
        place = found.sentences[fact.sentence].span
        assert place.start <= fact.span.start < fact.span.end <= place.end


@few
@given(anything)
def test_embedded_facts_lie_within_the_sentences_they_name(text: str) -> None:
    found = EmbeddedDecomposer().invoke(Generation(text, "Ada Lovelace"))
    for fact in found.facts:
        assert fact.span is not None
        assert fact.sentence is not None
        place = found.sentences[fact.sentence].span
        assert place.start <= fact.span.start < fact.span.end <= place.end


@many
@given(anything)
def test_sentences_and_what_lies_between_them_give_the_text_back(text: str) -> None:
    ends = [0, *(end for one in split_sentences(text) for end in one.span), len(text)]
    assert ends == sorted(ends)
    assert "".join(text[a:b] for a, b in pairwise(ends)) == text


@few
@given(generations, st.randoms())
def test_the_order_of_generations_does_not_matter(
    chain: FactScoreChain, given_texts: list[Generation], chance: Any
) -> None:
    shuffled = chance.sample(given_texts, len(given_texts))
    first, second = chain.score_many(given_texts), chain.score_many(shuffled)
    figures = [(one.counts, one.respond_ratio, one.coverage) for one in (first, second)]
    assert figures[0] == figures[1]
    assert second.score == (first.score if first.score is None else pytest.approx(first.score, rel=1e-12))


@few
@given(generations)
def test_together_alone_and_later_are_the_same(chain: FactScoreChain, given_texts: list[Generation]) -> None:
    together = chain.score_many(given_texts).generations
    assert tuple(chain.invoke([one]).generations[0] for one in given_texts) == together
    assert asyncio.run(chain.ascore_many(given_texts)).generations == together
    assert tuple(one.generations[0] for one in chain.batch([[each] for each in given_texts])) == together


@few
@given(generations, st.integers(0, 4))
def test_a_run_that_goes_on_gives_what_a_fresh_one_gives(
    chain: FactScoreChain, given_texts: list[Generation], before: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = RunStore(Path(folder) / "runs.db")
        score_rows(chain, given_texts[:before], finished=store, journal=store)
        again = score_rows(chain, given_texts, finished=store, journal=store)
        store.close()
    assert again.generations == chain.score_many(given_texts).generations


def _read(value: Any) -> tuple[Generation, ...]:
    """The generations of one line; none where it was refused in our words."""
    with suppress(UsageError):
        return parse_rows("rows.jsonl", [json.dumps(value)]).generations
    return ()


@many
@given(anyjson)
def test_any_json_is_a_generation_or_refused_in_our_words(value: Any) -> None:
    for one in _read(value):
        assert one.text == value["output"]
        assert one.facts is None or all(fact.strip() for fact in one.facts)


@pytest.mark.parametrize(
    "text", ["x" * 10_000_000, "word " * 2_000_000, "。" * 3_000_000], ids=["run", "words", "marks"]
)
def test_ten_million_characters_are_split_and_put_together(text: str) -> None:
    sentences = split_sentences(text)
    assert all(one.text == text[one.span.start : one.span.end] for one in sentences)
    assert sum(len(one.text.replace(" ", "")) for one in sentences) <= len(text)
