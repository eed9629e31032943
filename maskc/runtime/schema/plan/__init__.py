"""What the compiler froze of a JSON Schema, as the machine asks it."""
