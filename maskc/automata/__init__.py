"""Byte-level automata with the meaning of ``re``; they know no grammar and no token."""
