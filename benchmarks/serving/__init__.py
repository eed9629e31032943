"""Engines that really run, with what their outputs are judged by.

Judging needs a newer Lark than some engines insist on, so the engine has an environment and a
process of its own, and asks the judge over a socket.
"""
