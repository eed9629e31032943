"""Are the bytes of real tokenizers exact, and what do grammars cost to compile for them?

    pip download --no-deps --no-binary llama-cpp-python llama-cpp-python
    python -m tests.outside.vocabularies llama_cpp_python-….tar.gz
        [--page benchmarks/results/tokenizers.md] [--only NAME …]

The source of llama-cpp-python has vocabularies of many models as GGUF files, most with texts beside
them (``.inp``) and the ids that llama.cpp must give for them (``.out``). Of each

- *spelled*: the bytes of the expected ids are the text, or the text after one blank, which a
  sentencepiece vocabulary has at the very beginning;
- *compile*: json.lark and python.lark, each in a process of its own;
- *walked*: the texts as JSON strings and as Python's, cut into the longest tokens that the
  vocabulary has for them, and the expected ids themselves in a grammar of any text: each token is
  legal in the mask where it stands, and after the last one the text may end.

The tokenizers that have a name are looked at likewise, with the texts of Llama 3's file and the ids
that their own package gives. The page gets the table; the exit status is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import maskc
from maskc.errors import MaskcError
from maskc.vocab import Vocabulary, load_encoder, load_vocabulary
from maskc.vocab.files import PREFIX, is_gguf, read_header
from tests.wild.page import replace

ROOT = Path(__file__).parents[2]
SEPARATOR = "\n__ggml_vocab_test__\n"
NAMED = ("llama3", "mistral", "deepseek", "qwen")
TEXTS_OF_NAMED = "llama-bpe"
GRAMMARS = ("json", "python")
ANY_TEXT = "start: TEXT?\nTEXT: /(.|\\n)+/\n"
COLUMNS = {
    "name": "tokenizer",
    "kind": "kind",
    "file_mb": "file, MB",
    "vocab_size": "ids",
    "added": "added tokens: text, atoms",
    "read": "read, s",
    "spelled": "texts spelled",
    "json": "json, s / MB",
    "python": "python, s / MB",
    "peak": "most memory, MB",
    "walked": "tokens walked",
}


def main() -> None:
    """Look at all of them, print the table, write the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("archive", nargs="?", help="the source of llama-cpp-python")
    parser.add_argument("--page", type=Path, help="gets the table")
    parser.add_argument("--only", nargs="*", default=[], help="some of them")
    parser.add_argument("--one", nargs=3, metavar=("TOKENIZER", "TEXTS", "KIND"), help="inside")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(examine(*options.one)))
        return
    if not options.archive:
        parser.error("give the source of llama-cpp-python")
    with tempfile.TemporaryDirectory() as folder:
        cases = list_cases(unpack(options.archive, Path(folder)), options.only)
        rows = [measure(*case) for case in cases]
    print("\n".join(format_table(rows)))
    if options.page:
        replace(options.page, "vocabularies", format_table(rows))
    wrong = [f"{row['name']}: {fault}" for row in rows for fault in row.get("faults", ())]
    print("\n".join(wrong) or "nothing is wrong")
    sys.exit(1 if wrong else 0)


def unpack(archive: str, folder: Path) -> Path:
    """Write the vocabularies of the archive into a folder, and return it."""
    with tarfile.open(archive) as opened:
        for member in opened:
            name = Path(member.name).name
            file = opened.extractfile(member) if name.startswith("ggml-vocab-") else None
            if file is not None:
                (folder / name.removeprefix("ggml-vocab-")).write_bytes(file.read())
    return folder


