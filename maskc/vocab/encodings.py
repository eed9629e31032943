"""Tokenizers that have a name in tiktoken: ``gpt2``, ``cl100k_base``, ``o200k_base``.

tiktoken downloads an encoding once and caches it, in the folder of ``TIKTOKEN_CACHE_DIR`` or the
system's for temporary files.

Example: ``open_encoding("cl100k_base").n_vocab`` is 100,277, and ``open_encoding("llama3")`` is
``None``.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

from maskc.errors import TokenizerError

ENCODINGS = ("gpt2", "r50k_base", "p50k_base", "cl100k_base", "o200k_base", "o200k_harmony")


def open_encoding(name: str) -> Any:
    """Return an encoding of tiktoken, ``None`` for other names and for paths.

    Raises:
        TokenizerError: tiktoken is not installed, or cannot download the encoding.
    """
    if name not in ENCODINGS or os.path.exists(name):
        return None
    try:
        tiktoken = importlib.import_module("tiktoken")
    except ImportError:
        fact = "is an encoding of tiktoken, which is not installed"
        raise TokenizerError(name, fact, "pip install tiktoken") from None
    try:
        return tiktoken.get_encoding(name)
    except ValueError:
        fact = "is not in this version of tiktoken"
        raise TokenizerError(name, fact, "pip install --upgrade tiktoken") from None
    except OSError as error:
        fact = f"could not be downloaded by tiktoken ({str(error).splitlines()[0]:.200})"
        remedy = "allow the network once, or set TIKTOKEN_CACHE_DIR to a folder that has it"
        raise TokenizerError(name, fact, remedy) from None
