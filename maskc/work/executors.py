"""Executors that a user names, and the outcomes of the calls that they were given.

``--executor module:name`` names a function without arguments that returns a
``concurrent.futures.Executor``: of processes, of a cluster, of whatever a team has. It is imported
from the current folder too. What goes wrong in an executor of others is one sentence here, and what
goes wrong in our own work is the same error that it is without one.

Example: with this in ``cluster.py``, ``--executor cluster:open`` works on a Dask cluster::

    def open():
        return distributed.Client("tcp://scheduler:8786").get_executor()
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, Future, as_completed
from contextlib import contextmanager
from typing import TypeVar

from maskc.errors import ExecutorError, MaskcError
from maskc.work.processes import ProcessExecutor

K = TypeVar("K")
T = TypeVar("T")


@contextmanager
def open_executor(spec: str | None, jobs: int) -> Iterator[Executor]:
    """Yield the executor that a user names, else one of so many processes of this machine.

    Where the block is left by an exception, what was not done is given up.

    Raises:
        ExecutorError: it cannot be imported, or is none.
    """
    if spec is None:
        with ProcessExecutor(jobs) as own:
            yield own
        return
    executor = _call_factory(spec)
    is_done = False
    try:
        yield executor
        is_done = True
    finally:
        # Not every executor takes `cancel_futures`; whoever gathers results cancels the rest.
        executor.shutdown(wait=is_done)


def gather(futures: Mapping[Future[T], K]) -> Iterator[tuple[K, T]]:
    """Yield what calls returned, each with its key, as they are done.

    Raises:
        ExecutorError: the executor failed.
        MaskcError: a call raised it.
    """
    try:
        for future in as_completed(futures):
            yield futures[future], result_of(future)
    finally:
        for future in futures:
            future.cancel()


def result_of(future: Future[T]) -> T:
    """Return what a call returned.

    Raises:
        ExecutorError: the executor failed.
        MaskcError: the call raised it.
    """
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, MaskcError) or not isinstance(error, Exception):
        raise error
    raise ExecutorError(type(error).__name__, str(error)) from error


def _call_factory(spec: str) -> Executor:
    module_name, colon, name = spec.partition(":")
    if not colon or not module_name or module_name.startswith("."):
        raise ExecutorError(spec, "is not of the form module:name")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        factory = getattr(importlib.import_module(module_name), name)
    except (ImportError, AttributeError, ValueError, SyntaxError) as error:
        raise ExecutorError(spec, f"cannot be imported ({error})") from None
    made = factory() if callable(factory) else factory
    if not isinstance(made, Executor):
        raise ExecutorError(
            spec, f"makes a {type(made).__name__}, not a concurrent.futures.Executor"
        )
    return made
