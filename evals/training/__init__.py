"""How the shipped models were made."""
