"""Which of vLLM's requests does maskc serve itself, and with what?

A request of vLLM holds a schema, a pattern, choices or a grammar; vLLM's own key says which. Those
of the kinds that the operator named (:mod:`maskc.integrations.requests`) are compiled against the
model's kit: in the front end, so that what is refused is the client's error. What was compiled
goes to the engine with the request, which makes its masks of it on the thread where vLLM compiles;
what it lacks it compiles again. Each of the two has compiling processes of its own.

The front end has waited for what is compiled before it checks a request
(:mod:`maskc.integrations.vllm_waiting`).

Example: with ``MASKC_REQUESTS=json`` a chat with a ``response_format`` of a schema is served here.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from maskc.errors import MaskcError
from maskc.integrations.errors import load_engine
from maskc.integrations.names import SCHEME
from maskc.integrations.requests import RequestConstraints, read_kinds
from maskc.kit.constraint import Constraint
from maskc.vocab.vocabulary import Vocabulary

ENGINE = "vllm"

Wanted = tuple[str, str]

_lock = threading.Lock()
_local = threading.local()
# By the process, since vLLM may fork; by the model's configuration object, which is held so that
# its id is not used again; and by whether masks are filled here.
_made: dict[tuple[int, int, bool], tuple[Any, RequestConstraints]] = {}
# What was waited for in this task: the request, and its error if it is refused.
SETTLED: ContextVar[tuple[Wanted, MaskcError | None] | None] = ContextVar(
    "maskc_settled", default=None
)


@contextmanager
def nothing_wanted() -> Iterator[None]:
    """Serve no request in this thread for the block: vLLM's own route is tested with some."""
    _local.is_off = True
    try:
        yield
    finally:
        _local.is_off = False


def wanted_kind(asked: Any) -> Wanted | None:
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
    model_config: Any, read_vocabulary: Callable[[], Vocabulary], wanted: Wanted
) -> Constraint:
    """Return the constraint of a request, for the engine.

    Args:
        model_config: of vLLM; there is one kit for each.
        read_vocabulary: returns that of the model.
        wanted: what :func:`wanted_kind` returned.

    Raises:
        MaskcError: it cannot be served; the message says why.
    """
    return _constraints(model_config, read_vocabulary, fills_masks=True).make(*wanted)


def check_constraint(
    model_config: Any, read_vocabulary: Callable[[], Vocabulary], wanted: Wanted
) -> None:
    """Check a request, for the front end; its arguments are those of :func:`make_constraint`.

    Raises:
        MaskcError: it cannot be served; the message says why.
    """
    settled = SETTLED.get()
    if settled is None or settled[0] != wanted:
        _constraints(model_config, read_vocabulary, fills_masks=False).make(*wanted)
    elif settled[1] is not None:
        raise settled[1]


def _constraints(
    model_config: Any, read_vocabulary: Callable[[], Vocabulary], *, fills_masks: bool
) -> RequestConstraints:
    key = (os.getpid(), id(model_config), fills_masks)
    with _lock:
        known = _made.get(key)
        if known is None:
            made = RequestConstraints(read_vocabulary(), fills_masks=fills_masks)
            known = _made[key] = (model_config, made)
    return known[1]
