"""The published protocol of the original package, for those who must reproduce its figures, and its files."""
