"""Which request is a grammar of SGLang made for, and how many tokens may it take?

SGLang asks a backend for grammars by their text, and a request's ``max_new_tokens`` is not told.
The plug-in puts itself around ``GrammarManager.process_req_with_grammar``, which has the request,
and the threads that make its grammar know it.

Example: with ``MASKC_MAX_TOKENS=finish`` and ``{"ebnf": "maskc://json", "max_new_tokens": 40}`` the
JSON is whole after 40 tokens, its end included.
"""

from __future__ import annotations

import functools
from contextvars import ContextVar
from typing import Any

from maskc.integrations.drift import Interface
from maskc.integrations.errors import load_engine
from maskc.integrations.finishing import Allowance, finishes

_MODULE, _CLASS = "sglang.srt.constrained.grammar_manager", "GrammarManager"
_METHOD = "process_req_with_grammar"
_PATCHED = "_maskc_original"

_asking: ContextVar[Any] = ContextVar("maskc_request", default=None)


def follow_requests(interface: Interface) -> None:
    """Have the threads that make a grammar know its request; the second call does nothing.

    Raises:
        IntegrationError: SGLang's interface is not the one we know.
    """
    manager = getattr(load_engine(_MODULE, interface.engine), _CLASS, None)
    if manager is None:
        raise interface.drifted(f"{_MODULE} has no {_CLASS}")
    original: Any = getattr(manager, _METHOD, None)
    if hasattr(original, _PATCHED):
        return
    interface.check(manager, {_METHOD: ("self", "req")})

    @functools.wraps(original)
    def process(self: Any, req: Any) -> Any:
        token = _asking.set(req)
        try:
            return original(self, req)
        finally:
            _asking.reset(token)

    setattr(process, _PATCHED, original)
    setattr(manager, _METHOD, process)


def allow(n_drafted: int) -> Allowance | None:
    """Return the tokens of the request that is asking, ``None`` if its text may break off.

    Args:
        n_drafted: how many tokens later than SGLang has counted a text may begin: where drafts end
            the thoughts.

    Raises:
        ArtifactError: the operator's setting is wrong.
    """
    request = _asking.get()
    if request is None or not finishes(request.sampling_params.custom_params):
        return None
    most = request.sampling_params.max_new_tokens
    return Allowance(most - n_drafted, lambda: len(request.output_ids))
