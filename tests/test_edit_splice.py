"""Sentences put in place of others: nothing else moves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.edit.splice import Replacement, splice
from factscore_chain.values import Span

ONE, TWO, THREE = "Paris is big.", "Oslo is cold.", "Rome is old."


def _dropped(text: str, *indices: int) -> str:
    sentences = split_sentences(text)
    return splice(text, [Replacement(sentences[index].span, "") for index in indices]).text


def test_text_around_a_replacement_stays_byte_for_byte() -> None:
    text = f"  {ONE}  {TWO}\t\n\n {THREE} \r\n"
    start = text.index(TWO)
    spliced = splice(text, [Replacement(Span(start, start + len(TWO)), "Oslo is hot.")])
    assert spliced.text == text.replace(TWO, "Oslo is hot.")


def test_replacements_and_what_stays_are_found_again() -> None:
    text = f"{ONE} {TWO} {THREE}"
    first, second, third = (sentence.span for sentence in split_sentences(text))
    spliced = splice(text, [Replacement(first, "Paris is very big."), Replacement(second, "")])
    assert spliced.text[slice(*spliced.spans[0])] == "Paris is very big."
    assert spliced.text[slice(*spliced.moved(third))] == THREE


@pytest.mark.parametrize(
    ("text", "indices", "left"),
    [
        (f"{ONE}  {TWO} {THREE}", (1,), f"{ONE}  {THREE}"),
        (f"{ONE} {TWO} {THREE}", (0,), f"{TWO} {THREE}"),
        (f"{ONE} {TWO} {THREE}", (1, 2), ONE),
        (f"{ONE} {TWO} {THREE}", (0, 1, 2), ""),
        (f"{ONE}\n\n{TWO}\n\n{THREE}\n", (1,), f"{ONE}\n\n{THREE}\n"),
        (f"{ONE}\n\n{TWO}\n\n{THREE}\n", (2,), f"{ONE}\n\n{TWO}\n"),
        (f"{ONE}\n\n{TWO}\n\n{THREE}", (2,), f"{ONE}\n\n{TWO}"),
        (f"{ONE}\n{TWO}\n{THREE}", (1,), f"{ONE}\n{THREE}"),
        (f"- {ONE}\n- {TWO}\n- {THREE}", (1,), f"- {ONE}\n- {THREE}"),
        (f"- {ONE}\n- {TWO}\n- {THREE}", (1, 2), f"- {ONE}"),
        (f"1. {ONE}\n2. {TWO} {THREE}", (1,), f"1. {ONE}\n2. {THREE}"),
        (f"Cities:\n\n* {ONE}\n* {TWO}\n\nThe end is near.", (1, 2), "Cities:\n\nThe end is near."),
    ],
)
def test_a_dropped_sentence_leaves_no_gap_and_no_empty_item(
    text: str, indices: tuple[int, ...], left: str
) -> None:
    assert _dropped(text, *indices) == left


@pytest.mark.parametrize(
    ("text", "indices", "left"),
    [
        (f"<ul>\n<li>{ONE}</li>\n<li>{TWO}</li>\n</ul>\n", (1,), f"<ul>\n<li>{ONE}</li>\n</ul>\n"),
        (f"<ul>\n<li>{ONE}</li>\n<li>{TWO}</li>\n</ul>\n{THREE}", (0, 1), THREE),
        (f"<ul>\n<li><b>{ONE}</b></li>\n<li>{TWO}\n</ul>", (0,), f"<ul>\n<li>{TWO}\n</ul>"),
        (f"<ul>\n<li>{ONE}\n<li>{TWO}\n<li>{THREE}\n</ul>", (1,), f"<ul>\n<li>{ONE}\n<li>{THREE}\n</ul>"),
        (f"<li>{ONE}\n{TWO}</li>", (0,), f"<li>\n{TWO}</li>"),
        (f"<li>{ONE} {TWO}</li><li>{THREE}</li>", (1, 2), f"<li>{ONE}</li>"),
        (f"<p>{ONE} {TWO}</p>\n<p>{THREE}</p>", (2,), f"<p>{ONE} {TWO}</p>"),
        (f"<h1>{ONE}</h1>\n<p>{TWO} {THREE}</p>", (0, 1), f"<p>{THREE}</p>"),
        (f"{ONE}<br>\n{TWO}<br>\n{THREE}", (1,), f"{ONE}<br>\n{THREE}"),
        (f"<tr><td>{ONE}</td><td>{TWO}</td></tr>", (1,), f"<tr><td>{ONE}</td><td></td></tr>"),
        (f"- [x] {ONE}\n- [ ] {TWO}\n- [x] {THREE}", (0, 1), f"- [x] {THREE}"),
    ],
)
def test_a_dropped_sentence_takes_the_marks_and_tags_that_held_it_alone(
    text: str, indices: tuple[int, ...], left: str
) -> None:
    assert _dropped(text, *indices) == left


def test_the_end_of_a_block_between_dropped_sentences_stays() -> None:
    text = f"```text\n{ONE}\n```\n\n{TWO}\n\n{THREE}"
    places = [Span(text.index(one), text.index(one) + len(one)) for one in (ONE, TWO)]
    assert splice(text, [Replacement(one, "") for one in places]).text == f"```text\n```\n\n{THREE}"


_BLANKS = st.text(" \n\t-*", min_size=1, max_size=4)


@given(st.lists(_BLANKS, min_size=4, max_size=4), st.sets(st.integers(0, 2)))
def test_whatever_stands_between_sentences_that_stay_are_never_touched(
    blanks: list[str], dropped: set[int]
) -> None:
    sentences = [ONE, TWO, THREE]
    text, places = blanks[0], []
    for sentence, blank in zip(sentences, blanks[1:], strict=True):
        places.append(Span(len(text), len(text) + len(sentence)))
        text += sentence + blank
    spliced = splice(text, [Replacement(places[index], "") for index in sorted(dropped)])
    for index in {0, 1, 2} - dropped:
        assert spliced.text[slice(*spliced.moved(places[index]))] == sentences[index]
    assert all(sentences[index] not in spliced.text for index in dropped)
