"""The layout of a generation: headings, list items, table rows, code and paragraphs, with their places.

Language models write something near Markdown: bullets of every shape, bold lines for headings, tables without
a frame. A strict Markdown parser gives no character positions and reads some of that as something else (an
indented line as code, a line above dashes as a title), so the lines are read here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from factscore_chain.values import SentenceKind, Span

_QUOTE = re.compile(r"\s*(?:>[ \t]?)+")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})[ \t]*([\w+.{}=#-]*)\s*$")
_PROSE_FENCES = {"markdown", "md", "text", "txt", "plaintext"}
_RULE = re.compile(r"\s*([-*_=])[ \t]*(?:\1[ \t]*){2,}$")
_HEADING = re.compile(r"\s{0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*\s*$")
_BOLD_LINE = re.compile(r"(\*\*|__)(?![*_])(?:(?!\1).)+[^.!?]\1:?$")
_LABEL_LINE = re.compile(r"[^\W\d_][^\d.!?:;,]{0,40}:$")
_ITEM = re.compile(
    r"(\s*)(?:[•◦▪‣●○∙]|(?:[-*+–—·]|\d{1,3}[.)]|\(\d{1,3}\)|[a-z][.)]|[A-Z]\)|\([A-Za-z]\))(?=\s))"
    r"\s*(?:\[[ xX]\]\s+)?"
)
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*$")
_MARKS = re.compile(r"[*_`#]+")
_ENDED = re.compile(r"[.!?:;।。！？…\"”)\]]$")

_BOLD_LEVEL = 7
"""A bold line ranks below the six levels of "#"; bold list items rank below it, by their indent."""
_WRAP_WIDTHS = range(40, 121)


@dataclass(frozen=True)
class Block:
    """A stretch of a generation that holds whole sentences, without the marks of its layout."""

    kind: SentenceKind
    span: Span
    headings: tuple[str, ...] = ()
    """Titles, lead-in lines, parent items and table headers that it stands under, outermost first."""


def split_blocks(text: str) -> list[Block]:
    """Reads the layout of `text`; blocks come in order and never overlap."""
    scanner = _Scanner(text)
    for index in range(len(scanner.lines)):
        scanner.read(index)
    scanner.flush()
    return scanner.blocks


def after_fence(text: str, place: int) -> int:
    """Where the fenced block ends that holds a place, behind its last line; the place if none holds it."""
    scanner = _Scanner(text)
    for index, line in enumerate(scanner.lines):
        if line.end > place and not scanner.is_fenced:
            return place
        scanner.read(index)
        if line.end > place and not scanner.is_fenced:
            return line.end
    return place


def plain(text: str) -> str:
    """Takes the marks of emphasis and a final colon off a title."""
    return _MARKS.sub("", text).strip().removesuffix(":").rstrip()


class _Scanner:
    """Reads a text line by line; what a line means depends on what is open above it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = list(_lines(text))
        self.blocks: list[Block] = []
        self._open: list[Span] = []
        self._open_kind: SentenceKind = "prose"
        self._open_context: tuple[str, ...] = ()
        self._headings: list[tuple[int, str]] = []
        self._items: list[tuple[int, str]] = []
        self._lead_in: str | None = None
        self._fence: str | None = None
        self._fenced_prose = False
        self._table: str | None = None
        self._after_blank = True

    @property
    def is_fenced(self) -> bool:
        """Whether a fence is open that was not closed yet."""
        return self._fence is not None or self._fenced_prose

    def read(self, index: int) -> None:
        line = self.lines[index]
        content = self.text[line.start : line.end]
        if self._fence is not None or _FENCE.match(content):
            return self._read_fence(content, line)
        if quote := _QUOTE.match(content):
            self.flush()
            line = Span(line.start + quote.end(), line.end)
            content = self.text[line.start : line.end]
        if not content.strip():
            self.flush()
            self._table, self._after_blank = None, True
            return None
        self._read_content(index, content, line)
        self._after_blank = False
        return None

    def _read_content(self, index: int, content: str, line: Span) -> None:
        if _RULE.match(content) and not _ITEM.fullmatch(content):
            self._read_rule()
        elif heading := _HEADING.match(content):
            self._start_heading(
                len(heading[1]), Span(line.start + heading.start(2), line.start + heading.end(2))
            )
        elif self._is_row(index, content):
            self._read_row(index, content, line)
        elif item := _ITEM.match(content):
            self._read_item(len(item[1].expandtabs(4)), Span(line.start + item.end(), line.end))
        elif _is_title(content):
            self._start_heading(_BOLD_LEVEL, line)
        else:
            self._read_text(content, line)

    def _read_fence(self, content: str, line: Span) -> None:
        fence = _FENCE.match(content)
        if self._fence is None and fence and self._fenced_prose and not fence[2]:
            # What opens prose has to close it too, or all that follows would pass for code.
            self.flush()
            self._fenced_prose = False
        elif self._fence is None and fence:
            self.flush()
            self._leave_list(content)
            if fence[2].lower() in _PROSE_FENCES:
                self._fenced_prose = True
            else:
                self._fence = fence[1]
        elif fence and self._fence and fence[1].startswith(self._fence) and not fence[2]:
            self.flush()
            self._fence = None
        else:
            self._open_kind, self._open_context = "code", self._context()
            self._open.append(line)

    def _read_rule(self) -> None:
        # A short line above a rule is a title in Markdown; anything longer is a paragraph above a divider.
        title = self._open[0] if len(self._open) == 1 and self._open_kind == "prose" else None
        if title and len(self.text[title.start : title.end].split()) <= 8 and not self._ends(title):
            self._open = []
            self._start_heading(1, title)
        self.flush()

    def _ends(self, line: Span) -> bool:
        return _ENDED.search(self.text[line.start : line.end].rstrip()) is not None

    def _start_heading(self, level: int, span: Span) -> None:
        self.flush()
        self._items, self._lead_in, self._table = [], None, None
        self._title(level, span)

    def _title(self, level: int, span: Span) -> None:
        self._headings = [entry for entry in self._headings if entry[0] < level]
        self._add("heading", span, self._context())
        if title := plain(self.text[span.start : span.end]):
            self._headings.append((level, title))

    def _read_item(self, indent: int, span: Span) -> None:
        self.flush()
        self._table = None
        self._items = [entry for entry in self._items if entry[0] < indent]
        level = _BOLD_LEVEL + 1 + indent
        self._headings = [entry for entry in self._headings if entry[0] < level]
        content = self.text[span.start : span.end].strip()
        if _is_title(content):
            return self._title(level, span)
        self._open_kind, self._open_context = "list_item", self._context()
        self._open = [span] if content else []
        if content:
            self._items.append((indent, plain(content)))
        return None

    def _is_row(self, index: int, content: str) -> bool:
        if "|" not in content:
            return False
        return self._table is not None or content.strip().startswith("|") or self._is_table_rule(index + 1)

    def _is_table_rule(self, index: int) -> bool:
        if index >= len(self.lines):
            return False
        line = self.lines[index]
        return _TABLE_RULE.match(self.text[line.start : line.end]) is not None

    def _read_row(self, index: int, content: str, line: Span) -> None:
        self.flush()
        self._leave_list(content)
        if self._is_table_rule(index):
            return
        body = content.strip().strip("|").strip()
        start = line.start + content.find(body) if body else line.end
        span = Span(start, start + len(body))
        if self._is_table_rule(index + 1):
            self._add("heading", span, self._context())
            self._table = plain(body)
            return
        header = (self._table,) if self._table else ()
        self._add("table_row", span, (*self._context(), *header))
        self._table = self._table or ""

    def _read_text(self, content: str, line: Span) -> None:
        if self._after_blank:
            self._leave_list(content)
        if not self._open:
            in_item = bool(self._items)
            if not in_item:
                self._lead_in = None
            self._open_kind, self._open_context = ("list_item" if in_item else "prose"), self._context()
        self._table = None
        self._open.append(line)

    def _leave_list(self, content: str) -> None:
        if not content[:1].isspace():
            self._items = []

    def _context(self) -> tuple[str, ...]:
        lead_in = (self._lead_in,) if self._lead_in else ()
        return (*(title for _, title in self._headings), *lead_in, *(item for _, item in self._items))

    def flush(self) -> None:
        """Ends the open paragraph, item or code."""
        if not self._open:
            return
        kind, lines, self._open = self._open_kind, self._open, []
        groups = [Span(lines[0].start, lines[-1].end)] if kind == "code" else _unwrap(self.text, lines)
        for span in groups:
            self._add(kind, span, self._open_context)
        last = self.text[groups[-1].start : groups[-1].end].strip()
        if kind == "prose":
            self._lead_in = plain(last) if last.endswith(":") else None

    def _add(self, kind: SentenceKind, span: Span, headings: tuple[str, ...]) -> None:
        trimmed = trim(self.text, span)
        if trimmed.start < trimmed.end:
            self.blocks.append(Block(kind, trimmed, headings))


