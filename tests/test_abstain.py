"""Who declines to answer: the published rules as they are, and the default on wording and languages."""

from __future__ import annotations

import gzip
import json
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
    # more of the same
    "I have no idea.",
    "No clue, sorry.",
    "I can't answer that.",
    "I cannot answer this question based on the provided context.",
    "The context does not provide enough information to answer the question.",
    "Based on the given documents, I cannot find any information about him.",
    "I do not have enough information to answer this question.",
    "I don't have any information on that.",
    "Sorry, but I don't have any info about this.",
    "My apologies, but I have no record of anyone by that name.",
    "I regret that I cannot provide a biography of this person.",
    "I'm afraid I don't know who that is.",
    "I'm afraid I can't help you with that.",
    "Not enough information.",
    "No information available.",
    "Nothing found.",
    "There is no record of such a person.",
    "There's no such person.",
    "Information about him is not available.",
    "I was unable to find information on this topic in my knowledge base.",
    "I must apologize; I lack information about this individual.",
    "I lack sufficient information to write a biography.",
    "My training data does not include information about this person.",
    "I couldn't locate any reliable sources about her.",
    "Who is that? I am not aware of anyone with this name.",
    "It is not possible for me to answer this.",
    "I am sorry, I cannot fulfill this request.",
    "I won't be able to help with that.",
    "I cannot assist with that request.",
    "The documents provided contain no information about the subject [1][2].",
    "The answer is not in the provided documents.",
    "The provided text does not mention the date of the treaty.",
    "I'm unable to verify this.",
    "Ich habe keine Ahnung.",
    "Dazu liegen mir leider keine Informationen vor.",
    "Leider kann ich diese Frage nicht beantworten.",
    "Zu dieser Person konnte ich keine Informationen finden.",
    "Es liegen keine Informationen über diese Person vor.",
    "Über diese Person ist mir nichts bekannt.",
    "Desolé, je ne connais pas cette personne.",
    "Je n'ai trouvé aucune information sur cette personne.",
    "Malheureusement, je ne dispose d'aucune information à ce sujet.",
    "Aucune information disponible.",
    "Lamentablemente, no dispongo de información sobre este tema.",
    "No tengo conocimiento de esa persona.",
    "No conozco a esta persona.",
    "Lo siento, no puedo ayudarte con eso.",
    "Non conosco questa persona.",
    "Purtroppo non ho trovato alcuna informazione.",
    "Mi dispiace, non posso aiutarti.",
    "Não conheço essa pessoa.",
    "Infelizmente, não tenho informações sobre esta pessoa.",
    "Ik heb geen informatie over deze persoon.",
    "Helaas kan ik deze vraag niet beantwoorden.",
    "Er is geen informatie beschikbaar over deze persoon.",
    "对不起，我无法回答这个问题。",
    "很抱歉，我没有关于他的任何信息。",
    "申し訳ございませんが、お答えできません。",
    "その人物についての情報はありません。",
    "죄송합니다. 잘 모르겠습니다.",
    "I’m sorry—I don’t know.",
    "i dont know",
    "I do not know",
    "Извините, я не знаю.",
    "К сожалению, у меня нет информации об этом человеке.",
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
    'He is best known for the song "I Don\'t Know".',
    "I Am Not Your Negro is a 2016 documentary film.",
    "Unfortunately, he died in 1973.",
    "I'm sorry for the confusion. Ada Brook was born in 1901.",
    "I apologize for the mistake; she was born in 1902.",
    "Sorry, Wrong Number is a 1948 film noir.",
    "She could not find work after the war and moved to Leeds.",
    "They could not provide any information to the police.",
    "He is not mentioned in the sources before 1100.",
    "No one knows where he was buried.",
    "It is not known when he was born.",
    "He is known for a private individual mandate.",
    "Please Please Me is the first album by the Beatles.",
    "There are many people in Leeds. It has 800,000 inhabitants.",
    "If you visit Leeds, you will see the town hall, built in 1858.",
    "The results of the election were announced on 3 May 1901.",
    "The documents do not mention Ada, but she was a painter.",
    "Ich bin Ada, und ich wurde 1901 geboren.",
    "Je suis née en 1901 à Lyon.",
    "Er konnte nichts dagegen tun und trat 1901 zurück.",
    "Non è vero che sia nato a Roma; nacque a Milano.",
    "Hij kon geen werk vinden en vertrok naar Leiden.",
    "Ella no tiene hijos.",
    "彼女は情報工学を学んだ。",
    "他没有结婚。",
    "정보 이론의 창시자는 클로드 섀넌이다.",
    "42",
    "No.",
    "False",
    "The Null hypothesis",
    "Ada Brook (1901–1973) was an English painter. I hope this helps! Let me know if you need more.",
    "Sure! Here is a bio of Ada Brook: she was born in 1901.",
    "As an AI language model, I can tell you that Ada Brook was born in 1901.",
    "I do not have personal opinions, but Ada Brook was an English painter born in 1901.",
    "Although there is limited information about her childhood, Ada Brook was born in Leeds.",
    "Ada Brook, who may have been a spy, lived in Leeds.",
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


def _rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(("system", "misses"), [("InstructGPT", 0), ("ChatGPT", 0), ("PerplexityAI", 1)])
def test_default_agrees_with_people(data_dir: Path, system: str, misses: int) -> None:
    # The one "miss" is an answer with two statements that its annotators left without facts.
    rows = _rows(data_dir / "factscore" / "labeled" / f"{system}.jsonl")
    said = [(is_abstention(str(row["output"])), row["annotations"] is None) for row in rows]
    assert said.count((True, False)) == 0
    assert said.count((False, True)) <= misses


def test_encyclopedia_articles_are_never_abstentions(data_dir: Path) -> None:
    path = data_dir / "vital_articles" / "summaries_en-us.json.gz"
    articles = json.loads(gzip.decompress(path.read_bytes()))
    texts = [article["extract"] for article in articles.values() if article["extract"].strip()]
    assert [text for text in texts[::5] if is_abstention(text)] == []
