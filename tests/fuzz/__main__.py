"""``python -m tests.fuzz [SECONDS]``: each fuzzer for some time, and what they found.

The exit status is 1 if something failed. What was found lies in ``fuzz-found``; a fuzzer takes one
input as ``python -m tests.fuzz.load fuzz-found PATH``. That of kits (:mod:`tests.fuzz.kits`) prints
what it found.
"""

import subprocess
import sys
from pathlib import Path

FUZZERS = ("load", "frontends", "matcher")


def main() -> int:
    """Run the fuzzers one after the other; return the exit status."""
    seconds = sys.argv[1] if len(sys.argv) > 1 else "180"
    found = Path("fuzz-found")
    before = set(found.glob("*-failure-*"))
    for name in FUZZERS:
        command = [sys.executable, "-m", f"tests.fuzz.{name}", str(found)]
        subprocess.run([*command, f"-max_total_time={seconds}"], check=False)
    status = subprocess.run([sys.executable, "-m", "tests.fuzz.kits", seconds], check=False)
    failures = sorted(set(found.glob("*-failure-*")) - before)
    for path in failures:
        sys.stdout.write(f"{path}\n")
    sys.stdout.write(f"{len(failures)} failures\n")
    return 1 if failures or status.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
