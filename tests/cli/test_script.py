"""Ctrl-C while a command is loaded: the script that installers write, and ``python -m maskc``."""

import os
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import maskc

PACKAGE = Path(maskc.__file__).parent
# In place of all that the command imports.
SLOW = "import sys, time\nprint('loading', flush=True)\ntime.sleep(60)\n"
SCRIPT = "import sys\nfrom maskc.__main__ import main\nif __name__ == '__main__':\n    main()\n"


@pytest.fixture
def package(tmp_path):
    """Return a folder with a maskc that never ends loading."""
    folder = tmp_path / "maskc"
    (folder / "cli").mkdir(parents=True)
    for name in ("__init__.py", "__main__.py", "cli/__init__.py", "cli/signals.py"):
        shutil.copy(PACKAGE / name, folder / name)
    (folder / "cli" / "main.py").write_text(SLOW)
    (tmp_path / "script").write_text(SCRIPT)
    return tmp_path


@pytest.mark.parametrize("start", [["script"], ["-m", "maskc"]], ids=["script", "module"])
@pytest.mark.parametrize("ignored", [False, True], ids=["heeded", "ignored"])
def test_an_interrupt_ends_a_command_that_loads_with_a_line(package, start, ignored):
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
    assert said == (b"" if ignored else b"maskc: interrupted\n")
    assert process.returncode == (-signal.SIGKILL if ignored else 130)


def test_the_installed_command_is_that_module():
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {"maskc": "maskc.__main__:main"}
