"""Whether an object of LlamaIndex has a method of its own, or the one that its base class lends it."""

from __future__ import annotations


def is_inherited(value: object, method: str, base: type) -> bool:
    """Whether a method is that of a base class; LlamaIndex wraps methods, so they cannot be compared."""
    return next(kind for kind in type(value).__mro__ if method in vars(kind)) is base
