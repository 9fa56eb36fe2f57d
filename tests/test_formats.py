"""Documents of other formats than JSONL, from the file to passages that can be found."""

from __future__ import annotations

import bz2
import gzip
import json
from pathlib import Path

import pyarrow as arrow
import pytest
from pyarrow import parquet

from factscore_chain import FactScoreChain
from factscore_chain.cli.main import main
from factscore_chain.errors import KnowledgeSourceError, MissingExtraError
from factscore_chain.retrievers.formats.document import paragraphs
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.opening import open_knowledge
from tests.pages import PAGES, write_rows

MARKDOWN = """---
draft: false
---
# Lake Titicaca

Lake Titicaca lies between *Peru* and
[Bolivia](https://example.org/bolivia "a link").

| Measure | Value |
|---|---|
| Surface | 3,812 m |

<p>The Uros live on <b>floating</b> islands.</p>

- Puno is a town on its shore.
"""
HTML = """<html><head><title>Kyoto &amp; its past</title><style>p {color: red}</style></head><body>
<nav>Home | Search</nav><main><h1>Kyoto</h1><p>Kyoto was the seat of the <a href="#">court</a>
until 1868.</p><ul><li>Nintendo was<br>founded there.</li></ul><table><tr><td>Area</td>
<td>828 km²</td></tr></table>
<script>alert("no prose")</script></main></body></html>"""
XML = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="de">
<siteinfo><sitename>W</sitename><dbname>dewiki</dbname><base>b</base><generator>g</generator><case>first-letter</case>
<namespaces><namespace key="0" case="first-letter"/><namespace key="6" case="first-letter">Datei</namespace>
<namespace key="1" case="first-letter">Diskussion</namespace></namespaces></siteinfo>
<page><title>Lady Ada</title><ns>0</ns><id>1</id><redirect title="Ada Lovelace#Life"/><revision>
<id>1</id><timestamp>2020-01-01T00:00:00Z</timestamp><text>#REDIRECT [[Ada Lovelace]]</text></revision>
</page>
<page><title>Ada Lovelace</title><ns>0</ns><id>2</id>
<revision><id>2</id><timestamp>2020-01-01T00:00:00Z</timestamp><text>An old text.</text></revision>
<revision><id>3</id><timestamp>2021-01-01T00:00:00Z</timestamp><text>'''Ada''' was born \
in [[London|the city]]&lt;ref&gt;A book&lt;/ref&gt; and liked [[Re:Zero]].

