"""Agreement with human labels, decomposition and editing metrics, benchmarks, training recipes."""
