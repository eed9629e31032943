"""What requests bring, to the first mask: maskc beside llguidance and xgrammar, in the same run.

    python -m benchmarks.request_peers [--python PYTHON-WITH-THE-PEERS] [--tokenizer llama3]

A choice of 100 words and of 100,000 names, two patterns and a grammar of 30 rules, drawn anew for
each run: each engine compiles it, makes a matcher and fills its first mask. Each engine has a
process of its own, one thread, and no cache of whole grammars; what depends on the tokenizer alone
is made before any clock runs. Printed are milliseconds of the wall, the least of the runs and the
median, and what an engine says if it refuses.
"""

from __future__ import annotations

import argparse
import base64
import importlib
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ENGINES = ("maskc", "llguidance", "xgrammar")
LETTERS = "abcdefghijklmnopqrstuvwxyz_"
N_RUNS, N_LARGE = 7, 3

Start = Callable[[str, Any], Callable[[], None]]


def _word(draw: random.Random) -> str:
    return "".join(draw.choice(LETTERS) for _ in range(draw.randint(3, 15)))


def _grammar(draw: random.Random) -> dict[str, str]:
    """Return one grammar in Lark's notation and in xgrammar's."""
    words = [_word(draw) for _ in range(29)]
    lark = "".join(f'r{i}: r{i + 1} ("{w}" r{i + 1})*\n' for i, w in enumerate(words))
    ebnf = "".join(f'r{i} ::= r{i + 1} ("{w}" r{i + 1})*\n' for i, w in enumerate(words))
    return {
        "lark": f'start: r0\n{lark}r29: NAME | "(" start ")"\nNAME: /[a-z]+/\n',
        "ebnf": f'root ::= r0\n{ebnf}r29 ::= [a-z]+ | "(" root ")"\n',
    }


REQUESTS: dict[str, Callable[[random.Random], tuple[str, Any]]] = {
    "choice of 100 words": lambda d: ("choice", [_word(d) for _ in range(100)]),
    "choice of 100,000 names": lambda d: ("choice", [_word(d) for _ in range(100_000)]),
    "pattern of a date": lambda d: ("regex", rf"{_word(d)}[0-9]{{4}}-[0-9]{{2}}"),
    "pattern of words": lambda d: ("regex", rf"[a-z]+(?:-[a-z]+)*@{_word(d)}"),
    "grammar of 30 rules": lambda d: ("grammar", _grammar(d)),
}


def main() -> None:
    """Measure all engines, or one in its own process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--tokenizer", default="llama3")
    parser.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        print(json.dumps(_run(*given.run)))
        return
    from maskc.vocab import load_vocabulary

    vocabulary = load_vocabulary(given.tokenizer)
    texts = [base64.b64encode(token or b"").decode() for token in vocabulary.tokens]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vocabulary.json"
        path.write_text(json.dumps({"tokens": texts, "ends": list(vocabulary.eos_ids)}))
        for engine in ENGINES:
            python = sys.executable if engine == "maskc" else given.python
            command = [python, str(Path(__file__).resolve()), "--run", engine, str(path)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # ourselves
            if done.returncode:
                print(f"{engine}: {done.stderr.strip().splitlines()[-1]}")
                continue
            for name, said in json.loads(done.stdout.splitlines()[-1]).items():
                print(f"{engine:12}{name:26}{said}")


def _run(engine: str, path: str) -> dict[str, str]:
    given = json.loads(Path(path).read_text())
    tokens = [base64.b64decode(text) for text in given["tokens"]]
    start = {"maskc": _maskc, "llguidance": _llguidance, "xgrammar": _xgrammar}[engine]
    prepare = start(tokens, given["ends"])
    prepare("choice", ["warm", "up"])()
    found = {}
    for name, draw_request in REQUESTS.items():
        times = []
        try:
            for run in range(N_LARGE if "100,000" in name else N_RUNS):
                kind, what = draw_request(random.Random(run))
                began = time.perf_counter()
                prepare(kind, what)()
                times.append(1000 * (time.perf_counter() - began))
        except (ValueError, RuntimeError) as error:
            found[name] = f"refused: {str(error)[:100]}"
            continue
        times.sort()
        found[name] = f"{times[0]:10.2f} {times[len(times) // 2]:10.2f} ms"
    return found


def _maskc(tokens: list[bytes], ends: list[int]) -> Start:
    import maskc
    from maskc.kit.file import make_kit
    from maskc.vocab.vocabulary import Vocabulary

    kit = make_kit(Vocabulary(tuple(token or None for token in tokens), tuple(ends), "given"))
    kit.prepare()
    bitmask = maskc.allocate_bitmask(1, kit.vocab_size)

    def start(kind: str, what: Any) -> Callable[[], None]:
        made = kit.lark(what["lark"]) if kind == "grammar" else getattr(kit, kind)(what)
        return lambda: made.matcher().fill_bitmask(bitmask, 0)

    return start


def _llguidance(tokens: list[bytes], ends: list[int]) -> Start:
    llguidance = importlib.import_module("llguidance")
    numpy_masks = importlib.import_module("llguidance.numpy")

    class Wrapped:
        def __init__(self) -> None:
            self.tokens = [t or f"<|special_{n}|>".encode() for n, t in enumerate(tokens)]
            self.special_token_ids = [n for n, token in enumerate(tokens) if not token]
            self.eos_token_id, self.bos_token_id = ends[0], None

        def __call__(self, text: str) -> list[int]:
            return [self.tokens.index(bytes([byte])) for byte in text.encode()]

    tokenizer = llguidance.LLTokenizer(llguidance.TokenizerWrapper(Wrapped()))
    bitmask = numpy_masks.allocate_token_bitmask(1, tokenizer.vocab_size)
    limits = llguidance.LLParserLimits(
        max_items_in_row=1_000_000,
        initial_lexer_fuel=1_000_000_000,
        step_lexer_fuel=1_000_000_000,
        step_max_items=10_000_000,
        max_lexer_states=10_000_000,
        max_grammar_size=100_000_000,
    )
    make = llguidance.LLMatcher

    def start(kind: str, what: Any) -> Callable[[], None]:
        if kind == "choice":
            grammar = make.grammar_from_lark("start: " + " | ".join(map(json.dumps, what)))
        elif kind == "regex":
            grammar = make.grammar_from_regex(what)
        else:
            grammar = make.grammar_from_lark(what["lark"])
        matcher = make(tokenizer, grammar, limits=limits)
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return lambda: numpy_masks.fill_next_token_bitmask(matcher, bitmask, 0)

    return start


def _xgrammar(tokens: list[bytes], ends: list[int]) -> Start:
    torch, xgrammar = map(importlib.import_module, ("torch", "xgrammar"))
    torch.set_num_threads(1)
    info = xgrammar.TokenizerInfo(tokens, stop_token_ids=ends)
    bitmask = xgrammar.allocate_token_bitmask(1, len(tokens))

    def start(kind: str, what: Any) -> Callable[[], None]:
        compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
        if kind == "choice":
            text = "root ::= " + " | ".join(map(json.dumps, what))
            compiled = compiler.compile_grammar(text)
        elif kind == "regex":
            compiled = compiler.compile_regex(what)
        else:
            compiled = compiler.compile_grammar(what["ebnf"])
        matcher = xgrammar.GrammarMatcher(compiled)
        return lambda: matcher.fill_next_token_bitmask(bitmask, 0)

    return start


if __name__ == "__main__":
    main()
