"""Sentences with exact places, in encyclopedic prose, in lists and in other scripts."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscore_chain.decompose.language import guess_language
from factscore_chain.decompose.sentences import split_sentences

MARKS_OF_LAYOUT = re.compile(
    r"(?:[`~]{3,}[ \t]*[\w+.{}=#-]*|\b\d{1,3}[.)]|\b[A-Za-z][.)\]]|[\s#>|:*_=`~+•◦▪‣●○∙·–—()\-\[\]])*"
)


def texts(text: str, kind: str | None = None) -> list[str]:
    return [s.text for s in split_sentences(text) if kind in (None, s.kind)]


ONE = [
    "The idea was introduced by Dr. Edgar F. Codd after initial criticisms.",
    "The U.S. Navy built it.",
    "He joined the U.S. Army Air Forces in 1942.",
    "He was born in 1892 and died in 1973",
    "He waited ... and then left.",
    "Symphony No. 5 was first heard in 1808.",
    "He was born c. 1850 in Spain.",
    "Big cities, e.g. Paris and Rome, are crowded.",
    "The seat, i.e. The Hague, is in the west.",
    "Die Kirche St. Martin wurde im 12. Jahrhundert gebaut.",
    "Das Werk von Prof. Dr. Meyer bzw. Herrn Schmidt kostet ca. 5 Mio. Euro.",
    "Mr. and Mrs. Smith met Gen. Robert E. Lee at 5 p.m. on Monday.",
    "Yahoo! was founded in 1994.",
    "The film Who Framed Roger Rabbit? was a hit.",
    "In Vol. 3, pp. 12-14, Fig. 2 shows it.",
    "The **U.S.** is large.",
    "The server is written in Node.Js and runs there.",
    "He ran for President John F. Kennedy's seat.",
]

TWO = [
    "J. R. R. Tolkien wrote The Hobbit. Dr. Edgar F. Codd worked at IBM.",
    "J.R.R. Tolkien wrote The Hobbit. It was published in 1937.",
    "Lester B. Pearson's policy was clear. He won the prize.",
    "Ann lives in the U.S.A. Bob lives in Spain.",
    "He moved to the U.S. In 1990 he left.",
    "Model wears size S. Fits size.",
    "Oranges hold vitamin C. Vitamin D is absent.",
    "Henry VIII. was a king. He married six times.",
    "他于1892年出生。他是一位作家！",
    "最初の大会は1967年に開催されました。勝者はパッカーズでした。",
    "वह एक लेखक थे। उनका जन्म 1892 में हुआ था।",
    "Он родился в 1892 г. в Москве. Он был писателем.",
    "ولد في عام 1892. هل كان كاتبا؟",
    "He waited... Then he left.",
    'She said: "I was there. It was cold." Then she left.',
    '"Where is he?" asked Ann. Nobody knew.',
    "He called it “a masterpiece.” The critics agreed.",
    'He dubbed "The Wizard of Oz." He was also a narrator.',
    "It rose by 3.5 percent in 2.5 years. It then fell.",
    "According to Dr. Silva ($ 200). She was born in 1970.",
    "See https://example.org/a.b?c=d. It explains Node.js well.",
    "He uses an Apple product. iPhone sales grew.",
    "She is an author. bell hooks wrote it in 1981.",
    "Er wurde z. B. am 3. Januar 1892 geboren. Er war u. a. Lehrer.",
    "M. Dupont est né en 1892. Il habite à Paris.",
    "El Sr. García nació en 1892. Vive en EE. UU. desde 1920.",
    "He founded Apple Inc. He left in 1985.",
    "It was published in 1937.[1] It sold well.[2]",
    "It was published in 1937.¹ It sold well.²",
    "Paris is a city.It is in France.",
    "**It is bold.** The rest is not.",
    "(It was cold that day.) Then he came back.",
]


@pytest.mark.parametrize("text", ONE)
def test_a_sentence_stays_whole(text: str) -> None:
    assert texts(text) == [text]


@pytest.mark.parametrize("text", TWO)
def test_two_sentences_are_told_apart_and_nothing_is_lost(text: str) -> None:
    found = texts(text)
    assert len(found) == 2
    assert "".join(found).replace(" ", "") == text.replace(" ", "")


def test_no_initial_is_stranded() -> None:
    assert texts("J. R. R. Tolkien wrote it. Dr. Edgar F. Codd did not.") == [
        "J. R. R. Tolkien wrote it.",
        "Dr. Edgar F. Codd did not.",
    ]


def test_double_blanks_and_line_breaks_stay_between_the_spans() -> None:
    text = "  Dr. Silva was born in 1970.  \r\n\r\n She lives ($ 200).   Yes. "
    first, second, third = split_sentences(text)
    assert (first.span, second.span, third.span) == ((2, 29), (36, 54), (57, 61))


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "---", "- \n- ", "```\n```", "|---|---|"])
def test_layout_without_words_gives_no_sentence(text: str) -> None:
    assert texts(text) == []


LAYOUT = """# Ada Lovelace
## Early life
- **Born**: 10 December 1815
* Parents:
    - Lord Byron
    - Annabella Milbanke
1. Learned mathematics
2) Met Babbage. Liked his engine.
• Loved flying

| Year | Work |
|------|------|
| 1843 | Notes |

