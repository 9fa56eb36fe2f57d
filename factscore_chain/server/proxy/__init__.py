"""An OpenAI-compatible way to a chat model, on which every answer is checked."""