[[Datei:Ada.jpg|mini|A portrait]]
== Life ==
* She wrote notes.
{| class="wikitable"
| a || b
|}
[[Category:People]]</text></revision></page>
<page><title>Diskussion:Ada</title><ns>1</ns><id>4</id>
<revision><id>5</id><timestamp>2020-01-01T00:00:00Z</timestamp><text>Talk.</text></revision></page>
</mediawiki>"""


def pdf(text: str) -> bytes:
    """A page with one line of text."""
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        "/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    table = f"xref\n0 5\n0000000000 65535 f \n{table}trailer\n<< /Size 5 /Root 1 0 R >>\n"
    return out + f"{table}startxref\n{len(out)}\n%%EOF\n".encode()


def build(documents: Path, folder: Path) -> KnowledgeSource:
    return KnowledgeSource.build(documents, folder / "source.db", progress=False)


def said(source: KnowledgeSource, title: str) -> list[str]:
    return [line for passage in source.passages(title) for line in passage.text.split("\n")]


def test_markdown_is_read_as_a_reader_sees_it(tmp_path: Path) -> None:
    (tmp_path / "lake.md").write_text(MARKDOWN, encoding="utf-8")
    source = build(tmp_path / "lake.md", tmp_path)
    assert said(source, "Lake Titicaca") == [
        "Lake Titicaca",
        "Lake Titicaca lies between Peru and Bolivia.",
        "Measure, Value",
        "Surface, 3,812 m",
        "The Uros live on floating islands.",
        "Puno is a town on its shore.",
    ]


def test_html_is_read_without_what_is_no_prose(tmp_path: Path) -> None:
    (tmp_path / "kyoto.html").write_text(HTML, encoding="utf-8")
    source = build(tmp_path / "kyoto.html", tmp_path)
    assert said(source, "Kyoto & its past") == [
        "Kyoto",
        "Kyoto was the seat of the court until 1868.",
        "Nintendo was",
        "founded there.",
        "Area 828 km²",
    ]


def test_a_pdf_is_named_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "Mount Kenya.pdf").write_bytes(pdf("Mount Kenya is 5,199 m high."))
    assert said(build(tmp_path / "Mount Kenya.pdf", tmp_path), "Mount Kenya") == [
        "Mount Kenya is 5,199 m high."
    ]


def test_wrapped_lines_are_joined_and_cut_words_made_whole() -> None:
    assert paragraphs("Ada wrote\nthe pro-\ngramme.\r\n\r\nIt was\x0cnever run.\n") == (
        "Ada wrote the programme.",
        "It was",
        "never run.",
    )


def test_a_folder_gives_a_document_for_each_file_and_knows_it_by_its_path_too(tmp_path: Path) -> None:
    folder = tmp_path / "handbook"
    (folder / "b" / ".hidden").mkdir(parents=True)
    (folder / "a.md").write_text("# Leave\n\nLeave is 30 days.", encoding="utf-8")
    (folder / "b" / "a.md").write_text("# Leave\n\nParental leave is 12 months.", encoding="utf-8")
    (folder / "b" / ".hidden" / "x.md").write_text("# Secret", encoding="utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    source = build(folder, tmp_path)
    assert (source.name, list(source.titles)) == ("handbook", ["Leave", "Leave (b/a.md)"])
    assert source.resolve("b/a.md") == "Leave (b/a.md)"


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.txt", b"caf\xe9", "a.txt is not UTF-8"),
        ("a.pdf", b"%PDF-1.4 broken", "a.pdf cannot be read"),
        ("a.html", b"<script>x</script>", "a.html has no text"),
        ("a.txt", b" \n ", "a.txt has no text"),
    ],
)
def test_a_file_that_gives_nothing_is_left_out_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes, why: str
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / name).write_bytes(content)
    (folder / "good.txt").write_text("The Nile is long.", encoding="utf-8")
    assert main(["kb", "build", str(folder), "--out", str(tmp_path / "docs.db")]) == 3
    captured = capsys.readouterr()
    assert "docs: 1 documents, 1 passages" in captured.out
    assert f"factscore: docs, {why}" in captured.err


def test_a_folder_without_prose_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(KnowledgeSourceError, match=r"empty has no document to register\. Give a JSONL file"):
        build(tmp_path / "empty", tmp_path)
    assert [path.name for path in tmp_path.iterdir() if "rows" in path.name] == []


@pytest.mark.parametrize(
    ("name", "pack"), [("w.xml", bytes), ("w.xml.bz2", bz2.compress), ("w.xml.gz", gzip.compress)]
)
def test_a_wiki_s_dump_gives_its_articles_without_markup(tmp_path: Path, name: str, pack: object) -> None:
    assert callable(pack)
    (tmp_path / name).write_bytes(pack(XML.encode()))
    source = build(tmp_path / name, tmp_path)
    assert list(source.titles) == ["Ada Lovelace"]
    assert said(source, "Ada Lovelace") == [
        "Ada was born in the city and liked Re:Zero.",
        "Life",
        "She wrote notes.",
    ]
    assert source.resolve("Lady Ada") == "Ada Lovelace"


def test_a_dump_that_is_cut_short_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "w.xml.bz2").write_bytes(bz2.compress(XML.encode())[:-40])
    with pytest.raises(KnowledgeSourceError, match=r"w\.xml\.bz2"):
        build(tmp_path / "w.xml.bz2", tmp_path)


def test_a_cirrussearch_dump_gives_the_articles_with_their_redirects(tmp_path: Path) -> None:
    page = {"title": "Ada Lovelace", "namespace": 0, "text": "Ada wrote notes."}
    redirect = [{"namespace": 0, "title": "Lady Ada"}]
    rows = [{"index": {"_id": "1"}}, {**page, "redirect": redirect}, {"index": {}}, {**page, "namespace": 1}]
    lines = "".join(json.dumps(row) + "\n" for row in rows) + "{broken\n"
    (tmp_path / "enwiki-cirrussearch-content.json.gz").write_bytes(gzip.compress(lines.encode()))
    source = build(tmp_path / "enwiki-cirrussearch-content.json.gz", tmp_path)
    assert (list(source.titles), source.resolve("Lady Ada")) == (["Ada Lovelace"], "Ada Lovelace")
    assert source.registration is not None
    assert [str(one)[:16] for one in source.registration.problems] == ["line 5: not JSON"]


def test_parquet_files_of_a_folder_are_one_source(tmp_path: Path) -> None:
    folder = tmp_path / "wiki"
    folder.mkdir()
    for number, row in enumerate(PAGES):
        texts = [row["text"]] if isinstance(row["text"], str) else row["text"]
        columns = {
            "id": [number],
            "title": [row["title"]],
            "text": [texts],
            "aliases": [row.get("redirects", [])],
        }
        parquet.write_table(arrow.table(columns), folder / f"{number}.parquet")
    source = build(folder, tmp_path)
    rows = KnowledgeSource.build(write_rows(tmp_path / "rows.jsonl", PAGES), tmp_path / "rows.db")
    assert source.content_hash == rows.content_hash


def test_a_parquet_file_with_other_columns_is_refused(tmp_path: Path) -> None:
    parquet.write_table(arrow.table({"name": ["Ada"], "text": ["Ada wrote."]}), tmp_path / "x.parquet")
    with pytest.raises(KnowledgeSourceError, match="no column 'title'; its columns are name, text"):
        build(tmp_path / "x.parquet", tmp_path)


def test_a_folder_is_parsed_again_only_when_it_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FACTSCORE_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "nile.txt").write_text("The Nile flows north.", encoding="utf-8")
    first = open_knowledge(folder).path
    assert open_knowledge(folder).path == first
    (folder / "nile.txt").write_text("The Nile flows to the north.", encoding="utf-8")
    assert open_knowledge(folder).path != first


def test_a_folder_is_knowledge_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTSCORE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "nile.md").write_text("# Nile\n\nThe Nile flows through Egypt.", encoding="utf-8")
    report = FactScoreChain(tmp_path / "docs").score("The Nile flows through Egypt.", topic="Nile")
    assert (report.init_score, report.facts[0].passages[0].title) == (1.0, "Nile")


def test_a_build_that_was_broken_off_goes_on_with_the_same_documents(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for number in range(3):
        (tmp_path / "docs" / f"{number}.txt").write_text(f"Town {number} has wells.", encoding="utf-8")
    first = build(tmp_path / "docs", tmp_path)
    again = build(tmp_path / "docs", tmp_path)
    assert (first.built, first.content_hash) == (again.built, again.content_hash)


def test_without_its_parser_a_format_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pypdf", None)
    (tmp_path / "a.pdf").write_bytes(pdf("Text."))
    with pytest.raises(MissingExtraError, match=r"factscore-chain\[documents\]"):
        build(tmp_path / "a.pdf", tmp_path)
