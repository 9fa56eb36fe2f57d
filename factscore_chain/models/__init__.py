"""Model weights that ship with the package, as data."""
