"""The fingerprint of the arrays is that of the vocabulary that they were made from."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maskc.runtime.vocabulary import compute_fingerprint
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import compile_text

TOKENS = st.lists(st.none() | st.binary(min_size=1, max_size=5), max_size=40)


@given(TOKENS, st.integers(1, 3))
def test_it_equals_the_vocabularys(tokens, n_ends):
    ends = tuple(range(len(tokens), len(tokens) + n_ends))
    vocabulary = Vocabulary((*tokens, *[None] * n_ends), ends, "any")
    texts = [token or b"" for token in vocabulary.tokens]
    first = np.cumsum([0, *map(len, texts)]).astype(np.int32)
    data = np.frombuffer(b"".join(texts), dtype=np.uint8)
    assert compute_fingerprint(first, data, ends) == vocabulary.fingerprint


def test_an_artifact_has_that_of_its_header():
    artifact = compile_text('start: "a"')
    assert artifact.fingerprint == artifact.header["tokenizer"]["fingerprint"]