def trim(text: str, span: Span) -> Span:
    """Takes white space off both ends of a span."""
    content = text[span.start : span.end]
    start = span.start + len(content) - len(content.lstrip())
    return Span(start, max(start, span.start + len(content.rstrip())))


def _lines(text: str) -> Iterator[Span]:
    start = 0
    for line in text.splitlines(keepends=True):
        yield Span(start, start + len(line))
        start += len(line)


def _is_title(content: str) -> bool:
    content = content.strip()
    if len(content.split()) > 12:
        return False
    return _BOLD_LINE.match(content) is not None or _LABEL_LINE.match(content) is not None


def _unwrap(text: str, lines: Sequence[Span]) -> list[Span]:
    """Joins lines that only the width of a page broke; every other line break ends a sentence."""
    contents = [text[line.start : line.end].strip() for line in lines]
    filled = _is_filled(contents)
    groups = [lines[0]]
    for (above, below), line in zip(pairwise(contents), lines[1:], strict=True):
        runs_on = below[:1].islower() and not _ENDED.search(above)
        if filled or runs_on:
            groups[-1] = Span(groups[-1].start, line.end)
        else:
            groups.append(line)
    return groups


def _is_filled(contents: Sequence[str]) -> bool:
    """Whether no line but the last had room for the next line's first word."""
    width = max(map(len, contents))
    if len(contents) < 3 or width not in _WRAP_WIDTHS:
        return False
    return all(len(above) + 1 + len(below.split()[0]) > width for above, below in pairwise(contents))
