"""The report as a page for a browser, and as a small piece of HTML for a notebook."""

from factscore_chain.html.compact import render_compact
from factscore_chain.html.edits import Change, EditedText
from factscore_chain.html.labels import Labels
from factscore_chain.html.page import Edits, render_html

__all__ = ["Change", "EditedText", "Edits", "Labels", "render_compact", "render_html"]
