"""Headers: the numbers that the runtime reads. What commands read is in tests/security."""

import copy

import pytest

from maskc.artifact.header import check_numbers, check_texts


def fault_of(contents, path, value):
    header = copy.deepcopy(contents.header)
    place = header
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return check_numbers(header, n_scanner_states=len(contents.arrays["scanner_next"]))


def test_a_header_that_the_compiler_wrote_is_right(contents):
    n_states = len(contents.arrays["scanner_next"])
    assert check_numbers(contents.header, n_scanner_states=n_states) is None
    assert check_texts(contents.header) is None


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        (["scanner_start"], 1 << 20, "the header holds the number 1048576, outside"),
        (["end_lookahead"], True, "the header holds the number True, outside"),
        (["tokenizer", "eos_ids"], [], "the header's end-of-sequence ids do not ascend"),
        (["tokenizer", "eos_ids"], [3, 2], "the header's end-of-sequence ids do not ascend"),
        (["tokenizer", "eos_ids"], [-1], "the header holds the number -1, outside"),
        (["tokenizer", "vocab_size"], 99, "the header's vocabulary size does not fit its arrays"),
        (["layout"], [], "the header's layout is not a map"),
        (["sizes"], None, "the header lacks its tokenizer or its sizes"),
        (["grammar"], None, "the header lacks its grammar"),
    ],
)
def test_a_number_that_would_be_read_outside_is_named(contents, path, value, fault):
    assert fault_of(contents, path, value).startswith(fault)


def test_a_text_that_commands_read_is_checked(contents):
    header = {**contents.header, "terminals": [1]}
    assert check_texts(header) == "the header's terminals[0] is no text"
