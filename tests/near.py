"""The tests of a file's package and the laws that guard it: ``python -m tests.near FILE…``.

For ``maskc/A/B/C.py`` come the tests in the deepest folder of ``tests/A/B`` that is there, those
named after the module, and the laws of the most specific line. Tests that are marked ``costly`` are
left out, except where a line names their file.

Example: ``maskc/lexer/boundaries.py`` has the tests of ``tests/lexer``, and laws on masks of LALR
and general grammars and on budgets, since all of them read what the boundaries allow.
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from tests import doctests

ROOT = Path(__file__).parent.parent

LALR = ("laws/test_masks_are_exact.py", "laws/test_bytes.py", "laws/test_dense.py")
GENERAL = (
    *("laws/test_general_masks_are_exact.py", "laws/test_dense.py"),
    "laws/test_dense_awkward.py",
)
STEPS = ("laws/test_steps_change_no_mask.py", "laws/test_general_steps_change_no_mask.py")
STACKS = (
    "laws/test_stacks_take_what_masks_allow.py",
    "laws/test_stacks_are_read.py",
    "laws/test_runtime_debts.py",
)
BUDGETS = ("laws/test_budgets.py", "laws/test_budgets_of_json.py")
SCHEMAS = (
    *("laws/test_json_schema.py", "laws/test_json_spellings.py", "laws/test_unique_items.py"),
    *("laws/test_existential.py", "laws/test_dense_requests.py"),
)
CUSTOM = (
    *("formats", "laws/test_host_names.py", "laws/test_host_lengths.py"),
    "laws/test_patterns_as_values.py",
)
LINKS = (
    *("laws/test_counted_patterns.py", "laws/test_barred_json.py"),
    "laws/test_dense_requests.py",
)

# Module or package → tests outside of its own folder. The most specific line counts.
GUARDS: dict[str, tuple[str, ...]] = {
    "acyclic": ("runtime/test_acyclic.py",),
    "arguments": ("security/test_wrong_arguments.py", "runtime/test_arguments.py"),
    "artifact": ("security/test_forged_artifacts.py", "security/test_headers.py"),
    "regular": ("laws/test_lark_quirks.py", "laws/test_masks_are_exact.py"),
    "bench": (),
    "build": (),
    "captures": (
        "laws/test_captures.py",
        "laws/test_merged_words.py",
        *("laws/test_following.py", "laws/test_artifacts_in_turn.py"),
        "laws/test_dense.py",
    ),
    "cli": (),
    "diff": (),
    "dump": (),
    "compiler.emit": ("laws/test_masks_are_exact.py", *STEPS),
    "explain": (),
    "formats": CUSTOM,
    "frontends": ("laws/test_start_symbols.py", "laws/test_postlex_rules.py"),
    "frontends.lark": ("laws/test_lark_quirks.py", "laws/test_start_symbols.py"),
    "compiler.glr": (*GENERAL, *STACKS, "laws/test_general_steps_change_no_mask.py"),
    "grammar": ("compiler/lalr", "compiler/pushdown/test_dft.py", *GENERAL),
    "generation": (),
    "integrations": (),
    "jsonschema": SCHEMAS,
    "kit": ("laws/test_counted_patterns.py", "laws/test_requests_in_turn.py"),
    "lexer": (*LALR, "laws/test_general_masks_are_exact.py", "laws/test_lark_quirks.py"),
    "lexer.boundaries": (*LALR, *GENERAL, *BUDGETS, "compiler/lalr"),
    "lexer.columns": (*LALR, "laws/test_postlex_rules.py"),
    "lint": (),
    "compiler.lalr": (*LALR, "laws/test_steps_change_no_mask.py"),
    "compiler.lalr.refine": (*LALR, *GENERAL, *BUDGETS),
    "play": (),
    "compiler.pushdown": (*STEPS, "laws/test_runtime_debts.py"),
    "compiler.pushdown.interchangeable": (
        *(*STEPS, "laws/test_merged_words.py", "compiler/glr/test_rewrites.py"),
        "laws/test_runtime_debts.py",
    ),
    "compiler.pushdown.queries": ("cli/test_analyze.py",),
    "report": (),
    "runtime": ("laws/test_rollback.py", "laws/test_dense.py"),
    "runtime.budget": (
        *(*BUDGETS, "laws/test_budgets_of_calls.py", "laws/test_dense_budgets.py"),
        "laws/test_requests_in_turn.py",
    ),
    "runtime.glr": (*GENERAL, *STACKS, "laws/test_earley_with_a_postlex.py"),
    "runtime.holes": (
        *("laws/test_holes.py", "laws/test_roles.py", "laws/test_following.py"),
        *("laws/test_dense.py", "laws/test_artifacts_in_turn.py"),
    ),
    "runtime.lalr": (*LALR, *STACKS, "laws/test_postlex_rules.py", "laws/test_rollback.py"),
    "runtime.link": LINKS,
    "runtime.schema": SCHEMAS,
    "runtime.schema.plan.custom": (*SCHEMAS, *CUSTOM),
    "runtime.schema.scans.custom": (*SCHEMAS, *CUSTOM),
    "runtime.machine": (
        *("laws/test_rollback.py", "laws/test_dense.py", "laws/test_canonical.py"),
        *BUDGETS,
    ),
    "runtime.spelling": ("spelling", "laws/test_canonical.py"),
    "spelling": ("laws/test_canonical.py",),
    "compiler.rows": (*LALR, *GENERAL),
    "compiler.optimise": STEPS,
    "compiler.optimise.steps": (*STEPS, *LALR, *GENERAL, *BUDGETS),
    "tags": (
        *("laws/test_barred_json.py", "laws/test_budgets_of_calls.py"),
        "laws/test_dense_requests.py",
    ),
    "verify": ("security/test_verify_says_no.py",),
    "vocab": ("laws/test_added_tokens.py",),
    "work": ("integrations/test_compile_pool.py", "cli/test_build.py"),
    # Modules of the package itself.
    "bits": ("compiler/pushdown", "lexer"),
    "budget": ("test_limits.py", "security/test_compile_bounds.py"),
    "bounded": ("security/test_compile_bounds.py",),
    "byte_classes": ("regular", "test_bits.py", "laws/test_dense.py"),
    "compiling": ("cli/test_compile.py", "compiler/test_pipeline.py"),
    "jobs": ("build", "cli/test_compile.py", "kit/test_making.py"),
    "kinds": ("explain", "cli/test_inspect.py", "report"),
    "compiler.lalr_path": (*LALR, *STEPS, "compiler/test_pipeline.py"),
    "limits": ("security/test_compile_bounds.py",),
    "system": ("work", "security/test_compile_bounds.py"),
    "compiler": (*LALR, *GENERAL),
}

# One law for each machine, and what every change can break.
QUICK = (
    *("tests/test_layers.py", "tests/test_import.py", "tests/runtime/test_matcher.py"),
    *("tests/laws/test_dense.py", "tests/laws/test_dense_requests.py"),
    "tests/laws/test_masks_are_exact.py",
    *("tests/laws/test_stacks_take_what_masks_allow.py", "tests/laws/test_json_schema.py"),
    *("tests/laws/test_counted_patterns.py", "tests/laws/test_holes.py"),
    "tests/laws/test_captures.py",
)


def guards_of(module: str) -> tuple[str, ...]:
    """Return what the most specific line for a module names."""
    while module and module not in GUARDS:
        module, _, _ = module.rpartition(".")
    return GUARDS.get(module, ())


def list_tests(path: Path) -> list[str]:
    """Return the folders and files of tests for a file of the package, of grammars or of tests.

    Raises:
        ValueError: no table knows what tests the file.
    """
    inside = path.resolve().relative_to(ROOT)
    top, *parts = inside.with_suffix("").parts
    if top == "tests":
        return [str(inside)]
    if top == "docs":
        return ["tests/test_docs.py"]
    if top == "grammars":
        found = [f"tests/grammars/test_{parts[-1]}.py"]
    elif top == "maskc":
        found = [f"tests/{name}" for name in guards_of(".".join(parts))]
        *folders, module = parts
        if folders:
            folder = "/".join(["tests", *folders])
            while not (ROOT / folder).is_dir():
                folder = folder.rpartition("/")[0]
            if folder != "tests":
                found.append(folder)
        for named in sorted((ROOT / "tests").rglob(f"test_{module}.py")):
            found.append(str(named.relative_to(ROOT)))
    else:
        raise ValueError(f"{path}: tests/near.py knows files of maskc, tests, docs and grammars")
    return [name for name in found if (ROOT / name).exists()]


def without_doubles(names: Iterable[str]) -> list[str]:
    """Return each name once, without those inside a folder that is named too.

    >>> without_doubles(["tests/a", "tests/b/test_c.py", "tests/a/test_b.py", "tests/a"])
    ['tests/a', 'tests/b/test_c.py']
    """
    found = dict.fromkeys(names)
    return [
        name
        for name in found
        if not any(name != folder and Path(name).is_relative_to(folder) for folder in found)
    ]


def main(arguments: Sequence[str]) -> int:
    """Run what the files need; options of pytest begin with a hyphen."""
    options = [argument for argument in arguments if argument.startswith("-")]
    files = [Path(argument) for argument in arguments if not argument.startswith("-")]
    if files:
        names = without_doubles(name for file in files for name in list_tests(file))
        package = [file for file in files if file.resolve().is_relative_to(doctests.PACKAGE)]
        if doctests.count_failures(package):
            return 1
    else:
        names = list(QUICK)
    return int(pytest.main(["-q", "-m", "not costly", *options, *names]))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
