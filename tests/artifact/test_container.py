"""The container: every value comes back, equal values are equal bytes, damage is refused."""

import hashlib
import io
import json
import os
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from maskc.artifact import container
from maskc.artifact.container import ALIGNMENT, decode, encode, load_container
from maskc.artifact.model import FORMAT
from maskc.errors import ArtifactError, LimitError
from maskc.wording import Phrase

SMALL = encode(
    {"format": FORMAT, "grammar": {"name": "ab.lark", "text": 'start: "ab"\n'}, "eos_ids": [2]},
    {
        "delta": np.array([[0, 1], [1, 0]], dtype=np.uint16),
        "finals": np.array([False, True]),
        "none": np.zeros((0, 7), dtype=np.int32),
    },
)
N_PREFIX = 27
N_DIGEST = 34

dtypes = st.sampled_from(["bool", *(f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64))])
arrays = st.dictionaries(
    st.text(max_size=8),
    npst.arrays(dtypes, npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)),
    max_size=5,
)
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 64) - 1)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
headers = st.dictionaries(
    st.text().filter(lambda key: key not in ("format", "arrays")), plain, max_size=5
).map(lambda header: {"format": FORMAT, **header})


def refusal(data: bytes) -> str:
    with pytest.raises(ArtifactError) as caught:
        decode(data, "a.maskc")
    return str(caught.value)


def sign(body: bytes) -> bytes:
    """Return a file with these bytes, the right size and the right checksum."""
    n_bytes = len(body) + N_DIGEST
    body = body[:14] + struct.pack(">Q", n_bytes) + body[22:]
    return body + b"\xc4\x20" + hashlib.sha256(body).digest()


def with_header(header: bytes, rest: bytes = b"") -> bytes:
    """Return a file with this header object, and whatever follows it."""
    prefix = SMALL[: N_PREFIX - 4] + struct.pack(">I", len(header))
    return sign(prefix + header + rest)


def with_table(table: Any, **header: Any) -> bytes:
    return with_header(msgpack.packb({"arrays": table, **header}))


@given(headers, arrays)
def test_decode_returns_what_encode_was_given(header, values):
    found_header, found = decode(encode(header, values), "a.maskc")
    assert found_header == header
    assert found.keys() == values.keys()
    for name, array in values.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        assert np.array_equal(found[name], array)


@given(headers, arrays)
def test_encoding_what_was_decoded_gives_the_same_bytes(header, values):
    data = encode(header, values)
    assert encode(*decode(data, "a.maskc")) == data


@given(headers, arrays)
def test_the_order_of_entries_changes_no_byte(header, values):
    backwards = dict(reversed(header.items())), dict(reversed(values.items()))
    assert encode(*backwards) == encode(header, values)


def test_the_order_of_nested_entries_changes_no_byte():
    one = {"format": FORMAT, "counts": [{"a": 1, "b": 2}]}
    other = {"format": FORMAT, "counts": [{"b": 2, "a": 1}]}
    assert encode(one, {}) == encode(other, {})


def test_a_tuple_comes_back_as_a_list():
    assert decode(encode({"format": FORMAT, "eos_ids": (1, 2)}, {}), "a")[0]["eos_ids"] == [1, 2]


def test_a_file_name_that_is_not_utf8_comes_back():
    name = b"gr\xfcn.lark".decode("utf-8", "surrogateescape")
    assert decode(encode({"format": FORMAT, "name": name}, {}), "a")[0]["name"] == name


@pytest.mark.parametrize("dtype", [">u4", "<u4"])
def test_arrays_are_little_endian_whatever_they_were(dtype):
    data = encode({"format": FORMAT}, {"a": np.array([0x01020304], dtype=dtype)})
    assert b"\x04\x03\x02\x01" in data
    assert decode(data, "a")[1]["a"].tolist() == [0x01020304]


def test_an_array_in_another_memory_order_is_the_same_array():
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert encode({"format": FORMAT}, {"a": np.asfortranarray(array)}) == encode(
        {"format": FORMAT}, {"a": array}
    )


@given(headers, arrays)
def test_any_msgpack_reader_can_walk_the_stream(header, values):
    data = encode(header, values)
    label, version, n_bytes, n_header, table, *rest = msgpack.Unpacker(
        io.BytesIO(data), unicode_errors="surrogateescape"
    )
    assert (label, version, n_bytes) == ("maskc\r\n\x1a\n", FORMAT, len(data))
    assert data[N_PREFIX : N_PREFIX + n_header] == msgpack.packb(
        table, unicode_errors="surrogateescape"
    )
    payloads = [payload for payload in rest if payload is not None]
    assert payloads[-1] == hashlib.sha256(data[:-N_DIGEST]).digest()
    assert payloads[:-1] == [values[name].tobytes() for name in sorted(values)]


