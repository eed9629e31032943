"""Where the grammars of this checkout are, or those of the installed package."""

from maskc.cli.grammar import find_grammar

GRAMMARS = find_grammar("json").parent
