"""One call from a type to a value: a constraint, a model that writes, and the value that is read.

``wanted`` says what a text is to be, ``models`` has it written by transformers, llama-cpp-python or
a server, and ``writing`` follows it: :func:`maskc.generate` and :func:`maskc.stream`.
"""
