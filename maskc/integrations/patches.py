"""Functions of an engine that a plug-in puts itself around, as a list that checks itself.

An engine that takes other arguments than we think would fail in the middle of a request, or ignore
a constraint. So each entry names the parameters that it knows, and they are compared when the
plug-in is loaded. Entries stand in parts: where one is not as we know it, the log says so in a
sentence, and the engine does that part by itself, as if maskc were not there.
"""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from maskc.integrations.errors import IntegrationError, load_engine

ORIGINAL = "_maskc_original"  # of what was put around a function
AND_MORE = "..."  # at the end of parameters: whatever else there is

_log = logging.getLogger(__name__)


class Patch(NamedTuple):
    """A function of a ``module`` or a ``module:Class``, and what makes of it what is put there."""

    owner: str
    name: str
    parameters: tuple[str, ...]
    wrap: Callable[[Callable[..., Any]], Callable[..., Any]]


class PatchSet(NamedTuple):
    """Patches that make sense together only."""

    without: str  # what is so where they cannot be put in place, for the log
    patches: tuple[Patch, ...]  # of the part
    # raises an IntegrationError where something else is not as we know it
    check: Callable[[], None] = lambda: None
    probe: Callable[[], None] = lambda: None  # likewise, with the patches in place


@dataclass(frozen=True, slots=True)
class Engine:
    """What is known of an engine."""

    name: str  # its package
    tested: tuple[str, ...]  # versions that our tests ran with
    # the environment variable that leaves plug-ins out, if it has plug-ins
    variable: str | None = None

    def load(self, module: str) -> Any:
        """Return a module of the engine; raises an IntegrationError if it does not exist."""
        return load_engine(module, self.name)

    def find(self, owner: str) -> Any:
        """Return a module, or the class of ``module:Class``."""
        module, _, name = owner.partition(":")
        found = self.load(module)
        if not name:
            return found
        if not hasattr(found, name):
            raise self.changed(f"{module} has no {name}")
        return getattr(found, name)

    def check(self, owner: Any, functions: Mapping[str, tuple[str, ...]]) -> None:
        """Check that a class or a module has functions with these parameters."""
        for name, wanted in functions.items():
            function = getattr(owner, name, None)
            if not callable(function):
                raise self.changed(f"{owner.__name__} has no {name}")
            found = tuple(inspect.signature(function).parameters)
            n_known = len(wanted) - 1 if wanted[-1:] == (AND_MORE,) else None
            if found[:n_known] != wanted[:n_known]:
                shown = f"({', '.join(found)}), not ({', '.join(wanted)})"
                raise self.changed(f"{owner.__name__}.{name} takes {shown}")

    def apply(self, parts: Iterable[PatchSet]) -> list[PatchSet]:
        """Put what can be in place, once, and log what cannot; return the parts that are."""
        placed = []
        for part in parts:
            try:
                self._put(part)
                placed.append(part)
            except IntegrationError as error:
                _log.error("%s, since %s", part.without, error)
        return placed

    def _put(self, part: PatchSet) -> None:
        found = [(self.find(patch.owner), patch) for patch in part.patches]
        originals = [
            (owner, patch.name, getattr(owner, patch.name, None)) for owner, patch in found
        ]
        if originals and all(hasattr(original, ORIGINAL) for *_, original in originals):
            return
        for owner, patch in found:
            self.check(owner, {patch.name: patch.parameters})
        part.check()
        for owner, patch in found:
            original = getattr(owner, patch.name)
            replaced = functools.update_wrapper(patch.wrap(original), original)
            setattr(replaced, ORIGINAL, original)
            setattr(owner, patch.name, replaced)
        try:
            part.probe()
        except IntegrationError:
            for owner, name, original in originals:
                setattr(owner, name, original)
            raise

    def changed(self, fact: str) -> IntegrationError:
        """Return the error that says what is not as we know it."""
        version = getattr(load_engine(self.name, self.name), "__version__", "")
        remedy = f"use a version that maskc was tested with ({', '.join(self.tested)})"
        if self.variable is not None:
            remedy += f", or leave maskc out of {self.variable}"
        return IntegrationError(f"{self.name} {version}".strip(), fact, remedy)
