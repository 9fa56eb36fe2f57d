"""Edited texts put back where they came from: every other character of the file stays."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from factscore_chain.cli.inputs import Given
from factscore_chain.files import write_whole
from factscore_chain.generation_files import BYTE_ORDER_MARK, read_exact

if TYPE_CHECKING:
    from factscore_chain.edit.report import EditedGeneration

_BLANKS = " \t\r\n"
_CHARACTER = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL
)
"""A character of a JSON string as it is written: plain, escaped, or as a pair of surrogates."""


def rewritten(given: Given, edited: Sequence[EditedGeneration]) -> str:
    """What was given, with the edited texts in it; rows that did not change stay as they are written.

    Args:
        given: A text, or rows.
        edited: The result for the text, or for each row that could be read, in their order.
    """
    if not given.has_rows:
        return edited[0].text if edited[0].text != edited[0].before else given.content
    lines = given.content.split("\n")
    for one in edited:
        if one.place is not None and one.text != one.before:
            number = one.place.line - 1
            lines[number] = _with_output(lines[number], one.text)
    return "\n".join(lines)


def write_back(given: Given, content: str) -> None:
    """Writes new content into the file that it came from, whole or not at all.

    Raises:
        FactScoreError: It cannot be written.
    """
    if given.path is None or content == given.content:
        return
    path = given.path.resolve()  # a link goes on to be one
    mark = BYTE_ORDER_MARK if read_exact(path).startswith(BYTE_ORDER_MARK) else ""
    mode = path.stat().st_mode
    write_whole(path, mark + content)
    path.chmod(mode)


def _with_output(line: str, text: str) -> str:
    """The row with another output; everything else stays as it is written, to the byte."""
    start, end = _value_of(line, "output")
    return f"{line[:start]}{_respelled(line[start:end], text, ascii_only=line.isascii())}{line[end:]}"


def _value_of(line: str, name: str) -> tuple[int, int]:
    """Where the value of a member of the row stands: of the last one, which is the one that counts."""
    decoder = json.JSONDecoder()
    at, place = line.index("{") + 1, (0, 0)
    while (key_at := _past_blanks(line, at)) < len(line) and line[key_at] == '"':
        key, at = decoder.raw_decode(line, key_at)
        start = _past_blanks(line, line.index(":", at) + 1)
        _, at = decoder.raw_decode(line, start)
        if key == name:
            place = (start, at)
        at = _past_blanks(line, at) + 1  # the comma, or the end
    return place


def _past_blanks(line: str, at: int) -> int:
    while at < len(line) and line[at] in _BLANKS:
        at += 1
    return at


def _respelled(literal: str, text: str, *, ascii_only: bool) -> str:
    """Another text as a JSON string, each character escaped as the old string escapes it."""
    spelled = [(json.loads(f'"{one}"'), one) for one in _CHARACTER.findall(literal[1:-1])]
    known = dict(reversed(spelled))
    kept = 0
    while kept < min(len(spelled), len(text)) and spelled[kept][0] == text[kept]:
        kept += 1
    rest = [
        known[letter] if letter in known else json.dumps(letter, ensure_ascii=ascii_only)[1:-1]
        for letter in text[kept:]
    ]
    return '"' + "".join([*(one for _, one in spelled[:kept]), *rest]) + '"'
