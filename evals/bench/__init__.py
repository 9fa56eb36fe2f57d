"""Benchmarks: each prints a table and, with --json, an object."""
