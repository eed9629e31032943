"""How do time, memory, tables and artifacts grow along the families that people write by hand?

Usage: python -m benchmarks.families [FAMILY …] [--tokenizer T] [--limit SECONDS] [--json FILE]

A *family* is a grammar with one number in it: the length of a literal, the bound of a repetition,
how many keywords. Each is compiled at growing sizes until one takes longer than the limit. Each
compilation has a process of its own; the processor's seconds count, so that other work on the
machine does not, and the largest resident memory is the process's own.

Example: ``python -m benchmarks.families literal keywords --tokenizer bytes``.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from maskc.report.render import make_console, make_table

BLANKS = "%ignore / +/\n"
JSON = r"""
?start: value
?value: object | array | STRING | NUMBER | "true" | "false" | "null"
array: "[" [value ("," value)*] "]"
object: "{" [pair ("," pair)*] "}"
pair: STRING ":" value
STRING: /"([^"\\\x00-\x1f]|\\["\\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/
NUMBER: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/
%ignore /[ \t\n\r]+/
"""


def write_literal(n: int) -> str:
    """Return a grammar with one literal of so many characters."""
    return f'start: "{_letters(n)}"\n'


def write_negated(n: int) -> str:
    """Return a grammar with a counted repetition of all characters but one."""
    return f"start: A\nA: /[^x]{{1,{n}}}/\n"


def write_counted(n: int) -> str:
    """Return a grammar with a counted repetition of letters."""
    return f"start: A\nA: /[a-z]{{1,{n}}}/\n"


def write_keywords(n: int) -> str:
    """Return a grammar with so many keywords beside a name."""
    rules = "".join(f"    | {word.upper()} NAME\n" for word in _words(n))
    terminals = "".join(f'{word.upper()}: "{word}"\n' for word in _words(n))
    return f"start: statement+\nstatement: NAME\n{rules}NAME: /[a-z_]+/\n{terminals}{BLANKS}"


def write_anonymous(n: int) -> str:
    """Return a grammar with so many keywords as alternatives of one rule, beside a name."""
    rules = " | ".join(f'"{word}"' for word in _words(n))
    return f"start: (word | NAME)+\nword: {rules}\nNAME: /[a-z_]+/\n{BLANKS}"


def write_lengths(n: int) -> str:
    """Return a grammar with so many terminals that count letters, each to another bound."""
    rules = " | ".join(f"T_{k}" for k in range(1, n + 1))
    terminals = "".join(f"T_{k}: /[a-z]{{1,{k}}}/\n" for k in range(1, n + 1))
    return f"start: ({rules})+\n{terminals}{BLANKS}"


def write_names(n: int) -> str:
    """Return a grammar with one terminal that is one of so many names."""
    return f"start: A\nA: /{'|'.join(_words(n))}/\n"


def write_choices(n: int) -> str:
    """Return a grammar with so many literals as alternatives of one rule."""
    return "start: " + " | ".join(f'"{word}"' for word in _words(n)) + "\n"


def write_look_behind(n: int) -> str:
    """Return a grammar with a look-behind of so many characters."""
    return f"start: A\nA: /(?<=a[ab]{{{n}}})c/\n"


def write_json(_: int) -> str:
    """Return JSON; the number is the length of the tokens."""
    return JSON


def write_overlapping(n: int) -> str:
    """Return a general grammar in which so many terminals read the same letters."""
    names = "ABCDEFGH"[:n]
    terminals = "".join(f"{name}: /[a-z]{{1,{k + 2}}}/\n" for k, name in enumerate(names))
    head = "// maskc: parser=earley lexer=dynamic_complete\n"
    return f"{head}start: ({' | '.join(names)})+\n{terminals}"


FAMILIES: dict[str, tuple[Callable[[int], str], tuple[int, ...]]] = {
    "literal": (write_literal, (1500, 3000, 6000)),
    "negated": (write_negated, (120, 240, 480, 1000)),
    "counted": (write_counted, (250, 500, 1000)),
    "keywords": (write_keywords, (250, 500, 1000, 2000)),
    "anonymous": (write_anonymous, (250, 500, 1000, 2000)),
    "lengths": (write_lengths, (10, 20, 40)),
    "tokens": (write_json, (1000, 5000, 10000)),
    "names": (write_names, (1875, 3750, 7500, 20000, 100000)),
    "choices": (write_choices, (1000, 2000, 4000)),
    "look-behind": (write_look_behind, (3, 6, 12)),
    "overlapping": (write_overlapping, (2, 3, 4)),
}


def _letters(n: int) -> str:
    source = random.Random(n)
    return "".join(source.choices("abcdefghijklmnopqrstuvwxyz ", k=n))


def _words(n: int) -> list[str]:
    source = random.Random(7)
    letters = "abcdefghijklmnopqrstuvwxyz"
    found: dict[str, None] = {}
    while len(found) < n:
        found["".join(source.choices(letters, k=source.randint(4, 10)))] = None
    return list(found)


def main(arguments: Sequence[str]) -> None:
    """Compile the families and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.families")
    parser.add_argument("family", nargs="*", help=f"of {', '.join(FAMILIES)}; default: all")
    parser.add_argument("--tokenizer", default="bytes")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for one compilation")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one is not None:
        sys.stdout.write(json.dumps(_compile(options.family[0], options.one, options.tokenizer)))
        return
    unknown = sorted(set(options.family) - set(FAMILIES))
    if unknown:
        parser.error(f"{unknown[0]} is none of {', '.join(FAMILIES)}")
    results = []
    for family in options.family or FAMILIES:
        for size in FAMILIES[family][1]:
            found = _run(family, size, options.tokenizer, options.limit)
            results.append({"family": family, "size": size, **found})
            if found.get("seconds", options.limit) >= options.limit:
                break
    console = make_console()
    columns = (
        "family",
        "n",
        "s",
        "MiB",
        "scanner states",
        "rows",
        "artifact bytes",
        "slowest pass",
    )
    console.print(
        make_table(options.tokenizer, columns, [_row(r) for r in results], numbers=columns[1:-1])
    )
    if options.json:
        options.json.write_text(json.dumps(results, indent=1), encoding="utf-8")


def _row(result: dict[str, Any]) -> Sequence[str]:
    what = result["family"], f"{result['size']:,}"
    if "refused" in result:
        return (*what, f"{result.get('seconds', 0):.1f}", "", "", "", "", result["refused"])
    return (
        *what,
        f"{result['seconds']:.1f}",
        f"{result['peak_mb']:,.0f}",
        f"{result['scanner_states']:,}",
        f"{result['rows']:,}",
        f"{result['bytes']:,}",
        f"{result['slowest'][0]}: {result['slowest'][1]:.1f}",
    )


def _run(family: str, size: int, tokenizer: str, limit: float) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.families", family, "--one", str(size)]
    try:
        done = subprocess.run(  # noqa: S603
            [*command, "--tokenizer", tokenizer],
            capture_output=True,
            text=True,
            check=False,
            timeout=limit * 2,
        )
    except subprocess.TimeoutExpired:
        return {"refused": f"over {limit * 2:.0f} s"}
    if done.returncode:
        return {"refused": (done.stderr.strip().splitlines() or ["killed"])[-1][:90]}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _compile(family: str, size: int, tokenizer: str) -> dict[str, Any]:
    from maskc.artifact.container import encode
    from maskc.errors import MaskcError
    from maskc.frontends.source import load_source
    from maskc.pipeline import compile_contents
    from maskc.vocab import load_vocabulary
    from maskc.vocab.vocabulary import TokenTable, build_vocabulary

    vocabulary = load_vocabulary(tokenizer)
    if family == "tokens":
        pieces = (b"a", b" ", b"[1,", b'"a",', b'{"a":')
        long = [(piece * size)[:size] for piece in pieces]
        table = TokenTable((*vocabulary.tokens, *long), vocabulary.eos_ids)
        vocabulary = build_vocabulary("long", table)
    begin = time.process_time()
    try:
        contents, records = compile_contents(load_source(FAMILIES[family][0](size)), vocabulary)
    except MaskcError as error:
        return {"refused": str(error)[:90], "seconds": time.process_time() - begin}
    slowest = max(records, key=lambda record: record.cpu_seconds)
    seconds = time.process_time() - begin
    return {
        "seconds": seconds,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "scanner_states": contents.header["counts"]["scanner_states"],
        "rows": contents.header["counts"]["rows"],
        "bytes": len(encode(contents.header, contents.arrays)),
        "slowest": [slowest.name, slowest.cpu_seconds],
        "passes": {record.name: record.cpu_seconds for record in records},
        "sections": {name: array.nbytes for name, array in contents.arrays.items()},
    }


if __name__ == "__main__":
    main(sys.argv[1:])
