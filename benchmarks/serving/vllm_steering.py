"""A logits processor of vLLM that wishes for ends: requests say of what, in ``extra_args``.

- ``guide``: the name of the grammar; without it a request is left alone;
- ``guide_after``: tokens after which an end is wished for;
- ``guide_wish``: the tokens that the text is wished to begin with, without a guide;
- ``guide_bias``: after these, token and bias by turns, of what closes the text;
- ``guide_end``: the token to end with, instead of the artifact's own;
- ``guide_think``: the token that closes the reasoning, wished for after ``guide_think_after``
  tokens; the text of the grammar begins after it.

It is a wish only: the masks decide what is legal, and a judge in another process reads the text.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from vllm.v1.sample.logits_processor import LogitsProcessor
from vllm.v1.sample.logits_processor.builtin import process_dict_updates

from benchmarks.serving.guide import VARIABLE, GuideClient

_BONUS = 10_000.0


class Guided(LogitsProcessor):
    """Raises the logit of one token of each guided request."""

    def __init__(self, vllm_config: Any, device: Any, is_pin_memory: bool) -> None:  # noqa: ARG002, FBT001
        path = os.environ.get(VARIABLE)
        self._client = GuideClient(path) if path else None
        self._going: dict[int, tuple[dict[str, Any], list[int]]] = {}
        self._eos = vllm_config.model_config.hf_config.eos_token_id
        # Where the driver wants to know how long was spent here.
        self._clock = os.environ.get(f"{VARIABLE}_CLOCK")
        self._seconds = 0.0

    def is_argmax_invariant(self) -> bool:
        """Return False: wishes change the likeliest token."""
        return False

    def update_state(self, batch_update: Any) -> None:
        """Follow the rows of the batch."""
        process_dict_updates(self._going, batch_update, _read_request)

    def apply(self, logits: Any) -> Any:
        """Return the logits, with those of the wishes raised above all others."""
        began = time.perf_counter()
        asked: list[tuple[int, dict[str, Any], list[int]]] = []
        for row, (options, ids) in self._going.items():
            think = options.get("guide_think")
            if think is not None and think not in ids:
                if len(ids) >= options["guide_think_after"]:
                    logits[row, think] += _BONUS
                continue
            text = ids[ids.index(think) + 1 :] if think is not None else list(ids)
            begin = options.get("guide_wish", ())
            if len(text) < len(begin):
                logits[row, begin[len(text)]] += _BONUS
                continue
            bias = options.get("guide_bias", ())
            for token, more in zip(bias[::2], bias[1::2], strict=True):
                logits[row, int(token)] += more
            if "guide" in options and len(text) >= options["guide_after"]:
                asked.append((row, options, text))
        if asked and self._client is not None:
            wishes = self._client.ask([(options["guide"], text) for _, options, text in asked])
            for (row, options, _), wish in zip(asked, wishes, strict=True):
                if wish is not None:
                    end = options.get("guide_end")
                    logits[row, end if end is not None and wish == self._eos else wish] += _BONUS
        self._seconds += time.perf_counter() - began
        if self._clock:
            Path(self._clock).write_text(str(self._seconds))
        return logits


def _read_request(params: Any, _: Any, output_ids: list[int]) -> Any:
    options = params.extra_args or {}
    return (options, output_ids) if {"guide", "guide_wish"} & options.keys() else None
