"""Masks by the tokens that are left: with `n` of them, a text that is begun ends whole within `n`.

The smallest form that keeps this promise has four parts.

1. Each kind of machine proposes *words* that may come next in a short text: what ends the open
   lexeme and the terminals of a least derivation (`parsing`), what the open levels of a JSON text
   must still have (`values`), one part of a link after the other (`links`). The machine reads them,
   so the words in a row are one *completion* of the hypotheses (`completions`).
2. Dynamic programming over the token trie writes a completion in its fewest tokens (`cells`), which
   are an upper bound U of what the text needs, the end of sequence included.
3. All tokens are followed through the trie at once, through hypotheses by number
   (`maskc.runtime.successors`), and U is found once for each that they lead to (`endings`).
4. With `n` tokens left the mask is the plain one if U is at most `n - 1` after all legal tokens,
   else it has those after which it is. Short tokens are followed first, and what takes too long is
   left out, but never the first token of the known completion, which the matcher remembers: so the
   next mask has a token again (`endings`).

Nothing proves that no shorter text exists: a mask may lack tokens, and none of it is one too many.

Example: JSON after ``[[1`` with 2 tokens left allows ``]]``, and not ``]``, which would leave one
more bracket, and no token for the end of sequence.

Sources: shortest derivations as in Knuth 1977; TruncProof (arXiv 2605.13076) bounds the tokens to
the end from above, too.
"""
