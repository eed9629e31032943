"""How does vLLM's tag of some tools keep what ends a call out of the arguments?

vLLM makes a structural tag of a chat's tools for its own tool parser, in one function, and puts a
``response_format`` beside it afterwards. The plug-in puts itself around that function: where maskc
serves structural tags, arguments do not have what the parser takes for their end
(:mod:`maskc.integrations.tool_ends`). What a client sends itself does not pass there.

Example: with ``--tool-call-parser hermes`` no argument holds ``</tool_call>``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from maskc.integrations.drift import Interface
from maskc.integrations.errors import load_engine
from maskc.integrations.tool_ends import bar_ends, serves_tags

_MODULE, METHOD = "vllm.tool_parsers.structural_tag_registry", "get_model_structural_tag"


def find_tags(interface: Interface) -> Any:
    """Return vLLM's module that makes the tags of tools.

    Raises:
        IntegrationError: it is not the one we know.
    """
    module = load_engine(_MODULE, interface.engine)
    make = getattr(module, METHOD, None)
    if not callable(make) or next(iter(inspect.signature(make).parameters), "") != "model":
        raise interface.drifted(f"{_MODULE}.{METHOD} does not take a model")
    if "excludes" not in module.JSONSchemaFormat.model_fields:
        raise interface.drifted("its formats of a JSON Schema exclude nothing")
    return module


def around_tags(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes the tag of some tools with what ends a call barred.

    Args:
        original: vLLM's.
    """

    @functools.wraps(original)
    def make_tag(model: str, *args: Any, **named: Any) -> Any:
        tag = original(model, *args, **named)
        if tag is not None and serves_tags():
            bar_ends(tag.format, model)
        return tag

    return make_tag
