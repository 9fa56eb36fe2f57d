"""Editors, policies and verdicts by the names that people give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from factscore_chain.edit.base import Editor, LocalEditor, Policy
from factscore_chain.errors import UsageError
from factscore_chain.language_model import LanguageModel, as_language_model
from factscore_chain.values import Verdict

EDITORS = ("embedded", "llm")
"""Names of the editors."""

ROUNDS, LOCAL_ROUNDS = 2, 6
"""Rounds at most: a model is paid for each, an editor that computes here has more to try for nothing."""
_MENDABLE = (Verdict.NOT_SUPPORTED, Verdict.IRRELEVANT, Verdict.UNDECIDED)


def make_editor(
    editor: Editor | str | None, llm: Any, variant: str | None, models: Sequence[LanguageModel] = ()
) -> Editor:
    """Makes an editor by name.

    Args:
        editor: An editor, one of `EDITORS`, or None: "llm" with a model, else "embedded".
        llm: A chat model, a `LanguageModel`, or "provider:name".
        variant: What an editing model is shown; None for the default.
        models: The first of these edits where `llm` is None.

    Raises:
        UsageError: Unknown name, "llm" without a model, or a variant for an editor that has none.
    """
    model = as_language_model(llm) if llm is not None else next(iter(models), None)
    name = editor or ("embedded" if model is None and variant is None else "llm")
    if name == "llm":
        return _llm_editor(model, variant)
    if variant is not None:
        raise UsageError(f"The variant {variant!r} is for editing by a model. Choose the editor 'llm'.")
    if isinstance(name, Editor):
        return name
    if name == "embedded":
        from factscore_chain.edit.embedded import EmbeddedEditor

        return EmbeddedEditor()
    raise UsageError(f"There is no editor {name!r}. Choose one of: {', '.join(EDITORS)}.")


def _llm_editor(model: LanguageModel | None, variant: str | None) -> Editor:
    from factscore_chain.edit.llm import DEFAULT_VARIANT, LLMEditor

    if model is None:
        asked = f"The variant {variant!r}" if variant else "The editor 'llm'"
        raise UsageError(f"{asked} asks a model. Name one as `llm`, such as 'openai:gpt-4o-mini'.")
    return LLMEditor(model=model, variant=variant or DEFAULT_VARIANT)


def rounds_for(editor: Editor) -> int:
    """Rounds at most for an editor, where nobody says how many."""
    return LOCAL_ROUNDS if isinstance(editor, LocalEditor) else ROUNDS


def as_policy(value: Policy | str) -> Policy:
    """Makes a policy of its name.

    Raises:
        UsageError: There is no such policy.
    """
    try:
        return Policy(value)
    except ValueError as error:
        names = ", ".join(policy.value for policy in Policy)
        raise UsageError(f"There is no policy {value!r}. Choose one of: {names}.") from error


def as_verdicts(values: Sequence[Verdict | str]) -> tuple[Verdict, ...]:
    """Makes verdicts of their names, each once.

    Raises:
        UsageError: There is none, or a fact with such a verdict has nothing that could be mended.
    """
    names = [value.value if isinstance(value, Verdict) else value for value in values]
    known = {verdict.value: verdict for verdict in _MENDABLE}
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"Facts that are {unknown[0]!r} cannot be mended. Choose from: {', '.join(known)}.")
    if not names:
        raise UsageError(f"No verdict is to be mended. Choose from: {', '.join(known)}.")
    return tuple(dict.fromkeys(known[name] for name in names))
