"""Verification: a fact and its passages into a decision."""
