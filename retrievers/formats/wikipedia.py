"""Dumps of Wikipedia, and of every other wiki: the XML of its pages, and CirrusSearch's plain text.

CirrusSearch's text was rendered by the wiki itself, templates and all. From XML the markup is taken off here,
and what templates would have written, such as converted units, is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Any

import orjson

from factscore_chain.errors import KnowledgeSourceError, MissingExtraError
from factscore_chain.retrievers.formats.document import Document, Found, LeftOut, Redirect, lines_of

_ARTICLES = 0
"""The namespace of a wiki's articles."""
_ASIDES = (6, 14)
"""The namespaces of pictures and of categories."""
_HEADING = re.compile(r"^(=+)\s*(.+?)\s*\1\s*$", re.MULTILINE)


def read_cirrus(file: IO[bytes]) -> Iterator[Found]:
    """Reads a CirrusSearch dump: pages as lines of JSON, with a line for the search index before each."""
    for number, line in enumerate(file, 1):
        try:
            page = orjson.loads(line) if line.strip() else {"index": {}}
        except orjson.JSONDecodeError as error:
            yield LeftOut(f"line {number}: not JSON ({error})")
            continue
        if not isinstance(page, dict):
            yield LeftOut(f"line {number}: not a page")
        elif "title" in page and page.get("namespace", _ARTICLES) == _ARTICLES:
            yield _cirrus_page(page, number)


def _cirrus_page(page: dict[str, Any], number: int) -> Found:
    title, text = page["title"], page.get("text")
    if not isinstance(title, str) or not isinstance(text, str) or not text.strip():
        return LeftOut(f"line {number}: the page {str(title)!r} has no text")
    names = [one.get("title") for one in page.get("redirect") or () if isinstance(one, dict)]
    return Document(title, lines_of(text.split("\n")), tuple(name for name in names if isinstance(name, str)))


def read_xml(file: IO[bytes]) -> Iterator[Found]:
    """Reads the articles of an XML dump, as they stand in the last revision of each page in it.

    Raises:
        KnowledgeSourceError: It is no dump of a wiki, or cut short.
        MissingExtraError: A parser is not installed.
    """
    try:
        import mwparserfromhell
        import mwxml
        from mwxml.errors import MalformedXML
    except ImportError as error:
        raise MissingExtraError("Reading a wiki's XML dump", "documents") from error
    try:
        dump = mwxml.Dump.from_file(file)
        asides = _asides(dump.site_info)
        for page in dump:
            if page.namespace != _ARTICLES:
                continue
            if page.redirect:
                yield Redirect(page.title, page.redirect.split("#")[0])
                continue
            text = ""
            for revision in page:
                text = revision.text or ""
            texts = plain_text(text, mwparserfromhell.parse, asides)
            yield Document(page.title, texts) if texts else LeftOut(f"the page {page.title!r} has no text")
    except (MalformedXML, SyntaxError) as error:
        raise KnowledgeSourceError(f"The dump cannot be read any further: {error}.") from error


def plain_text(wikitext: str, parse: Any, asides: frozenset[str]) -> tuple[str, ...]:
    """Paragraphs and headings of an article without markup, notes, tables, pictures and categories.

    Args:
        wikitext: The article.
        parse: mwparserfromhell's own.
        asides: Names, in small letters, of the namespaces whose links are no part of the text.
    """
    code = parse(wikitext)
    for tag in code.ifilter_tags(
        matches=lambda tag: str(tag.tag).lower() in ("ref", "table", "gallery", "math")
    ):
        _remove(code, tag)
    for link in code.ifilter_wikilinks(matches=lambda link: _namespace(str(link.title)) in asides):
        _remove(code, link)
    stripped = _HEADING.sub(r"\2", code.strip_code(normalize=True, collapse=True))
    return tuple(line for line in lines_of(stripped.split("\n")) if line.strip("*#:;- "))


def _asides(site: Any) -> frozenset[str]:
    """What a wiki calls the namespaces of pictures and categories; all know the English names too."""
    own = {one.name for one in site.namespaces or () if one.id in _ASIDES and one.name}
    return frozenset(name.lower() for name in (*own, "File", "Image", "Category"))


def _namespace(title: str) -> str:
    name, colon, _ = title.partition(":")
    return name.strip().lower() if colon else ""


def _remove(code: Any, node: Any) -> None:
    try:
        code.remove(node)
    except ValueError:
        # It went with the node around it.
        return
