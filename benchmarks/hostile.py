"""What does each hostile grammar cost, and what is said about it?

    python -m benchmarks.hostile [NAME…] [--tokenizer NAME] [--limit SECONDS]

Each family is compiled in a process of its own with the default limits. Printed are seconds of
processor time and of the wall, the peak of resident memory, and the sentence that refused it. The
exit status is 1 if one of them took longer than the limit (default 60 seconds of processor time),
more than 4 GB, or ended otherwise than with a file or a sentence.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

MOST_BYTES = 4_000_000_000
EARLEY = "// maskc: parser=earley lexer=dynamic_complete\n"


def _numbered(n: int, line: str) -> str:
    return "".join(line.format(i=i) for i in range(n))


def _start(n: int, part: str) -> str:
    return "start: " + " ".join(part.format(i=i) for i in range(n)) + "\n"


def _list(n: int, name: str) -> str:
    return "start: " + " | ".join(name.format(i=i) for i in range(n)) + "\n"


LARK: dict[str, Callable[[], str]] = {
    "optionals-14": lambda: _start(14, '["a{i}"]'),
    "optionals-16": lambda: _start(16, '["a{i}"]'),
    "optionals-40": lambda: _start(40, '["a{i}"]'),
    "earley-optionals-12": lambda: EARLEY + _start(12, '("a"|"b")?'),
    "earley-optionals-30": lambda: EARLEY + _start(30, '("a"|"b")?'),
    "choices-13": lambda: _start(13, '("a{i}"|"b{i}")'),
    "choices-40": lambda: _start(40, '("a{i}"|"b{i}")'),
    "counts": lambda: 'start: (("a"|"b")~0..40)~0..40\n',
    "count-of-a-billion": lambda: 'start: "a"~0..1000000000\n',
    "count-of-many-digits": lambda: f'start: "a"~{"9" * 5000}\n',
    "template": lambda: '_t{x}: "a" _t{_w{x}}\n_w{x}: x\nstart: _t{"b"}\n',
    "template-names": lambda: '_t{x}: "a" _t{_w{x,x}}\n_w{x,y}: x y\nstart: _t{"b"}\n',
    "terminals-of-terminals": lambda: (
        "start: T0\n" + "".join(f"T{i}: T{i + 1} T{i + 1}\n" for i in range(40)) + 'T40: "a"\n'
    ),
    "literal-6000": lambda: f'start: "{"ab" * 3000}"\n',
    "class-480": lambda: "start: A\nA: /[^x]{1,480}/\n",
    "class-1000": lambda: "start: A\nA: /[^x]{1,1000}/\n",
    "nested-counts": lambda: "start: A\nA: /((a{1,50}){1,50}){1,50}/\n",
    "count-in-a-pattern": lambda: f"start: A\nA: /a{{{'9' * 20}}}/\n",
    "look-behind-12": lambda: "start: A+\nA: /[ab]*(?<=a[ab]{12})c/\n",
    "look-aheads": lambda: (
        _list(30, "T{i}") + _numbered(30, "T{i}: /(?=[a-z]{{{i},40}}x)[a-z]+/\n")
    ),
    "subsets": lambda: "start: A+\nA: /(a|b)*?a(a|b){18}c/\n",
    "overlapping-earley": lambda: (
        EARLEY + "start: (A|B|C|D)+\nA: /[a-z]+/\nB: /[a-m]+/\nC: /[n-z]+/\nD: /[aeiou]+/\n"
    ),
    "names-100000": lambda: "start: A\nA: " + " | ".join(f'"n{i}"' for i in range(100_000)) + "\n",
    "names-80000": lambda: "start: A\nA: " + " | ".join(f'"n{i}"' for i in range(80_000)) + "\n",
    "lazy-and-looking-ahead": lambda: "start: A+\nA: /[a-c]+?(?=a*b)/\n",
    "look-behind-in-ignored": lambda: "start: A\nA: /(?<=a[ab]{12})c/\nB: /[ab]/\n%ignore B\n",
    "ambiguous-earley": lambda: EARLEY + 'start: start start start | start start | "a" | "b"?\n',
    "lengths-40": lambda: _list(40, "T{i}") + _numbered(40, "T{i}: /[a-z]{{1,{i}1}}/\n"),
    "flat-rules-10000": lambda: (
        _list(10_000, "r{i}") + "".join(f'r{i}: "k{i}" "x"\n' for i in range(10_000))
    ),
    "right-recursion-5000": lambda: (
        "start: r0\n" + "".join(f'r{i}: "a{i}" r{i + 1}\n' for i in range(5000)) + 'r5000: "x"\n'
    ),
    "units-earley": lambda: (
        EARLEY
        + "start: r0\n"
        + "".join(f'r{i}: r{i + 1} | "a{i}" | r{i + 1} r{i + 1}\n' for i in range(300))
        + 'r300: "x"\n'
    ),
    "keywords-2000": lambda: (
        "start: (NAME | k)+\nNAME: /[a-z0-9]+/\nk: "
        + " | ".join(f'"key{i}"' for i in range(2000))
        + '\n%ignore " "\n'
    ),
    "terminals-100000": lambda: _list(100_000, '"k{i}"'),
    "brackets-10000": lambda: "start: " + "(" * 10_000 + '"a"' + ")" * 10_000 + "\n",
    "brackets-in-a-pattern": lambda: "start: A\nA: /" + "(" * 10_000 + "a" + ")" * 10_000 + "/\n",
    "backtracking": lambda: 'start: A | B\nA: /(a|a)*b/\nB: "' + "a" * 60 + 'c"\n',
    "backslashes": lambda: 'start: "' + "\\" * 80 + "\n",
    "blank-lines": lambda: 'start: "a"' + "\n" * 300_000,
    "classes-ignoring-case": lambda: (
        _list(200, "T{i}")
        + "".join(
            f"T{i}: /[\\u{0x1000 + 7 * i:04x}-\\ufffe\\w]+{i}/i\n".replace("\\\\", "\\")
            for i in range(200)
        )
    ),
    "text-44MB": lambda: "start: a\n" + 'a: "b"\n' * 6_300_000,
}
DIALECTS: dict[str, tuple[str, Callable[[], str]]] = {
    "gbnf-counts": ("gbnf", lambda: 'root ::= "a"{0,100000}\n'),
    "gbnf-nested-counts": ("gbnf", lambda: 'root ::= ((("a"{1,50}){1,50}){1,50}){1,50}\n'),
    "gbnf-brackets": ("gbnf", lambda: "root ::= " + "(" * 5000 + '"a"' + ")" * 5000 + "\n"),
    "gbnf-optionals": ("gbnf", lambda: "root ::= " + '("a" | "b" root "c")? ' * 40 + "\n"),
    "gbnf-rules": (
        "gbnf",
        lambda: (
            "root ::= "
            + " | ".join(f"r{i}" for i in range(3000))
            + "\n"
            + "".join(f'r{i} ::= "k{i}" [a-z]{{0,{i % 50}}} root?\n' for i in range(3000))
        ),
    ),
    "ebnf-exceptions": (
        "ebnf",
        lambda: "root ::= (([a-z]* - ([a-z]* 'ab' [a-z]* - [c-z]*)) - ([a-m]* 'q'))* 'z'\n",
    ),
    "ebnf-brackets": ("ebnf", lambda: "root ::= " + "(" * 5000 + "'a'" + ")" * 5000 + "\n"),
    "regex-empty": ("regex", lambda: "(?:|){60}b"),
    "regex-counts": ("regex", lambda: "((a{1,50}){1,50}){1,50}(?!b)"),
    "regex-subsets": ("regex", lambda: "(a|b)*a(a|b){20}"),
    "regex-brackets": ("regex", lambda: "(" * 3000 + "a" + ")" * 3000),
    "regex-alternatives": ("regex", lambda: "|".join(f"word{i * 7919}" for i in range(8_000))),
}
SPECIAL = ("tokens-of-10KB", "dev-zero")


def main() -> int:
    """Run the families that are named, or all; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--tokenizer", default="llama3")
    parser.add_argument("--limit", type=float, default=60.0)
    arguments = parser.parse_args()
    names = arguments.names or [*LARK, *DIALECTS, *SPECIAL]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            command = _command(name, Path(folder), arguments.tokenizer)
            status, wall, seconds, peak, said = run(command, Path(folder))
            is_bounded = seconds <= arguments.limit and peak <= MOST_BYTES and status in (0, 2)
            failed += not is_bounded
            sys.stdout.write(
                f"{name:24} {'' if is_bounded else 'FAILED '}{seconds:6.1f} s ({wall:.1f} s wall) "
                f"{peak / 1e6:6.0f} MB  {said}\n"
            )
            sys.stdout.flush()
    return 1 if failed else 0


