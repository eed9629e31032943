"""Tokenizers: from a name or a file to the exact bytes of every token.

The packages of the tokenizers are imported only by :func:`load_encoder` and for downloads.
"""

from __future__ import annotations

from maskc.vocab.encoder import Encoder, load_encoder
from maskc.vocab.loading import load_vocabulary
from maskc.vocab.registry import TokenizerEntry, list_tokenizers
from maskc.vocab.vocabulary import AddedTokens, Vocabulary

__all__ = [
    "AddedTokens",
    "Encoder",
    "TokenizerEntry",
    "Vocabulary",
    "list_tokenizers",
    "load_encoder",
    "load_vocabulary",
]
