"""The loop as a LangGraph graph: edit -> decompose -> verify -> keep, until nothing is left to mend."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Checkpointer

from factscore_chain.edit.base import Editor, Policy
from factscore_chain.edit.examine import DecomposeStep, VerifyStep
from factscore_chain.edit.located import locate
from factscore_chain.edit.propose import ProposeStep, wanting
from factscore_chain.edit.settle import KeepStep
from factscore_chain.edit.state import EditState, proposals_of, report_of
from factscore_chain.generation_scorer import GenerationScorer
from factscore_chain.values import Verdict

EditGraph = CompiledStateGraph[EditState, None, EditState, EditState]


def build_loop(
    scorer: GenerationScorer,
    editor: Editor,
    policy: Policy,
    mend: tuple[Verdict, ...],
    max_rounds: int,
    checkpointer: Checkpointer = None,
    *,
    part: bool = False,
    second: GenerationScorer | None = None,
) -> EditGraph:
    """Builds the loop for one text; its input is `start(report)`.

    A round costs the editor's calls for the sentences that have something to mend, and the decomposition and
    verification of those it changed. A text that has nothing to mend goes through without a call.

    Args:
        scorer: Decomposes and verifies what was edited, as it did the whole text.
        editor: Proposes.
        policy: What is to be done about unsupported facts.
        mend: Verdicts of the facts that are to be mended.
        max_rounds: Rounds at most; the best version so far is what is left then.
        checkpointer: Keeps the state after each step, by thread.
        part: Whether the text may lose its last claim, as a part of a longer one.
        second: Scores each version too; edits that lower its score are not kept.
    """

    def wants_more(state: EditState) -> str:
        more = state["round"] < max_rounds and wanting(state, locate(report_of(state)), mend)
        return "edit" if more else END

    graph: StateGraph[EditState, None, EditState, EditState] = StateGraph(EditState)
    steps: dict[str, Any] = {
        "edit": ProposeStep(editor=editor, policy=policy, mend=mend),
        "decompose": DecomposeStep(scorer=scorer),
        "verify": VerifyStep(scorer=scorer),
        "keep": KeepStep(scorer=scorer, part=part, second=second),
    }
    for name, step in steps.items():
        graph.add_node(name, step)
    graph.add_conditional_edges(START, wants_more, ["edit", END])
    graph.add_conditional_edges("edit", _has_work, ["decompose", "keep"])
    graph.add_edge("decompose", "verify")
    graph.add_edge("verify", "keep")
    graph.add_conditional_edges("keep", wants_more, ["edit", END])
    return graph.compile(checkpointer=checkpointer, name="edit_loop")


def _has_work(state: EditState) -> str:
    """A round whose every proposal is settled already needs no verification."""
    return "decompose" if any(one.open for one in proposals_of(state)) else "keep"
