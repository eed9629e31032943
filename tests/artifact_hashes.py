"""The hash of each bundled grammar's artifact: ``python -m tests.artifact_hashes [TOKENIZER…]``.

A change that keeps masks and format prints the same lines before and after. The seconds are of
processor time; they are no part of the comparison: ``diff <(cut -f1-3 OLD) <(cut -f1-3 NEW)``.
"""

import hashlib
import json
import sys
import time
from pathlib import Path

from maskc.artifact.model import Contents
from maskc.compiler.pipeline import compile_contents
from maskc.frontends.source import load_source
from maskc.vocab import load_vocabulary

ROOT = Path(__file__).parent.parent
GRAMMARS = sorted([*ROOT.glob("grammars/*.lark"), *ROOT.glob("tests/grammars/general/*.lark")])


def digest(contents: Contents) -> str:
    """Return the hash of an artifact's header and arrays."""
    found = hashlib.sha256(json.dumps(contents.header, default=repr).encode())
    for name, array in contents.arrays.items():
        found.update(f"{name} {array.dtype} {array.shape}".encode())
        found.update(array.tobytes())
    return found.hexdigest()


if __name__ == "__main__":
    for tokenizer in sys.argv[1:] or ("llama3", "mistral"):
        vocabulary = load_vocabulary(tokenizer)
        for path in GRAMMARS:
            source = load_source(path)
            start = time.process_time()
            contents, _ = compile_contents(source, vocabulary)
            seconds = time.process_time() - start
            print(path.stem, tokenizer, digest(contents), f"{seconds:.2f}", sep="\t", flush=True)
