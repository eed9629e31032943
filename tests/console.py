"""Run the examples of pages in the current folder: console commands first, then Python's.

Usage: python console.py PAGE …

``.ci/smoke`` runs it with an installed maskc in an empty folder, and the tests import it. Left out
are commands that need the network, an engine, a checkout or somebody who ends them.
"""

import doctest
import re
import subprocess
import sys
from pathlib import Path

OUTSIDE = ("pip ", "curl ", "python ", "make ", "docker ", "MASKC_", "maskc play ")
COMMAND = re.compile(r"^\$ (.*<<'END'\n(?:.*\n)*?END$|(?:.*\\\n)*.*$)", re.MULTILINE)
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def list_commands(page):
    """Return the commands of a page that run anywhere, in order."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    commands = COMMAND.findall("".join(blocks))
    return [command for command in commands if not command.startswith(OUTSIDE)]


def run_commands(page, commands=None):
    """Run the commands of a page, or some of them; return what failed, with its output."""
    maskc = f'maskc() {{ {sys.executable!r} -m maskc "$@"; }}'
    commands = list_commands(page) if commands is None else commands
    script = "\n".join(["set -e", maskc, *commands])
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def run_python(page):
    """Return how many of Python's examples of a page failed."""
    # A fence closes an example; doctest would take it for output.
    text = page.read_text(encoding="utf-8").replace("```", "\n")
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    return doctest.DocTestRunner(optionflags=OPTIONS).run(test).failed


if __name__ == "__main__":
    for name in sys.argv[1:]:
        failed = run_commands(Path(name))
        if failed or run_python(Path(name)):
            sys.exit(f"{name}: {failed}")
