"""Documents by title and their passages, called as in the original."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from factscore_chain.errors import KnowledgeSourceError, MissingExtraError, TitleNotFoundError, UsageError
from factscore_chain.original import passages as module
from factscore_chain.retrieval import DocDB, Retrieval
from tests.pages import PAGES, write_rows
from tests.published import make_original_db

TEXTS = [
    "<s>Ann Lee was a painter from York.</s><s>She liked the sea.</s>",
    "<s>Her first show was in Leeds in 1990.</s>",
    "<s>Leeds gave her a prize in 1995.</s>",
    "<s>She died in York.</s>",
]


@pytest.fixture
def db(tmp_path: Path) -> DocDB:
    return DocDB(make_original_db(tmp_path / "small.db", {"Ann Lee": TEXTS, "Bob": ["<s>Bob ran.</s>"]}))


def test_a_database_of_the_original_keeps_its_markers(db: DocDB) -> None:
    with db:
        assert db.get_text_from_title("Ann Lee") == [{"title": "Ann Lee", "text": text} for text in TEXTS]
        assert db.path() == db.db_path


def test_a_title_must_be_exact(db: DocDB) -> None:
    with db, pytest.raises(TitleNotFoundError, match="No document is titled 'ann lee'") as caught:
        db.get_text_from_title("ann lee")
    assert caught.value.near == ("Ann Lee",)


def test_a_database_is_built_from_jsonl_and_used_at_once(tmp_path: Path) -> None:
    data = write_rows(tmp_path / "pages.jsonl", PAGES)
    with DocDB(tmp_path / "new" / "pages.db", data) as db:
        assert "Analytical Engine" in db.get_text_from_title("Ada Lovelace")[0]["text"]
    with DocDB(tmp_path / "new" / "pages.db") as db:
        assert db.get_text_from_title("Charles Babbage")


def test_an_empty_database_that_an_interrupted_build_left_is_built_again(tmp_path: Path) -> None:
    data = write_rows(tmp_path / "pages.jsonl", PAGES)
    for name, make in (("table.db", lambda path: make_original_db(path, {})), ("bytes.db", Path.touch)):
        make(path := tmp_path / name)
        with pytest.raises(KnowledgeSourceError):
            DocDB(path)
        with DocDB(path, data) as db:
            assert db.get_text_from_title("Ada Lovelace")


def test_what_is_missing_is_named_and_nothing_is_left_behind(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeSourceError, match="neither the database"):
        DocDB(tmp_path / "none.db", tmp_path / "none.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_a_web_page_in_place_of_a_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "page.db").write_text("<html>Google Drive - Virus scan warning</html>")
    with pytest.raises(KnowledgeSourceError, match="a web page"):
        DocDB(tmp_path / "page.db")


def test_bm25_ranks_as_the_library_does(db: DocDB) -> None:
    plain = [text.replace("<s>", "").replace("</s>", "") for text in TEXTS]
    bm25 = BM25Okapi([text.split() for text in plain])
    scores = bm25.get_scores(["Ann", "Lee", "She", "won", "in", "Leeds"])
    wanted = [TEXTS[index] for index in np.argsort(-scores, kind="stable")[:3]]
    found = Retrieval(db, retrieval_type="bm25").get_passages("Ann Lee", " She won in Leeds ", 3)
    assert [passage["text"] for passage in found] == wanted


@pytest.mark.parametrize(("k", "number"), [(0, 0), (2, 2), (4, 4), (9, 4)])
def test_as_many_passages_come_as_wanted_or_all(db: DocDB, k: int, number: int) -> None:
    assert len(Retrieval(db, retrieval_type="bm25").get_passages("Ann Lee", "York", k)) == number


def test_the_cache_is_the_originals_and_knows_k(db: DocDB, tmp_path: Path) -> None:
    path = tmp_path / "retrieval-small.json"
    stored = [{"title": "Ann Lee", "text": TEXTS[3]}]
    path.write_text(json.dumps({"Ann Lee#Ann Lee York": stored}))
    retrieval = Retrieval(db, path, retrieval_type="bm25")
    assert retrieval.get_passages("Ann Lee", "York", 1) == stored
    # One passage is kept, and two are wanted: the original fails here.
    assert len(retrieval.get_passages("Ann Lee", "York", 2)) == 2
    retrieval.get_passages("Bob", "He ran.", 5)
    retrieval.save_cache()
    written = json.loads(path.read_text())
    assert written["Bob#Bob He ran."] == [{"title": "Bob", "text": "<s>Bob ran.</s>"}]
    assert len(written["Ann Lee#Ann Lee York"]) == 2


def test_two_writers_of_one_cache_lose_nothing(db: DocDB, tmp_path: Path) -> None:
    path = tmp_path / "cache.json"
    one, two = (Retrieval(db, path, retrieval_type="bm25") for _ in range(2))
    one.get_passages("Bob", "He ran.", 1)
    two.get_passages("Bob", "He sat.", 1)
    one.save_cache()
    two.save_cache()
    assert len(json.loads(path.read_text())) == 2


def test_a_damaged_cache_is_named(db: DocDB, tmp_path: Path) -> None:
    (tmp_path / "cache.json").write_text("{")
    with pytest.raises(KnowledgeSourceError, match=r"cache\.json' cannot be read"):
        Retrieval(db, tmp_path / "cache.json")


@pytest.mark.parametrize(
    ("arguments", "k"), [({"retrieval_type": "dpr"}, 1), ({"retrieval_type": "bm25"}, -1)]
)
def test_wrong_use_of_retrieval(db: DocDB, arguments: dict[str, str], k: int) -> None:
    with pytest.raises(UsageError):
        Retrieval(db, **arguments).get_passages("Bob", "He ran.", k)  # type: ignore[arg-type]


class Letters:
    """An encoder that counts letters: the real arithmetic around it is what is tested."""

    def encode(self, texts: list[str], **options: object) -> np.ndarray:
        return np.array([[text.lower().count(letter) for letter in "aeioulrst"] for text in texts], float)


def test_gtr_ranks_by_inner_product_over_title_and_text(db: DocDB, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "load_sentence_transformer", lambda name: Letters())
    retrieval = Retrieval(db, retrieval_type="gtr-t5-large")
    plain = ["Ann Lee " + text.replace("<s>", "").replace("</s>", "") for text in TEXTS]
    scores = Letters().encode(plain) @ Letters().encode(["Ann Lee A prize in Leeds"])[0]
    wanted = [TEXTS[index] for index in np.argsort(-scores, kind="stable")[:2]]
    assert [one["text"] for one in retrieval.get_passages("Ann Lee", "A prize in Leeds", 2)] == wanted


def test_vectors_of_an_old_cache_are_used(db: DocDB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "load_sentence_transformer", lambda name: Letters())
    vectors = np.eye(4, 9, dtype=np.float32) * [[0], [0], [0], [5]]
    (tmp_path / "vectors.pkl").write_bytes(pickle.dumps({"Ann Lee": vectors}))
    retrieval = Retrieval(db, None, tmp_path / "vectors.pkl")
    # The last passage alone has weight, on the letter "o".
    assert retrieval.get_passages("Ann Lee", "oooo", 1)[0]["text"] == TEXTS[3]


def test_without_gtr_bm25_stands_in_with_a_warning_or_nothing_does(
    db: DocDB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise MissingExtraError(f"Ranking by {name}", "hf")

    monkeypatch.setattr(module, "load_sentence_transformer", missing)
    with pytest.raises(MissingExtraError):
        Retrieval(db).get_passages("Bob", "He ran.", 1)
    bm25 = Retrieval(db, tmp_path / "bm25.json", retrieval_type="bm25")
    ranked = Retrieval(db, tmp_path / "gtr.json", fallback=bm25)
    with pytest.warns(UserWarning, match="ranked by bm25 instead"):
        assert ranked.get_passages("Bob", "He ran.", 1)
    assert ranked.ranker == "bm25, since gtr-t5-large could not be loaded"
    ranked.save_cache()
    assert (tmp_path / "bm25.json").exists()
    assert not (tmp_path / "gtr.json").exists()
