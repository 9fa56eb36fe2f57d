"""Where a fact's evidence may stand: the subject's own page, a page that is named, the whole source."""

from __future__ import annotations

from collections.abc import Iterator

from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.seek.names import bare, mentions, opening_name, titles_in
from factscore_chain.seek.values import Place, Search, Subject
from factscore_chain.values import Claim
from factscore_chain.verify.lexicon import STOPWORDS, stems_of


def subject_of(claim: Claim, source: KnowledgeSource | None) -> Subject | None:
    """Whom a fact is about: its topic, else the name that it opens with; None if it opens with none.

    Args:
        claim: The fact.
        source: The knowledge source; None where a foreign retriever stands in for one.
    """
    if claim.topic is not None:
        return _subject(claim.topic, source)
    opening = opening_name(claim.fact.text)
    if opening is None:
        return None
    title = None if source is None else next(titles_in(opening, source.find), None)
    return _subject(title or opening, source)


def _subject(name: str, source: KnowledgeSource | None) -> Subject:
    if source is None:
        return Subject(bare(name))
    title = source.find(name)
    return Subject(bare(name), title, alone=set(source.namesakes(bare(name))) <= {title})


def next_place(search: Search, source: KnowledgeSource | None) -> Place | None:
    """The surest place that was not looked at yet; None where there is none."""
    if not search.open:
        return None
    tried = {look.title for look in search.looks}
    known = list(places(search, source))
    # The whole source may be asked again, if it is asked otherwise.
    return next((one for one in known if one.title not in tried), known[-1] if known else None)


def places(search: Search, source: KnowledgeSource | None) -> Iterator[Place]:
    """Where to look for a fact's evidence, the surest first.

    Other pages are looked at only where the fact names its subject and nobody else bears that name.
    """
    subject = search.subject
    if subject is None:
        return
    if source is not None and subject.title is not None and _has_more(search, subject.title, source):
        yield Place(subject.title, own=True)
    if not (subject.alone and mentions(search.claim.fact.text, subject.name)):
        return
    if source is not None:
        named = dict.fromkeys(titles_in(_names_beside(search), source.find))
        yield from (Place(title) for title in named if title != subject.title)
    yield Place()


def page_named(name: str, search: Search, source: KnowledgeSource | None) -> Place | None:
    """The page that a writer names, if it exists and may be looked at for this fact."""
    title = None if source is None else source.find(name)
    if title is None or search.subject is None:
        return None
    if title == search.subject.title:
        return Place(title, own=True)
    return Place(title) if Place() in places(search, source) else None


def _has_more(search: Search, title: str, source: KnowledgeSource) -> bool:
    return any(passage.id not in search.seen for passage in source.passages(title))


def _names_beside(search: Search) -> str:
    """The fact, and the first sentence of its best passage that shares a word with it: both name pages."""
    claim = search.claim
    best = [one.text for one in claim.passages if one.id in search.decision.evidence[:1]]
    name = set(stems_of(search.subject.name if search.subject else ""))
    wanted = set(stems_of(claim.fact.text)) - name - STOPWORDS
    sentences = (sentence.text for text in best for sentence in split_sentences(text))
    near = next((text for text in sentences if wanted & set(stems_of(text))), "")
    return f"{claim.fact.text}\n{near}"
