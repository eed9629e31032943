"""Nothing that comes in a file makes maskc import a module.

A grammar's comment, an artifact's header, and files that lie in the current folder are somebody
else's; a class that the user names with ``--postlex`` is the user's.
"""

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from maskc.artifact.container import encode, load_container

BLOCKS = """\
{comment}
start: (NAME _NL | "if" NAME _NL _INDENT start _DEDENT)+
NAME: /[a-z]/
_NL: /\\n */
%declare _INDENT _DEDENT
%ignore " "
"""
SETTINGS = (
    "// maskc: postlex=indenter NL_type=_NL INDENT_type=_INDENT DEDENT_type=_DEDENT tab_len=2"
)
# Tells in a file beside the folder of the module.
EVIL = """from os.path import abspath, dirname
open(dirname(dirname(abspath(__file__))) + "/imported", "a").write(__name__ + chr(10))
"""
# Modules that maskc, its packages and the interpreter import, and that were not loaded before.
PLANTED = (
    *("evil", "numpy", "lark", "msgpack", "click", "rich", "regex", "interegular", "pyformlang"),
    *("multiprocessing", "pickle", "random", "json", "struct", "tempfile", "hashlib", "socket"),
    *("typing", "logging", "statistics", "sitecustomize", "usercustomize"),
)
CLASS = """
from lark.indenter import Indenter
class E(Indenter):
    NL_type, INDENT_type, DEDENT_type = "_NL", "_INDENT", "_DEDENT"
    OPEN_PAREN_types, CLOSE_PAREN_types, tab_len = [], [], 2
"""
SCRIPT = "import sys\nfrom maskc.cli.main import main\nif __name__ == '__main__':\n    main()\n"
WATCHER = """\
import json, sys
asked = []
class Watcher:
    def find_spec(self, name, path=None, target=None):
        asked.append(name)
sys.meta_path.insert(0, Watcher())
from maskc.cli.main import run
statuses = [run(arguments) for arguments in json.loads(sys.argv[1])]
sys.stdout.flush()
print()
print(json.dumps([statuses, sorted({name.partition(".")[0] for name in asked})]))
"""
FEW = ("--texts=2", "--max-tokens=12", "--positions=3", "--segments=3", "--mutations=3")
FEW += ("--raw-positions=3",)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a folder that holds one full of modules that tell on us, and what lies beside it."""
    tmp_path = tmp_path_factory.mktemp("imports")
    folder = tmp_path / "folder"
    (folder / "texts").mkdir(parents=True)
    (folder / "texts" / "a.txt").write_text("if a\n  b\n  c\nd\n")
    (folder / "g.lark").write_text(BLOCKS.format(comment=SETTINGS))
    for name in PLANTED:
        (folder / f"{name}.py").write_text(EVIL + CLASS)
    (tmp_path / "evils").mkdir()
    shutil.copy(folder / "evil.py", tmp_path / "evils")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "script.py").write_text(SCRIPT)
    assert maskc(folder, "compile", "g.lark", "--tokenizer", "bytes").returncode == 0
    return tmp_path


@pytest.fixture
def folder(made, tmp_path):
    """Return a folder with a grammar, its artifact and texts, and the modules."""
    shutil.copytree(made, tmp_path / "here")
    return tmp_path / "here" / "folder"


def maskc(folder, *arguments, **environment):
    """Run the command as its script is run: from a folder of its own."""
    script = folder.parent / "bin" / "script.py"
    return subprocess.run(
        [sys.executable, str(script), *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "XDG_CACHE_HOME": str(folder.parent / "cache"), **environment},
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )


def evils(folder):
    """Return an environment in which the class could be imported."""
    return {"PYTHONPATH": f"{os.getcwd()}:{folder.parent / 'evils'}"}


def imported(folder):
    marker = folder.parent / "imported"
    return marker.read_text().split() if marker.exists() else []


def commands(artifact="g.bytes.maskc"):
    return [
        ["compile", "g.lark", "--tokenizer", "bytes", "-o", "other.maskc"],
        ["inspect", artifact],
        ["inspect", artifact, "--html", "page.html"],
        ["verify", artifact, "--corpus", "texts", *FEW, "--jobs", "1"],
        ["explain", artifact, "--text", "if a"],
        ["generate", artifact, "--max-tokens", "20"],
        ["bench", artifact, "--corpus", "texts", "--files", "1"],
        ["lint", "g.lark"],
        ["analyze", "g.lark"],
    ]


def allowed():
    """Return the modules of the standard library, of maskc, and of all that it depends on."""
    found, waiting = set(), ["maskc"]
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        found.add(name)
        try:
            requires = importlib.metadata.requires(name) or ()
        except importlib.metadata.PackageNotFoundError:
            continue
        waiting += [re.match(r"[\w.-]+", r)[0] for r in requires if "extra ==" not in r]
    modules = {
        module
        for module, owners in importlib.metadata.packages_distributions().items()
        if {re.sub(r"[-_.]+", "-", owner).lower() for owner in owners} & found
    }
    return modules | set(sys.stdlib_module_names) | {"maskc"}


@pytest.mark.costly
def test_no_command_asks_for_a_module_that_is_not_its_own(folder):
    ran = subprocess.run(
        [sys.executable, "-P", "-c", WATCHER, json.dumps(commands())],
        cwd=folder,
        env={**os.environ, "XDG_CACHE_HOME": str(folder.parent / "cache")},
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    statuses, asked = json.loads(ran.stdout.splitlines()[-1])
    assert statuses == [0] * len(commands()), ran.stderr
    # What pickle (for Jython), platform (for Windows) and Lark ask for to see whether it is there,
    # and extras of lint and of inspect; and the library of what is compiled, if anything is.
    others = {"org", "atomicwrites", "interegular", "railroad", "_wmi", "maskc_native__mypyc"}
    assert set(asked) - allowed() <= others
    assert "evil" not in asked


@pytest.mark.costly
def test_modules_in_the_current_folder_are_not_imported(folder):
    for arguments in commands()[:5]:
        ran = maskc(folder, *arguments)
        assert (ran.returncode, ran.stderr) == (0, ""), (arguments, ran.stdout)
    assert imported(folder) == []


@pytest.mark.costly
def test_processes_of_verify_do_not_import_from_the_current_folder(folder):
    """Python starts them as `python -c`, which looks for `multiprocessing` there first."""
    ran = maskc(folder, "verify", "g.bytes.maskc", "--corpus", "texts", *FEW, "--jobs", "2")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert imported(folder) == []


@pytest.mark.parametrize("command", ["compile", "lint", "analyze"])
def test_a_grammar_that_names_a_class_is_refused(folder, command):
    (folder / "g.lark").write_text(BLOCKS.format(comment="// maskc: postlex=evil:E"))
    more = ("--tokenizer", "bytes") if command == "compile" else ()
    # Even where the class could be imported.
    ran = maskc(folder, command, "g.lark", *more, **evils(folder))
    assert ran.returncode == 2
    assert ran.stderr.startswith("maskc: g.lark:1: postlex=evil:E names a class")
    assert imported(folder) == []


@pytest.mark.costly
def test_an_artifact_that_names_a_class_imports_nothing(folder):
    forge(folder / "g.bytes.maskc", lambda grammar: grammar.update(postlex="evil:E"))
    for arguments in commands("g.bytes.maskc")[1:7]:
        ran = maskc(folder, *arguments, **evils(folder))
        # What needs no Indenter needs no refusal.
        expected = 0 if arguments[0] in ("inspect", "bench") else 2
        assert ran.returncode == expected, (arguments, ran.stderr)
        if expected:
            assert ran.stderr == (
                "maskc: g.lark: the header of its artifact names the postlex evil:E, and what a "
                "file names is not imported; compile the grammar again, with --postlex\n"
            )
    assert imported(folder) == []


def forge(path, change):
    header, arrays = load_container(path)
    change(header["grammar"])
    path.write_bytes(encode(header, arrays))


@pytest.mark.costly
def test_an_older_artifact_that_names_larks_own_indenter_is_verified(folder):
    comment = (
        "// maskc: postlex=lark.indenter:PythonIndenter\n%declare LPAR LSQB LBRACE RPAR RSQB RBRACE"
    )
    text = BLOCKS.format(comment=comment).replace("_NL", "_NEWLINE")
    (folder / "g.lark").write_text(text)
    assert maskc(folder, "compile", "g.lark", "--tokenizer", "bytes").returncode == 0
    name = "lark.indenter:PythonIndenter"
    forge(folder / "g.bytes.maskc", lambda grammar: grammar.update(postlex=name))
    ran = maskc(folder, "verify", "g.bytes.maskc", "--corpus", "texts", *FEW, "--jobs", "1")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert name in maskc(folder, "inspect", "g.bytes.maskc").stdout


@pytest.mark.costly
def test_a_class_on_the_command_line_is_imported_and_read_once(folder):
    path = folder.parent / "mine"
    path.mkdir()
    (path / "mine.py").write_text(CLASS)
    (folder / "g.lark").write_text(BLOCKS.format(comment=""))
    environment = {"PYTHONPATH": f"{os.getcwd()}:{path}"}
    options = ("--tokenizer", "bytes", "--postlex", "mine:E")
    assert maskc(folder, "compile", "g.lark", *options, **environment).returncode == 0
    # Nobody needs the class any more.
    (path / "mine.py").unlink()
    ran = maskc(folder, "verify", "g.bytes.maskc", "--corpus", "texts", *FEW, "--jobs", "1")
    assert (ran.returncode, ran.stderr) == (0, "")
