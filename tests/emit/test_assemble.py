import numpy as np
import pytest

from maskc.artifact.model import Contents, check, narrow
from maskc.frontends.source import load_source
from maskc.pipeline import compile_contents
from maskc.runtime.artifact import Artifact
from maskc.vocab import load_vocabulary
from tests.compiled import accepts


def test_values_below_65536_take_16_bits():
    assert narrow(np.array([0, 65_535])).dtype == np.uint16


def test_larger_values_take_32_bits_and_none_wraps():
    found = narrow(np.array([0, 65_536]))
    assert (found.dtype, found.tolist()) == (np.uint32, [0, 65_536])


@pytest.mark.parametrize("value", [-1, 1 << 32])
def test_what_fits_nowhere_is_refused(value):
    with pytest.raises(ValueError, match="32 bits"):
        narrow(np.array([value], dtype=np.int64))


def test_of_nothing_is_made_nothing():
    assert narrow(np.zeros((0, 3), dtype=np.int32)).shape == (0, 3)


def test_an_artifact_with_32_bits_a_state_is_right_and_used_as_one_with_16():
    """More than 65,536 states once wrapped, and a text of the grammar was refused in silence."""
    source = load_source('start: (NAME | "if")+\nNAME: /[a-z]+/\n%ignore " "\n')
    contents, _ = compile_contents(source, load_vocabulary("bytes"))
    arrays = dict(contents.arrays)
    narrow_ones = [name for name, array in arrays.items() if array.dtype == np.uint16]
    assert {"scanner_piece", "scanner_next", "scanner_enter", "rest"} < {*narrow_ones}
    for name in narrow_ones:
        arrays[name] = arrays[name].astype(np.uint32)
    wide = Contents(contents.header, arrays)
    assert check(wide) is None
    assert accepts(Artifact(wide), "if x if")
    assert not accepts(Artifact(wide), "if 1")
