"""The container: every value comes back, equal values are equal bytes, damage is refused."""

import hashlib
import io
import os
import tracemalloc

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from maskc.artifact import container
from maskc.artifact.container import ALIGNMENT, decode, encode, load_container
from maskc.artifact.model import FORMAT
from maskc.errors import ArtifactError, LimitError
from maskc.wording import Phrase
from tests.artifact.forging import N_DIGEST, N_PREFIX, SMALL

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


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ([{"b": 2, "a": 1}], [{"a": 1, "b": 2}]),
        ((1, 2), [1, 2]),
        # A file name that is not UTF-8.
        ("gr\udcfcn.lark", "gr\udcfcn.lark"),
    ],
)
def test_equal_headers_are_equal_bytes_and_come_back(given, found):
    data = encode({"format": FORMAT, "a": given}, {})
    assert data == encode({"format": FORMAT, "a": found}, {})
    assert decode(data, "a")[0]["a"] == found


@pytest.mark.parametrize("dtype", [">u4", "<u4"])
def test_arrays_are_little_endian_whatever_they_were(dtype):
    data = encode({"format": FORMAT}, {"a": np.array([0x01020304], dtype=dtype)})
    assert b"\x04\x03\x02\x01" in data
    assert decode(data, "a")[1]["a"].tolist() == [0x01020304]


def test_an_array_in_another_memory_order_is_the_same_array():
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    one, other = ({"a": np.asfortranarray(array)}, {"a": array})
    assert encode({"format": FORMAT}, one) == encode({"format": FORMAT}, other)


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
        assert tracemalloc.get_traced_memory()[1] < 2 << 20
    finally:
        tracemalloc.stop()
    assert np.shares_memory(arrays["big"], np.frombuffer(data, dtype=np.uint8))


# Files.


@pytest.fixture
def odd_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").touch()
    with open(tmp_path / "large", "wb") as file:
        file.truncate((1 << 30) + 1)
    return tmp_path


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("gone", "cannot be read (No such file or directory)"),
        ("", "is a folder"),
        ("/dev/zero", "is not a regular file (a device)"),
        ("pipe", "is not a regular file (a named pipe)"),
        ("large", "is larger than 1,073,741,824 bytes"),
        ("a\0b", "its path has a NUL byte"),
        ("empty", "is empty; compile the grammar again"),
    ],
)
def test_what_is_no_file_of_an_artifact_is_refused_before_it_is_read(odd_files, path, said):
    with pytest.raises(ArtifactError) as caught:
        load_container(odd_files / path)
    assert said in f"{caught.value.reason}; {caught.value.remedy}"


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
    assert encode(header, arrays) == SMALL
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


# What encode refuses.


@pytest.mark.parametrize(
    ("header", "values", "error", "said"),
    [
        ({}, {}, ValueError, "a header has format"),
        ({"format": FORMAT, "arrays": {}}, {}, ValueError, "leaves 'arrays' to the container"),
        *(
            ({"format": FORMAT, "a": value}, {}, ValueError, "holds")
            for value in ({1, 2}, {1: 2}, np.int32(1), object())
        ),
        ({"format": FORMAT}, {"a": np.zeros(1)}, ValueError, "float64"),
        (
            {"format": FORMAT},
            {"a": np.broadcast_to(np.uint8(0), (1 << 32,))},
            LimitError,
            "4,294,967,295 bytes in array a",
        ),
        # What a reader does not accept.
        ({"format": FORMAT, "a": [0] * 65537}, {}, LimitError, "65,536 entries"),
        ({"format": FORMAT, "a": "x" * (1 << 24)}, {}, LimitError, "bytes in the header"),
    ],
)
def test_what_no_reader_takes_is_not_written(header, values, error, said):
    with pytest.raises(error, match=said):
        encode(header, values)
