"""A custom logit processor that wishes SGLang's model to begin with some tokens, and to close them.

It runs in SGLang's scheduler, after the masks: what it wishes for stays illegal where it is.

Example: ``custom_params={"wish": [30, 12], "bias": [1, 30.0]}`` wishes for two tokens, and then for
the token 1 more than it would be.
"""

from __future__ import annotations

from typing import Any

from sglang.srt.sampling.custom_logit_processor import CustomLogitProcessor


class WishProcessor(CustomLogitProcessor):  # type: ignore[misc]
    """Raises the scores of what is wished for."""

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
