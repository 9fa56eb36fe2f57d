"""The knowledge source: ingest, title resolution, BM25, vectors, and their ensemble."""
