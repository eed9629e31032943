"""Numbers that outgrow their arrays become wider arrays or an error, never other numbers."""

import numpy as np
import pytest

from maskc import Artifact, load
from maskc.artifact.model import narrow
from maskc.emit.assemble import offsets
from maskc.errors import LimitError
from maskc.frontends.source import load_source
from maskc.pipeline import compile_contents
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import legal_tokens

# The first word of a mask whose number does not fit into 16 bits.
FIRST_WIDE = (1 << 16) * 32


def test_numbers_are_as_wide_as_the_largest_needs():
    assert narrow(np.array([0, 65_535])).dtype == np.uint16
    assert narrow(np.array([0, 65_536])).tolist() == [0, 65_536]
    assert narrow(np.array([1 << 32 - 1])).dtype == np.uint32
    assert narrow(np.zeros(0, dtype=np.int64)).dtype == np.uint16


@pytest.mark.parametrize("values", [[-1], [0, 1 << 32]])
def test_numbers_of_more_than_32_bits_are_refused(values):
    with pytest.raises(ValueError, match="do not fit into 32 bits"):
        narrow(np.array(values))


def test_offsets_beyond_32_bits_are_refused():
    with pytest.raises(LimitError, match="2,147,483,647 entries in one table"):
        offsets([1 << 30, 1 << 30])


def test_tokens_on_both_sides_of_the_limit_are_told_apart(tmp_path):
    """A file whose ids have a hole of millions, as ``--vocab-size 4000000`` has."""
    tokens = [None] * (FIRST_WIDE + 70)
    tokens[3], tokens[FIRST_WIDE - 1], tokens[FIRST_WIDE + 35] = b"a", b"b", b"c"
    vocabulary = Vocabulary(tuple(tokens), (0,), "holes")
    source = load_source('start: ("a" | "c")+ "b"\n')
    Artifact(compile_contents(source, vocabulary)[0]).save(tmp_path / "a.maskc")
    artifact = load(tmp_path / "a.maskc")
    assert artifact.contents.arrays["change_word"].dtype == np.uint32
    assert legal_tokens(artifact) == {b"a", b"c"}
    assert legal_tokens(artifact, "a") == {b"a", b"b", b"c"}
    assert legal_tokens(artifact, "ab") == {None}
