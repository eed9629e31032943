"""The machine of a JSON Schema: a stack of what is open, moved byte by byte."""
