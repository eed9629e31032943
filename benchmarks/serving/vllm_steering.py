"""A logits processor of vLLM that wishes for ends: requests say of what, in ``extra_args``.

- ``guide``: the name of the grammar; without it a request is left alone;
- ``guide_after``: tokens after which an end is wished for;
- ``guide_wish``: the tokens that the text is wished to begin with, without a guide;
- ``guide_bias``: after these, token and bias by turns, of what closes the text;
- ``guide_end``: the token to end with, instead of the artifact's own;
- ``guide_think``: the token that closes the reasoning, wished for after ``guide_think_after``
  tokens; the text of the grammar begins after it.

It is a wish only: the masks decide what is legal, and a judge in another process reads the text.
Grammars are those of the artifacts' folder.
"""

from __future__ import annotations

from typing import Any

from vllm.v1.sample.logits_processor import LogitsProcessor
from vllm.v1.sample.logits_processor.builtin import process_dict_updates

from benchmarks.serving.subjects import load_subject
from tests.engines.hf_model import TOKENIZER

_BONUS = 10_000.0


class Guided(LogitsProcessor):
    """Raises the logit of one token of each guided request."""

    def __init__(self, vllm_config: Any, device: Any, is_pin_memory: bool) -> None:  # noqa: ARG002, FBT001
        self._going: dict[int, tuple[dict[str, Any], list[int]]] = {}
        self._eos = vllm_config.model_config.hf_config.eos_token_id

    def is_argmax_invariant(self) -> bool:
        """Return False: wishes change the likeliest token."""
        return False

    def update_state(self, batch_update: Any) -> None:
        """Follow the rows of the batch."""
        process_dict_updates(self._going, batch_update, _read_request)

    def apply(self, logits: Any) -> Any:
        """Return the logits, with those of the wishes raised above all others."""
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
                wish = load_subject(options["guide"], TOKENIZER).steering.wish(text)
                if wish is not None:
                    end = options.get("guide_end")
                    logits[row, end if end is not None and wish == self._eos else wish] += _BONUS
        return logits


def _read_request(params: Any, _: Any, output_ids: list[int]) -> Any:
    options = params.extra_args or {}
    return (options, output_ids) if {"guide", "guide_wish"} & options.keys() else None
