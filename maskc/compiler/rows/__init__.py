"""Token rows: which tokens complete which terminals, from which lexer state."""
