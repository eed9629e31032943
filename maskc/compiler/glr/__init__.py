"""General grammars: a generalised LR parser over productions that were rewritten for it."""
