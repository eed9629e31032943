"""Lark: the parser that it builds for a grammar, in bounded time, and what is read of it."""
