"""What goes wrong between maskc and an inference engine."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from maskc.errors import MaskcError


class IntegrationError(MaskcError):
    """An engine is missing, has drifted from the interface we know, or is used wrongly."""

    def __init__(self, engine: str, reason: str, remedy: str) -> None:
        super().__init__(engine, reason, remedy)
        self.engine, self.reason, self.remedy = engine, reason, remedy

    def _sentence(self) -> str:
        return f"{self.engine}: {self.reason}; {self.remedy}"


def check_artifacts(engine: str, given: Sequence[Any]) -> None:
    """Check that matchers can be made of what a caller gave; ``None`` is no grammar.

    >>> check_artifacts("an engine", ["json"])
    Traceback (most recent call last):
    maskc.integrations.errors.IntegrationError: an engine: 'json' is a name, not an artifact; give maskc.load(path), or load(name) of a registry
    """  # noqa: E501 - a message is one line
    for one in given:
        if one is None or callable(getattr(one, "matcher", None)):
            continue
        what = (
            f"{one!r:.60} is a name" if isinstance(one, str) else f"{type(one).__name__} is given"
        )
        raise IntegrationError(
            engine, f"{what}, not an artifact", "give maskc.load(path), or load(name) of a registry"
        )


def load_engine(module: str, extra: str) -> Any:
    """Return an engine's module.

    Raises:
        IntegrationError: it is not installed.

    >>> load_engine("no_such_engine", "vllm")
    Traceback (most recent call last):
    maskc.integrations.errors.IntegrationError: no_such_engine: it is not installed; pip install 'maskc[vllm]'
    """  # noqa: E501 - a message is one line
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        remedy = f"pip install 'maskc[{extra}]'"
        if error.name == package:
            raise IntegrationError(package, "it is not installed", remedy) from None
        reason = f"this version has no module {error.name}"
        raise IntegrationError(package, reason, remedy) from None
