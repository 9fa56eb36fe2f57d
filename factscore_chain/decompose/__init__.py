"""Decomposition: a generation into atomic facts."""
