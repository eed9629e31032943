"""Fuzzes ``maskc.load`` and the use of what it lets through.

The first byte says what the others are: a file; what is laid over a sound file, with the size and
the checksum put right; changes of numbers inside the arrays of a sound file; or parts of the plan
in the artifact of a JSON Schema, or of a link, exchanged for others.
"""

from __future__ import annotations

import hashlib
import struct
import sys
import tempfile
from pathlib import Path
from random import Random

import atheris

with atheris.instrument_imports(include=["maskc"]):
    import numpy as np

    import maskc
    from maskc.artifact.container import decode, encode
    from maskc.errors import ArtifactError, LimitError
    from tests.fuzz.driver import run_fuzzer
    from tests.security.forged_plans import change_plan, compile_links, compile_schemas
    from tests.security.forging import compile_examples, use

EXAMPLES = [data for _, data in sorted(compile_examples().items())]
PLANS = [data for _, data in sorted({**compile_schemas(), **compile_links()}.items())]
N_PREFIX, N_DIGEST = 27, 34


def take(data: bytes) -> None:
    """Load what the input describes, and use it."""
    if len(data) < 2:
        return
    mode, rest = data[0] % 4, data[2:]
    examples = PLANS if mode == 3 else EXAMPLES
    sound = examples[data[1] % len(examples)]
    if mode == 0:
        load_and_use(rest, 0)
    elif mode == 1:
        load_and_use(lay_over(sound, rest), len(rest))
    else:
        forged = (change_numbers if mode == 2 else exchange_parts)(sound, rest)
        if forged is not None:
            load_and_use(forged, sum(rest))


def lay_over(sound: bytes, data: bytes) -> bytes:
    """Return a sound file with some bytes of the input's in it, signed."""
    body = bytearray(sound[:-N_DIGEST])
    for start in range(0, len(data) - 4, 5):
        offset = int.from_bytes(data[start : start + 3], "little") % len(body)
        body[offset : offset + 2] = data[start + 3 : start + 5]
    body[14:22] = struct.pack(">Q", len(body) + N_DIGEST)
    return bytes(body) + b"\xc4\x20" + hashlib.sha256(body).digest()


def change_numbers(sound: bytes, data: bytes) -> bytes | None:
    """Return a sound file with numbers of its arrays changed, six bytes of the input for each."""
    header, arrays = decode(sound, "sound")
    names = sorted(name for name in arrays if arrays[name].size)
    changed = dict(arrays)
    for start in range(0, min(len(data) - 5, 60), 6):
        name = names[data[start] % len(names)]
        if changed[name] is arrays[name]:
            changed[name] = arrays[name].copy()
        flat = changed[name].reshape(-1)
        here = int.from_bytes(data[start + 1 : start + 3], "little") % flat.size
        raw = int.from_bytes(data[start + 3 : start + 5], "little", signed=True)
        flat[here : here + (data[start + 5] % 8 or flat.size)] = np.array([raw]).astype(flat.dtype)[
            0
        ]
    try:
        return encode(header, changed)
    except LimitError:
        return None


def exchange_parts(sound: bytes, data: bytes) -> bytes:
    """Return a file with parts of its plan exchanged, four bytes of the input for each."""
    header, arrays = decode(sound, "sound")
    name = "link_plan" if "link_plan" in arrays else "schema_plan"
    changes = [
        (
            int.from_bytes(data[start : start + 2], "little"),
            int.from_bytes(data[start + 2 : start + 4], "little"),
        )
        for start in range(0, min(len(data) - 3, 40), 4)
    ]
    plan, _ = change_plan(arrays[name], changes)
    return encode(header, {**arrays, name: plan})


def load_and_use(data: bytes, seed: int) -> None:
    """Load a file; what is let through is used."""
    PATH.write_bytes(data)
    try:
        artifact = maskc.load(PATH, cache_bytes=1 << 20)
    except ArtifactError as error:
        str(error)
        return
    use(artifact, Random(seed), n_steps=6)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        PATH = Path(folder) / "fuzzed.maskc"
        run_fuzzer("load", take, sys.argv[1:])
