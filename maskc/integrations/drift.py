"""Is an engine's interface still the one that an integration was written against?

An engine that takes other arguments than we think would fail in the middle of a request, or
ignore a constraint. So a plug-in compares the names of parameters when it is loaded.

Example: where ``fill_bitmask(self, bitmask, batch_index)`` is expected and the engine has a fourth
parameter, the error names the method and both lists.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from maskc.integrations.errors import IntegrationError, load_engine


@dataclass(frozen=True, slots=True)
class Interface:
    """What is known of an engine.

    Attributes:
        engine: its package.
        tested: versions that our tests ran with.
        variable: the environment variable that leaves plug-ins out, if it has plug-ins.
    """

    engine: str
    tested: tuple[str, ...]
    variable: str | None = None

    def check(self, owner: type[Any], methods: Mapping[str, tuple[str, ...]]) -> None:
        """Check that a class has methods with these parameters.

        Raises:
            IntegrationError: it has not.
        """
        for name, wanted in methods.items():
            method = getattr(owner, name, None)
            if not callable(method):
                raise self.drifted(f"{owner.__name__} has no {name}")
            found = tuple(inspect.signature(method).parameters)
            if found != wanted:
                shown = f"({', '.join(found)}), not ({', '.join(wanted)})"
                raise self.drifted(f"{owner.__name__}.{name} takes {shown}")

    def drifted(self, fact: str) -> IntegrationError:
        """Return the error that says what is not as we know it."""
        version = getattr(load_engine(self.engine, self.engine), "__version__", "")
        remedy = f"use a version that maskc was tested with ({', '.join(self.tested)})"
        if self.variable is not None:
            remedy += f", or leave maskc out of {self.variable}"
        return IntegrationError(f"{self.engine} {version}".strip(), fact, remedy)
