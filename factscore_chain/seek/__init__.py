"""Evidence seeking: a second and a third look for facts that found no evidence."""
