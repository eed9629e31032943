"""One call from a type to a value: a constraint, a model that writes, and the value that is read.

``models`` has what is wanted, and has it written by transformers, llama-cpp-python or a server;
``writing`` follows it: :func:`maskc.generate` and :func:`maskc.stream`.
"""