```python
born = "1815."
```
> She died in 1852.
"""


def test_layout_is_told_from_content() -> None:
    kinds = {kind: texts(LAYOUT, kind) for kind in ("heading", "list_item", "table_row", "code", "prose")}
    assert kinds == {
        "heading": ["Ada Lovelace", "Early life", "Parents:", "Year | Work"],
        "list_item": [
            "**Born**: 10 December 1815",
            "Lord Byron",
            "Annabella Milbanke",
            "Learned mathematics",
            "Met Babbage.",
            "Liked his engine.",
            "Loved flying",
        ],
        "table_row": ["1843 | Notes"],
        "code": ['born = "1815."'],
        "prose": ["She died in 1852."],
    }


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("Lord Byron", ("Ada Lovelace", "Early life", "Parents")),
        ("Loved flying", ("Ada Lovelace", "Early life")),
        ("1843 | Notes", ("Ada Lovelace", "Early life", "Year | Work")),
    ],
)
def test_content_knows_the_titles_it_stands_under(text: str, headings: tuple[str, ...]) -> None:
    (sentence,) = (s for s in split_sentences(LAYOUT) if s.text == text)
    assert sentence.headings == headings


def test_a_line_that_introduces_a_list_is_context_of_its_items() -> None:
    text = "In 1937 and after, Tolkien published these books:\n\n- The Hobbit\n- The Silmarillion\n\nHe died."
    assert [s.headings for s in split_sentences(text)] == [
        (),
        ("In 1937 and after, Tolkien published these books",),
        ("In 1937 and after, Tolkien published these books",),
        (),
    ]


def test_a_bold_line_is_a_heading_and_a_bold_sentence_is_not() -> None:
    text = "**Career**\nHe taught.\n\n**He died in 1973.**"
    assert [s.kind for s in split_sentences(text)] == ["heading", "prose", "prose"]


def test_a_line_broken_by_the_width_of_the_page_runs_on() -> None:
    text = (
        "The author was appointed to a chair at Oxford and\nwrote his books beside his work as an editor of\n"
        "Middle English poems. He retired."
    )
    assert len(texts(text)) == 2


def test_lines_without_final_marks_stay_apart() -> None:
    assert texts("Name: Ada Lovelace\nBorn: 10 December 1815 in London\nDied: 1852") == [
        "Name: Ada Lovelace",
        "Born: 10 December 1815 in London",
        "Died: 1852",
    ]


def test_a_paragraph_that_starts_with_an_initial_or_a_year_is_no_list() -> None:
    assert texts("A. Smith was a nurse.\n\n1892 was cold.", "prose") == [
        "A. Smith was a nurse.",
        "1892 was cold.",
    ]


def test_an_answer_fenced_as_markdown_is_not_code() -> None:
    assert texts("```markdown\n# Ada\nShe was born in 1815.\n```", "prose") == ["She was born in 1815."]


@pytest.mark.parametrize("language", ["markdown", "md", "text", "txt", "plaintext"])
def test_what_follows_a_fence_around_prose_is_not_code(language: str) -> None:
    text = f"```{language}\nShe was born in 1815.\n```\n\nShe died in 1852."
    assert texts(text, "prose") == ["She was born in 1815.", "She died in 1852."]


def test_code_inside_fenced_prose_ends_neither_the_prose_nor_what_follows() -> None:
    text = "```md\nShe was born in 1815.\n```py\nx = 1\n```\nShe wrote notes.\n```\nShe died in 1852."
    expected = ["She was born in 1815.", "She wrote notes.", "She died in 1852."]
    assert texts(text, "prose") == expected


LAYOUT_PIECES = ["- ", "1. ", "# ", "> ", "**", "```", "\n", "\r\n", "\n\n", "| a | b |\n", "|-|-|\n", ":"]
TEXT_PIECES = ["Dr. ", "U.S. ", "He left. ", "in ", "? ", "。", "[1]", "(", '"', "é", "—", "size S. A", "..."]
ODD_PIECES = ["\ud800", "\x00", "\u2028", "  ", "\u200b", "\U0001f600"]
PIECES = st.sampled_from([*LAYOUT_PIECES, *TEXT_PIECES, *ODD_PIECES])


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.lists(PIECES | st.text(max_size=5), max_size=30).map("".join)))
def test_any_text_is_kept_byte_for_byte(text: str) -> None:
    position = 0
    for index, sentence in enumerate(split_sentences(text)):
        assert sentence.index == index
        assert sentence.text == text[sentence.span.start : sentence.span.end] == sentence.text.strip() != ""
        assert position <= sentence.span.start
        assert MARKS_OF_LAYOUT.fullmatch(text[position : sentence.span.start])
        position = sentence.span.end


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES | st.text(max_size=8), max_size=30).map("".join))
def test_no_word_longer_than_a_list_mark_is_left_out(text: str) -> None:
    inside = "".join(s.text for s in split_sentences(text))
    for word in re.findall(r"[^\W\d_]{4,}", re.sub(r"```.*", "", text, flags=re.DOTALL)):
        assert word in inside


LANGUAGES = {
    "He was born in the city.": "en",
    "Er wurde in der Stadt geboren.": "de",
    "Il est né dans la ville.": "fr",
    "東京で生まれました": "ja",
    "他出生": "zh",
    "Нет": "ru",
    "1892": "en",
}


@pytest.mark.parametrize(("text", "language"), LANGUAGES.items())
def test_language_is_guessed_from_script_and_common_words(text: str, language: str) -> None:
    assert guess_language(text) == language


@pytest.mark.parametrize("name", ["InstructGPT", "ChatGPT", "PerplexityAI"])
def test_sentences_agree_with_those_that_people_annotated(name: str) -> None:
    root = os.environ.get("FACTSCORE_DATA")
    if not root:
        pytest.skip("FACTSCORE_DATA does not name the folder of the labelled data")
    same = total = 0
    for line in (Path(root) / "factscore" / "labeled" / f"{name}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        ours = {re.sub(r"\s*\[\d+\]", "", text) for text in texts(row["output"])}
        annotated = [entry["text"].strip() for entry in row["annotations"] or ()]
        same, total = same + sum(text in ours for text in annotated), total + len(annotated)
    assert same / total > 0.98
