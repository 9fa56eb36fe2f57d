"""Content security policies under which nothing runs or loads but what this package wrote."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256


def content_policy(style: str, script: str, *more: str) -> str:
    """The policy of a page with one style and one script inside it; `more` are further directives."""
    directives = (
        "default-src 'none'",
        f"style-src '{_digest(style)}'",
        f"script-src '{_digest(script)}'",
        *more,
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
    )
    return "; ".join(directives)


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
