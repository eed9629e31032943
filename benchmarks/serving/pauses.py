"""For how long does compiling what requests bring stop the other threads of a server's process?

    python -m benchmarks.serving.pauses [--tokenizer deepseek] [--seconds 60]

One thread works a millisecond at a time, as an engine's loop does between its steps, and notes how
long it takes from one to the next; another compiles hostile requests, first in the same process,
then in the processes of ``OtherProcess``. Printed are the gaps in milliseconds: half of them are
shorter than p50. A gap is the interpreter's, the machine's other work, or both: compare the two.
"""

from __future__ import annotations

import argparse
import json
import random
import threading
import time
from contextlib import suppress
from statistics import quantiles

from benchmarks.serving.hostile_requests import draw_hostile
from maskc.errors import MaskcError
from maskc.integrations.compile_pool import OtherProcess
from maskc.integrations.requests import make_constraint
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.vocab import load_vocabulary

_STEP = 0.001


def compile_hostile(kit: Kit, until: float) -> int:
    """Compile requests until it is time, and return how many there were."""
    draw, n = random.Random(0), 0
    while time.monotonic() < until:
        ((kind, asked),) = draw_hostile(draw).items()
        with suppress(MaskcError):
            make_constraint(kit, kind, asked if isinstance(asked, str) else json.dumps(asked))
        n += 1
    return n


def measure(kit: Kit, seconds: float) -> tuple[list[float], int]:
    """Return the gaps between steps of one thread, and how many requests another compiled."""
    until, made, gaps = time.monotonic() + seconds, list[int](), list[float]()
    thread = threading.Thread(target=lambda: made.append(compile_hostile(kit, until)))
    thread.start()
    last = time.perf_counter()
    while thread.is_alive():
        end = time.perf_counter() + _STEP
        while time.perf_counter() < end:
            pass
        time.sleep(0)  # gives the interpreter away, as a call into torch does
        now = time.perf_counter()
        gaps.append(1000 * (now - last))
        last = now
    thread.join()
    return gaps, made[0]


def main() -> None:
    """Measure both ways and print them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tokenizer", default="deepseek")
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    vocabulary = load_vocabulary(options.tokenizer)
    other = OtherProcess(vocabulary)
    kits = {"in this process": make_kit(vocabulary)}
    kits["in another one"] = make_kit(vocabulary, compiler=other)
    for name, kit in kits.items():
        kit.json_schema("{}")
        gaps, n_requests = measure(kit, options.seconds)
        cuts = quantiles(gaps, n=1000)
        print(
            f"{name:16} {n_requests:5} requests  p50 {cuts[499]:6.1f}  p99 {cuts[989]:6.1f}"
            f"  p99.9 {cuts[998]:6.1f}  worst {max(gaps):7.1f} ms"
        )
    other.close()


if __name__ == "__main__":
    main()
