"""The documents of a workload as token ids, made in a process of its own.

Usage: python -m benchmarks.tokenise WORKLOAD FILE

FILE becomes a JSON array with an array of ids for each document. A process that starts others must
stay small: on Linux the peak memory of a new process is at least that of the one that forked it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.workloads import TOKENIZER, WORKLOADS
from maskc.vocab import load_encoder


def main() -> None:
    """Write the ids."""
    workload, target = sys.argv[1:]
    encode = load_encoder(TOKENIZER).encode
    documents = [encode(text) for _, text in WORKLOADS[workload].documents()]
    Path(target).write_text(json.dumps(documents))


if __name__ == "__main__":
    main()
