"""Documents as people have them, turned into the rows that a knowledge source is registered from."""
