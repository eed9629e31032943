"""Finds the folder that holds the tokenizer of a Hugging Face hub repository.

First the local cache, in the layout that ``huggingface_hub`` writes (read directly, so that a
cached tokenizer needs no package): ``models--org--name/refs/main`` names a commit, and
``snapshots/<commit>`` holds its files. Then a download, if that package is there and
``HF_HUB_OFFLINE`` is not set.

Example: with ``HF_HOME=/models``, the repository ``org/name`` is cached in
``/models/hub/models--org--name``.
"""

from __future__ import annotations

import importlib
import os
import re
from pathlib import Path

from maskc.errors import TokenizerError
from maskc.vocab.files import TOKENIZER_FILES, find_tokenizer_file

# As the hub itself allows: an owner and a name, neither beginning with a dot or a dash.
_REPOSITORY = re.compile(r"[A-Za-z0-9_][\w.-]{0,95}/[A-Za-z0-9_][\w.-]{0,95}", re.ASCII)
_NEIGHBOURS = (
    "generation_config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "config.json",
)


def is_repository(spec: str) -> bool:
    """Whether a text has the form ``org/name`` of a hub repository."""
    return _REPOSITORY.fullmatch(spec) is not None


def find_cached(repository: str) -> Path | None:
    """Return the folder of a cached repository if it holds a tokenizer."""
    root = _find_cache_folder() / f"models--{repository.replace('/', '--')}"
    try:
        commit = (root / "refs" / "main").read_text(encoding="utf-8").strip()
        folders = [root / "snapshots" / commit]
    except (OSError, UnicodeDecodeError):
        # A repository that was fetched at one fixed commit has a snapshot and no reference.
        folders = sorted((root / "snapshots").glob("*"))
    if len(folders) == 1 and find_tokenizer_file(folders[0]) is not None:
        return folders[0]
    return None


def download(tokenizer: str, repository: str, remedy: str) -> Path:
    """Return the folder of a repository after fetching its tokenizer files.

    Raises:
        TokenizerError: the network is off or fails, ``huggingface_hub`` is missing, or the
            repository cannot be read or holds no tokenizer.
    """
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        reason = f"{repository} is not in the local hub cache and HF_HUB_OFFLINE is set"
        raise TokenizerError(tokenizer, reason, remedy)
    try:
        hub = importlib.import_module("huggingface_hub")
        errors = importlib.import_module("huggingface_hub.errors")
    except ImportError as error:
        raise TokenizerError(
            tokenizer,
            f"{repository} is not in the local hub cache and huggingface_hub is not installed",
            remedy,
        ) from error
    # Its errors have no common base class, and some come from the HTTP client below it.
    failures: tuple[type[Exception], ...] = (OSError, ValueError)
    for kind in vars(errors).values():
        if isinstance(kind, type) and issubclass(kind, Exception):
            failures += (kind,)
    try:
        folder = Path(
            hub.snapshot_download(
                repository,
                cache_dir=_find_cache_folder(),
                allow_patterns=[*TOKENIZER_FILES, *_NEIGHBOURS],
            )
        )
    except failures as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise TokenizerError(
            tokenizer, f"{repository} could not be downloaded ({lines[0].rstrip('.')})", remedy
        ) from error
    if find_tokenizer_file(folder) is None:
        raise TokenizerError(tokenizer, f"{repository} holds no tokenizer file", remedy)
    return folder


def _find_cache_folder() -> Path:
    """Return the cache folder that ``huggingface_hub`` would use."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if folder := os.environ.get(variable):
            return Path(folder).expanduser()
    if home := os.environ.get("HF_HOME"):
        return Path(home).expanduser() / "hub"
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "huggingface" / "hub"