def _command(name: str, folder: Path, tokenizer: str) -> list[str]:
    compile_ = [sys.executable, "-m", "maskc", "compile", "-o", str(folder / "out.maskc")]
    if name == "dev-zero":
        return [*compile_, "/dev/zero", "--tokenizer", tokenizer]
    if name == "tokens-of-10KB":
        texts = ["</s>", *map(chr, range(0x21, 0x7F)), *(chr(97 + i) * 10_000 for i in range(5))]
        step = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
        model = {"type": "BPE", "vocab": {text: i for i, text in enumerate(texts)}, "merges": []}
        end = {"id": 0, "content": "</s>", "special": True}
        tokenizer_json = {
            "version": "1.0",
            "added_tokens": [end],
            "pre_tokenizer": step,
            "decoder": step,
            "model": model,
        }
        (folder / "tokenizer.json").write_text(json.dumps(tokenizer_json))
        (folder / "tokenizer_config.json").write_text(json.dumps({"eos_token": "</s>"}))
        return [*compile_, "json", "--tokenizer", str(folder)]
    if name in LARK:
        kind, text = "lark", LARK[name]()
    else:
        kind, text = DIALECTS[name][0], DIALECTS[name][1]()
    if kind == "regex":  # an argument has up to 128 KiB
        return [*compile_, f"--regex={text}", "--tokenizer", tokenizer]
    path = folder / f"{name}.{kind}"
    path.write_text(text)
    return [*compile_, str(path), "--tokenizer", tokenizer]


def run(command: list[str], folder: Path) -> tuple[int, float, float, int, str]:
    """Return exit status, seconds of the wall and of the processor, peak bytes, what was said."""
    with (folder / "said").open("w+") as said:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)  # noqa: S603
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - start
        said.seek(0)
        lines = said.read().strip().splitlines() or ["compiled"]
    return (
        process.returncode,
        wall,
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss * 1024,
        lines[-1][:300],
    )


if __name__ == "__main__":
    sys.exit(main())
