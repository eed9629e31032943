"""Which artifact does a request mean by a name, and does it fit the model?

A registry is a folder of ``NAME.maskc`` files and the model's vocabulary. An artifact is loaded
when it is first asked for, checked once, and then shared by all requests; the file is mapped, so
that processes share its memory too. A name that cannot be served is an error for the request that
carries it, in a sentence without the server's paths.

Example: with ``json.llama3.maskc`` in the folder, ``load("json.llama3")`` is that artifact, and
``load("../json")`` is refused before the file system is asked.

A file that was refused is read again when it has changed; one that was served is not, because
requests are using it: a server is started again to serve a new artifact under an old name.
"""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path

from maskc.errors import ArtifactError, MaskcError
from maskc.integrations.vocabulary import check_vocabulary
from maskc.runtime.artifact import Artifact, load
from maskc.vocab.vocabulary import Vocabulary

FOLDER_VARIABLE = "MASKC_ARTIFACTS"
SUFFIX = ".maskc"
MAX_NAME = 128

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

# What tells a file from what was in its place before: size, time of change, inode.
_Signature = tuple[int, int, int]


class ArtifactRegistry:
    """Artifacts by name, for one model. Safe to use from any thread.

    Args:
        vocabulary: the model's, as wide as its logits.
        folder: where the artifacts lie; default: the environment variable ``MASKC_ARTIFACTS``.

    Raises:
        ArtifactError: no folder is given, or it is not there.
    """

    def __init__(
        self, vocabulary: Vocabulary, folder: str | os.PathLike[str] | None = None
    ) -> None:
        self.vocabulary = vocabulary
        self._folder = find_folder(folder)
        self._lock = threading.Lock()
        self._loading: dict[str, threading.Lock] = {}
        self._loaded: dict[str, Artifact] = {}
        self._refused: dict[str, tuple[_Signature, MaskcError]] = {}

    def names(self) -> tuple[str, ...]:
        """Return the names that the folder holds now, sorted; nothing is loaded."""
        found = (path.name.removesuffix(SUFFIX) for path in self._folder.glob(f"*{SUFFIX}"))
        return tuple(sorted(name for name in found if is_name(name)))

    def load(self, name: str) -> Artifact:
        """Return the artifact of a name.

        Raises:
            ArtifactError: the name is not one, or its file is missing or broken.
            VocabularyMismatchError: it was compiled for another tokenizer than the model's.
        """
        artifact = self._loaded.get(name)
        if artifact is not None:
            return artifact
        check_name(name)
        # Before the lock is made: invented names take no memory.
        self._sign(name)
        with self._lock:
            lock = self._loading.setdefault(name, threading.Lock())
        with lock:
            artifact = self._loaded.get(name)
            if artifact is None:
                artifact = self._loaded[name] = self._load_once(name)
            return artifact

    def _load_once(self, name: str) -> Artifact:
        signature = self._sign(name)
        refused = self._refused.get(name)
        if refused is not None and refused[0] == signature:
            raise refused[1].with_traceback(None)
        try:
            artifact = _load_named(self._folder / f"{name}{SUFFIX}", name)
            check_vocabulary(artifact, name, self.vocabulary)
        except MaskcError as error:
            self._refused[name] = (signature, error)
            raise
        # What its matchers share is made here, by one thread.
        artifact.matcher()
        return artifact

    def _sign(self, name: str) -> _Signature:
        try:
            found = os.stat(self._folder / f"{name}{SUFFIX}")
        except OSError as error:
            reason = "there is no such artifact"
            if not isinstance(error, FileNotFoundError):
                reason = f"it cannot be read ({error.strerror})"
            names = ", ".join(self.names()[:8]) or "none yet"
            raise ArtifactError(name, reason, f"those that there are: {names}") from None
        return found.st_size, found.st_mtime_ns, found.st_ino


def find_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder of artifacts that is given, else that of ``MASKC_ARTIFACTS``.

    Raises:
        ArtifactError: neither is given, or it is not a folder.
    """
    given = os.fspath(folder) if folder is not None else os.environ.get(FOLDER_VARIABLE, "")
    remedy = f"set {FOLDER_VARIABLE} to the folder with the {SUFFIX} files"
    if not given:
        raise ArtifactError("artifacts", "no folder is given", remedy)
    path = Path(given)
    if not path.is_dir():
        raise ArtifactError(given, "is not a folder", remedy)
    return path


def check_name(name: str) -> None:
    """Check that a text from a request can be the name of an artifact.

    Raises:
        ArtifactError: it cannot.
    """
    if not is_name(name):
        shown = repr(name) if len(name) <= MAX_NAME else f"{name[:32]!r}…"
        raise ArtifactError(
            shown,
            "is not the name of an artifact",
            f"a name has at most {MAX_NAME} letters, digits, points, hyphens and underscores, "
            "and begins with a letter or digit",
        )


def is_name(text: str) -> bool:
    """Return whether a text can be the name of an artifact.

    >>> is_name("json.llama3"), is_name("../json"), is_name(".hidden"), is_name("")
    (True, False, False, False)
    """
    return len(text) <= MAX_NAME and _NAME.fullmatch(text) is not None


def _load_named(path: Path, name: str) -> Artifact:
    """Return the artifact of a file; an error says the name, which a client may see."""
    try:
        return load(path)
    except ArtifactError as error:
        raise ArtifactError(name, error.reason, error.remedy) from None
