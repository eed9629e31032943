"""The machine of a JSON Schema: follows a plan that the compiler froze, byte by byte."""
