"""A Llama of random weights that generates with masks in transformers; Lark parses its outputs."""

from __future__ import annotations

import time
from typing import Any

from maskc.integrations.errors import load_engine
from maskc.integrations.transformers import GrammarProcessor
from maskc.verify.general import parses
from tests.engines.steering import Steering, SteeringProcessor

PAD, PROMPTS, AFTER = 128_004, (5, 3, 9, 1, 7, 2, 8, 4), 24
HOW_TO_RAISE: dict[str, dict[str, Any]] = {
    "greedy": {"do_sample": False},
    "sampling": {"do_sample": True, "top_k": 0},
    "beams": {"do_sample": False, "num_beams": 3},
}


class Timed:
    """A logits processor that adds up the time of another one."""

    supports_continuous_batching = False

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.seconds, self.n_steps, self.n_rows = 0.0, 0, 0

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Return what the other one returns."""
        begin = time.perf_counter()
        found = self._inner(input_ids, scores)
        self.seconds += time.perf_counter() - begin
        self.n_steps += 1
        self.n_rows += len(input_ids)
        return found


def build_model(width: int, hidden: int, layers: int) -> Any:
    """Return a Llama of random weights."""
    transformers, torch = load_engine("transformers", "transformers"), load_engine("torch", "torch")
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=width,
        hidden_size=hidden,
        intermediate_size=4 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=1024,
        # The weights are small: without this all tokens are about equally likely.
        initializer_range=1.0,
        bos_token_id=128_000,
        eos_token_id=[128_001, 128_008, 128_009],
        pad_token_id=PAD,
    )
    return transformers.LlamaForCausalLM(config).eval()


def run(
    model: Any,
    names: list[str],
    subjects: dict[str, tuple[Any, Any, Steering]],
    way: str,
    seed: int,
) -> dict[str, Any]:
    """Return the counts of one batch.

    Args:
        model: of transformers.
        names: the grammar of each prompt.
        subjects: by name: artifact, parser, steering.
        way: one of ``HOW_TO_RAISE``.
        seed: of prompts and samples.
    """
    torch = load_engine("torch", "torch")
    torch.manual_seed(seed)
    ids = torch.full((len(names), max(PROMPTS)), PAD)
    attention = torch.zeros_like(ids)
    for row, length in zip(range(len(names)), PROMPTS, strict=False):
        ids[row, -length:] = torch.randint(0, 1000, (length,))
        attention[row, -length:] = 1
    grammar = Timed(GrammarProcessor([subjects[name][0] for name in names]))
    steering = Timed(SteeringProcessor([subjects[name][2] for name in names], AFTER + seed % 20))
    begin = time.perf_counter()
    outputs = model.generate(
        input_ids=ids,
        attention_mask=attention,
        logits_processor=[steering, grammar],
        max_new_tokens=400,
        pad_token_id=PAD,
        **HOW_TO_RAISE[way],
    )
    seconds = time.perf_counter() - begin - steering.seconds
    found = {"outputs": 0, "ended": 0, "parsed": 0, "tokens": 0, "failures": []}
    for name, row in zip(names, outputs[:, ids.shape[1] :].tolist(), strict=True):
        _, lark, ends = subjects[name]
        n_tokens = next((i for i, token in enumerate(row) if token in ends.ends), None)
        found["outputs"] += 1
        found["ended"] += n_tokens is not None
        text = ends.write(row[:n_tokens])
        found["tokens"] += len(row[:n_tokens])
        if n_tokens is not None and parses(lark, text.decode()):
            found["parsed"] += 1
        else:
            found["failures"].append((name, way, seed, text.decode(errors="replace")))
    return found | {
        "steps": grammar.n_steps,
        "rows": grammar.n_rows,
        "seconds": seconds,
        "masking": grammar.seconds,
    }
