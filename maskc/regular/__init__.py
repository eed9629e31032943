"""Regular expressions: their syntax tree, its parsers, and automata over bytes that follow ``re``.

The parsers of ``re`` (:mod:`~maskc.regular.python`) and of ECMA-262 (:mod:`~maskc.regular.ecma`)
make one :mod:`~maskc.regular.tree`. Nothing here knows a grammar or a token.
"""
