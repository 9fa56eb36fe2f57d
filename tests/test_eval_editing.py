"""Texts that people revised: how they are read, edited and compared."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.cli.main import main
from factscore_chain.edit.base import Editor, EditRequest, LocalEditor, Policy, SentenceEdit
from factscore_chain.errors import FatalModelError, UsageError
from factscore_chain.estimators import Estimator
from factscore_chain.evals.editing import evaluate_editing
from factscore_chain.evals.editing_cases import Source
from factscore_chain.evals.editing_records import EditingReport
from factscore_chain.evals.editing_run import compare
from factscore_chain.evals.revisions import Revision, read_revisions
from factscore_chain.values import Verdict
from tests.editing import DoubtfulVerifier, sentence_in
from tests.scripted import ScriptedChatModel
from tests.stages import SentenceDecomposer, WordVerifier

TRUE = "The Danube flows into the Black Sea."
FALSE = "It rises in Spain."
TEXT = f"{TRUE}  {FALSE}"
PLAIN = {"text": TEXT, "revised": TRUE, "passages": [TRUE]}


class Dropper(LocalEditor):
    """Drops each sentence that it is asked to mend; one with "Spain" breaks it where `breaks` is set."""

    breaks: type[Exception] | None = None

    @property
    def editor_name(self) -> str:
        return "dropper"

    @property
    def identity(self) -> dict[str, str]:
        return {"kind": "dropper"}

    def _compute(self, values: Sequence[EditRequest]) -> list[SentenceEdit]:
        if self.breaks is not None:
            raise self.breaks("The model did not answer.")
        return [SentenceEdit("") for _ in values]


def evaluate(*revisions: Revision, editor: Editor | None = None, **more: Any) -> EditingReport:
    decomposer, verifier = SentenceDecomposer(), WordVerifier()
    estimator = Estimator("words", decomposer, verifier)
    editors = {"one": editor or Dropper()}
    return evaluate_editing(revisions, editors, estimator, Source(decomposer), resamples=20, **more).editors[
        "one"
    ]


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_an_editor_that_does_what_people_did_scores_one() -> None:
    found = evaluate(Revision(TEXT, TRUE, (TRUE,)))
    assert (found.err_loc, found.unsupported_removed, found.supported_kept) == (1, 1, 1)
    assert found.sim_al == pytest.approx(1)
    assert (found.n, found.changed, found.labelled, found.complete) == (1, 1, 0, True)


def test_baselines_have_the_same_figures() -> None:
    found = evaluate(Revision(TEXT, TRUE, (TRUE,))).baselines
    assert set(found) == {"copy", "remove_all", "noise"}
    assert (found["copy"].unsupported_removed, found["copy"].supported_kept) == (0, 1)
    assert (found["remove_all"].unsupported_removed, found["remove_all"].supported_kept) == (1, 0)


def test_the_score_is_taken_again_from_the_edited_text() -> None:
    found = evaluate(Revision(TEXT, TRUE, (TRUE,)), Revision(TRUE, TRUE, (TRUE,))).factscore["words"]
    assert (found.before, found.after, found.mendable, found.rose, found.fell) == (0.5, 1.0, 1, 1.0, 0.0)


def test_the_last_claim_of_a_text_is_not_taken_from_it() -> None:
    found = evaluate(Revision(FALSE, "", (TRUE,)))
    assert (found.changed, found.kept, found.proposals.unsupported_removed) == (0, 0, 1)
    assert found.factscore["words"].rose == 0


class Replacer(Dropper):
    """Puts another false sentence in the place of each that it is asked to mend."""

    def _compute(self, values: Sequence[EditRequest]) -> list[SentenceEdit]:
        return [SentenceEdit("It rises in the Black Sea.") for _ in values]


def test_a_proposal_that_does_not_help_is_not_kept_and_measured_apart() -> None:
    found = evaluate(Revision(TEXT, TRUE, (TRUE,)), editor=Replacer())
    assert (found.changed, found.proposed, found.kept) == (0, 2, 0)
    assert (found.unsupported_removed, found.proposals.unsupported_removed) == (0, 1)
    assert found.factscore["words"].rose == found.factscore["words"].fell == 0


def test_scores_are_compared_text_by_text() -> None:
    found = compare([(0.5, 1.0), (1.0, 0.5), (0.0, 0.0), (0.5, None)])
    assert found.rose == found.fell == 0.25
    assert found.before == found.after == 0.5
    assert (found.mendable, found.emptied) == (4, 1)


def test_labels_by_people_are_not_judged_again(tmp_path: Path) -> None:
    facts = [{"text": TRUE, "label": "supported"}, {"text": "The Danube rises in Spain.", "label": "NS"}]
    rows, _ = read_revisions(write(tmp_path / "rows.jsonl", {**PLAIN, "passages": [], "facts": facts}))
    assert rows[0].facts is not None
    assert [one.verifier for one in rows[0].facts] == ["people", "people"]
    found = evaluate(*rows)
    assert (found.labelled, found.unsupported_removed, found.supported_kept) == (1, 1, 1)


def test_an_edit_that_fails_leaves_the_sentence_and_is_counted() -> None:
    found = evaluate(Revision(TEXT, TRUE, (TRUE,)), editor=Dropper(breaks=ValueError))
    assert (found.failed, found.changed, found.complete) == (1, 0, False)
    assert found.unsupported_removed == 0


def test_a_text_of_which_nothing_can_be_decided_is_no_failure() -> None:
    decomposer = SentenceDecomposer()
    estimator = Estimator("doubt", decomposer, DoubtfulVerifier())
    revisions = [Revision(FALSE, "", (TRUE,))]
    found = evaluate_editing(revisions, {"one": Dropper()}, estimator, Source(decomposer), resamples=5)
    assert (found.editors["one"].failed, found.complete) == (0, True)


def test_a_model_that_cannot_be_used_ends_the_run() -> None:
    with pytest.raises(FatalModelError):
        evaluate(Revision(TEXT, TRUE, (TRUE,)), editor=Dropper(breaks=FatalModelError))


def test_a_row_of_subtask_5_brings_its_claims_as_evidence(tmp_path: Path) -> None:
    row = {"claim list": [TRUE, " "], "response": TEXT, "revised_response": TRUE, "factual state": "false"}
    (one,), _ = read_revisions(write(tmp_path / "rows.jsonl", row))
    assert one == Revision(TEXT, TRUE, (TRUE,))


def test_a_row_of_the_benchmark_brings_labels_and_evidence_of_each_claim(tmp_path: Path) -> None:
    sentence = {
        "text": FALSE,
        "claims": ["The Danube rises in Spain.", "Spain is large."],
        "claims_factuality_label": [False, "unknown"],
        "human_evidence": ["It rises in Germany.", "NA"],
        "auto_evidence": [["The Danube's source is in Germany."], []],
        "stance_claim_autoEvid": [["refute"], []],
    }
    row = {"response": TEXT, "revised_response": TRUE, "sentences": {"sentence1": sentence}}
    (one,), _ = read_revisions(write(tmp_path / "rows.jsonl", row))
    assert one.facts is not None
    (fact,) = one.facts
    assert (fact.verdict, fact.reason) == (Verdict.NOT_SUPPORTED, "contradicted")
    assert fact.fact.span is not None
    assert TEXT[slice(*fact.fact.span)] == "rises in Spain"
    assert "source is in Germany" in fact.passages[0].text


def test_bump_goes_from_unfaithful_to_faithful(tmp_path: Path) -> None:
    row = {"article": TRUE, "edited_summary": "It froze .", "reference_summary": "It thawed ."}
    path = tmp_path / "bump.json"
    path.write_text(json.dumps([row]), encoding="utf-8")
    rows, rejected = read_revisions(path)
    assert rows == (Revision("It froze.", "It thawed.", (TRUE,)),)
    assert not rejected


@pytest.mark.parametrize("row", [{}, {"text": " ", "revised": ""}, {"text": "A."}, {"claim list": []}])
def test_a_bad_row_costs_only_itself(tmp_path: Path, row: dict[str, Any]) -> None:
    rows, rejected = read_revisions(write(tmp_path / "rows.jsonl", row, PLAIN))
    assert len(rows) == 1
    assert rejected[0].startswith("rows.jsonl, line 1: ")


def test_a_broken_list_is_no_file_of_revisions(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text("[{", encoding="utf-8")
    with pytest.raises(UsageError, match="holds no labelled row"):
        read_revisions(path)


def test_the_policy_reaches_the_editor_and_the_report() -> None:
    found = evaluate(Revision(TEXT, TRUE, (TRUE,)), policy=Policy.REMOVE, second={"again": WordVerifier()})
    assert found.policy is Policy.REMOVE
    assert found.factscore["again"] == found.factscore["words"] == found.factscore["words from scratch"]


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main(["eval", "editing", *arguments])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


EDITABLE = {
    "text": "Ada Lovelace was born in London in 1816.",
    "revised": "Ada Lovelace was born in London in 1815.",
    "passages": ["Ada Lovelace was born in London in 1815."],
    "facts": [
        {"text": "Ada Lovelace was born in London.", "label": "supported"},
        {"text": "Ada Lovelace was born in 1816.", "label": "not_supported"},
    ],
}


DISPUTED = {
    "text": "Ada Lovelace wrote notes in Rome. Giraffes gallop over the savanna.",
    "revised": "Giraffes gallop over the savanna.",
    "passages": ["Ada Lovelace wrote notes on the Analytical Engine in London."],
    "facts": [
        {"text": "Ada Lovelace wrote notes in Rome.", "label": "not_supported"},
        {"text": "Giraffes gallop over the savanna.", "label": "supported"},
    ],
}
"""The nonparametric check sees it the other way round: the words of the first stand in the passage."""


def test_the_command_prints_figures_and_baselines_as_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(str(write(tmp_path / "rows.jsonl", EDITABLE)), "--json", capsys=capsys)
    report = json.loads(out)
    assert code == 0
    keys = {"err_loc", "err_corr", "sim_al", "unsupported_removed", "supported_kept", "n"}
    assert keys <= report.keys()
    assert set(report["baselines"]) == {"copy", "remove_all", "noise"}
    assert all(keys == figures.keys() for figures in report["baselines"].values())
    assert (report["unsupported_removed"], report["supported_kept"], report["n"]) == (1.0, 1.0, 1)
    assert set(report["factscore"]) == {"embedded", "embedded from scratch", "np"}


def test_the_command_prints_a_table_and_follows_the_policy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "rows.jsonl", EDITABLE, {})
    code, out, err = run(str(path), "--policy", "hedge", capsys=capsys)
    assert code == 3
    assert "rows.jsonl, line 2" in err
    assert "Policy: hedge." in out
    assert "supported facts" in " ".join(out.split())


def test_a_second_estimator_has_a_say_only_if_it_is_given_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "rows.jsonl", DISPUTED)
    found = [json.loads(run(str(path), "--json", *more, capsys=capsys)[1]) for more in ((), ("--veto",))]
    assert [one["veto"] for one in found] == [None, "np"]
    assert [one["factscore"]["np"]["fell"] for one in found] == [1.0, 0.0]


def test_an_editor_that_asks_a_model_needs_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(str(write(tmp_path / "rows.jsonl", EDITABLE)), "--editor", "llm", capsys=capsys)
    assert code == 2
    assert "asks a model" in err


def test_texts_that_were_read_can_be_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"text": f"Oslo has {n} ports.", "revised": "", "facts": []} for n in range(12)]
    path = write(tmp_path / "rows.jsonl", *rows)
    unread = sum(one.is_unread for one in read_revisions(path)[0])
    _, out, _ = run(str(path), "--texts", "unread", "--json", capsys=capsys)
    assert json.loads(out)["n"] == unread
    assert 0 < unread < 12


def _variant_model(question: str) -> str:
    """Knows the right year only where a passage or a label tells it."""
    sentence = sentence_in(question)
    if "<passage-1>" in question:
        return sentence.replace("1816", "1815")
    return "Ada Lovelace was born in London." if "False: " in question else sentence


def test_the_four_variants_stand_side_by_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "langchain.chat_models.init_chat_model",
        lambda name, **options: ScriptedChatModel(script=_variant_model),
    )
    path = write(tmp_path / "rows.jsonl", EDITABLE, EDITABLE)
    model = ("--llm", "openai:test", "--no-cache", "--estimator", "embedded", "--variant", "all")
    code, out, _ = run(str(path), *model, "--limit", "1", "--json", capsys=capsys)
    found = json.loads(out)
    assert (code, found["n"]) == (0, 1)
    assert list(found["editors"]) == ["no-context", "facts", "passages", "facts+passages"]
    corrections = [one["err_corr"] for one in found["editors"].values()]
    removed = [one["unsupported_removed"] for one in found["editors"].values()]
    assert (corrections, removed) == ([0, 0, 1, 1], [0, 1, 1, 1])
    code, out, _ = run(str(path), *model, capsys=capsys)
    assert [name in out for name in found["editors"]] == [True] * 4
    assert "2 texts" in out
