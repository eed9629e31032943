"""Where the grammars of this checkout are, or those of the installed package."""

from maskc.frontends.texts import find_grammar

GRAMMARS = find_grammar("json").parent
