"""maskc inside inference servers: one engine a file.

Importing this package imports no engine. A request carries the *name* of an artifact, never a
grammar: :mod:`maskc.integrations.registry` turns names into artifacts that fit the model.
"""
