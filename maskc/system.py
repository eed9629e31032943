"""What systems do in different ways: a process's memory, its bounds, and its priority.

Linux tells resident memory and can bound it; macOS tells the largest so far; Windows tells both,
and bounds nothing here. Where a bound cannot be set, the budget of a compilation still ends it, and
who started a process still ends it after its time.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import sys
from typing import Any


def _find_resource() -> Any:
    """Return the module ``resource``, which Windows lacks."""
    try:
        return importlib.import_module("resource")
    except ImportError:
        return None


_RESOURCE = _find_resource()
_KIB_OF_PEAK = 1 if sys.platform == "darwin" else 1024  # bytes of what getrusage counts


def read_memory() -> int:
    """Return the process's resident memory in bytes; on macOS its largest; 0 where none is told."""
    pages = _read_pages()
    if pages:
        return pages[1] * os.sysconf("SC_PAGE_SIZE")
    return peak_memory() if _RESOURCE else _ask_windows()[0]


def peak_memory() -> int:
    """Return the process's largest resident memory so far, in bytes; 0 where none is told."""
    if _RESOURCE is None:
        return _ask_windows()[1]
    return int(_RESOURCE.getrusage(_RESOURCE.RUSAGE_SELF).ru_maxrss) * _KIB_OF_PEAK


def bound_data(n_bytes: int) -> tuple[int, int] | None:
    """Let the system refuse memory by which the process would grow too far; return its old bounds.

    The system counts what was asked for and can be written to, used or not. So its bound is an
    eighth above the limit: what grows bit by bit is found by who looks at resident memory, and what
    is asked for at once and would go beyond fails in time. Mapped files do not count, nor does
    address space that is only reserved.

    Args:
        n_bytes: how far it may grow.

    Returns:
        What :func:`unbound_data` takes to undo it; ``None`` where the system has no such bound.
    """
    pages = _read_pages()
    if _RESOURCE is None or not pages:
        return None
    before: tuple[int, int] = _RESOURCE.getrlimit(_RESOURCE.RLIMIT_DATA)
    most = pages[5] * os.sysconf("SC_PAGE_SIZE") + n_bytes + n_bytes // 8
    bounds = [bound for bound in before if bound != _RESOURCE.RLIM_INFINITY]
    _RESOURCE.setrlimit(_RESOURCE.RLIMIT_DATA, (min([most, *bounds]), before[1]))
    return before


def unbound_data(before: tuple[int, int] | None) -> None:
    """Undo :func:`bound_data`."""
    if before is not None:
        _RESOURCE.setrlimit(_RESOURCE.RLIMIT_DATA, before)


def bound_seconds(seconds: float) -> None:
    """Let the system end this process after so many more seconds of processor time, if it can."""
    if _RESOURCE is None:
        return
    used = _RESOURCE.getrusage(_RESOURCE.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + seconds) + 1
    _RESOURCE.setrlimit(_RESOURCE.RLIMIT_CPU, (most, _RESOURCE.getrlimit(_RESOURCE.RLIMIT_CPU)[1]))


def step_back(niceness: int) -> None:
    """Yield to other processes, at least so far; a process cannot take it back."""
    if hasattr(os, "nice"):
        os.nice(max(0, niceness - os.nice(0)))


def _read_pages() -> list[int]:
    """Return the process's memory in pages, as Linux tells it; empty elsewhere."""
    try:
        file = os.open("/proc/self/statm", os.O_RDONLY)  # half as long as a file of Python's
    except OSError:
        return []
    try:
        return [int(part) for part in os.read(file, 100).split()]
    finally:
        os.close(file)


class _Counters(ctypes.Structure):
    """``PROCESS_MEMORY_COUNTERS`` of Windows."""

    _fields_ = (
        ("cb", ctypes.c_uint32),
        ("PageFaultCount", ctypes.c_uint32),
        ("PeakWorkingSetSize", ctypes.c_size_t),
        ("WorkingSetSize", ctypes.c_size_t),
        ("QuotaPeakPagedPoolUsage", ctypes.c_size_t),
        ("QuotaPagedPoolUsage", ctypes.c_size_t),
        ("QuotaPeakNonPagedPoolUsage", ctypes.c_size_t),
        ("QuotaNonPagedPoolUsage", ctypes.c_size_t),
        ("PagefileUsage", ctypes.c_size_t),
        ("PeakPagefileUsage", ctypes.c_size_t),
    )


def _ask_windows() -> tuple[int, int]:
    """Return resident memory in bytes, now and at most; zeros on any other system."""
    libraries = getattr(ctypes, "windll", None)
    if libraries is None:
        return 0, 0
    kernel = libraries.kernel32
    kernel.GetCurrentProcess.restype = ctypes.c_void_p
    kernel.K32GetProcessMemoryInfo.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32)
    counters = _Counters(cb=ctypes.sizeof(_Counters))
    asked = (kernel.GetCurrentProcess(), ctypes.byref(counters), ctypes.sizeof(counters))
    if not kernel.K32GetProcessMemoryInfo(*asked):
        return 0, 0
    return counters.WorkingSetSize, counters.PeakWorkingSetSize
