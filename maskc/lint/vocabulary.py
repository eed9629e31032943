"""Which tokens of the vocabulary does no state ever accept?

A token that is in no answer of the decision graph is in no mask: the model can never write it. For
some that is as it should be, since no text of the language holds them; where a whole kind is
missing, a terminal is too narrow.

Example: strict JSON takes the byte 1 nowhere.

The other tokens are in some answer; whether its state occurs together with the answer's lexer state
is not asked.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import Contents
from maskc.compiler.pipeline import compile_contents
from maskc.lint.model import Finding, Place, Severity
from maskc.lint.subject import GrammarSubject, Subject
from maskc.runtime.graph import GraphReader
from maskc.vocab.vocabulary import Vocabulary

CODE = "ML008"
N_EXAMPLES = 8


def find_useless_tokens(subject: GrammarSubject, vocabulary: Vocabulary) -> Iterator[Finding]:
    """Yield one finding if some token is in no mask.

    Raises:
        LimitError: a bound of the compiler was reached.
    """
    if isinstance(subject, Subject) and not subject.table.live[0]:
        return
    contents = compile_contents(subject.source, vocabulary)[0]
    useful = find_useful_tokens(contents)
    useless = [
        token
        for token_id, token in enumerate(vocabulary.tokens)
        if token and not useful[token_id] and token_id not in vocabulary.eos_ids
    ]
    if not useless:
        return
    n_tokens = sum(token is not None for token in vocabulary.tokens)
    shown = sorted(useless, key=lambda token: (len(token), token))[:N_EXAMPLES]
    yield Finding(
        CODE,
        Severity.NOTE,
        Place("vocabulary", vocabulary.name, None),
        f"{len(useless):,} of {n_tokens:,} tokens are legal nowhere",
        " ".join(_quote(token) for token in shown),
        "nothing, if the language has no use for them; else look for the terminal that should "
        "take them",
    )


def find_useful_tokens(contents: Contents) -> NDArray[np.bool_]:
    """Return bool[vocab_size]: does some answer hold the token?"""
    arrays = contents.arrays
    n_tokens = int(contents.header["tokenizer"]["vocab_size"])
    unions = np.unique([*arrays["answer_union"], *arrays["trial_union"]]).tolist()
    useful = GraphReader(arrays).unite(frozenset(unions), -(-n_tokens // 32))
    return np.unpackbits(useful.view(np.uint8), bitorder="little")[:n_tokens].astype(np.bool_)


def _quote(token: bytes) -> str:
    try:
        return repr(token.decode())
    except UnicodeDecodeError:
        return repr(token)
