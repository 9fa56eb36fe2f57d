"""Who declines to answer: the published rules as they are, and the default on wording and languages."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscore_chain.abstain import AbstentionDetector, is_abstention
from factscore_chain.errors import UsageError

ABSTAINED = [
    # nothing said
    "",
    "   \n\t",
    "...",
    "…",
    "🤷",
    "---",
    "IDK",
    "idk.",
    "n/a",
    "N/A.",
    "None",
    "(no answer)",
    "I don't know.",
    "I don’t know",
    "I don't know who that is.",
    "**I do not know.**",
    "I'm sorry.",
    "Sorry, I can't help with that.",
    # wording
    "I'm sorry, I have no information about this person.",
    "I’m sorry, but I couldn’t find any information about Ada Brook.",
    "I apologize, but I am unable to provide a biography of Ada Brook.",
    "Unfortunately, I was not able to find any details on her.",
    "As an AI language model, I do not have access to records of private individuals.",
    "I'm not familiar with Ada Brook. Could you tell me more?",
    "I have never heard of Ada Brook.",
    "There is no information available on Ada Brook.",
    "No information was found.",
    "No relevant documents were found.",
    "It is difficult to provide a biography of Ada Brook without more context.",
    "Ada Brook is not a widely known figure, and there is limited information available about her. "
    "It is possible that she is a private individual. Please provide more context.",
    "There are several people named Ada Brook. Could you clarify which one you mean?",
    # sources and citations
    "None of the documents mention him [2].",
    "The provided search results do not contain any information about Ada Brook [1][3].",
    "Ada Brook is not mentioned in the provided context.",
    "The provided documents do not mention Ada Brook. They only describe the Brook family [1].",
    "There is no information about Ada Brook in these results. However, there are painters of that name. "
    "Ada Brooks painted landscapes in Kent [2].",
    # languages
    "Ich konnte dazu leider nichts finden.",
    "Ich weiß es nicht.",
    "Es tut mir leid, aber mir liegen keine Informationen zu dieser Person vor.",
    "In den Dokumenten wird er nicht erwähnt.",
    "Je ne sais pas.",
    "Je suis désolé, mais je n’ai aucune information sur cette personne.",
    "Il n'y a pas d'informations sur cette personne.",
    "No lo sé.",
    "Lo siento, pero no tengo información sobre esa persona.",
    "No encontré datos sobre ella.",
    "Mi dispiace, ma non ho informazioni su questa persona.",
    "Non lo so.",
    "Desculpe, não encontrei informações sobre essa pessoa.",
    "Não sei.",
    "Sorry, ik kan geen informatie over deze persoon vinden.",
    "Ik weet het niet.",
    "抱歉，我没有找到关于这个人的信息。",
    "我不知道。",
    "申し訳ありませんが、その人物に関する情報は見つかりませんでした。",
    "わかりません。",
    "죄송하지만 그 사람에 대한 정보를 찾을 수 없습니다.",
    "모르겠습니다.",
]

ANSWERED = [
    "I'm sorry to say he died in 1973 in Bournemouth.",
    "I cannot praise her work enough; she won in 1999.",
    "I cannot help but admire Ada Brook, who swam the lake in 1921.",
    "Ada Brook was born in Leeds in 1901. She painted harbours. Please provide more detail if needed.",
    "He asked the council to provide more funding for the schools of Leeds.",
    "Ada Brook painted harbours. There is no information about her early life.",
    "Little is known about her early life, but she moved to Leeds in 1920.",
    "I don't have much information about Ada Brook, but she was a painter from Leeds.",
    "I could not find many details about Ada Brook. However, she was born in Leeds in 1901.",
    "I could not find a full biography of Ada Brook. Ada Brook was an English painter.",
    "There is no information about when Homer was born. The Odyssey is ascribed to him.",
    "As of my last update, I do not have access to live data, but Ada Brook is the mayor of Leeds.",
    "She wrote the song Sorry, I Don't Know in 1982.",
    "He was acquitted since there was no evidence against him.",
    "None of the Above is an album by Peter Hammill.",
    "No Time to Die is a film of 2021.",
    "Unknown Pleasures is the first album of Joy Division.",
    "Paris",
    "1973",
    "Yes.",
    "Er wurde 1901 in Leeds geboren und ist kein Maler.",
    "Über seine Kindheit ist nichts bekannt. Er wurde 1901 Bürgermeister von Leeds.",
    "Elle ne fut pas élue en 1901, mais gagna en 1905.",
    "No ganó el premio en 1901, pero sí en 1905.",
    "Non vinse il premio nel 1901.",
    "Não venceu o prêmio em 1901.",
    "Hij won de prijs niet in 1901.",
    "他于1892年出生。他不是作家。",
    "彼は1892年に生まれた。作家ではない。",
    "그는 1892년에 태어났다.",
]


@pytest.mark.parametrize("text", ABSTAINED)
def test_default_finds_abstentions(text: str) -> None:
    assert is_abstention(text)


@pytest.mark.parametrize("text", ANSWERED)
def test_default_raises_no_false_alarm(text: str) -> None:
    assert not is_abstention(text)


@pytest.mark.parametrize(
    ("text", "abstained"),
    [
        ("I'm sorry, but no.", True),
        ("I’m sorry, but no.", False),
        ("So I'm sorry.", False),
        ("They asked to provide more funding.", True),
        ("I do not know.", False),
        ("", True),
    ],
)
def test_generic_is_as_published(text: str, abstained: bool) -> None:
    assert is_abstention(text, "generic") is abstained


@pytest.mark.parametrize(
    ("text", "abstained"),
    [
        ("I COULD NOT FIND any information on her.", True),
        ("Well: there is no[1] information on her.\n\nShe painted.", True),
        ("Well: there is no\n\n[1] information.", False),
        ("She painted.\n\nThere is no information on her life.", False),
        ("[1]\n\nThere is a town.", False),
        ("[1]", True),
        ("I'm sorry, but no.", False),
        ("Not sources found", True),
    ],
)
def test_perplexity_ai_is_as_published(text: str, abstained: bool) -> None:
    assert is_abstention(text, "perplexity_ai") is abstained


@pytest.mark.parametrize("kind", ["", "Default", "npm"])
def test_unknown_kind_is_refused(kind: str) -> None:
    with pytest.raises(UsageError, match="Choose one of: default, generic"):
        is_abstention("Anything.", kind)
    with pytest.raises(ValueError, match="abstention detector"):
        AbstentionDetector(kind=kind)


def test_none_finds_only_empty_text() -> None:
    assert not is_abstention("I don't know.", "none")
    assert is_abstention(" ", "none")


@given(st.text(max_size=200), st.sampled_from(["default", "generic", "perplexity_ai", "none"]))
def test_any_text_gets_an_answer(text: str, kind: str) -> None:
    assert is_abstention(text, kind) in (True, False)


async def test_detector_is_a_stage() -> None:
    detector = AbstentionDetector()
    assert detector.batch(["IDK", "Ada Brook was a painter."]) == [True, False]
    assert await detector.ainvoke("IDK") is True


def _data() -> Path:
    folder = os.environ.get("FACTSCORE_DATA")
    if not folder:
        pytest.skip("FACTSCORE_DATA names no folder with the FActScore release")
    return Path(folder)


def _rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(("system", "misses"), [("InstructGPT", 0), ("ChatGPT", 0), ("PerplexityAI", 1)])
def test_default_agrees_with_people(system: str, misses: int) -> None:
    # The one "miss" is an answer with two statements that its annotators left without facts.
    rows = _rows(_data() / "factscore" / "labeled" / f"{system}.jsonl")
    said = [(is_abstention(str(row["output"])), row["annotations"] is None) for row in rows]
    assert said.count((True, False)) == 0
    assert said.count((False, True)) <= misses


def test_encyclopedia_articles_are_never_abstentions() -> None:
    path = _data() / "vital_articles" / "summaries_en-us.json.gz"
    articles = json.loads(gzip.decompress(path.read_bytes()))
    texts = [article["extract"] for article in articles.values() if article["extract"].strip()]
    assert [text for text in texts[::5] if is_abstention(text)] == []
