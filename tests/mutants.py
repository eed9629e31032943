"""Planted mistakes that tests must find: ``python -m tests.mutants [PART…]``, parts of names.

Each is made in a copy of the checkout, and what ``make near`` runs for its file is run there. Those
that no test finds are printed, and the exit status is 1; a line that is not in its file any more is
an error, so that a list that has aged says so.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
SECONDS = 900  # of the clock; a mistake that makes tests run for ever is found
COPIED = ("maskc", "tests", "grammars", "docs", "examples", "benchmarks", "deploy", "runtime")
FAILED = "FAILED "  # what begins the lines of a summary, and of tests/doctests.py


class Mutant(NamedTuple):
    """A mistake: a line of a file of the package, and what is put in its number."""

    file: str
    line: str
    instead: str


MUTANTS = (
    Mutant("artifact/model.py", "if not arrays[name].all():", "if not arrays[name].any():"),
    Mutant(
        "regular/partition.py",
        "if len(parts) > 1 or len(next(iter(parts.values()))) < len(members[group])",
        "if len(parts) > 1",
    ),
    Mutant(
        "build/building.py", "if record.parts.get(name) != hashed:", "if name not in record.parts:"
    ),
    Mutant(
        "captures/tracing.py",
        "self._forced[state] = found.pop() if len(found) == 1 else None",
        "self._forced[state] = found.pop() if found else None",
    ),
    Mutant(
        "compiler/emit/building.py",
        "tuple(self._try(rows, row) for row in tried.nonzero()[0].tolist()),",
        "tuple(self._try(rows, row) for row in tried.nonzero()[0].tolist()[:1]),",
    ),
    Mutant("frontends/backreferences.py", "if text.startswith(shorter):", "if not text:"),
    Mutant(
        "compiler/glr/__init__.py",
        "alternatives[prefix] = before + [(-1 - prefix, *r) for r in before]",
        "alternatives[prefix] = before",
    ),
    Mutant(
        "grammar/sets.py",
        "left = [p for p in productions if all(s >= 0 or -1 - s in productive for s in p.rhs)]",
        "left = [p for p in productions if any(s >= 0 or -1 - s in productive for s in p.rhs)]",
    ),
    Mutant(
        "jsonschema/clauses.py",
        "return not lows or not highs or max(lows) <= min(highs)",
        "return not lows or not highs or max(lows) < min(highs)",
    ),
    Mutant("kit/making.py", "if error.is_lasting:", "if not error.is_lasting:"),
    Mutant(
        "lexer/boundaries.py",
        "if layout and terminal in (layout.newline, layout.dedent):",
        "if layout and terminal == layout.newline:",
    ),
    Mutant(
        "lint/rules.py",
        "is_used = definition.is_used or name in bnf.terminals if is_terminal else name in rules",
        "is_used = name in bnf.terminals if is_terminal else name in rules",
    ),
    Mutant("compiler/lalr/refine.py", "pending |= readers", "pending = readers"),
    Mutant(
        "compiler/pushdown/interchangeable.py",
        "frozenset((n, block[target]) for n, target in row.gotos.items()),",
        "frozenset(row.gotos),",
    ),
    Mutant(
        "compiler/pushdown/interchangeable.py",
        "kinds = [state == grammar.lalr.end_state for state in range(len(states))]",
        "kinds = [0] * len(states)",
    ),
    Mutant(
        "compiler/pushdown/interchangeable.py",
        "(terminal, (terminal == newline, frozenset(column))) for terminal, column in "
        "columns.items()",
        "(terminal, frozenset(column)) for terminal, column in columns.items()",
    ),
    Mutant(
        "runtime/glr/gss.py",
        "found |= self.tables.taken[state]",
        "found = self.tables.taken[state]",
    ),
    Mutant(
        "runtime/holes/lexemes.py",
        "has_begun[here] = has_begun[above] | has_ended[here] & begins[here]",
        "has_begun[here] = has_ended[here] & begins[here]",
    ),
    Mutant(
        "runtime/lalr/lexemes.py",
        "if layout is not None and n_open > 1:",
        "if layout is not None and n_open > 2:",
    ),
    Mutant("runtime/link/counts/__init__.py", "far = least - passes - 1", "far = least - passes"),
    Mutant(
        "runtime/link/joining/__init__.py",
        "open_[rest] = nodes if known is None else united(known, nodes)",
        "open_[rest] = nodes if known is None else known",
    ),
    Mutant(
        "runtime/link/text/without_words.py",
        "if child in whole or back == _WHOLE:",
        "if child in whole:",
    ),
    Mutant("runtime/schema/plan/series.py", "rest = left & ~held", "rest = left"),
    Mutant(
        "runtime/schema/plan/rules.py",
        "return n_items, counts, self._classes.count_left(values)",
        "return n_items, counts",
    ),
    Mutant(
        "runtime/schema/plan/rules.py",
        "return after if value is None else with_value(after, value)",
        "return after",
    ),
    Mutant(
        "runtime/schema/string_rows/key_rows.py",
        'key = ("keys", number, at, dropped)',
        'key = ("keys", number, at)',
    ),
    Mutant(
        "runtime/spelling/lookahead.py",
        "is_live[low:high] &= role[low:high] != WholeChunks.MAY_NOT_END",
        "is_live[low:high] &= role[low:high] != WholeChunks.MAY_NOT_GO_ON",
    ),
    Mutant(
        "spelling/chunks.py",
        "yield (*node[:i], after, *(stage.start for stage in later))",
        "yield (*node[:i], after, *node[i + 1 :])",
    ),
    Mutant("compiler/rows/walk.py", "return np.where(byte == 10, 0, moved)", "return moved"),
    Mutant(
        "compiler/optimise/steps.py",
        "before.newlines or before.direct & ~after.direct or set(before.ignored) - "
        "set(after.ignored)",
        "before.newlines or before.direct & ~after.direct",
    ),
    Mutant(
        "tags/building.py",
        "more = self._boundaries.repetition(self._compose.join([*separator, one]), 0, None)",
        "more = self._boundaries.repetition(self._compose.join([*separator, one]), 0, 1)",
    ),
    Mutant(
        "verify/plan.py",
        "if verdict is not None and verdict != walked.is_accepted:",
        "if verdict and verdict != walked.is_accepted:",
    ),
    Mutant(
        "vocab/vocabulary.py",
        "return frozenset(chosen | text) - atoms",
        "return frozenset(chosen) - atoms",
    ),
)


def apply(mutant: Mutant, package: Path) -> None:
    """Put the mistake into a copy of the package.

    Raises:
        ValueError: the line is not in the file, or is there twice.
    """
    path = package / mutant.file
    lines = path.read_text().split("\n")
    numbers = [i for i, line in enumerate(lines) if line.strip() == mutant.line]
    if len(numbers) != 1:
        raise ValueError(f"maskc/{mutant.file} has {len(numbers)} lines {mutant.line!r}, not 1")
    (number,) = numbers
    lines[number] = lines[number].replace(mutant.line, mutant.instead)
    path.write_text("\n".join(lines))


def is_found(mutant: Mutant) -> bool:
    """Return whether a test fails in a copy of the checkout that has the mistake."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / ROOT.name
        for name in COPIED:
            ignored = shutil.ignore_patterns("__pycache__", "*.so")
            shutil.copytree(ROOT / name, copy / name, ignore=ignored)
        for path in ROOT.iterdir():
            if path.is_file():
                shutil.copy(path, copy)
        apply(mutant, copy / "maskc")
        command = [sys.executable, "-m", "tests.near", f"maskc/{mutant.file}"]
        options = ["-x", "-pno:cacheprovider", "--hypothesis-profile=brief"]
        start = time.monotonic()
        try:
            done = subprocess.run(
                [*command, *options],
                cwd=copy,
                env={**os.environ, "PYTHONPATH": str(copy)},
                check=False,
                capture_output=True,
                text=True,
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            return True
    seconds = time.monotonic() - start
    by = [line.split()[1] for line in done.stdout.splitlines() if line.startswith(FAILED)]
    found = done.returncode != 0
    if found and not by:
        raise RuntimeError(f"maskc/{mutant.file}: no tests ran\n{done.stdout}{done.stderr}")
    outcome = f"found by {by[0]}" if found else f"SURVIVES as {mutant.instead!r}"
    sys.stdout.write(f"maskc/{mutant.file}: {outcome} ({seconds:.0f} s)\n")
    sys.stdout.flush()
    return found


def main(parts: Sequence[str]) -> int:
    """Try the mistakes, two at a time."""
    chosen = [m for m in MUTANTS if not parts or any(part in m.file for part in parts)]
    with tempfile.TemporaryDirectory() as folder:
        for mutant in chosen:
            copy = Path(folder) / mutant.file
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / "maskc" / mutant.file, copy)
            apply(mutant, Path(folder))
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(is_found, chosen))
    sys.stdout.write(f"{len(found)} planted mistakes, {found.count(False)} survive\n")
    return 1 if False in found else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
