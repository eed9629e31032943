"""Write the model that the runs of vLLM serve; its chats begin with reasoning.

Usage, with the engine's Python: python -m benchmarks.serving.vllm_model FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.serving.hf_model import write_folder

_CHAT = (
    "{% for message in messages %}{{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<think>{% endif %}"
)


def write_model(folder: Path) -> None:
    """Write the model and its tokenizer; vLLM's attention on the CPU asks for heads of 64."""
    write_folder(folder, size=128, spread=0.3, dtype="bfloat16", chat=_CHAT)


if __name__ == "__main__":
    write_model(Path(sys.argv[1]))
