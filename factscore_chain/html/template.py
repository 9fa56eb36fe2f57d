"""Fills the templates; whatever is not marked as safe is escaped."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from factscore_chain.html import charts
from factscore_chain.html.visible import visible
from factscore_chain.render import percent

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **values: Any) -> str:
    """A template of `assets/`, filled."""
    return _environment().get_template(template).render(values)


def filled(source: str, **values: Any) -> str:
    """The same for a template that stands elsewhere."""
    return _environment().from_string(source).render(values)


@cache
def asset(name: str) -> str:
    """The text of a file of `assets/`."""
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    # Imported here: most who hold a report never draw it.
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(asset),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["frame"] = charts
    environment.filters.update(percent=percent, visible=visible, words=lambda name: name.replace("_", " "))
    return environment
