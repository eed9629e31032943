"""The mask store: which tokens complete which terminals, from which lexer state."""
