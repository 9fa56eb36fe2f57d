"""Prompts as data: one YAML file a prompt, with its version."""
