"""The machine of an LALR grammar: one refined parser stack, read as deep as a token needs."""
