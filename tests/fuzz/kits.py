"""``python -m tests.fuzz.kits [SECONDS]``: forges kits, loads them, and uses what loading lets by.

It needs no atheris, so that it also runs on the compiled runtime. A kit is drawn by its number, and
``python -m tests.fuzz.kits 0 NUMBER…`` draws these again. Whatever is raised but a refusal is told
once for each line that raises it; the exit status is 1 if there was any.
"""

from __future__ import annotations

import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from random import Random

from tests.security.forged_kits import forge_kit, load_forged_kit, make_examples, use_kit

SLOW = 10.0  # seconds of processor time


def main() -> int:
    """Forge kits for some time, or some again; return the exit status."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 180.0
    again = [int(number) for number in sys.argv[2:]]
    numbers: Iterable[int] = again or count()
    counts: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    examples, until = make_examples(), time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            if not again and time.monotonic() > until:
                break
            _take(number, examples, Path(folder) / "forged.kit", counts, failures)
    told = ", ".join(f"{n} {what}" for what, n in sorted(counts.items()))
    sys.stdout.write(f"{sum(counts.values())} kits: {told}\n")
    for where, n in failures.most_common():
        sys.stdout.write(f"{n} times {where}\n")
    return 1 if failures else 0


def _take(
    number: int, examples: list[bytes], path: Path, counts: Counter[str], failures: Counter[str]
) -> None:
    draw, before = Random(number), time.process_time()
    data, told = forge_kit(draw.choice(examples), draw)
    outcome = "refused"
    try:
        kit = load_forged_kit(data, path)
        if kit is not None:
            outcome = "used"
            use_kit(kit, draw)
    except Exception as error:  # noqa: BLE001 - whatever comes is what is looked for
        outcome = f"{outcome}, which raised"
        frames = [f for f in traceback.extract_tb(error.__traceback__) if "maskc" in f.filename]
        where = f"{type(error).__name__} at {frames[-1].filename}:{frames[-1].lineno}"
        if not failures[where]:
            _tell(number, told, error)
        failures[where] += 1
    took = time.process_time() - before
    if took > SLOW:
        failures["slow"] += 1
        sys.stderr.write(f"\nkit {number}, {told}: {took:.0f} s\n")
    counts[outcome] += 1


def _tell(number: int, told: list[str], error: Exception) -> None:
    frames = "".join(traceback.format_tb(error.__traceback__)[-4:])
    text = f"\nkit {number}, {told}: {type(error).__name__}: {error}\n{frames}"
    sys.stderr.write(text)
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
