"""Front ends: text to :class:`maskc.grammar.model.Grammar`."""
