"""What a server checks texts against: its knowledge sources by name, each with the chain that asks it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from factscore_chain.aio import off_this_loop
from factscore_chain.chain import FactScoreChain
from factscore_chain.edit.base import Editor
from factscore_chain.edit.chain import EditChain
from factscore_chain.edit.editors import make_editor
from factscore_chain.errors import UsageError
from factscore_chain.guard.evidence import CallEvidence, with_evidence
from factscore_chain.language_model import Usage
from factscore_chain.retrievers.ensemble import KnowledgeRetriever
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.server.problems import UnknownKnowledgeError

_WARM_UP = "Warm water is warm."
_NO_EVIDENCE = CallEvidence()


@dataclass(frozen=True)
class Sources:
    """Chains by the name of the knowledge source that they ask; the first is asked where none is named.

    Raises:
        UsageError: There is no chain.
    """

    chains: Mapping[str, FactScoreChain]
    editor: Editor | None = None

    def __post_init__(self) -> None:
        if not self.chains:
            raise UsageError("A server needs at least one chain to check texts with.")

    @classmethod
    def of(cls, chains: Sequence[FactScoreChain], editor: Editor | str | None = None) -> Sources:
        """Names chains after their knowledge sources.

        Args:
            chains: Chains; one without a knowledge source is called after its estimator.
            editor: Who edits: an editor, "embedded", "llm", or None for "llm" where a model is asked.

        Raises:
            UsageError: Two have one name, or the editor is none.
        """
        named: dict[str, FactScoreChain] = {}
        for chain in chains:
            name = chain.manifest.knowledge.get("name") or chain.estimator
            if name in named:
                raise UsageError(f"Two knowledge sources are called {name!r}. Rename one of the files.")
            named[name] = chain
        models = chains[0].models if chains else ()
        return cls(named, make_editor(editor, None, None, models))

    @property
    def default(self) -> str:
        """Name of the source that is asked where none is named."""
        return next(iter(self.chains))

    def chain(self, name: str | None = None, evidence: CallEvidence = _NO_EVIDENCE) -> FactScoreChain:
        """The chain that asks a source, and judges by further evidence too.

        Raises:
            UnknownKnowledgeError: There is no source of that name.
        """
        found = self.chains.get(self.default if name is None else name)
        if found is None:
            raise UnknownKnowledgeError(
                f"There is no knowledge source {name!r} here. Choose one of: {', '.join(self.chains)}."
            )
        return with_evidence(found, evidence)

    def edit_chain(
        self, name: str | None, policy: str, mend: Sequence[str], evidence: CallEvidence = _NO_EVIDENCE
    ) -> EditChain:
        """The chain that mends what a source does not support.

        Raises:
            UsageError: There is no source, policy or verdict of that name.
        """
        return EditChain(self.chain(name, evidence), editor=self.editor, policy=policy, mend=mend)

    def resolve(self, name: str | None, topic: str | None) -> str | None:
        """The source's own title for a topic; None where there are no titles.

        Raises:
            TitleNotFoundError: No document has that title.
            AmbiguousTitleError: Several may be meant.
        """
        retrieval = self.chain(name).scorer.retrieval
        return None if retrieval is None else retrieval.resolve(topic)

    def knowledge(self, name: str) -> KnowledgeSource | None:
        """The registered source behind a name; None where some other retriever is asked."""
        retrieval = self.chain(name).scorer.retrieval
        found = None if retrieval is None else retrieval.retriever
        return found.source if isinstance(found, KnowledgeRetriever) else None

    @property
    def usages(self) -> tuple[Usage, ...]:
        """What each chat model of the chains has used so far, each counted once."""
        models = {id(model): model for chain in self.chains.values() for model in chain.models}
        return tuple(model.usage for model in models.values())

    async def warm_up(self) -> None:
        """Loads the shipped models, so that the first request does not wait for them; asks no chat model."""
        for chain in self.chains.values():
            if not chain.models:
                await off_this_loop(chain.ascore(_WARM_UP))
