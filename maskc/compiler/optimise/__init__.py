"""Rewrites of rows that change no mask; their order is in :mod:`.order`.

What a rewrite may do, so that no mask changes:

- *sequences*: replace the sequence of a row by another, if the two are legal on the same stacks
  after the row's first event; drop the row, if its sequence is legal on none. Sequences are only
  ever added to ``Sequences``, never changed: other rows name them, and verdicts are kept by number;
- *contexts* of an event: keep them, or replace the event together with its sequence by a pair that
  is decided alike. An event holds in the contexts for which the walk went on, so leaving one out
  loses tokens, and adding one lexes what the lexer would not;
- *sources*: join those that have the same rows for every state on top, and name the one that stays
  in ``ends_of``. A lexer state reads its own source and those of its ends;
- *token sets*: only :func:`.rows.merge` unites them, where rows become equal.

Fewer rows are not always a smaller artifact: it holds masks of the unions of token sets that some
state decides alike, and nodes are shared by equal rows. ``maskc inspect --json`` has both numbers
under ``counts``: ``rows``, and ``nodes``, ``answers`` and ``masks``.
"""