def list_cases(folder: Path, only: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return name, tokenizer and the stem of the texts of each case."""
    found = [(path.stem, str(path), str(path)) for path in sorted(folder.glob("*.gguf"))]
    texts = str(folder / f"{TEXTS_OF_NAMED}.gguf")
    found += [(name, name, texts) for name in NAMED]
    return [case for case in found if not only or case[0] in only]


def measure(name: str, tokenizer: str, texts: str) -> dict[str, Any]:
    """Examine one, each step in a process of its own."""
    row: dict[str, Any] = {"name": name, "faults": []}
    for step in ("bytes", *GRAMMARS, "walk"):
        command = [
            sys.executable,
            "-m",
            "tests.outside.vocabularies",
            "--one",
            tokenizer,
            texts,
            step,
        ]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
        if done.returncode:
            row["faults"].append(f"{step}: {done.stderr.strip().splitlines()[-1]}")
            continue
        found = json.loads(done.stdout)
        row["faults"] += found.pop("faults", [])
        row["peak"] = max(row.get("peak", 0), found.pop("peak"))
        row |= found
        if "refused" in row:
            break
    print(json.dumps(row), file=sys.stderr, flush=True)
    return row


def examine(tokenizer: str, texts: str, step: str) -> dict[str, Any]:
    """Return what one step finds."""
    try:
        began = time.perf_counter()
        vocabulary = load_vocabulary(tokenizer)
        seconds = time.perf_counter() - began
        if step in GRAMMARS:
            found = {step: compile_one(step, tokenizer)}
        elif step == "bytes":
            found = examine_bytes(tokenizer, vocabulary, texts) | {"read": seconds}
        else:
            found = walk(tokenizer, vocabulary, texts)
    except MaskcError as error:
        found = {"refused": str(error).removeprefix(f"tokenizer {tokenizer}: ")}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found | {"peak": peak}


def compile_one(grammar: str, tokenizer: str) -> tuple[float, float]:
    """Return the processor's seconds and the megabytes of an artifact."""
    path, began = ROOT / "grammars" / f"{grammar}.lark", time.process_time()
    artifact = maskc.compile_grammar(path, tokenizer=tokenizer)
    with tempfile.TemporaryDirectory() as folder:
        artifact.save(Path(folder) / "a.maskc")
        size = (Path(folder) / "a.maskc").stat().st_size
    return time.process_time() - began, size / 1e6


def examine_bytes(tokenizer: str, vocabulary: Vocabulary, texts: str) -> dict[str, Any]:
    """Return what the tokenizer is, and which texts its expected ids spell."""
    faults, n_blank = [], 0
    expected = list(read_expected(tokenizer, texts))
    for text, ids in expected:
        written = b"".join(vocabulary.tokens[token] or b"?" for token in ids)
        n_blank += written == b" " + text.encode()
        if written not in (text.encode(), b" " + text.encode()):
            faults.append(f"{text!r} is spelled {written!r}")
    added = vocabulary.describe_added().get("added_tokens", {"text": [], "atoms": []})
    counts = [sum(last - first + 1 for first, last in added[kind]) for kind in ("text", "atoms")]
    is_file = Path(tokenizer).exists()
    return {
        "kind": find_kind(tokenizer),
        "file_mb": Path(tokenizer).stat().st_size / 1e6 if is_file else None,
        "vocab_size": vocabulary.vocab_size,
        "added": counts,
        "spelled": [len(expected) - len(faults), len(expected), n_blank],
        "faults": faults,
    }


def find_kind(tokenizer: str) -> str:
    """Return what the model's file says that it is."""
    if not is_gguf(Path(tokenizer)):
        return "by name"
    header = read_header(tokenizer, Path(tokenizer))
    model, pre = (header.get(PREFIX + key, b"").decode() for key in ("model", "pre"))
    return f"{model}, {pre}" if pre else str(model)


def read_expected(tokenizer: str, texts: str) -> Iterable[tuple[str, list[int]]]:
    """Yield texts with the ids that are expected for them; none if there are no texts."""
    if not Path(f"{texts}.inp").exists():
        return
    given = Path(f"{texts}.inp").read_bytes().decode().split(SEPARATOR)
    # Most files have the mark after the last text, too.
    given = given if given[-1] else given[:-1]
    if tokenizer != texts:
        encoder = load_encoder(tokenizer)
        yield from ((text, encoder.encode(text)) for text in given)
        return
    lines = Path(f"{texts}.out").read_text().splitlines()
    yield from (
        (text, [int(token) for token in line.split()])
        for text, line in zip(given, lines, strict=True)
    )


def walk(tokenizer: str, vocabulary: Vocabulary, texts: str) -> dict[str, Any]:
    """Return how many tokens were walked, and where one was not legal."""
    expected = list(read_expected(tokenizer, texts))
    longest = Longest(vocabulary)
    given = {
        "any": [ids for _, ids in expected],
        "json": [longest.cut(json.dumps(text, ensure_ascii=False)) for text, _ in expected],
        "python": [longest.cut(f"if x:\n        y = {text!r}\n") for text, _ in expected],
    }
    n_tokens, faults = 0, []
    for name, walks in given.items():
        grammar = ANY_TEXT if name == "any" else ROOT / "grammars" / f"{name}.lark"
        artifact = maskc.compile_grammar(grammar, tokenizer=tokenizer)
        for ids in filter(None, walks):
            n_tokens += len(ids)
            fault = walk_one(artifact, ids)
            if fault:
                faults.append(f"{name}: {fault}")
    return {"walked": n_tokens, "faults": faults}


def walk_one(artifact: maskc.Artifact, ids: Sequence[int]) -> str | None:
    """Return where a token is not legal, ``None`` if all are and the text may end."""
    matcher = artifact.matcher()
    bitmask = maskc.allocate_bitmask(1, artifact.vocab_size)
    for index, token in enumerate(ids):
        matcher.fill_bitmask(bitmask, 0)
        is_legal = bool(np.uint32(bitmask[0, token // 32]) >> np.uint32(token % 32) & 1)
        if not is_legal or not matcher.accept_token(token):
            before = b"".join(artifact.token_bytes(t) or b"?" for t in ids[:index])
            return f"token {token} {artifact.token_bytes(token)!r} after {before[-40:]!r}"
    return None if matcher.is_accepting else f"no end after {ids[-5:]}"


class Longest:
    """Cuts texts into the longest tokens of a vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._ids = {token: i for i, token in enumerate(vocabulary.tokens) if token}
        self._longest = max(map(len, self._ids))

    def cut(self, text: str) -> list[int] | None:
        """Return the tokens of a text; ``None``: a part of it has none."""
        data, at, found = text.encode(), 0, []
        while at < len(data):
            for end in range(min(len(data), at + self._longest), at, -1):
                if data[at:end] in self._ids:
                    found.append(self._ids[data[at:end]])
                    at = end
                    break
            else:
                return None
        return found


def format_table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the table of the page."""
    lines = ["| " + " | ".join(COLUMNS.values()) + " |", "|---" * len(COLUMNS) + "|"]
    for row in rows:
        cells = [format_cell(key, row.get(key)) for key in COLUMNS]
        if "refused" in row:
            cells = [row["name"], f"refused: {row['refused']}", *[""] * (len(COLUMNS) - 2)]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def format_cell(key: str, value: Any) -> str:
    """Return a figure as the table has it."""
    if value is None:
        return "—"
    match key:
        case "json" | "python":
            return f"{value[0]:.1f} / {value[1]:.1f}"
        case "read":
            return f"{value:.1f}"
        case "file_mb":
            return f"{value:.1f}"
        case "peak" | "vocab_size" | "walked":
            return f"{value:,.0f}"
        case "added":
            return f"{value[0]}, {value[1]}" if any(value) else "—"
        case "spelled":
            blank = f", {value[2]} after a blank" if value[2] else ""
            return f"{value[0]} of {value[1]}{blank}" if value[1] else "no texts"
        case _:
            return str(value)


if __name__ == "__main__":
    main()
