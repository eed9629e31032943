r"""An artifact's bytes: a header and named arrays in one msgpack stream.

The objects of the stream, in order, which any msgpack reader can walk::

    "maskc\r\n\x1a\n"      the label: a text-mode transfer damages it, as in PNG
    version                uint16, the format; known before anything else is read
    n_bytes                uint64, the size of the whole file
    n_header               uint32, the size of the next object
    {…, "arrays": {…}}     the header, keys sorted; "arrays" lists dtype, nbytes, offset and shape
    nil … nil, bin32       each array by name, after nils that align its payload to 64 bytes
    bin8                   SHA-256 of every byte before this object

All numbers are little-endian inside arrays and as msgpack has them elsewhere. There is one
encoding for a value: :func:`decode` works out again where each array must be and refuses a
file that differs, so overlaps, gaps and offsets outside the file need no rules of their own.

SHA-256 because it is the fastest strong hash with the processor's help: 20 MB take 10.5 ms,
BLAKE2b 20 ms, CRC-32 4.4 ms (an EPYC core). A checksum finds damage, not malice.
"""

from __future__ import annotations

import hashlib
import math
import mmap
import os
import struct
from collections.abc import Mapping, Sized
from typing import Any, TypeVar

import msgpack
import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import FORMAT
from maskc.errors import ArtifactError, LimitError, UnreadableFileError
from maskc.files import open_regular

LABEL = b"\xa9maskc\r\n\x1a\n"
ALIGNMENT = 64

_PREFIX = struct.Struct(">10s BH BQ BI")
_UINT16, _UINT64, _UINT32, _NIL = 0xCD, 0xCF, 0xCE, 0xC0
_ARRAY = struct.Struct(">BI")
_BIN32 = 0xC6
_DIGEST_LABEL = b"\xc4\x20"
_N_DIGEST = len(_DIGEST_LABEL) + 32

# Of the whole file; the largest that we know of has 68 MB.
MAX_FILE = 1 << 30
_MAX_ARRAY = (1 << 32) - 1
_MAX_HEADER = 1 << 24
_MAX_LENGTH = 1 << 16
# Of all lists and maps together: 16 MiB of empty maps would take gigabytes, and seconds.
_MAX_ENTRIES = 1 << 18
_MAX_DEPTH = 32
_MAX_DIMENSIONS = 8

# NumPy's name for a dtype, and how it lies in the file.
_DTYPES = {
    name: np.dtype(name).newbyteorder("<")
    for name in (
        *("bool", "uint8", "uint16", "uint32", "uint64"),
        *("int8", "int16", "int32", "int64"),
    )
}
# As Phrase.SMALLER_GRAMMAR of maskc.wording, which the runtime does not load.
_SMALLER = "lower its counts, and join words with the same contexts to one terminal"
_AGAIN, _GIVE = "compile the grammar again", "give the path of an artifact"

Arrays = dict[str, NDArray[Any]]
_Spec = tuple[str, tuple[int, ...]]
_Counted = TypeVar("_Counted", bound=Sized)


