"""Which of vLLM's requests does maskc serve itself, and with what?

A request of vLLM holds a schema, a pattern, choices or a grammar; vLLM's own key says which. Those
of the kinds that the operator named (:mod:`maskc.integrations.requests`) are compiled against the
model's kit: in the front end, so that what is refused is the client's error, and again in the
engine, on the thread where vLLM compiles.

Example: with ``MASKC_REQUESTS=json`` a chat with a ``response_format`` of a schema is served here.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from maskc.integrations.errors import load_engine
from maskc.integrations.names import SCHEME
from maskc.integrations.requests import RequestConstraints, read_kinds
from maskc.kit.constraint import Constraint
from maskc.vocab.vocabulary import Vocabulary

ENGINE = "vllm"

_lock = threading.Lock()
_local = threading.local()
# By the model's configuration object, which is held so that its id is not used again.
_made: dict[int, tuple[Any, RequestConstraints]] = {}


@contextmanager
def nothing_wanted() -> Iterator[None]:
    """Serve no request in this thread for the block: vLLM's own route is tested with some."""
    _local.is_off = True
    try:
        yield
    finally:
        _local.is_off = False


def wanted_kind(asked: Any) -> tuple[str, str] | None:
    """Return the kind and the text of what a request asks for, if maskc is to serve it.

    Args:
        asked: vLLM's ``StructuredOutputsParams``, or ``None``.

    Raises:
        ArtifactError: the operator's setting is wrong.
    """
    kinds = frozenset() if getattr(_local, "is_off", False) else read_kinds()
    if not kinds or asked is None or asked.all_constraints_none():
        return None
    request = load_engine("vllm.v1.structured_output.request", ENGINE)
    option, text = request.get_structured_output_key(asked)
    kind = option.name.lower()
    if kind not in kinds or text.startswith(SCHEME):
        return None
    return kind, text


def make_constraint(
    model_config: Any, vocabulary: Vocabulary, wanted: tuple[str, str]
) -> Constraint:
    """Return the constraint of a request.

    Args:
        model_config: of vLLM; there is one kit for each.
        vocabulary: of the model.
        wanted: what :func:`wanted_kind` returned.

    Raises:
        MaskcError: it cannot be served; the message says why.
    """
    with _lock:
        known = _made.get(id(model_config))
        if known is None:
            known = _made[id(model_config)] = (model_config, RequestConstraints(vocabulary))
    return known[1].make(*wanted)
