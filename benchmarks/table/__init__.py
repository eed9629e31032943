"""The table of small measurements: each row has a name, a set-up and an operation.

Run it with ``python -m benchmarks.table [NAME …]``.
"""
