"""What the author of a grammar or a JSON Schema should know before shipping it."""
