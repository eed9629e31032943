"""A JSON Schema into the frozen plan that its machine follows."""
