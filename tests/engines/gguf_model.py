"""A model file that llama.cpp loads: random weights, and the vocabulary of a real tokenizer.

The architecture is Llama with one layer of width 32. Tokens, kinds, and merges or scores are those
of the tokenizer, as llama.cpp's own conversion writes them: of deepseek, added tokens are control
tokens, those that are not special and do not look it are user-defined, and what pads the
vocabulary is unused; of mistral, the kinds are those of its sentencepiece model.

Example: ``write_model(folder / "random.gguf", "deepseek")`` writes 22 MB.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from maskc.integrations.errors import load_engine
from maskc.vocab.registry import find_tokenizer

WIDTH, INNER, HEADS, CONTEXT = 32, 64, 2, 2048
DEEPSEEK_WIDTH = 129_280


def write_model(path: Path, tokenizer: str, *, seed: int = 0) -> None:
    """Write a model file.

    Args:
        path: where.
        tokenizer: ``deepseek`` or ``mistral``.
        seed: of the weights.

    Raises:
        IntegrationError: the package ``gguf`` is not installed.
    """
    gguf = load_engine("gguf", "llama-cpp")
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    file = find_tokenizer(tokenizer)
    if file is None:
        raise SystemExit(f"the tokenizer {tokenizer} is not installed")
    add = {"deepseek": _add_deepseek, "mistral": _add_mistral}[tokenizer]
    n_tokens = add(gguf, writer, file)
    for name, weights in _draw_weights(n_tokens, seed).items():
        writer.add_tensor(name, weights)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_deepseek(gguf: Any, writer: Any, file: Path) -> int:
    """Add the vocabulary of a ``tokenizer.json``, and return how many tokens it has."""
    contents = json.loads(file.read_text())
    tokens = [f"[PAD{token_id}]" for token_id in range(DEEPSEEK_WIDTH)]
    kinds = [gguf.TokenType.UNUSED] * DEEPSEEK_WIDTH
    for text, token_id in contents["model"]["vocab"].items():
        tokens[token_id], kinds[token_id] = text, gguf.TokenType.NORMAL
    for row in contents["added_tokens"]:
        is_control = row["special"] or row["content"][:2] in {"<|", "<｜"}
        kind = gguf.TokenType.CONTROL if is_control else gguf.TokenType.USER_DEFINED
        tokens[row["id"]], kinds[row["id"]] = row["content"], kind
    merges = contents["model"]["merges"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("deepseek-v3")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in merges])
    writer.add_bos_token_id(tokens.index("<｜begin▁of▁sentence｜>"))
    writer.add_eos_token_id(tokens.index("<｜end▁of▁sentence｜>"))
    writer.add_add_bos_token(True)
    return DEEPSEEK_WIDTH


def _add_mistral(gguf: Any, writer: Any, file: Path) -> int:
    """Add the vocabulary of a sentencepiece model, and return how many tokens it has."""
    package = load_engine("sentencepiece", "mistral")
    pieces = package.SentencePieceProcessor(model_file=str(file))
    kinds = [
        gguf.TokenType.UNKNOWN
        if pieces.is_unknown(i)
        else gguf.TokenType.CONTROL
        if pieces.is_control(i)
        else gguf.TokenType.BYTE
        if pieces.is_byte(i)
        else gguf.TokenType.NORMAL
        for i in range(len(pieces))
    ]
    writer.add_tokenizer_model("llama")
    writer.add_token_list([pieces.id_to_piece(i) for i in range(len(pieces))])
    writer.add_token_scores([pieces.get_score(i) for i in range(len(pieces))])
    writer.add_token_types(kinds)
    writer.add_bos_token_id(pieces.bos_id())
    writer.add_eos_token_id(pieces.eos_id())
    writer.add_add_bos_token(True)
    return len(pieces)


def _draw_weights(n_tokens: int, seed: int) -> dict[str, np.ndarray[Any, Any]]:
    """Return random tensors by llama.cpp's names."""
    draw = np.random.default_rng(seed)
    shapes = {
        "token_embd": (n_tokens, WIDTH),
        "output": (n_tokens, WIDTH),
        "blk.0.attn_q": (WIDTH, WIDTH),
        "blk.0.attn_k": (WIDTH, WIDTH),
        "blk.0.attn_v": (WIDTH, WIDTH),
        "blk.0.attn_output": (WIDTH, WIDTH),
        "blk.0.ffn_gate": (INNER, WIDTH),
        "blk.0.ffn_up": (INNER, WIDTH),
        "blk.0.ffn_down": (WIDTH, INNER),
    }
    weights = {
        f"{name}.weight": draw.normal(scale=0.5, size=shape).astype(np.float16)
        for name, shape in shapes.items()
    }
    ones = np.ones(WIDTH, dtype=np.float32)
    for name in ("blk.0.attn_norm", "blk.0.ffn_norm", "output_norm"):
        weights[f"{name}.weight"] = ones
    return weights
