import numpy as np
import pytest

import maskc
from maskc.runtime.arguments import (
    as_bytes,
    as_count,
    as_number,
    as_row,
    as_rows,
    as_token_ids,
    check_bitmask,
)


class Seven:
    def __index__(self):
        return 7


@pytest.mark.parametrize("value", [7, np.int16(7), np.uint64(7), Seven()])
def test_an_integer_of_any_type_becomes_pythons(value):
    found = as_number("a token", value)
    assert (type(found), found) == (int, 7)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (True, "bool True"),
        (None, "None"),
        (1.0, "float 1.0"),
        ("1", "str"),
        (b"1", "bytes"),
        (np.True_, "bool"),
        (np.float32(1), "float32"),
        (np.array(1), "ndarray; give its .tolist()"),
        (np.array([1]), "ndarray; give its .tolist()"),
        ([1], "list"),
    ],
)
def test_what_is_no_integer_is_told(value, told):
    with pytest.raises(TypeError) as caught:
        as_number("a token", value)
    assert f"a token must be an int, not {told}" in str(caught.value)


def test_a_count_is_not_negative():
    with pytest.raises(ValueError, match="first is -1; give 0 or more"):
        as_count("first", -1)


def test_token_ids_of_an_array_are_read_as_pythons_integers():
    assert list(map(type, as_token_ids(np.array([1, 2], dtype=np.int16)))) == [int, int]


def test_floats_of_an_array_stay_floats_and_are_refused_one_by_one():
    assert [type(value) for value in as_token_ids(np.array([1.0]))] == [np.float64]


@pytest.mark.parametrize("data", [bytearray(b"ab"), memoryview(b"ab"), memoryview(b"a-b-")[::2]])
def test_bytes_in_other_containers_are_copied(data):
    assert as_bytes(data) == b"ab"


@pytest.mark.parametrize("data", ["ab", [97], np.array([97], np.uint8), memoryview(np.arange(2))])
def test_what_is_not_bytes_is_refused(data):
    with pytest.raises(TypeError, match="accept_bytes takes bytes, not"):
        as_bytes(data)


def test_an_allocated_bitmask_is_sound():
    check_bitmask(maskc.allocate_bitmask(2, 70), 3)


def test_a_row_of_a_wider_bitmask_is_sound_by_itself():
    check_bitmask(maskc.allocate_bitmask(4, 320)[1:2, :3], 3)


def test_a_mapped_array_is_sound(tmp_path):
    check_bitmask(np.memmap(tmp_path / "rows", dtype=np.int32, shape=(2, 3), mode="w+"), 3)


@pytest.mark.parametrize("row", [0, np.int64(0)])
def test_a_row_is_an_integer(row):
    assert type(as_row(row, maskc.allocate_bitmask(1, 5))) is int


def test_rows_are_as_many_as_matchers_and_differ():
    bitmask = maskc.allocate_bitmask(3, 5)
    assert as_rows(iter([2, 0]), 2, bitmask) == [2, 0]
    with pytest.raises(ValueError, match="2 matchers need 2 rows, not 1"):
        as_rows([0], 2, bitmask)
    with pytest.raises(ValueError, match="row 1 is given to two matchers"):
        as_rows([1, 1], 2, bitmask)
    with pytest.raises(ValueError, match="row 3 is not among the 3"):
        as_rows([0, 3], 2, bitmask)
    with pytest.raises(TypeError, match="a row must be an int"):
        as_rows([0, True], 2, bitmask)
