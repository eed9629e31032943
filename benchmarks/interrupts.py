"""How often does a command end silently when Ctrl-C comes while it starts?

    python -m benchmarks.interrupts [--times N] [--within SECONDS] [--command PATH] [ARGUMENT…]

The command (default: the `maskc` beside this Python, with the argument `tokenizers`) is started N
times in a session of its own, and interrupted after a random delay. Printed is how many ended with
status 130 and no traceback, how many had ended before, and the first line of each other ending.
Before the command's own first line has run it is Python that answers, with a traceback. The exit
status is 1 if a run neither ended silently nor with Python's own traceback of a start.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

SILENT, EARLIER, TRACEBACK = "status 130, no traceback", "ended before", "a traceback"


def main() -> int:
    """Run the command of the arguments; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=40)
    parser.add_argument("--within", type=float, default=0.5)
    parser.add_argument("--command", default=str(Path(sys.executable).with_name("maskc")))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("arguments", nargs="*", default=["tokenizers"])
    options = parser.parse_args()
    draw = Random(options.seed)
    counts: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for _ in range(options.times):
        delay = draw.uniform(0, options.within)
        status, said = interrupt([options.command, *options.arguments], delay)
        kind = classify(status, said)
        counts[kind] += 1
        if kind not in (SILENT, EARLIER):
            others[f"status {status}: {(said.strip().splitlines() or ['nothing said'])[-1]}"] += 1
    for kind, count in sorted(counts.items()):
        sys.stdout.write(f"{count:5} of {options.times}: {kind}\n")
    for said, count in others.most_common():
        sys.stdout.write(f"{count:9}  {said}\n")
    return 0 if set(counts) <= {SILENT, EARLIER, TRACEBACK} else 1


def interrupt(command: list[str], delay: float) -> tuple[int, str]:
    """Return the status and the standard error of a command that is interrupted after a delay."""
    process = subprocess.Popen(  # noqa: S603
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    return process.returncode, said


def classify(status: int, said: str) -> str:
    """Return how a command ended that was interrupted."""
    if "Traceback" in said or "KeyboardInterrupt" in said:
        return TRACEBACK
    if status in (130, -signal.SIGINT):
        return SILENT
    return EARLIER if status == 0 else f"status {status}"


if __name__ == "__main__":
    sys.exit(main())
