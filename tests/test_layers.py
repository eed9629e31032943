"""Imports point one way: the map of CONTRIBUTING.md, as a table."""

import ast
from functools import cache
from pathlib import Path

import pytest

import maskc

ROOT = Path(maskc.__file__).parent

BOTTOM = {"bits", "bounded", "budget", "byte_classes", "errors", "files", "ids", "levels", "limits"}
BOTTOM |= {"wording"}
WORDS = BOTTOM | {"automata", "vocab"}
GRAMMAR = WORDS | {"grammar", "lexer", "parser"}
COMPILER = GRAMMAR | {"frontends", "store", "pushdown", "streamline", "emit"}
GLR = {"glr.adjacency", "glr.cfg", "glr.epsilon", "glr.lookback", "glr.lr0", "glr.recursion"}
GLR |= {"glr.interchangeable", "glr.tails", "glr.unit_cycles"}
FILE = BOTTOM | {
    *("artifact.checksums", "artifact.container", "artifact.files", "artifact.header"),
    *(
        "artifact.model",
        "artifact.pieces",
        "artifact.relations",
        "artifact.sections",
        "artifact.starts",
    ),
}
RUNTIME = FILE | {"runtime"}
ALL = COMPILER | RUNTIME | {"", "glr", "pipeline", "verify", "bench", "report", "cli"}
ALL |= {"lalr_path", "stages", "dump", "jsonschema", "kit", "lint", "explain", "tags", "native"}
ALL |= {"build", "captures", "diff", "play", "spelling", "work"}

