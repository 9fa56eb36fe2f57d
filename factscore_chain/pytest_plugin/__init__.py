"""The pytest plugin: tests that fail when what a model wrote is not supported.

`hooks.py` is what pytest loads in every run, so it brings nothing of the pipeline; `checks.py` does the work.
"""
