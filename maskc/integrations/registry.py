"""Finds the artifact that a request names, and checks that it fits the model (docs/operations.md).

An artifact is read into memory when it is first asked for, checked once, and then shared by all
requests. Each request looks at the file's identity, its checksum included, and a file that is
another one than before is read again; requests that follow the old artifact go on with it, and it
goes with the last of them. Every change is logged with the content's hash, and counted in
``usage``.

A name that the folder does not hold is the request's fault: ``UnknownArtifactError``, for HTTP's
status 400. A file that is damaged, of another tokenizer, or gone since it was served is the
server's: any other ``MaskcError``, for 503.
"""

from __future__ import annotations

import logging
import os
import re
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from maskc.arguments import as_path, as_text
from maskc.artifact.container import read_header
from maskc.artifact.sections import EXAMPLES
from maskc.errors import ArtifactError, MaskcError, UnknownArtifactError, UnreadableFileError
from maskc.integrations.session import MASK_STEPS
from maskc.integrations.usage import SUFFIX as EXAMPLES_SUFFIX
from maskc.integrations.usage import Examples, Usage
from maskc.integrations.vocabulary import Identity, check_vocabulary, identify
from maskc.runtime.artifact import Artifact, load
from maskc.vocab.vocabulary import Vocabulary

FOLDER_VARIABLE = "MASKC_ARTIFACTS"
KIT_VARIABLE = "MASKC_KIT"
KEEP_VARIABLE = "MASKC_KEEP_LAST_GOOD"
SUFFIX = ".maskc"
# Before the name of an artifact, in a field that engines give to grammars: ``maskc://json.llama3``.
SCHEME = "maskc://"
MAX_NAME = 128

# A file that changed this recently may change again and have the same times after it.
SETTLED_NS = 2_000_000_000
_N_TRIES = 5

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_log = logging.getLogger(__name__)


class ListedArtifact(NamedTuple):
    """An artifact that can be served, with the checksum at the end of its file in hexadecimal."""

    name: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class Served:
    """An artifact that is served, with the checksum at the end of its file in hexadecimal."""

    artifact: Artifact
    content_hash: str


