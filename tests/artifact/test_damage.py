"""Damaged and forged files are refused, whatever was changed in them."""

import io
import json
import tracemalloc

import msgpack
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.artifact.container import decode, encode
from maskc.artifact.model import FORMAT
from maskc.errors import ArtifactError
from tests.artifact.forging import (
    N_DIGEST,
    N_PREFIX,
    SMALL,
    refusal,
    sign,
    with_header,
    with_table,
    with_version,
)


def test_a_file_truncated_anywhere_is_refused_as_truncated():
    reasons = [refusal(SMALL[:n]) for n in range(1, len(SMALL))]
    assert all("is truncated" in reason for reason in reasons)
    assert f"is truncated: 100 of {len(SMALL)} bytes" in reasons[99]


def test_a_file_with_any_bit_flipped_is_refused_and_a_byte_of_its_content_is_corruption():
    for position in range(len(SMALL)):
        for bits in (*(1 << n for n in range(8)), 0xFF):
            damaged = bytearray(SMALL)
            damaged[position] ^= bits
            said = refusal(bytes(damaged))
            if bits == 0xFF and position >= N_PREFIX:
                assert "is corrupted: its checksum does not match" in said


@given(st.binary(min_size=1))
@example(b"PK\x03\x04")
@example(json.dumps({"format": 1}).encode())
@example(msgpack.packb({"format": 1}))
@example(SMALL[1:])
# It went through a transfer as text.
@example(SMALL.replace(b"\r\n", b"\n"))
def test_junk_is_not_an_artifact(data):
    if not SMALL.startswith(data[:10]):
        assert "is not a maskc artifact" in refusal(data)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (SMALL + b"\xc0\xc0\xc0", "3 bytes follow its end"),
        (with_version(FORMAT + 1), f"and this maskc reads {FORMAT}; install a newer maskc"),
        (with_version(FORMAT - 1), "compile the grammar again"),
    ],
)
def test_another_size_or_format_is_refused(data, said):
    assert said in refusal(data)


# Malice: the checksum is right.


@given(st.binary(max_size=200))
@example(b"")
@example(b"\xc1")
@example(b"\x81\xa6arrays")
@example(b"\xdf\xff\xff\xff\xff")
@example(b"\x91" * 2000)
@example(b"\xd4\x00\x00")
@example(msgpack.packb([]))
@example(msgpack.packb({}))
@example(msgpack.packb({"arrays": []}))
@example(msgpack.packb({"arrays": {b"a": {}}}))
@example(msgpack.packb({"arrays": {}, "format": FORMAT}))
@example(msgpack.packb({"arrays": {}, "z": 1, "a": 2}))
@example(msgpack.packb({"arrays": {}}) + b"\xc0")
@example(b"\x82\xa6arrays\x80\xa6arrays\x80")
@example(msgpack.packb({"arrays": {}, "t": msgpack.Timestamp(0)}))
@example(msgpack.packb({"arrays": {}, "e": msgpack.ExtType(1, b"")}))
@example(msgpack.packb({"arrays": {}, "m": {1: 2}}, use_bin_type=True))
@example(msgpack.packb({"arrays": {}, "f": 1.5}, use_single_float=True))
def test_a_header_that_encode_would_not_write_is_refused(header):
    data = with_header(header)
    try:
        found = decode(data, "a.maskc")
    except ArtifactError:
        return
    assert encode(*found) == data


@given(st.integers(0), st.binary(min_size=1, max_size=9), st.booleans())
def test_a_signed_file_with_any_change_is_refused_or_is_the_one_encoding(at, change, replace):
    body = SMALL[:-N_DIGEST]
    at %= len(body) - N_PREFIX
    at += N_PREFIX
    data = sign(body[:at] + change + body[at + len(change) * replace :])
    try:
        found = decode(data, "a.maskc")
    except ArtifactError:
        return
    assert encode(*found) == data


