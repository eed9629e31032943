"""Masks by the tokens that are left: with `n` of them, a text that is begun ends whole within `n`.

Each machine gives a *completion* of a hypothesis: a short text that finishes it, found by rules of
thumb and read by the machine itself (:mod:`maskc.runtime.budget.completions`). Written in as few
tokens as write it, which dynamic programming over the token trie finds, it is an upper bound U of
what the text needs, the end of sequence included.

A mask with `n` tokens left is

- the plain one, if `n` is enough: U before the token and what one token adds to it at most
  (:mod:`maskc.runtime.budget.slack`), or the greatest U after any legal token;
- else the legal tokens after which U is at most `n - 1`. Tokens are followed through the trie all
  at once, through hypotheses by number, and U is found once for each hypothesis that they lead to
  (:mod:`maskc.runtime.budget.reach`). What takes too long is left out, but never the first token of
  the known completion, which the matcher remembers: so the next mask has a token again.

Nothing proves that no shorter text exists: a mask may lack tokens, and none of it is one too many.

Example: JSON after ``[[1`` with 2 tokens left allows ``]]``, and not ``]``, which would leave one
more bracket for the place of the end of sequence.

Sources: shortest derivations as in Knuth 1977; TruncProof (arXiv 2605.13076) bounds the tokens to
the end from above, too.
"""
