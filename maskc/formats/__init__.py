"""String formats as plug-ins: those that no automaton reads, and a user's own (docs/formats.md).

The standard's regular formats are automata (:mod:`maskc.jsonschema.formats`). A *pattern* of a
user's own is compiled as ``pattern`` of JSON Schema is; it is part of the plan. A *reader* is for
strings that are no regular set: an artifact holds only its name, and no code comes from an artifact
or a schema.

Masks are exact because of one rule alone: ``step`` returns ``None`` if no string of the format
begins so. Without ``characters(state)`` a token that ends inside a character asks about all that it
can become, which may be a million; with ``is_uniform(state)``, whether all characters that are not
ASCII lead to one state, one stands for all of them.

The schema machine walks the characters that the vocabulary spells, once for each distinct pair of a
state and a character. Steps are charged, and results are cached within ``cache_bytes``, so states
must be hashable and equal where they are alike.
"""
