"""Ctrl-C before anything is imported: the script, and ``python -m maskc``."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import maskc

PACKAGE = Path(maskc.__file__).parent
# In place of all that the command imports.
SLOW = "import sys, time\nprint('loading', flush=True)\ntime.sleep(60)\n"


@pytest.fixture
def package(tmp_path):
    """Return a folder with a maskc that never ends loading."""
    folder = tmp_path / "maskc"
    (folder / "cli").mkdir(parents=True)
    for name in ("__init__.py", "__main__.py", "cli/__init__.py", "cli/__main__.py"):
        shutil.copy(PACKAGE / name, folder / name)
    (folder / "cli" / "entry.py").write_text(SLOW)
    (tmp_path / "bin").mkdir()
    shutil.copy(PACKAGE / "cli" / "script.py", tmp_path / "bin" / "maskc")
    return tmp_path


@pytest.mark.parametrize(
    "start",
    [["bin/maskc"], ["-m", "maskc"], ["-m", "maskc.cli"]],
    ids=["script", "maskc", "maskc.cli"],
)
@pytest.mark.parametrize("ignored", [False, True], ids=["heeded", "ignored"])
def test_an_interrupt_ends_a_command_that_loads_without_a_word(package, start, ignored):
    shell = 'trap "" INT; exec "$@"' if ignored else 'exec "$@"'
    process = subprocess.Popen(
        ["sh", "-c", shell, "sh", sys.executable, *start],
        cwd=package,
        env={**os.environ, "PYTHONPATH": str(package)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout.readline() == b"loading\n"
    process.send_signal(signal.SIGINT)
    if ignored:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.2)
        process.kill()
    _, said = process.communicate()
    assert said == b""
    assert process.returncode == -(signal.SIGKILL if ignored else signal.SIGINT)


def test_the_script_can_be_run_where_it_is_installed():
    assert os.access(PACKAGE / "cli" / "script.py", os.X_OK)


def test_the_script_imports_nothing_before_it_listens():
    lines = (PACKAGE / "cli" / "script.py").read_text().splitlines()
    imports = [line.strip() for line in lines if line.strip().startswith(("import ", "from "))]
    assert [line.partition("  #")[0] for line in imports] == [
        "import _signal",
        "from maskc.cli.entry import main",
    ]