# Package or module → what it may import of maskc. The most specific line counts; `""` is
# maskc/__init__.py itself.
MAY_IMPORT = {
    "bits": set(),
    "errors": set(),
    "files": {"errors"},
    "ids": set(),
    "levels": set(),
    "limits": set(),
    "native": set(),
    "wording": set(),
    "byte_classes": set(),
    "budget": {"errors", "limits", "wording"},
    "bounded": {"budget", "errors", "limits"},
    "automata": BOTTOM | {"automata"},
    # What counts is the runtime's; its positions are found here.
    "automata.counted": BOTTOM
    | {"automata", "runtime.link.counts.counts", "runtime.link.counts.positions"},
    "vocab": BOTTOM | {"vocab"},
    "grammar": WORDS | {"grammar"},
    "lexer": WORDS | {"grammar", "lexer"},
    "parser": WORDS | {"grammar", "parser"},
    "frontends": GRAMMAR | {"frontends"},
    "frontends.characters.counted": GRAMMAR | {"frontends", "runtime.link.counts.positions"},
    "store": GRAMMAR | {"artifact.model", "store"},
    "pushdown": GRAMMAR | {"store.sequences", "pushdown"},
    "streamline": GRAMMAR | {"store", "pushdown", "streamline"},
    "artifact": FILE,
    "emit": GRAMMAR | FILE | {"frontends.source", "pushdown", "store", "streamline", "emit"},
    # The header names the version.
    "emit.header": GRAMMAR | FILE | {"", "frontends.source", "store", "streamline", "emit"},
    "lalr_path": COMPILER | FILE | {"stages"},
    # The general path: what it rewrites and its table first, then as the rooms above.
    "glr": GRAMMAR | GLR,
    "glr.triples": GRAMMAR | GLR | {"pushdown"},
    "glr.walk": GRAMMAR | GLR | {"glr.frontier", "glr.triples", "store"},
    "glr.top_state": GRAMMAR | GLR | {"pushdown", "store", "streamline"},
    "glr.streamline": COMPILER | GLR | {"glr.top_state"},
    "glr.arrays": GLR | FILE,
    "glr.pipeline": COMPILER | FILE | {"", "glr", "stages"},
    "stages": COMPILER | GLR | {"artifact.model"},
    # Reads every stage's value; nothing but the command line reads it.
    "dump": COMPILER
    | GLR
    | {"glr.streamline", "glr.top_state", "artifact.model", "stages", "dump"},
    "pipeline": COMPILER | FILE | {"glr.pipeline", "lalr_path", "pipeline", "stages"},
    "runtime": RUNTIME,
    # The compiler asks the runtime's own rules what can be satisfied.
    "jsonschema": FILE
    | {"", "emit.provenance", "jsonschema", "runtime.cache.budget", "runtime.schema"}
    | {"vocab.vocabulary"},
    # Pieces of requests are compiled in parts of their own; what links them is the runtime's.
    "kit": RUNTIME
    | {
        "automata",
        "frontends.characters.counted",
        "frontends.regex",
        "frontends.source",
        "jsonschema.compiling",
        "kit",
    }
    | {"", "emit.provenance", "pipeline", "tags", "vocab.vocabulary"},
    # What a structural tag says, as pieces and links; the kit lends what compiles them.
    "tags": RUNTIME | {"tags"},
    # An engine's tokenizer is compared with the artifact's, by the compiler's own reading.
    "integrations": RUNTIME | {"", "compiling", "integrations", "kit", "tags.families", "vocab"},
    # Chunks are compiled as a lexer's are; what is read of a tokenizer goes to runtime tables.
    "spelling": RUNTIME
    | {"", "automata.charset", "frontends.lark.regex_module", "frontends.source", "pipeline"}
    | {"spelling", "vocab"},
    "": RUNTIME | {"captures", "compiling", "integrations.torch_masks", "kit", "vocab"},
    "compiling": RUNTIME
    | {"frontends.source", "jsonschema.compiling", "kit", "pipeline", "spelling.making", "vocab"},
    # Two artifacts side by side; what compiled them is not asked.
    "diff": RUNTIME | {"diff"},
    # The oracle shares no algorithm with the compiler: it takes Lark's own parser from frontends.
    "verify": RUNTIME
    | {"", "frontends.lark.build", "frontends.lark.versions", "frontends.source"}
    # The postlex that Lark has; the compiler never runs it.
    | {"frontends.lark.rule_postlex", "frontends.postlex_rules"}
    | {"vocab", "verify", "work"},
    # Of each kind of thing its own compiler; where it is done is for `work` to say.
    "build": COMPILER
    | RUNTIME
    | {"", "build", "jsonschema.compiling", "kit", "pipeline", "tags.parsing", "work"},
    # Processes, and what runs in them is told to them.
    "work": BOTTOM | {"work"},
    # The raw store is compiled again; the oracle beside it stays apart.
    "verify.raw": RUNTIME | {"frontends.source", "pipeline", "streamline.order", "verify", "vocab"},
    # What reads a corpus is shared; nothing of the oracle is timed.
    "bench": RUNTIME | {"vocab", "verify.files", "bench"},
    "lint": COMPILER | GLR | {"artifact.model", "lalr_path", "pipeline", "stages", "lint"},
    "lint.schemas": {"errors", "jsonschema", "lint", "runtime.schema.plan.plan"},
    # Masks are read by who reads them otherwise.
    "lint.vocabulary": {
        *("artifact.model", "lint.model", "lint.subject", "pipeline", "runtime.graph"),
        "vocab.vocabulary",
    },
    "lint.unsatisfiable": {"errors", "jsonschema", "lint.model", "runtime.schema.plan.plan"},
    # What the runtime does, told in the words of the grammar that it was made from.
    "explain": COMPILER | RUNTIME | {"explain"},
    # Names are the grammar's, which the header carries; all else is the runtime's.
    "captures": RUNTIME | {"captures", "frontends.loading", "frontends.source", "grammar"},
    # Of a JSON Schema its own compiler is asked, with keywords left out.
    "explain.causes": {"explain.model", "jsonschema.keywords"},
    "explain.schemas": RUNTIME | {"explain", "jsonschema.compiling", "jsonschema.reader"},
    # A page around what explain says, in report's words.
    "play": RUNTIME | {"bounded", "budget", "explain", "limits", "play", "report"},
    "report": ALL - {"cli", "play"},
    "cli": ALL,
    "__main__": {"cli"},
}
# The largest rooms of the runtime, in the order in which their folders build on each other.
ROOMS = {
    "runtime.schema": (
        *("numbers", "strings", "tries", "plan", "machine", "scans", "leaves", "masks"),
    ),
    "runtime.link": ("automata", "joining", "text", "counts", "plan"),
    "runtime.ending": ("tokens", "grammar", "json", "link", "places"),
}
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix("__init__").rstrip(".")
    for path in ROOT.rglob("*.py")
)