@given(arrays)
def test_payloads_are_aligned_and_where_the_header_says(values):
    data = encode({"format": FORMAT}, values)
    table = list(msgpack.Unpacker(io.BytesIO(data)))[4]["arrays"]
    for name, entry in table.items():
        assert entry["offset"] % ALIGNMENT == 0
        payload = data[entry["offset"] : entry["offset"] + entry["nbytes"]]
        assert payload == values[name].tobytes()


def test_decoded_arrays_are_read_only_even_over_memory_that_is_not():
    arrays = decode(memoryview(bytearray(SMALL)), "a")[1]
    assert not any(array.flags.writeable for array in arrays.values())


def test_decoding_copies_no_array():
    data = encode({"format": FORMAT}, {"big": np.zeros(1 << 24, dtype=np.uint8)})
    tracemalloc.start()
    try:
        arrays = decode(data, "a")[1]
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    assert np.shares_memory(arrays["big"], np.frombuffer(data, dtype=np.uint8))


def test_a_mapped_file_equals_its_bytes(tmp_path):
    path = tmp_path / "a.maskc"
    path.write_bytes(SMALL)
    assert encode(*load_container(path)) == SMALL


# Damage.


def test_a_file_truncated_anywhere_is_refused_as_truncated():
    reasons = [refusal(SMALL[:n]) for n in range(1, len(SMALL))]
    assert all("is truncated" in reason for reason in reasons)


def test_a_file_with_any_bit_flipped_is_refused():
    for position in range(len(SMALL)):
        for bit in range(8):
            damaged = bytearray(SMALL)
            damaged[position] ^= 1 << bit
            refusal(bytes(damaged))


def test_a_flipped_byte_is_called_corruption():
    for position in range(N_PREFIX, len(SMALL)):
        damaged = bytearray(SMALL)
        damaged[position] ^= 0xFF
        assert refusal(bytes(damaged)) == (
            "a.maskc: is corrupted: its checksum does not match; compile the grammar again"
        )


def test_a_truncated_file_says_how_much_is_there():
    assert refusal(SMALL[:100]) == (
        f"a.maskc: is truncated: 100 of {len(SMALL)} bytes; compile the grammar again"
    )


def test_an_empty_file_is_refused():
    assert refusal(b"") == "a.maskc: is empty; compile the grammar again"


@given(st.binary(min_size=1))
@example(b"PK\x03\x04")
@example(json.dumps({"format": 1}).encode())
@example(msgpack.packb({"format": 1}))
@example(SMALL[1:])
def test_junk_is_not_an_artifact(data):
    if not SMALL.startswith(data[:10]):
        assert refusal(data) == (
            "a.maskc: is not a maskc artifact; give a file that `maskc compile` wrote"
        )


def test_a_file_that_went_through_a_text_mode_transfer_is_refused():
    assert "is not a maskc artifact" in refusal(SMALL.replace(b"\r\n", b"\n"))


def test_bytes_after_the_end_are_refused():
    assert "3 bytes follow its end" in refusal(SMALL + b"\xc0\xc0\xc0")


def test_a_newer_format_asks_for_a_newer_maskc():
    newer = SMALL[:11] + struct.pack(">H", FORMAT + 1) + SMALL[13:]
    assert refusal(newer) == (
        f"a.maskc: has format version {FORMAT + 1}, and this maskc reads {FORMAT}; "
        "install a newer maskc, or compile it again"
    )


def test_an_older_format_asks_for_another_compilation():
    older = SMALL[:11] + struct.pack(">H", FORMAT - 1) + SMALL[13:]
    assert refusal(older).endswith("compile the grammar again")


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
    nested: Any = 0
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
    "tail",
    [
        b"\xc0" * 40 + b"\xc6\x00\x00\x00\x01\x07",
        b"\xc6\x00\x00\x00\x01\x07",
        b"",
    ],
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
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
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


# Files.


def refusal_of(path: str | Path) -> str:
    with pytest.raises(ArtifactError) as caught:
        load_container(path)
    return f"{caught.value.reason}; {caught.value.remedy}"


def test_a_missing_file_is_refused(tmp_path):
    assert refusal_of(tmp_path / "a.maskc") == (
        "cannot be read (No such file or directory); give the path of an artifact"
    )


