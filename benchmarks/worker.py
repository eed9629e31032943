"""One engine on one workload, in a process of its own.

Usage: python -m benchmarks.worker ENGINE WORKLOAD DOCUMENTS ARTIFACT LIMIT_S RESULT

DOCUMENTS is a JSON file of token ids, ARTIFACT the file that maskc loads (others ignore it),
LIMIT_S the seconds after which a pass ends, RESULT the ``.npz`` that the times go to. What else
there is to say is printed as JSON.

Each pass is made twice, the cold one from a second load, and each position keeps the lesser time:
what it took longer is another process's doing.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from maskc.bench.collector import measure_collections
from maskc.bench.floors import collect_rows, measure_floors
from maskc.bench.timing import keep_least, measure_pass, walk


def main() -> None:
    """Time the passes."""
    engine, workload, documents_path, artifact, limit, result = sys.argv[1:]
    documents = json.loads(Path(documents_path).read_text())
    module = importlib.import_module(f"benchmarks.engines.{engine}_engine")
    prepared = module.prepare(workload, Path(artifact))
    bitmask, limit_s = prepared.bitmask, float(limit)
    loads, measured = [], []
    for _ in range(2):
        begin = time.perf_counter()
        start = prepared.load()
        loads.append(time.perf_counter() - begin)
        measured.append(
            [measure_pass(start, documents, bitmask, limit_s=limit_s) for _ in ("cold", "warm")]
        )
    cold, warm = (keep_least(one, other) for one, other in zip(*measured, strict=True))
    np.savez(
        result,
        cold_fill=cold.fill,
        cold_accept=cold.accept,
        cold_taken=cold.n_taken,
        warm_fill=warm.fill,
        warm_accept=warm.accept,
        warm_taken=warm.n_taken,
    )
    about: dict[str, Any] = {
        "engine": prepared.name,
        "load_ms": min(loads) * 1000,
        "tokens": len(warm.fill),
        "refused": len(warm.refused),
        "begun": len(warm.n_taken),
        "out_of_time": cold.out_of_time or warm.out_of_time,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    if engine == "maskc":
        start = prepared.load()
        about["collections"] = {
            name: measure_collections(lambda: walk(start, documents)).to_dict()
            for name in ("cold", "warm")
        }
        rows, order = collect_rows(start, documents, bitmask)
        about["masks"] = len(rows)
        about["floors"] = measure_floors(rows, order)
    print(json.dumps(about))


if __name__ == "__main__":
    main()
