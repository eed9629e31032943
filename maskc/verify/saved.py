"""What has an interrupted run already done?

A run writes down what each unit shows, as soon as it is known: a line of JSON each, in a folder
whose name is a hash of all that the report depends on: the artifact, the options, the texts of
the corpus, the program itself. A run with the same hash reads the lines and leaves these units
out. A run that reaches its end removes the folder: the next one starts anew.

A line that a kill has cut short is passed over. Two equal runs at the same time write down equal
things, so they need not know of each other.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import maskc
from maskc.verify.model import Document, Experiment, Unit, VerifyOptions

_LINES = "units.jsonl"
_MAX_AGE = 14 * 24 * 3600  # seconds; what was interrupted longer ago is removed


def find_cache() -> Path | None:
    """Return the user's folder for runs that may be interrupted, ``None`` for a homeless user."""
    try:
        root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:
        return None
    return Path(root) / "maskc" / "verify"


def compute_key(artifact_path: str, options: VerifyOptions, files: Iterable[Document]) -> str:
    """Return a hash of all that a report depends on."""
    found = hashlib.sha256()
    for path in sorted(Path(maskc.__file__).parent.rglob("*.py")):
        _add(found, path.read_bytes())
    _add(found, Path(artifact_path).read_bytes())
    _add(found, json.dumps(asdict(options), sort_keys=True).encode())
    _add(found, unicodedata.unidata_version.encode())  # Lark's verdicts depend on it
    for file in files:
        _add(found, os.fsencode(file.name))
        _add(found, file.text.encode())
    return found.hexdigest()[:32]


def _add(found: Any, data: bytes) -> None:
    found.update(len(data).to_bytes(8, "big"))
    found.update(data)


class Saved:
    """The units of one run that are done."""

    def __init__(self, folder: Path) -> None:
        """Open a folder; it is made if it is not there."""
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / _LINES
        self._outcomes = _read(self._path)
        self._file = open(self._path, "a", encoding="ascii")  # noqa: SIM115 - closed by `close`
        self._file.write("\n")  # behind a line that was cut short

    def find(self, unit: Unit) -> Experiment | None:
        """Return what a unit has shown, ``None`` if it is not done."""
        outcome = self._outcomes.get((unit.experiment, unit.number))
        if outcome is not None and unit.document is not None:
            text = unit.document.text
            outcome.documents = [replace(document, text=text) for document in outcome.documents]
        return outcome

    def keep(self, unit: Unit, outcome: Experiment) -> None:
        """Write down what a unit shows."""
        line = {"unit": unit.number, **asdict(outcome)}
        if unit.document is not None:
            # What a unit with a text hands on is this text: no need to have it twice.
            line["documents"] = [{**document, "text": ""} for document in line["documents"]]
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Leave the folder to a later run."""
        self._file.close()

    def remove(self) -> None:
        """Remove the folder: the run has reached its end."""
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def _read(path: Path) -> dict[tuple[str, int], Experiment]:
    try:
        lines = path.read_text(encoding="ascii", errors="replace").splitlines()
    except FileNotFoundError:
        return {}
    found = {}
    for line in lines:
        try:
            read = json.loads(line)
            number = read.pop("unit")
            read["documents"] = [Document(**document) for document in read["documents"]]
            experiment = Experiment(**read)
        except (ValueError, KeyError, TypeError, AttributeError):
            continue  # cut short
        found[experiment.name, number] = experiment
    return found


def remove_old(cache: Path) -> None:
    """Remove what was interrupted long ago and never gone on with."""
    for folder in cache.glob("*"):
        try:
            age = time.time() - folder.stat().st_mtime
        except FileNotFoundError:
            continue  # another run has removed it
        if age > _MAX_AGE:
            shutil.rmtree(folder, ignore_errors=True)
