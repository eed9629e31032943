"""Custom logit processors that wish for what SGLang's model writes.

They run in SGLang's scheduler, after the masks: what they wish for stays illegal where it is.
"""

from __future__ import annotations

from typing import Any

from sglang.srt.sampling.custom_logit_processor import CustomLogitProcessor

from benchmarks.serving.subjects import load_subject
from tests.engines.hf_model import TOKENIZER


class SteeringProcessor(CustomLogitProcessor):  # type: ignore[misc]
    """Wishes for an end: ``custom_params={"grammar": "json", "after": 12}``."""

    def __call__(self, logits: Any, custom_param_list: list[dict[str, Any]] | None = None) -> Any:
        """Return the scores, one row a request, with those of the wishes raised."""
        for row, params in enumerate(custom_param_list or ()):
            ids = [int(token_id) for token_id in params["__req__"].output_ids]
            steering = load_subject(params["grammar"], TOKENIZER).steering
            if len(ids) >= params["after"] and not steering.ends & set(ids):
                wish = steering.wish(ids)
                if wish is not None:
                    logits[row, wish] += 10_000
        return logits


class WishProcessor(CustomLogitProcessor):  # type: ignore[misc]
    """Wishes for a beginning, then raises tokens: ``{"wish": [30, 12], "bias": [1, 30.0]}``."""

    def __call__(self, logits: Any, custom_param_list: list[dict[str, Any]] | None = None) -> Any:
        """Return the scores, one row a request, with those of the wishes raised."""
        for row, params in enumerate(custom_param_list or ()):
            n_written = len(params["__req__"].output_ids)
            wish, bias = params["wish"], params["bias"]
            if n_written < len(wish):
                logits[row, wish[n_written]] += 10_000
                continue
            for token, more in zip(bias[::2], bias[1::2], strict=True):
                logits[row, int(token)] += more
        return logits
