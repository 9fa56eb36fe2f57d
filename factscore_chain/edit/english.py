"""Words of English that the embedded editor goes by: what opens a clause, ends none, or tells a time."""

from __future__ import annotations

RELATIVE = frozenset({"who", "which", "whose", "whom", "where", "when", "that"})
_SUBORDINATE_LIST = "after before when while because since although though whereas until unless if once as"
SUBORDINATE = frozenset(_SUBORDINATE_LIST.split())
CONJUNCTIONS = frozenset({"and", "or", "but", "nor", "yet", "so", "while", "whereas"})
BE = frozenset({"is", "are", "was", "were", "be", "been", "being", "am", "'s", "’s"})
OWNERS = frozenset({"his", "her", "its", "their", "my", "our", "your"})
ARTICLES = frozenset({"a", "an", "the", "every", "each"}) | OWNERS

SINGULAR = {"were": "was", "are": "is", "have": "has", "do": "does"}
"""What a plural verb becomes where one thing is left of its subject."""

_WANTING_LIST = """
born known based located considered named called regarded involved interested composed made set used described
referred credited associated affiliated raised titled entitled situated dedicated devoted compared due such
able including like according put
"""
WANTING = frozenset(_WANTING_LIST.split())
"""Words that want something after them."""

_INTRANSITIVE_LIST = """
died dies retired retires resigned graduated performed performs toured competed competes emigrated studied
taught teaches worked works lived lives played plays sang acted acts wrote writes married divorced failed
collapsed ended began started occurred happened took arrived returned fled fought won lost ran recorded
"""
INTRANSITIVE = frozenset(_INTRANSITIVE_LIST.split())
"""Verbs that can stand without anything after them."""

_UNFINISHED_LIST = """
who which that whose where when to of as not also some any several many no other first then rather instead
"""
UNFINISHED = frozenset(_UNFINISHED_LIST.split())
"""Other words that no phrase ends with."""

_MONTH_LIST = "january february march april may june july august september october november december"
MONTHS = {name: month for month in _MONTH_LIST.split() for name in (month, month[:3])}
"""Each month by its name and its abbreviation."""

_NUMBER_LIST = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion
first second third fourth fifth sixth seventh eighth ninth tenth once twice
"""
NUMBER_WORDS = frozenset(_NUMBER_LIST.split())
SCALES = frozenset({"hundred", "thousand", "million", "billion", "%", "percent", "per"})

_PASSING_LIST = """
now currently current today present still recently former formerly since until till ago presently ongoing
latest
"""
PASSING = frozenset(_PASSING_LIST.split())
"""Words that tie a fact to a time without naming it."""

ROUGHLY = frozenset({"about", "around", "approximately", "roughly", "nearly", "almost"})
"""Words that make a number less exact."""

_UNDOING_LIST = """
former ex late fake false alleged supposed suspected reported purported so-called would-be potential possible
attempted failed planned proposed future acting deputy assistant vice honorary unofficial fictional
"""
UNDOING = frozenset(_UNDOING_LIST.split())
"""Adjectives without which a noun says more than with them."""
