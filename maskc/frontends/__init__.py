"""Front ends: text to :class:`maskc.grammar.Grammar`."""
