"""A plug-in of SGLang that adds up what a scheduler's steps take, and what masks take of it.

It does nothing unless the environment variable ``MASKC_TIMING`` names a file. That holds, as JSON,
the seconds of the model's forward passes and of sampling, those of masks (filling them, moving and
applying them) and of custom logit processors, which are part of sampling; and how many rows were
sampled. It imports SGLang only when SGLang calls it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

VARIABLE = "MASKC_TIMING"


def register() -> None:
    """Put clocks around SGLang's methods, if a file is named."""
    path = os.environ.get(VARIABLE)
    if not path:
        return
    from sglang.srt.constrained.base_grammar_backend import GrammarMask
    from sglang.srt.layers import sampler
    from sglang.srt.model_executor.model_runner import ModelRunner
    from sglang.srt.sampling.sampling_batch_info import SamplingBatchInfo as Batch

    totals = {"forward": 0.0, "sample": 0.0, "masks": 0.0, "steering": 0.0, "steps": 0, "rows": 0}

    def clock(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **named: Any) -> Any:
            began = time.perf_counter()
            try:
                return call(*args, **named)
            finally:
                totals[name] += time.perf_counter() - began

        return timed

    def count(call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(self: Any, logits_output: Any, *args: Any, **named: Any) -> Any:
            found = call(self, logits_output, *args, **named)
            totals["steps"] += 1
            totals["rows"] += len(logits_output.next_token_logits)
            if totals["steps"] % 10 == 0:
                Path(path).write_text(json.dumps(totals))
            return found

        return counted

    ModelRunner.forward = clock("forward", ModelRunner.forward)
    ModelRunner.sample = count(clock("sample", ModelRunner.sample))
    Batch.update_regex_vocab_mask = clock("masks", Batch.update_regex_vocab_mask)
    GrammarMask.apply = clock("masks", GrammarMask.apply)
    sampler.apply_custom_logit_processor = clock("steering", sampler.apply_custom_logit_processor)
