"""Evaluators for other tools, one module each; each imports its tool when it is imported itself.

`langsmith`, `deepeval`, `inspect` and `promptfoo` give the score and the verdicts of `judging.FactJudge` in
the form that the tool of that name expects.
"""
