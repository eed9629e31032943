"""A small file of the container, and files with a right checksum around anything."""

import hashlib
import struct

import msgpack
import numpy as np
import pytest

from maskc.artifact.container import decode, encode
from maskc.artifact.model import FORMAT
from maskc.errors import ArtifactError

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


def refusal(data):
    with pytest.raises(ArtifactError) as caught:
        decode(data, "a.maskc")
    return str(caught.value)


def sign(body):
    """Return a file with these bytes, the right size and the right checksum."""
    n_bytes = len(body) + N_DIGEST
    body = body[:14] + struct.pack(">Q", n_bytes) + body[22:]
    return body + b"\xc4\x20" + hashlib.sha256(body).digest()


def with_header(header, rest=b""):
    """Return a file with this header object, and whatever follows it."""
    prefix = SMALL[: N_PREFIX - 4] + struct.pack(">I", len(header))
    return sign(prefix + header + rest)


def with_version(version):
    """Return a file that says another version of the format."""
    return SMALL[:11] + struct.pack(">H", version) + SMALL[13:]


def with_table(table, **header):
    return with_header(msgpack.packb({"arrays": table, **header}))
