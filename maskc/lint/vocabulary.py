"""Which tokens of the vocabulary does no state ever accept?

A token that is in no row of the compiled store, or only in rows that no state takes, is in no mask:
the model can never write it. For some that is as it should be, since no text of the language holds
them; where a whole kind is missing, a terminal is too narrow.

Example: strict JSON takes the byte 1 nowhere.

The other tokens are in some row that some state takes; whether that state occurs together with the
row's lexer state is not asked.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import MAY, Contents
from maskc.lint.model import Finding, Place, Severity
from maskc.lint.subject import Subject
from maskc.pipeline import compile_contents
from maskc.vocab.vocabulary import Vocabulary

CODE = "ML008"
N_EXAMPLES = 8


def find_useless_tokens(subject: Subject, vocabulary: Vocabulary) -> Iterator[Finding]:
    """Yield one finding if some token is in no mask.

    Raises:
        LimitError: a bound of the compiler was reached.
    """
    if not subject.table.live[0]:
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
    """Return bool[vocab_size]: is the token in a row that some state takes?"""
    arrays = contents.arrays
    useful = np.zeros(int(contents.header["tokenizer"]["vocab_size"]), dtype=np.bool_)
    taken: NDArray[np.bool_] = np.bitwise_or.reduce(arrays["verdicts"], axis=0) & MAY > 0
    rows = taken[arrays["word_class"][arrays["row_word"]]]
    for number in np.unique(arrays["row_set"][rows]).tolist():
        low, high = arrays["set_first"][number : number + 2]
        useful[arrays["set_tokens"][low:high]] = True
        if (mask := arrays["set_mask"][number]) >= 0:
            bits = np.unpackbits(arrays["masks"][mask].view(np.uint8), bitorder="little")
            useful |= bits[: len(useful)].astype(np.bool_)
    return useful


def _quote(token: bytes) -> str:
    try:
        return repr(token.decode())
    except UnicodeDecodeError:
        return repr(token)
