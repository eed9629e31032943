"""JSON Schemas as plans of the schema machine.

What is wrong with a schema is a :class:`maskc.errors.SchemaError` with its JSON pointer and
keyword; functions here do not say that one by one.
"""