def test_a_folder_is_refused(tmp_path):
    assert refusal_of(tmp_path) == "is a folder; give the path of an artifact"


def test_a_device_is_refused():
    assert refusal_of("/dev/zero") == (
        "is not a regular file (a device); give the path of an artifact"
    )


def test_a_pipe_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "a.maskc")
    assert refusal_of(tmp_path / "a.maskc").startswith("is not a regular file (a named pipe)")


def test_a_file_larger_than_any_artifact_is_refused_before_it_is_read(tmp_path):
    with open(tmp_path / "a.maskc", "wb") as file:
        file.truncate((1 << 30) + 1)
    assert refusal_of(tmp_path / "a.maskc") == (
        "is larger than 1,073,741,824 bytes; give the path of an artifact"
    )


def test_an_artifact_larger_than_any_is_not_written(monkeypatch):
    monkeypatch.setattr(container, "MAX_FILE", len(SMALL) - 1)
    with pytest.raises(LimitError, match="bytes in the artifact; lower its counts") as caught:
        encode(*decode(SMALL, "small"))
    # Other notations say it otherwise: they know it by its words.
    assert caught.value.remedy == Phrase.SMALLER_GRAMMAR


@pytest.mark.parametrize("mapped", [True, False])
def test_a_file_is_read_or_mapped_to_the_same(tmp_path, mapped):
    (tmp_path / "a.maskc").write_bytes(SMALL)
    header, arrays = load_container(tmp_path / "a.maskc", mapped=mapped)
    expected_header, expected = decode(SMALL, "small")
    assert header == expected_header
    assert {name: a.tolist() for name, a in arrays.items()} == {
        name: a.tolist() for name, a in expected.items()
    }
    assert not any(a.flags.writeable for a in arrays.values())


def test_what_was_read_stays_as_it_was_when_the_file_is_overwritten(tmp_path):
    path = tmp_path / "a.maskc"
    path.write_bytes(SMALL)
    _, arrays = load_container(path, mapped=False)
    before = {name: a.tolist() for name, a in arrays.items()}
    path.write_bytes(b"")
    assert {name: a.tolist() for name, a in arrays.items()} == before


def test_a_file_that_is_cut_while_it_is_read_is_truncated(tmp_path, monkeypatch):
    path = tmp_path / "a.maskc"
    path.write_bytes(SMALL)
    whole = os.stat(path)

    def cut(_):
        os.truncate(path, 100)
        return whole

    monkeypatch.setattr(os, "fstat", cut)
    with pytest.raises(ArtifactError, match="is truncated: 100 of"):
        load_container(path, mapped=False)


def test_an_empty_file_on_disk_is_refused(tmp_path):
    (tmp_path / "a.maskc").touch()
    assert refusal_of(tmp_path / "a.maskc") == "is empty; compile the grammar again"


def test_a_path_with_a_nul_is_refused():
    assert "its path has a NUL byte" in refusal_of("a\0b")


# What encode refuses.


def test_a_header_must_name_the_format():
    with pytest.raises(ValueError, match="a header has format"):
        encode({}, {})


def test_a_header_must_leave_the_table_of_arrays_to_the_container():
    with pytest.raises(ValueError, match="leaves 'arrays' to the container"):
        encode({"format": FORMAT, "arrays": {}}, {})


@pytest.mark.parametrize("value", [{1, 2}, {1: 2}, np.int32(1), object()])
def test_a_header_must_be_plain(value):
    with pytest.raises(ValueError, match="holds"):
        encode({"format": FORMAT, "a": value}, {})


def test_an_array_must_have_a_dtype_of_the_format():
    with pytest.raises(ValueError, match="float64"):
        encode({"format": FORMAT}, {"a": np.zeros(1)})


def test_an_array_of_four_gibibytes_is_over_the_limit():
    huge = np.broadcast_to(np.uint8(0), (1 << 32,))
    with pytest.raises(LimitError, match="4,294,967,295 bytes in array a"):
        encode({"format": FORMAT}, {"a": huge})


def test_a_list_longer_than_a_reader_accepts_is_over_the_limit():
    with pytest.raises(LimitError, match="65,536 entries"):
        encode({"format": FORMAT, "a": [0] * 65537}, {})


def test_a_header_larger_than_a_reader_accepts_is_over_the_limit():
    with pytest.raises(LimitError, match="bytes in the header"):
        encode({"format": FORMAT, "a": "x" * (1 << 24)}, {})
