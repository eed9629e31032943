import numpy as np
import pytest

from maskc.verify.general import GeneralOracle, build_oracle, parses
from maskc.verify.oracle import Oracle
from maskc.verify.subject import unpack

LIST = 'start: "[" "a"* "]"\n'


def test_the_judge_is_larks_parser_of_the_artifacts_grammar(subject_of):
    subject = subject_of(LIST)
    assert subject.parses("[aa]")
    assert not subject.parses("[a")


def test_the_mask_is_one_truth_value_a_token(subject_of):
    subject = subject_of(LIST)
    legal = subject.legal(subject.artifact.matcher())
    assert np.flatnonzero(legal).tolist() == [ord("[")]


@pytest.mark.parametrize(("parser", "oracle"), [("lalr", Oracle), ("earley", GeneralOracle)])
def test_the_oracle_is_that_of_the_parser(subject_of, parser, oracle):
    subject = subject_of(LIST, f"// maskc: parser={parser}\n{LIST}")
    assert type(build_oracle(subject.lark)) is oracle
    assert parses(subject.lark, "[a]")


def test_bits_are_unpacked_as_they_are_packed():
    row = np.array([0b101, 1 << 30], dtype=np.int32)
    assert np.flatnonzero(unpack(row, 63)).tolist() == [0, 2, 62]
