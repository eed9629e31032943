"""What a kit costs, and what artifacts cost that share a vocabulary with it.

Usage: python -m benchmarks.kits [--tokenizer llama3] [--artifacts 100]

Prints the kit's size and the milliseconds of loading it (the first time in a process and later), a
second process's memory while the first has the kit open, and disk and memory of many artifacts of
a choice: each with its vocabulary, and each leaving it to the kit. Memory is what the system says
of a process of its own (``/proc/self/smaps_rollup``): *private* is what nobody shares, *resident*
counts pages of files, too. An open artifact has made a matcher and filled a mask.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import maskc
from maskc.kit.file import make_kit, save_kit
from maskc.runtime.artifact import Artifact
from maskc.vocab import load_vocabulary
from maskc.vocab.vocabulary import Vocabulary

_TIMES = 15


def main() -> None:
    """Measure, and print a line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokenizer", default="llama3")
    parser.add_argument("--artifacts", type=int, default=100)
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(_measure(*given.child)))
        return
    vocabulary = load_vocabulary(given.tokenizer)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / f"{given.tokenizer}.kit"
        size = save_kit(make_kit(vocabulary), path)
        print(f"kit: {size / 1e6:.1f} MB")
        times = _run("times", path)
        print("load, ms: " + ", ".join(f"{k} {v:.1f}" for k, v in times.items()))
        kit = maskc.load_kit(path)
        kit.prepare()
        for state in ("nothing", "kit", "prepared"):
            _print(f"a second process, {state}", _run(state, path))
        for kind in ("whole", "lean"):
            _write(vocabulary, folder / kind, given.artifacts, kit if kind == "lean" else None)
            n_bytes = sum(file.stat().st_size for file in (folder / kind).iterdir())
            print(f"{given.artifacts} artifacts, {kind}: {n_bytes / 1e6:.1f} MB of disk")
            for mapped in ("mapped", "read"):
                _print(f"  {mapped}", _run(mapped, folder / kind))


def _write(vocabulary: Vocabulary, folder: Path, count: int, kit: object) -> None:
    from maskc.frontends.source import load_source
    from maskc.pipeline import compile_contents

    folder.mkdir()
    for n in range(count):
        source = load_source(f'start: "yes{n}" | "no{n}"\n', dialect="lark")
        artifact = Artifact(compile_contents(source, vocabulary, None)[0])
        artifact.save(folder / f"{n}.maskc", kit=kit)  # type: ignore[arg-type]


def _run(what: str, path: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.kits", "--child", what, str(path)]
    found: dict[str, float] = json.loads(subprocess.check_output(command))  # noqa: S603  # ourselves
    return found


def _measure(what: str, path: str) -> dict[str, float]:
    if what == "times":
        return _time(path)
    kept: list[object] = []
    before = _memory()
    if what in ("kit", "prepared"):
        kit = maskc.load_kit(path)
        if what == "prepared":
            kit.prepare()
        kept.append(kit)
    elif what in ("mapped", "read"):
        began = time.perf_counter()
        # A server has its kit open; artifacts that have their vocabulary do without.
        kits = sorted(Path(path).parent.glob("*.kit")) if Path(path).name == "lean" else []
        kept += [maskc.load_kit(kit) for kit in kits]
        for file in sorted(Path(path).glob("*.maskc")):
            artifact = maskc.load(file, mapped=what == "mapped")
            bitmask = maskc.allocate_bitmask(1, artifact.vocab_size)
            artifact.matcher().fill_bitmask(bitmask, 0)
            kept.append(artifact)
        seconds = time.perf_counter() - began
        return {k: v - before[k] for k, v in _memory().items()} | {"seconds": seconds}
    return {k: v - before[k] for k, v in _memory().items()} if what != "nothing" else before


def _time(path: str) -> dict[str, float]:
    times = []
    for _ in range(_TIMES + 1):
        began = time.perf_counter()
        maskc.load_kit(path)
        times.append(1000 * (time.perf_counter() - began))
    later = sorted(times[1:])
    return {"first": times[0], "best later": later[0], "median later": later[len(later) // 2]}


def _memory() -> dict[str, float]:
    """Return megabytes of this process."""
    import numpy as np

    # What every process of maskc has loaded, not counted as the kit's.
    for module in ("maskc.kit.file", "maskc.runtime.artifact"):
        __import__(module)
    np.zeros(1)
    found: dict[str, float] = {"private": 0.0, "resident": 0.0}
    for line in Path("/proc/self/smaps_rollup").read_text().splitlines():
        name, *rest = line.split()
        if name in ("Private_Dirty:", "Private_Clean:"):
            found["private"] += int(rest[0]) / 1000
        elif name == "Rss:":
            found["resident"] += int(rest[0]) / 1000
    return found


def _print(what: str, found: dict[str, float]) -> None:
    seconds = f", in {found['seconds']:.2f} s" if "seconds" in found else ""
    print(
        f"{what}: {found['private']:.1f} MB private, {found['resident']:.1f} MB resident{seconds}"
    )


if __name__ == "__main__":
    main()