class ArtifactRegistry:
    """Artifacts by name, for one model. Safe to use from any thread.

    Args:
        vocabulary: the model's, as wide as its logits.
        folder: where the artifacts lie; default: the environment variable ``MASKC_ARTIFACTS``.
        mapped: leave the artifacts in their files, so that processes share memory. Their files may
            then be replaced by renaming only: see :func:`maskc.load`.
        keep_last_good: serve the earlier artifact while a file that replaced it cannot be
            served; a deleted file ends it. Default: whether ``MASKC_KEEP_LAST_GOOD`` is 1.

    Attributes:
        vocabulary: as given.
        usage: what was asked for and served; whoever serves adds tokens and masks.

    Raises:
        ArtifactError: no folder was given, or it does not exist.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        folder: str | os.PathLike[str] | None = None,
        *,
        mapped: bool = False,
        keep_last_good: bool | None = None,
    ) -> None:
        self.vocabulary = vocabulary
        if keep_last_good is None:
            keep_last_good = os.environ.get(KEEP_VARIABLE) == "1"
        self._keeps = keep_last_good
        self.usage = Usage()
        self._folder = find_folder(folder)
        self._examples = Examples(self._folder)
        self._mapped = mapped
        self._lock = threading.Lock()
        self._loading: dict[str, threading.Lock] = {}
        self._served: dict[str, tuple[Identity, Served]] = {}
        self._refused: dict[str, tuple[Identity, MaskcError]] = {}
        self._good: dict[str, Identity] = {}  # of files that were checked and are not loaded
        self._known: set[str] = set()  # names that had a file

    def names(self) -> tuple[str, ...]:
        """Return the names that the folder holds now, sorted; nothing is loaded."""
        return self._names_of(SUFFIX)

    def _names_of(self, suffix: str) -> tuple[str, ...]:
        found = (path.name.removesuffix(suffix) for path in self._folder.glob(f"*{suffix}"))
        return tuple(sorted(name for name in found if is_name(name)))

    def listing(self) -> tuple[ListedArtifact, ...]:
        """Return what can be served now, by name.

        What is not loaded is read and checked once, and not kept in memory.
        """
        checked = {name: self._check(name) for name in self.names()}
        return tuple(ListedArtifact(name, content) for name, content in checked.items() if content)

    def load(self, name: str) -> Artifact:
        """Return the artifact that lies in the folder under a name now.

        Raises:
            UnknownArtifactError: the name is not one, or the folder does not hold it.
            ArtifactError: its file is broken, or gone since it was served.
            VocabularyMismatchError: it was compiled for another tokenizer than the model's.
        """
        return self.find(name).artifact

    def find(self, name: str) -> Served:
        """Return the artifact that lies in the folder under a name now, with its content's hash.

        Raises:
            ArtifactError, VocabularyMismatchError: as :meth:`load`.
        """
        as_text("the name of an artifact", name)
        try:
            served = self._find(name)
        except UnknownArtifactError:
            self.usage.add(name, refusals=1)
            raise
        except MaskcError:
            self.usage.know(name)
            kept = self._served.get(name) if self._keeps else None
            if kept is None:
                self.usage.add(name, failures=1)
                raise
            self.usage.add(name, requests=1, kept=1)
            return kept[1]
        self.usage.add(name, requests=1)
        return served

    def preload(self) -> dict[str, MaskcError]:
        """Load what lies in the folder now, and :meth:`prepare` what has examples.

        So the first request of each does not wait. A server may call it again at any time: what
        has not changed is not read. Return the names that are refused, those of files of examples
        too, with the reasons.
        """
        refused = {}
        for name in self.names():
            try:
                self._find(name)
            except MaskcError as error:
                refused[name] = error
        return refused | self.prepare()

    def prepare(self) -> dict[str, MaskcError]:
        """Have artifacts follow their examples, ten seconds each at most.

        So masks of answers like these are there. The examples of ``json`` are the lines of
        ``json.examples.jsonl``, each a JSON list of token ids; without that file, those that the
        compiler wrote into ``json.maskc``. Artifacts without examples are not loaded. What has not
        changed is not followed again.

        Returns:
            What is refused, with the reasons: files of examples of which a line is not a list of
            token ids, whose artifacts are served, and artifacts that are not served.
        """
        refused: dict[str, MaskcError] = {}
        files = dict.fromkeys(self._names_of(EXAMPLES_SUFFIX), EXAMPLES_SUFFIX)
        headers = {name: read_header(self._folder / f"{name}{SUFFIX}") for name in self.names()}
        own = {name: "" for name, header in headers.items() if EXAMPLES in (header or {})}
        for name, suffix in sorted((own | files).items()):
            try:
                served = self._find(name)
                self._examples.follow(name, served.artifact, served.content_hash)
            except MaskcError as error:
                _log.warning("artifact %s: its examples are refused: %s", name, error)
                refused[f"{name}{suffix}"] = error
        return refused

    def served(self) -> dict[str, Artifact]:
        """Return the artifacts that are loaded now, by name; nothing is loaded."""
        return {name: served.artifact for name, (_, served) in list(self._served.items())}

    def _check(self, name: str) -> str | None:
        """Return the hash of what is served under a name, or would be; ``None`` if nothing is."""
        try:
            identity = self._identify(name)
        except ArtifactError:
            return None
        served, refused = self._served.get(name), self._refused.get(name)
        is_known = self._good.get(name) == identity or served is not None and served[0] == identity
        if is_known:
            return identity.checksum.hex()
        if refused is None or refused[0] != identity:
            is_settled = _is_settled(identity)
            found = self._read(name)
            if not isinstance(found, MaskcError):
                self._good[name] = identity
                return identity.checksum.hex()
            self._refuse(name, identity, found, is_settled=is_settled)
        kept = self._served.get(name)
        return None if kept is None else kept[1].content_hash

    def _find(self, name: str) -> Served:
        check_name(name)
        # Before the lock is made: invented names take no memory.
        identity = self._identify(name)
        served = self._served.get(name)
        if served is not None and served[0] == identity:
            return served[1]
        with self._lock:
            lock = self._loading.setdefault(name, threading.Lock())
        with lock:
            return self._load_now(name)

    def _load_now(self, name: str) -> Served:
        for _ in range(_N_TRIES):
            identity = self._identify(name)
            served, refused = self._served.get(name), self._refused.get(name)
            if served is not None and served[0] == identity:
                return served[1]
            if refused is not None and refused[0] == identity:
                raise refused[1].with_traceback(None)
            is_settled = _is_settled(identity)
            found = self._read(name)
            if self._identify(name) != identity:
                continue  # replaced while it was read
            if isinstance(found, MaskcError):
                self._refuse(name, identity, found, is_settled=is_settled)
                raise found
            return self._serve(name, identity, found)
        raise ArtifactError(name, "is being written", "ask again when it is complete")

    def _read(self, name: str) -> Artifact | MaskcError:
        try:
            kit, path = os.environ.get(KIT_VARIABLE) or None, self._folder / f"{name}{SUFFIX}"
            artifact = load(path, mapped=self._mapped, kit=kit, steps=MASK_STEPS)
            check_vocabulary(artifact, name, self.vocabulary)
        except ArtifactError as error:
            return ArtifactError(name, error.reason, error.remedy)  # a client may see the name
        except MaskcError as error:
            return error
        return artifact

    def _serve(self, name: str, identity: Identity, artifact: Artifact) -> Served:
        artifact.matcher()  # what its matchers share is made here, by one thread
        before, served = self._served.get(name), Served(artifact, identity.checksum.hex())
        self._refused.pop(name, None)
        self._served[name] = (identity, served)
        self._examples.forget(name)
        self.usage.know(name)
        self.usage.add(name, loads=1, reloads=int(before is not None))
        if before is None:
            _log.info("artifact %s: %s is served", name, served.content_hash)
        else:
            old = before[1].content_hash
            _log.info("artifact %s: %s replaces %s", name, served.content_hash, old)
        return served

    def _refuse(
        self, name: str, identity: Identity, error: MaskcError, *, is_settled: bool
    ) -> None:
        """Forget what was served, unless it is kept, and remember a refusal that will stay."""
        kept = self._served.get(name) if self._keeps else None
        if kept is None:
            self._forget(name)
        if is_settled:
            self._refused[name] = (identity, error)
        _log.warning("artifact %s: %s is refused: %s", name, identity.checksum.hex(), error)
        if kept is not None:
            _log.warning("artifact %s: %s stays in use", name, kept[1].content_hash)

    def _forget(self, name: str) -> None:
        before = self._served.pop(name, None)
        self._refused.pop(name, None)
        if before is not None:
            _log.info("artifact %s: %s is no longer served", name, before[1].content_hash)

    def _identify(self, name: str) -> Identity:
        path = self._folder / f"{name}{SUFFIX}"
        try:
            found = identify(path)
        except UnreadableFileError as error:
            reason = error.reason
            if os.path.lexists(path):
                self._known.add(name)
            else:
                self._forget(name)
                reason = "its file is gone"
            if name in self._known:
                raise ArtifactError(name, reason, "check the server's folder") from None
            good = [found for found in self.names() if found not in self._refused]
            remedy = f"available: {', '.join(good[:8]) or 'none yet'}"
            raise UnknownArtifactError(name, "no such artifact", remedy) from None
        self._known.add(name)
        return found


def _is_settled(identity: Identity) -> bool:
    return time.time_ns() - max(identity.modified, identity.changed) > SETTLED_NS


def find_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder that is given, else that of ``MASKC_ARTIFACTS``; ArtifactError: none."""
    given = os.environ.get(FOLDER_VARIABLE, "")
    if folder is not None:
        given = as_path("the folder of artifacts", folder)
    remedy = f"set {FOLDER_VARIABLE} to the folder with the {SUFFIX} files"
    if not given:
        raise ArtifactError("artifacts", "no folder was given", remedy)
    path = Path(given)
    if not os.path.isdir(given):
        raise ArtifactError(given, "is not a folder", remedy)
    return path


def check_name(name: str) -> None:
    """Raise an UnknownArtifactError unless a request's text can be the name of an artifact."""
    if not is_name(as_text("the name of an artifact", name)):
        shown = repr(name) if len(name) <= MAX_NAME else f"{name[:32]!r}…"
        raise UnknownArtifactError(
            shown,
            "is not the name of an artifact",
            f"a name has at most {MAX_NAME} letters, digits, dots, hyphens and underscores, "
            "and begins with a letter or digit",
        )


def parse_reference(text: object) -> str | None:
    """Return the name that a grammar field carries, ``None`` if it carries a grammar.

    Raises:
        ArtifactError: it begins like a reference, and what follows is not a name.

    >>> parse_reference("maskc://json"), parse_reference('root ::= "a"')
    ('json', None)
    """
    if not isinstance(text, str) or not text.startswith(SCHEME):
        return None
    name = text.removeprefix(SCHEME)
    check_name(name)
    return name


def is_name(text: str) -> bool:
    """Return whether a text can be the name of an artifact.

    >>> is_name("json.llama3"), is_name("../json"), is_name(".hidden"), is_name("")
    (True, False, False, False)
    """
    return len(text) <= MAX_NAME and _NAME.fullmatch(text) is not None
