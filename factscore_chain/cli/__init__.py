"""The command `factscore`."""
