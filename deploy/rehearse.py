"""Carries out a Dockerfile's instructions on this machine, where no Docker is.

Each stage is a folder and a virtual environment of its own below ``--into``; the absolute paths of
the image lie in that folder. Commands are run as they stand, but for those that would change the
machine: no user is made. With ``--serve`` the entry point of the last stage is started, and its
health check must succeed.

    python deploy/rehearse.py --into /tmp/image --only artifacts
    python deploy/rehearse.py --into /tmp/image --serve      # installs torch: gigabytes

What it cannot tell: whether the base image has what this machine has.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent
_SKIPPED = ("useradd",)  # commands that change the machine
_WAIT = 180  # seconds for the server to be healthy


@dataclass
class Stage:
    """A stage of an image.

    Attributes:
        root: the folder that stands for ``/``.
        name: as ``COPY --from`` has it, else its number.
        places: the absolute paths of the image that there are.
        environment: what ``ENV`` says.
        workdir: where commands run.
        entrypoint, command, health: what is started.
    """

    root: Path
    name: str
    places: set[str] = field(default_factory=set)
    environment: dict[str, str] = field(default_factory=dict)
    workdir: str = "/"
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)

    def at(self, path: str) -> Path:
        """Return where a path of the image lies."""
        return self.root / (Path(self.workdir) / path).relative_to("/")

    def translate(self, text: str) -> str:
        """Return a text with the image's absolute paths as they are on this machine."""
        if not self.places:
            return text
        places = "|".join(map(re.escape, sorted(self.places, key=len, reverse=True)))
        # At the beginning of a word, and to the end of a folder's name.
        return re.sub(
            rf"(?<![\w./:-])(?:{places})(?![\w.-])", lambda found: f"{self.root}{found[0]}", text
        )

    def run(self, command: list[str] | str, stderr: int | None = None) -> subprocess.Popen[bytes]:
        """Start a command in the stage."""
        scripts = self.root / "venv" / "bin"
        kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
        own = {name: self.translate(value) for name, value in self.environment.items()}
        path = f"{scripts}{os.pathsep}{os.environ['PATH']}"
        given = command if isinstance(command, str) else [self.translate(word) for word in command]
        return subprocess.Popen(
            self.translate(given) if isinstance(given, str) else given,
            shell=isinstance(given, str),
            cwd=self.at("."),
            env={**kept, **own, "PATH": path},
            stderr=stderr,
        )


def read_instructions(text: str) -> Iterator[tuple[str, str]]:
    r"""Return the instructions of a Dockerfile, each with its arguments.

    >>> list(read_instructions("FROM a AS b\n# why\nRUN x && \\\n  y\n"))
    [('FROM', 'a AS b'), ('RUN', 'x &&   y')]
    """
    for line in text.replace("\\\n", "").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            name, _, arguments = line.strip().partition(" ")
            yield name.upper(), arguments.strip()


def rehearse(dockerfile: Path, context: Path, into: Path, only: str | None = None) -> Stage:
    """Carry out a Dockerfile; return its last stage.

    Args:
        dockerfile: its path.
        context: the folder that ``COPY`` copies from.
        into: where stages are made.
        only: stop after the stage of this name.

    Raises:
        ValueError: an instruction is not known here.
        subprocess.CalledProcessError: a command failed.
    """
    stages: dict[str, Stage] = {}
    stage: Stage | None = None
    for name, arguments in read_instructions(dockerfile.read_text()):
        if name == "FROM":
            if stage is not None and stage.name == only:
                break
            stage = _begin(arguments, into, len(stages))
            stages[stage.name] = stage
            continue
        if stage is None:
            raise ValueError(f"{name} stands before FROM")
        print(f"{stage.name}: {name} {arguments}", flush=True)
        _carry_out(stage, name, arguments, context, stages)
    if stage is None:
        raise ValueError(f"{dockerfile} has no FROM")
    return stage


def _begin(arguments: str, into: Path, number: int) -> Stage:
    _, _, alias = arguments.partition(" AS ")
    stage = Stage(into / (alias or str(number)), alias or str(number))
    shutil.rmtree(stage.root, ignore_errors=True)
    stage.root.mkdir(parents=True)
    subprocess.run([sys.executable, "-m", "venv", stage.root / "venv"], check=True)
    return stage


def _carry_out(
    stage: Stage, name: str, arguments: str, context: Path, stages: dict[str, Stage]
) -> None:
    if name == "WORKDIR":
        stage.workdir = arguments
        stage.places.add(arguments)
        stage.at(".").mkdir(parents=True, exist_ok=True)
    elif name == "COPY":
        _copy(stage, arguments.split(), context, stages)
    elif name == "ENV":
        key, _, value = arguments.partition("=")
        stage.environment[key] = value
    elif name == "RUN":
        if arguments.split(maxsplit=1)[0] in _SKIPPED:
            print(f"{stage.name}: (not done on this machine)", flush=True)
            return
        status = stage.run(arguments).wait()
        if status:
            raise subprocess.CalledProcessError(status, arguments)
    elif name == "HEALTHCHECK":
        stage.health = json.loads(arguments.partition("CMD ")[2])
    elif name == "ENTRYPOINT":
        stage.entrypoint = json.loads(arguments)
    elif name == "CMD":
        stage.command = json.loads(arguments)
    elif name not in ("USER", "EXPOSE"):
        raise ValueError(f"{name} is not known here")


def _copy(stage: Stage, words: list[str], context: Path, stages: dict[str, Stage]) -> None:
    origin = None
    if words[0].startswith("--from="):
        origin = stages[words.pop(0).removeprefix("--from=")]
    *sources, target = words
    place = stage.at(target)
    if target.startswith("/"):
        stage.places.add(str(Path("/", *Path(target).parts[1:2])))
    for source in sources:
        found = origin.at(source) if origin is not None else context / source
        if found.is_dir():  # its contents, as COPY has it
            skipped = shutil.ignore_patterns("__pycache__", "*.so")
            shutil.copytree(found, place, dirs_exist_ok=True, ignore=skipped)
        else:
            goes_into = target.endswith("/") or len(sources) > 1
            file = place / found.name if goes_into else place
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(found, file)


def serve(stage: Stage) -> bool:
    """Start the entry point; return whether it became healthy, and end it."""
    server = stage.run([*stage.entrypoint, *stage.command])
    try:
        end = time.monotonic() + _WAIT
        while time.monotonic() < end and server.poll() is None:
            if stage.run(stage.health, subprocess.DEVNULL).wait() == 0:
                print(f"{stage.name}: healthy", flush=True)
                return True
            time.sleep(2)
        return False
    finally:
        server.terminate()
        server.wait()


def main() -> int:
    """Rehearse; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dockerfile", nargs="?", type=Path, default=ROOT / "deploy" / "Dockerfile")
    parser.add_argument("--into", type=Path, required=True, help="folder of the stages")
    parser.add_argument("--only", help="end after the stage of this name")
    parser.add_argument("--serve", action="store_true", help="start the last stage's server")
    given = parser.parse_args()
    stage = rehearse(given.dockerfile, ROOT, given.into.resolve(), given.only)
    if given.serve and not serve(stage):
        print(f"{shlex.join(stage.entrypoint)} did not become healthy", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
