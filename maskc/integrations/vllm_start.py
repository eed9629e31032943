"""Examples in vLLM: an engine that starts has its artifacts follow those that lie beside them.

Artifacts are opened when a request first names one. Where the folder has examples
(:mod:`maskc.integrations.examples`), the engine opens it as soon as it has a tokenizer, in
``StructuredOutputManager.__init__``, before it takes requests. The front end follows none: it fills
no masks.

Example: with ``json.examples.jsonl`` in ``MASKC_ARTIFACTS`` the engine's log says how many of its
tokens were followed.
"""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from maskc.errors import MaskcError
from maskc.integrations.examples import SUFFIX
from maskc.integrations.registry import FOLDER_VARIABLE, ArtifactRegistry

_log = logging.getLogger(__name__)


def around_start(
    original: Callable[..., None], open_registry: Callable[[Any, Any], ArtifactRegistry]
) -> Callable[..., None]:
    """Return what is to be in the place of the manager's ``__init__``.

    Args:
        original: vLLM's.
        open_registry: the artifacts for a model's configuration and tokenizer.
    """

    @functools.wraps(original)
    def start(self: Any, *args: Any, **named: Any) -> None:
        original(self, *args, **named)
        tokenizer = getattr(self, "tokenizer", None)
        if tokenizer is None or not _has_examples():
            return
        try:
            open_registry(self.vllm_config.model_config, tokenizer).prepare()
        except MaskcError as error:
            # A request that names an artifact is told the same.
            _log.warning("examples are not followed: %s", error)

    return start


def _has_examples() -> bool:
    folder = os.environ.get(FOLDER_VARIABLE)
    return bool(folder) and any(Path(str(folder)).glob(f"*{SUFFIX}"))
