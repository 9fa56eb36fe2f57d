"""Editing: what is not supported is corrected, removed or hedged, and what comes out is verified again."""
