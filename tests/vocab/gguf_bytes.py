"""GGUF files for tests, written by hand: a header, and no weights."""

import struct

import numpy as np

STRING, ARRAY, UINT32, INT32, FLOAT32, BOOL = 8, 9, 4, 5, 6, 7
PREFIX = "tokenizer.ggml."


def text(value):
    data = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(data)) + data


def texts(values):
    return struct.pack("<IQ", STRING, len(values)) + b"".join(map(text, values))


def numbers(values, kind=INT32, dtype="<i4"):
    return struct.pack("<IQ", kind, len(values)) + np.array(values, dtype=dtype).tobytes()


def entry(key, kind, payload):
    return text(key) + struct.pack("<I", kind) + payload


def gguf(*entries, version=3, n_entries=None):
    n = len(entries) if n_entries is None else n_entries
    return b"GGUF" + struct.pack("<IQQ", version, 0, n) + b"".join(entries)


def entries(model, tokens, **more):
    """The entries of a tokenizer: a token is what it is called, or that with its type."""
    rows = [row if isinstance(row, tuple) else (row, 1) for row in tokens]
    found = [
        entry("general.architecture", STRING, text("llama")),
        entry(f"{PREFIX}scores", ARRAY, numbers([0] * len(rows), FLOAT32, "<f4")),
        entry(f"{PREFIX}merges", ARRAY, texts(["a b", "c d"])),
        entry(f"{PREFIX}add_bos_token", BOOL, b"\x01"),
        entry(f"{PREFIX}model", STRING, text(model)),
        entry(f"{PREFIX}tokens", ARRAY, texts([name for name, _ in rows])),
        entry(f"{PREFIX}token_type", ARRAY, numbers([kind for _, kind in rows])),
    ]
    for name, value in more.items():
        if isinstance(value, str):
            found.append(entry(PREFIX + name, STRING, text(value)))
        else:
            found.append(entry(f"{PREFIX}{name}_token_id", UINT32, struct.pack("<I", value)))
    return found


def tokenizer(model, tokens, **more):
    return gguf(*entries(model, tokens, **more))
