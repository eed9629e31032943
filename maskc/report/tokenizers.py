"""The tokenizers that have a name, as a table."""

from __future__ import annotations

from collections.abc import Iterable

from maskc.report.render import make_console, make_table
from maskc.vocab import TokenizerEntry


def print_tokenizers(entries: Iterable[TokenizerEntry]) -> None:
    """Print them on standard output, with what to do for those that are not there."""
    rows = [(entry.name, "yes" if entry.available else "no", entry.how) for entry in entries]
    console = make_console()
    console.print(make_table("", ("name", "here", "from"), rows))
    console.print(
        "A path to tokenizer.json, a tiktoken file, a sentencepiece model or a folder with one, "
        "a model of llama.cpp (.gguf), and org/name on the Hugging Face hub, work as well."
    )
