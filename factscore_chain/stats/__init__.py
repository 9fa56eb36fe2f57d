"""Statistics of scores: intervals, and what a difference is worth."""
