"""Edited texts put back where they came from: every other character of the file stays."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from factscore_chain.cli.inputs import Given
from factscore_chain.files import write_whole
from factscore_chain.generation_files import BYTE_ORDER_MARK, read_exact

if TYPE_CHECKING:
    from factscore_chain.edit.report import EditedGeneration


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
    row = json.loads(line)
    row["output"] = text
    # A file that is pure ASCII stays so.
    written = json.dumps(row, ensure_ascii=line.isascii())
    return written + line[len(line.rstrip()) :]
