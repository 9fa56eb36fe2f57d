"""Single files of prose: Markdown, HTML, plain text, PDF; and folders of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factscore_chain.errors import FactScoreError, MissingExtraError
from factscore_chain.retrievers.formats.document import Document, Found, LeftOut, lines_of, paragraphs

if TYPE_CHECKING:
    from markdown_it.token import Token

LARGEST_FILE = 256 * 1024 * 1024
"""Bytes; a larger file of prose is left out, since its parser holds all of it."""

_NO_PROSE = ("script", "style", "noscript", "template", "nav", "aside", "svg", "iframe", "head")
_BLOCKS = (
    *("address", "article", "blockquote", "br", "caption", "dd", "details", "div", "dl", "dt", "fieldset"),
    *("figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main"),
    *("ol", "p", "pre", "section", "summary", "table", "tbody", "thead", "tr", "ul"),
)
_BREAK = "\u2029"
"""Marks where a browser would begin a new line; line breaks of the markup itself are mere blanks."""
_CELLS = ("td", "th")

Content = tuple[str | None, tuple[str, ...]]
"""A title, if the file has one, and paragraphs."""


def read_file(path: Path) -> Iterator[Found]:
    """Reads one file of prose; its title is the file's own, else the file's name."""
    yield from _read(path, path.name)


def read_folder(folder: Path) -> Iterator[Found]:
    """Reads every file of prose under a folder, in the order of their paths; hidden ones are passed over.

    A path relative to the folder is another name of its document. Where two documents have one title, the
    path is added to that of the later.
    """
    taken: set[str] = set()
    for path in _files(folder):
        name = path.relative_to(folder).as_posix()
        for found in _read(path, name):
            if isinstance(found, Document) and found.title in taken:
                found = Document(f"{found.title} ({name})", found.texts, found.redirects)
            if isinstance(found, Document):
                taken.add(found.title)
            yield found


def is_prose(path: Path) -> bool:
    """Whether the name says that this is a file of prose."""
    return path.suffix.lower() in _READERS


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(place, name)
            if not name.startswith(".") and is_prose(path):
                yield path


def _read(path: Path, name: str) -> Iterator[Found]:
    try:
        if path.stat().st_size > LARGEST_FILE:
            yield LeftOut(f"{name} is larger than {LARGEST_FILE:,} bytes; split it")
            return
        title, texts = _READERS[path.suffix.lower()](path)
    except FactScoreError:
        raise
    except UnicodeDecodeError as error:
        yield LeftOut(f"{name} is not UTF-8 ({error.reason} at byte {error.start})")
    except OSError as error:
        yield LeftOut(f"{name} cannot be read: {error.strerror or error}")
    except Exception as error:  # noqa: BLE001  parsers of broken files raise whatever comes
        yield LeftOut(f"{name} cannot be read: {type(error).__name__}: {error}")
    else:
        if texts:
            yield Document(title or path.stem, texts, (name,))
        else:
            yield LeftOut(f"{name} has no text")


def _plain(path: Path) -> Content:
    return None, paragraphs(path.read_text(encoding="utf-8-sig"))


def _markdown(path: Path) -> Content:
    try:
        from markdown_it import MarkdownIt
    except ImportError as error:
        raise MissingExtraError("Reading Markdown", "documents") from error
    tokens = (
        MarkdownIt("commonmark")
        .enable("table")
        .parse(_without_front_matter(path.read_text(encoding="utf-8-sig")))
    )
    headings = (
        _words(inner)
        for token, inner in pairwise(tokens)
        if token.type == "heading_open" and token.tag == "h1"
    )
    return next(headings, None), lines_of(_markdown_blocks(tokens))


def _markdown_blocks(tokens: list[Token]) -> Iterator[str]:
    row: list[str] | None = None
    for token in tokens:
        if token.type == "tr_open":
            row = []
        elif token.type == "tr_close":
            yield ", ".join(filter(None, row or ()))
            row = None
        elif token.type == "inline" and row is not None:
            row.append(_words(token))
        elif token.type == "inline":
            yield _words(token)
        elif token.type in ("fence", "code_block"):
            yield token.content
        elif token.type == "html_block":
            yield from _html_lines(token.content)[1]


def _words(token: Token) -> str:
    """The text of a piece of Markdown as a reader sees it, with what pictures show in words."""
    parts = []
    for child in token.children or ():
        if child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type == "image":
            parts.append(_words(child))
        elif child.type != "html_inline":
            parts.append(child.content)
    return "".join(parts)


def _without_front_matter(text: str) -> str:
    """The text without a block of settings between lines of dashes, with which many tools' files begin."""
    if not text.startswith("---\n"):
        return text
    end = text.find("\n---\n", 3)
    return text if end == -1 else text[end + 5 :]


def _html(path: Path) -> Content:
    return _html_lines(path.read_bytes())


def _html_lines(markup: str | bytes) -> Content:
    soup = _soup()(markup, "html.parser")
    title = _one_line(soup.title) or _one_line(soup.find("h1"))
    for tag in soup.find_all(_NO_PROSE):
        tag.decompose()
    for tag in soup.find_all(_CELLS):
        tag.append(" ")
    for tag in soup.find_all(_BLOCKS):
        tag.insert_before(_BREAK)
        tag.insert_after(_BREAK)
    body = soup.find("main") or soup.find("article") or soup
    return title, lines_of(body.get_text().split(_BREAK))


def _one_line(tag: Any) -> str | None:
    return None if tag is None else " ".join(tag.get_text().split()) or None


def _soup() -> Callable[..., Any]:
    try:
        from bs4 import BeautifulSoup
    except ImportError as error:
        raise MissingExtraError("Reading HTML", "documents") from error
    return BeautifulSoup


def _pdf(path: Path) -> Content:
    try:
        from pypdf import PdfReader
    except ImportError as error:
        raise MissingExtraError("Reading PDF", "documents") from error
    with PdfReader(path) as reader:
        pages = [page.extract_text() for page in reader.pages]
    # What a PDF gives as its title is seldom one: mostly the name of some template.
    return None, paragraphs("\n\n".join(pages))


_READERS: dict[str, Callable[[Path], Content]] = {
    ".txt": _plain,
    ".text": _plain,
    ".md": _markdown,
    ".markdown": _markdown,
    ".html": _html,
    ".htm": _html,
    ".xhtml": _html,
    ".pdf": _pdf,
}
