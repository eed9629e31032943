"""Runs one of the fuzzers with atheris, and keeps the first input of each kind of failure.

A failure is an exception that the code under test must not raise. It is told once for each place
that raises it, its input is written beside what was found before, and fuzzing goes on.
"""

from __future__ import annotations

import hashlib
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType

SEEDS = Path(__file__).parent / "seeds"
SECONDS_PER_INPUT = 10


class TooLongError(BaseException):
    """An input took more processor time than there is for one."""


def run_fuzzer(name: str, take: Callable[[bytes], None], arguments: list[str]) -> None:
    """Fuzz a function until libFuzzer's arguments end it; never returns.

    Args:
        name: of the fuzzer: its seeds lie in the folder of this name.
        take: raises on a failure; what is still instrumented must be imported by now.
        arguments: a folder for what is found, and libFuzzer's options.
    """
    import atheris

    found = Path(arguments[0])
    found.mkdir(parents=True, exist_ok=True)
    known: set[tuple[str, str, int]] = set()
    signal.signal(signal.SIGVTALRM, _stop)

    def take_one(data: bytes) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS_PER_INPUT)
        try:
            take(data)
        except TooLongError as error:
            _tell(name, data, error, found, known)
        except Exception as error:  # noqa: BLE001 - whatever comes is what is looked for
            _tell(name, data, error, found, known)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    corpus = found / f"{name}-corpus"
    corpus.mkdir(exist_ok=True)
    options = ["-rss_limit_mb=6000", "-timeout=300", "-report_slow_units=1000"]
    options += [f"-artifact_prefix={found}/", "-print_final_stats=1"]
    atheris.Setup([name, *options, *arguments[1:], str(corpus), str(SEEDS / name)], take_one)
    atheris.Fuzz()


def _stop(signal_number: int, frame: FrameType | None) -> None:
    del signal_number, frame
    raise TooLongError


def _tell(
    name: str, data: bytes, error: BaseException, found: Path, known: set[tuple[str, str, int]]
) -> None:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "maskc" in f.filename]
    last = frames[-1] if frames else traceback.extract_tb(error.__traceback__)[-1]
    kind = "slow" if isinstance(error, TooLongError) else "failure"
    # What is slow ends anywhere: it is told by the pass that it was in.
    line = frames[min(2, len(frames) - 1)] if kind == "slow" and frames else last
    key = (type(error).__name__, line.filename, line.lineno or 0)
    if key in known:
        return
    known.add(key)
    path = found / f"{name}-{kind}-{hashlib.sha256(data).hexdigest()[:12]}"
    path.write_bytes(data)
    sys.stderr.write(f"\n{kind}: {path.name}: {type(error).__name__}: {str(error)[:200]}\n")
    sys.stderr.write("".join(traceback.format_list(frames[-4:])))
    sys.stderr.flush()