def source_of(module: str) -> Path:
    path = ROOT.joinpath(*module.split(".")) if module else ROOT
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def import_statements_of(module: str) -> list[ast.Import | ast.ImportFrom]:
    """Return a module's imports, at any depth of its code; parsing all modules takes seconds."""
    tree = ast.parse(source_of(module).read_text())
    return [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


def imports_of(module: str) -> set[str]:
    """Return what a module imports of maskc, at any depth of its code, as dotted names."""
    found = set()
    for node in import_statements_of(module):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            assert node.level == 0, f"{module} imports relatively"
            # `from maskc.lexer import scanner` imports a module, `from maskc import load` a name.
            names = [
                name if (name := f"{node.module}.{alias.name}")[6:] in MODULES else node.module
                for alias in node.names
            ]
        found |= {name[6:] for name in names if f"{name}.".startswith("maskc.")}
    return found


def allowed(module: str) -> set[str]:
    while module not in MAY_IMPORT:
        module, _, _ = module.rpartition(".")
    return MAY_IMPORT[module]


def is_within(module: str, package: str) -> bool:
    return module == package or bool(package) and module.startswith(f"{package}.")


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_its_layer_may(module):
    forbidden = {
        name
        for name in imports_of(module)
        if not any(is_within(name, package) for package in allowed(module))
    }
    assert not forbidden


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_of_a_machine_import_those_before_them(room):
    order = ROOMS[room]
    backwards = {
        (module, name)
        for module in MODULES
        for name in imports_of(module)
        for here, there in [(room_of(module, room), room_of(name, room))]
        if here and there and order.index(there) > order.index(here)
    }
    assert not backwards


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_of_a_machine_is_in_the_order(room):
    folders = {path.name for path in ROOT.joinpath(*room.split(".")).iterdir() if path.is_dir()}
    assert folders - {"__pycache__"} == set(ROOMS[room])


def room_of(module: str, room: str) -> str | None:
    """Return the folder of a room in which a module is, ``None`` if it is in none."""
    if not is_within(module, room):
        return None
    inside = module.removeprefix(room).lstrip(".").split(".")[0]
    return inside if inside in ROOMS[room] else None


def test_every_package_has_a_line():
    packages = {module.split(".")[0] for module in MODULES}
    assert packages <= MAY_IMPORT.keys()


@pytest.mark.parametrize(
    ("host", "owners"),
    [
        (
            "lark",
            {
                *("frontends.lark", "verify"),
            },
        ),
        ("rich", {"cli", "report"}),
        ("click", {"cli"}),
        ("jinja2", {"report.html"}),
        ("platformdirs", {"report.timings"}),
        ("msgpack", {"artifact.container"}),
        ("referencing", {"verify.json_judge"}),
        ("jsonschema_specifications", {"jsonschema.dialects", "jsonschema.resources"}),
        ("regex", {"verify", "frontends.lark.regex_module", "frontends.lark.unreadable"}),
        ("interegular", {"lint.overlap"}),
        ("railroad", {"report.html.railroad"}),
        ("pyformlang", {"pushdown.export"}),
        ("torch", {"integrations"}),
        ("prometheus_client", {"integrations.usage"}),
        ("transformers", {"integrations"}),
        ("vllm", {"integrations"}),
        ("sglang", {"integrations"}),
        ("llama_cpp", {"integrations"}),
        ("tiktoken", {"vocab"}),
        ("tokenizers", {"vocab"}),
        ("sentencepiece", {"vocab"}),
        ("mistral_common", {"vocab"}),
        ("huggingface_hub", {"vocab"}),
    ],
)
def test_a_host_is_imported_only_where_it_belongs(host, owners):
    importers = {module for module in MODULES if host in hosts_of(module)}
    assert {m for m in importers if not any(is_within(m, owner) for owner in owners)} == set()


def hosts_of(module: str) -> set[str]:
    found = set()
    for node in import_statements_of(module):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        else:
            found.add((node.module or "").split(".")[0])
    return found