def encode(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the file: the same bytes for the same header and arrays, whatever their order.

    Args:
        header: str, bytes, int, float, bool, None, lists and str-keyed maps of them; a tuple is
            written as a list. ``header["format"]`` is ``FORMAT``, and ``"arrays"`` is ours.
        arrays: booleans and integers; any byte order and layout.

    Raises:
        LimitError: the header or an array is larger than the format holds.
    """
    if header.get("format") != FORMAT or "arrays" in header:
        raise ValueError(f"a header has format {FORMAT} and leaves 'arrays' to the container")
    specs = {name: (arrays[name].dtype.name, arrays[name].shape) for name in sorted(arrays)}
    for name, (dtype, shape) in specs.items():
        if dtype not in _DTYPES or len(shape) > _MAX_DIMENSIONS:
            raise ValueError(f"array {name!r} is {dtype}{list(shape)}, which has no encoding")
        if not _fits(dtype, shape):
            raise LimitError(f"bytes in array {name}", _MAX_ARRAY, _SMALLER)
    packed, offsets = _pack_header({k: v for k, v in header.items() if k != "format"}, specs)
    out = bytearray(_PREFIX.size)
    out += packed
    for name, (dtype, _) in specs.items():
        payload = np.ascontiguousarray(arrays[name], dtype=_DTYPES[dtype]).tobytes()
        out += bytes([_NIL]) * (offsets[name] - _ARRAY.size - len(out))
        out += _ARRAY.pack(_BIN32, len(payload))
        out += payload
    out[: _PREFIX.size] = _pack_prefix(len(out) + _N_DIGEST, len(packed))
    if len(out) + _N_DIGEST > MAX_FILE:
        raise LimitError("bytes in the artifact", MAX_FILE, _SMALLER)
    digest = hashlib.sha256(out).digest()
    return bytes(out) + _DIGEST_LABEL + digest


def load_container(
    path: str | os.PathLike[str], *, mapped: bool = True
) -> tuple[dict[str, Any], Arrays]:
    """Return header and arrays of a file.

    Args:
        mapped: leave the arrays in the file: processes that load it share its pages, and it must
            not be changed in place while it is in use; replace it by renaming, as
            :func:`maskc.files.write_atomically` does. False: read it into memory.

    Raises:
        ArtifactError: the file cannot be read, or is not a sound artifact.
    """
    name = os.fspath(path)
    try:
        file = open_regular(name)
    except UnreadableFileError as error:
        raise ArtifactError(name, error.reason, _GIVE) from None
    try:
        buffer = _read(file, name, mapped=mapped)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ArtifactError(name, f"cannot be read ({reason})", _GIVE) from None
    finally:
        os.close(file)
    return decode(buffer, name)


def read_header(path: str | os.PathLike[str]) -> dict[str, Any] | None:
    """Return the header of a file, whose checksum is not looked at; ``None`` if it has none."""
    try:
        with open(open_regular(path), "rb") as file:
            prefix = file.read(_PREFIX.size)
            if len(prefix) < _PREFIX.size or prefix[: len(LABEL)] != LABEL:
                return None
            *_, version, _, _, _, n_header = _PREFIX.unpack(prefix)
            if version != FORMAT or n_header > _MAX_HEADER:
                return None
            return _unpack_header(memoryview(file.read(n_header)), os.fspath(path))[0]
    except (ArtifactError, OSError, UnreadableFileError):
        return None


def _read(file: int, name: str, *, mapped: bool) -> bytes | mmap.mmap | memoryview:
    """Return what an open file holds, in memory of its own or in the file's pages."""
    n_bytes = os.fstat(file).st_size
    if n_bytes > MAX_FILE:
        raise ArtifactError(name, f"is larger than {MAX_FILE:,} bytes", _GIVE)
    if not n_bytes:
        return b""
    if mapped:
        return mmap.mmap(file, 0, access=mmap.ACCESS_READ)
    # Pages of our own: aligned as the file's are, and shared with processes that are forked.
    memory = mmap.mmap(-1, n_bytes)
    view, n_read = memoryview(memory), 0
    with open(file, "rb", buffering=0, closefd=False) as raw:
        while n_read < n_bytes and (n_more := raw.readinto(view[n_read:])):
            n_read += n_more
    return view[:n_read]


def decode(buffer: bytes | mmap.mmap | memoryview, path: str) -> tuple[dict[str, Any], Arrays]:
    """Return header and arrays; the arrays are read-only views into ``buffer``.

    Raises:
        ArtifactError: any byte is not what :func:`encode` writes.
    """
    view = memoryview(buffer).cast("B").toreadonly()
    n_header = _check_frame(view, path)
    start = _PREFIX.size
    raw = view[start : start + n_header]
    header, specs = _unpack_header(raw, path)
    try:
        packed, offsets = _pack_header(header, specs)
    except ValueError as error:
        raise _corrupted(path, f"its header {error}") from None
    if packed != raw:
        raise _corrupted(path, "its header is not the one encoding of its contents")
    arrays: Arrays = {}
    end = start + n_header
    for name, offset in offsets.items():
        dtype, shape = specs[name]
        n_bytes = _count_bytes(dtype, shape)
        frame = bytes([_NIL]) * (offset - _ARRAY.size - end) + _ARRAY.pack(_BIN32, n_bytes)
        if view[end:offset] != frame or offset + n_bytes > len(view) - _N_DIGEST:
            raise _corrupted(path, f"array {name} is not where its header says")
        # `frombuffer` has no empty arrays.
        flat = (
            np.frombuffer(view, _DTYPES[dtype], math.prod(shape), offset)
            if n_bytes
            else np.empty(0, _DTYPES[dtype])
        )
        if dtype == "bool" and n_bytes and int(flat.view(np.uint8).max()) > 1:
            raise _corrupted(path, f"array {name} has a value that is neither true nor false")
        # The same dtype by its usual name, where that is how this machine has numbers.
        usual = np.dtype(dtype)
        arrays[name] = (flat.view(usual) if flat.dtype == usual else flat).reshape(shape)
        arrays[name].setflags(write=False)
        end = offset + n_bytes
    if end != len(view) - _N_DIGEST:
        raise _corrupted(path, "bytes follow its last array")
    return {"format": FORMAT, **header}, arrays


def _check_frame(view: memoryview, path: str) -> int:
    """Return the size of the header, once label, version, size and checksum are right."""
    n_bytes = len(view)
    if not n_bytes:
        raise ArtifactError(path, "is empty", _AGAIN)
    if view[: len(LABEL)] != LABEL[:n_bytes]:
        remedy = "give a file that `maskc compile` wrote"
        raise ArtifactError(path, "is not a maskc artifact", remedy)
    if n_bytes < _PREFIX.size:
        raise ArtifactError(path, f"is truncated after {n_bytes} bytes", _AGAIN)
    _, uint16, version, uint64, n_claimed, uint32, n_header = _PREFIX.unpack_from(view)
    if uint16 == _UINT16 and version != FORMAT:
        remedy = _AGAIN if version < FORMAT else "install a newer maskc, or compile it again"
        reason = f"has format version {version}, and this maskc reads {FORMAT}"
        raise ArtifactError(path, reason, remedy)
    if (uint16, uint64, uint32) != (_UINT16, _UINT64, _UINT32):
        raise _corrupted(path, "its prefix is damaged")
    if n_bytes < n_claimed:
        raise ArtifactError(path, f"is truncated: {n_bytes:,} of {n_claimed:,} bytes", _AGAIN)
    if n_bytes > n_claimed:
        raise _corrupted(path, f"{n_bytes - n_claimed:,} bytes follow its end")
    if _PREFIX.size + n_header + _N_DIGEST > n_bytes or n_header > _MAX_HEADER:
        raise _corrupted(path, f"its header claims {n_header:,} bytes")
    found = hashlib.sha256(view[:-_N_DIGEST]).digest()
    if view[-_N_DIGEST:] != _DIGEST_LABEL + found:
        raise _corrupted(path, "its checksum does not match")
    return int(n_header)


def _unpack_header(raw: memoryview, path: str) -> tuple[dict[str, Any], dict[str, _Spec]]:
    """Return the header without ``arrays``, and dtype and shape of each array.

    Offsets are not read: :func:`_pack_header` finds them again.
    """
    counter = _Counter()
    try:
        header = msgpack.unpackb(
            raw,
            object_hook=counter.count,
            list_hook=counter.count,
            raw=False,
            unicode_errors="surrogateescape",
            max_array_len=_MAX_LENGTH,
            max_map_len=_MAX_LENGTH,
            max_ext_len=0,
        )
    except (ValueError, msgpack.UnpackException) as error:
        reason = f"its header is not msgpack ({error or type(error).__name__})"
        raise _corrupted(path, reason) from None
    table = header.pop("arrays", None) if isinstance(header, dict) else None
    if not isinstance(table, dict) or "format" in header:
        raise _corrupted(path, "its header lists no arrays, or a format")
    specs: dict[str, _Spec] = {}
    for name, entry in table.items():
        spec = _read_spec(entry)
        if not isinstance(name, str) or spec is None:
            raise _corrupted(path, f"its header lists array {name!r} with a bad dtype or shape")
        specs[name] = spec
    return header, specs


class _Counter:
    """Counts the entries of lists and maps while they are read."""

    def __init__(self) -> None:
        self._n_left = _MAX_ENTRIES

    def count(self, value: _Counted) -> _Counted:
        """Return a list or a map that has just been read; ValueError if all have too many."""
        self._n_left -= 1 + len(value)
        if self._n_left < 0:
            raise ValueError(f"more than {_MAX_ENTRIES:,} entries")
        return value


def _read_spec(entry: Any) -> _Spec | None:
    """Return dtype and shape of an array, ``None`` if the entry, whatever it is, has none."""
    dtype = entry.get("dtype") if isinstance(entry, dict) else None
    shape = entry.get("shape") if isinstance(entry, dict) else None
    if not isinstance(dtype, str) or dtype not in _DTYPES or not isinstance(shape, list):
        return None
    if not all(type(length) is int and length >= 0 for length in shape):
        return None
    fits = len(shape) <= _MAX_DIMENSIONS and _fits(dtype, tuple(shape))
    return (dtype, tuple(shape)) if fits else None


def _fits(dtype: str, shape: tuple[int, ...]) -> bool:
    # NumPy multiplies the dimensions of an empty array, too.
    return _count_bytes(dtype, tuple(length or 1 for length in shape)) <= _MAX_ARRAY


def _pack_header(
    header: Mapping[str, Any], specs: Mapping[str, _Spec]
) -> tuple[bytes, dict[str, int]]:
    """Return the header object and the file offset of each array, by name in order.

    An offset depends on the size of the header, which depends on the offsets in it: larger
    offsets never make it smaller, so it grows until nothing moves.

    Raises:
        ValueError: the header holds a value that has no encoding.
    """
    tidy = _tidy(header, 0)
    # With the map of arrays: an entry, four that describe it, and its shape.
    n_entries = _count_entries(tidy) + 2 + sum(7 + len(shape) for _, shape in specs.values())
    if n_entries > _MAX_ENTRIES:
        raise LimitError("entries in the header", _MAX_ENTRIES, _SMALLER)
    table: dict[str, dict[str, Any]] = {}
    n_header, packed = -1, b""
    while len(packed) != n_header:
        n_header = len(packed)
        end = _PREFIX.size + n_header
        for name, (dtype, shape) in sorted(specs.items()):
            offset = -(-(end + _ARRAY.size) // ALIGNMENT) * ALIGNMENT
            n_bytes = _count_bytes(dtype, shape)
            table[name] = {"dtype": dtype, "nbytes": n_bytes, "offset": offset, "shape": shape}
            end = offset + n_bytes
        entries = dict(sorted({**tidy, "arrays": table}.items()))
        packed = msgpack.packb(entries, unicode_errors="surrogateescape")
    if n_header > _MAX_HEADER:
        raise LimitError("bytes in the header", _MAX_HEADER, _SMALLER)
    return packed, {name: table[name]["offset"] for name in table}


def _tidy(value: Any, depth: int) -> Any:
    """Return the value with keys sorted and tuples as lists; ValueError if it is not plain."""
    if depth > _MAX_DEPTH:
        raise ValueError(f"is nested more than {_MAX_DEPTH} deep")
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        _check_length(value)
        return {key: _tidy(value[key], depth + 1) for key in sorted(value)}
    if isinstance(value, list | tuple):
        _check_length(value)
        return [_tidy(item, depth + 1) for item in value]
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    raise ValueError(f"holds {type(value).__name__} {value!r}")


def _count_entries(value: Any) -> int:
    """Return what :class:`_Counter` counts in a value."""
    if isinstance(value, dict):
        return 1 + len(value) + sum(map(_count_entries, value.values()))
    if isinstance(value, list):
        return 1 + len(value) + sum(map(_count_entries, value))
    return 0


def _check_length(value: Sized) -> None:
    if len(value) > _MAX_LENGTH:
        raise LimitError("entries in one list of the header", _MAX_LENGTH, _SMALLER)


def _pack_prefix(n_bytes: int, n_header: int) -> bytes:
    return _PREFIX.pack(LABEL, _UINT16, FORMAT, _UINT64, n_bytes, _UINT32, n_header)


def _count_bytes(dtype: str, shape: tuple[int, ...]) -> int:
    return _DTYPES[dtype].itemsize * math.prod(shape)


def _corrupted(path: str, reason: str) -> ArtifactError:
    return ArtifactError(path, f"is corrupted: {reason}", _AGAIN)
