"""A custom logit processor that tells SGLang's model what would end a text.

It runs in SGLang's scheduler, after the masks: what it wishes for stays illegal where it is.

Example: a request with ``custom_params={"grammar": "json", "after": 12}`` comes to its end some
tokens after the twelfth.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sglang.srt.sampling.custom_logit_processor import CustomLogitProcessor

import maskc
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import source_from_header
from maskc.integrations.registry import SUFFIX, find_folder
from tests.engines.hf_model import TOKENIZER
from tests.engines.steering import Steering


class SteeringProcessor(CustomLogitProcessor):  # type: ignore[misc]
    """Raises the scores of what leads to an end."""

    def __call__(self, logits: Any, custom_param_list: list[dict[str, Any]] | None = None) -> Any:
        """Return the scores, one row a request, with those of the wishes raised."""
        for row, params in enumerate(custom_param_list or ()):
            ids = [int(token_id) for token_id in params["__req__"].output_ids]
            steering = load_steering(params["grammar"])
            if len(ids) >= params["after"] and not steering.ends & set(ids):
                wish = steering.wish(ids)
                if wish is not None:
                    logits[row, wish] += 10_000
        return logits


@cache
def load_steering(name: str) -> Steering:
    """Return the steering of an artifact of the server's folder."""
    artifact = maskc.load(find_folder() / f"{name}{SUFFIX}")
    lark = build_lark(source_from_header(artifact.header["grammar"]))
    return Steering(artifact, lark, TOKENIZER)
