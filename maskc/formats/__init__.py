"""String formats of a user's own, by name.

A *format* gives a name to a set of strings, for the keyword ``format`` of JSON Schema.
:func:`maskc.register_format` registers one by a pattern. It is compiled as ``pattern`` of JSON
Schema is, matches whole strings, and goes with everything that goes with a pattern: lengths,
negation, keys. The automaton is part of the plan, so an artifact needs no registration where it is
loaded; its header names the formats with their patterns, for ``maskc verify`` and ``explain``.
"""
