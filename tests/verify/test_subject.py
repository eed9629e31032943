import numpy as np
import pytest

from maskc.verify.general import GeneralOracle, build_oracle, parses
from maskc.verify.oracle import Oracle
from maskc.verify.subject import unpack

LIST = 'start: "[" "a"* "]"\n'


@pytest.mark.parametrize(("parser", "oracle"), [("lalr", Oracle), ("earley", GeneralOracle)])
def test_the_oracle_is_that_of_the_parser(subject_of, parser, oracle):
    subject = subject_of(LIST, f"// maskc: parser={parser}\n{LIST}")
    assert type(build_oracle(subject.lark)) is oracle
    assert parses(subject.lark, "[a]")


def test_bits_are_unpacked_as_they_are_packed():
    row = np.array([0b101, 1 << 30], dtype=np.int32)
    assert np.flatnonzero(unpack(row, 63)).tolist() == [0, 2, 62]
