"""String formats as plug-ins: those that no automaton reads, and a user's own.

A *format* gives a name to a set of strings, for the keyword ``format`` of JSON Schema. There are
three kinds:

- The standard's regular formats are automata (:mod:`maskc.jsonschema.formats`).
- A *pattern* of a user's own: :func:`maskc.register_format` with ``pattern=``. It is compiled as
  ``pattern`` of JSON Schema is, matches whole strings, and goes with everything that goes with a
  pattern: lengths, negation, keys. The automaton is part of the plan, so an artifact needs no
  registration where it is loaded.
- A *reader*, for strings that are no regular set: ``idn-hostname-exact``, ``idn-email-exact`` and
  ``regex``, and those that a user registers with ``reader=``. An artifact holds only the name:
  where it is loaded, a format of that name must be registered, or the artifact is refused. No code
  comes from an artifact or a schema.

A reader reads decoded characters, from left to right (:class:`~maskc.formats.registry.Reader`):

- ``start()`` returns the state before the first character;
- ``step(state, character)`` returns the state after one more, ``None`` if no string of the format
  begins so: a state is *live*, or it is not returned. Masks are exact because of this rule alone;
- ``may_end(state)`` returns whether the string may end.

A fourth method may be there, for speed: ``characters(state)`` returns ranges outside of which
``step`` returns ``None``. Without it a token that ends inside a character asks about all the
characters that it can become, which may be a million. A fifth, ``is_uniform(state)``, says
whether all characters that are not ASCII lead to one state: then one stands for all of them.

The schema machine knows this interface and nothing else. A mask walks the characters that the
vocabulary spells, once for each distinct pair of a state and a character. Steps are charged, and
results are cached within ``cache_bytes``, so states must be hashable and equal where they are
alike. What a reader may do wrong is an error that names the format
(:mod:`maskc.formats.registry`); the matcher stays as it was.

What stands beside such a format: listed values; ``minLength`` of 1; lengths that all its strings
have, of the two first; and a pattern if few strings fit both. Beside other
patterns and lengths, and for keys, ``regex`` is a smaller language, that of an automaton
(:mod:`maskc.jsonschema.short_patterns`). Everything else is refused when it is compiled.

A *judge* says whether a whole string is of the format, for ``maskc verify``; that of a pattern is
Python's ``re``.
"""