def test_a_header_nested_too_deep_is_refused():
    nested = 0
    for _ in range(300):
        nested = [nested]
    assert "is nested more than 32 deep" in refusal(with_table({}, a=nested))


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "float64", "shape": [1]},
        {"dtype": "object", "shape": [1]},
        {"dtype": ">u4", "shape": [1]},
        {"dtype": ["uint8"], "shape": [1]},
        {"dtype": "uint8", "shape": [-1]},
        {"dtype": "uint8", "shape": [True]},
        {"dtype": "uint8", "shape": [1.0]},
        {"dtype": "uint8", "shape": 1},
        {"dtype": "uint8", "shape": [1] * 9},
        {"dtype": "uint8", "shape": [1 << 32]},
        {"dtype": "uint64", "shape": [1 << 29]},
        {"dtype": "uint8", "shape": [1 << 63, 1 << 63]},
        {"dtype": "uint8", "shape": [0, 1 << 31, 1 << 31, 1 << 31]},
        {"dtype": "uint8"},
        {"shape": [1]},
        {},
        None,
    ],
)
def test_an_array_of_a_bad_dtype_or_shape_is_refused(entry):
    if isinstance(entry, dict):
        entry = {**entry, "nbytes": 1, "offset": 128}
    assert "'a' with a bad dtype or shape" in refusal(with_table({"a": entry}))


@pytest.mark.parametrize(
    ("n_bytes", "offset"),
    [(1, 64), (1, 129), (1, 192), (1, -64), (1, 1 << 40), (2, 128), (0, 128), (1 << 40, 128)],
)
def test_an_array_that_is_not_where_the_format_puts_it_is_refused(n_bytes, offset):
    entry = {"dtype": "uint8", "nbytes": n_bytes, "offset": offset, "shape": [1]}
    header = msgpack.packb({"arrays": {"a": entry}})
    nils = b"\xc0" * (128 - 5 - N_PREFIX - len(header))
    file = with_header(header, nils + b"\xc6\x00\x00\x00\x01" + b"\x07")
    assert "its header is not the one encoding of its contents" in refusal(file)


@pytest.mark.parametrize(
    "tail", [b"\xc0" * 40 + b"\xc6\x00\x00\x00\x01\x07", b"\xc6\x00\x00\x00\x01\x07", b""]
)
def test_an_array_that_is_not_there_is_refused(tail):
    entry = {"dtype": "uint8", "nbytes": 1, "offset": 128, "shape": [1]}
    file = with_header(msgpack.packb({"arrays": {"a": entry}}), tail)
    assert "array a is not where its header says" in refusal(file)


def test_a_claimed_array_larger_than_the_file_is_refused_without_allocating():
    size = (1 << 32) - 1
    entry = {"dtype": "uint8", "nbytes": size, "offset": 128, "shape": [size]}
    header = msgpack.packb({"arrays": {"a": entry}})
    nils = b"\xc0" * (128 - 5 - N_PREFIX - len(header))
    file = with_header(header, nils + b"\xc6\xff\xff\xff\xff")
    tracemalloc.start()
    try:
        assert "array a is not where its header says" in refusal(file)
        assert tracemalloc.get_traced_memory()[1] < 2 << 20
    finally:
        tracemalloc.stop()


def test_a_header_larger_than_the_file_is_refused():
    file = sign(SMALL[: N_PREFIX - 4] + b"\xff\xff\xff\xff" + SMALL[N_PREFIX:-N_DIGEST])
    assert "its header claims 4,294,967,295 bytes" in refusal(file)


def test_bytes_between_the_last_array_and_the_checksum_are_refused():
    file = sign(SMALL[:-N_DIGEST] + b"\xc0")
    assert "bytes follow its last array" in refusal(file)


def test_padding_that_is_not_nil_is_refused():
    table = list(msgpack.Unpacker(io.BytesIO(SMALL)))[4]["arrays"]
    at = table["delta"]["offset"] - 6
    assert SMALL[at] == 0xC0
    file = sign(SMALL[:at] + b"\xc2" + SMALL[at + 1 : -N_DIGEST])
    assert "array delta is not where its header says" in refusal(file)


def test_a_boolean_of_another_value_is_refused():
    """NumPy gives wrong answers, not errors, on a bool that is neither 0 nor 1."""
    table = list(msgpack.Unpacker(io.BytesIO(SMALL)))[4]["arrays"]
    at = table["finals"]["offset"]
    file = sign(SMALL[:at] + b"\x02" + SMALL[at + 1 : -N_DIGEST])
    assert "neither true nor false" in refusal(file)
