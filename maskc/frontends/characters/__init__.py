"""Grammars over characters: what GBNF and EBNF have in common, and their way to Lark."""
