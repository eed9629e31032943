"""A grammar and a tokenizer into an artifact; :mod:`maskc.compiler.pipeline` is the order."""
