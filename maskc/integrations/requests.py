"""The constraints that requests bring, and which of them the operator wants served.

``MASKC_REQUESTS`` and the other variables are in docs/environment.md. What is wanted is compiled
against a kit, in processes beside the server's (:mod:`maskc.integrations.compile_pool`), bounded in
size, time and memory for each request; the results are cached in a budget for all.

Parsers of engines find the end of a call in the text, in a string of the arguments as well, and the
tags that engines make of tools allow it there. So the plug-ins have an engine exclude it: the words
that maskc's own family of the same models does not let arguments have, and of models that are no
family of ours the names in angle brackets around a call. JSON loses no value by that, as a
character in a string can be an escape. What a client sends as a structural tag of its own stays as
it is.
"""

from __future__ import annotations

import json
import logging
import os
import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from maskc.arguments import as_one_of, as_text
from maskc.errors import ArtifactError, GrammarError, MaskcError
from maskc.integrations.compile_pool import OtherProcess
from maskc.integrations.registry import KIT_VARIABLE
from maskc.integrations.session import MASK_STEPS, read_choice
from maskc.kit.compiling import Compiler
from maskc.kit.constraint import Constraint
from maskc.kit.file import load_kit, make_kit
from maskc.kit.kit import REQUEST_LIMITS, Kit
from maskc.limits import Limits
from maskc.tags.families import list_families, list_parsers, load_family
from maskc.vocab.vocabulary import Vocabulary

REQUESTS_VARIABLE = "MASKC_REQUESTS"
REFUSED_VARIABLE = "MASKC_REFUSED"
UNSUPPORTED_VARIABLE = "MASKC_UNSUPPORTED"

KINDS = ("json", "json_object", "regex", "choice", "grammar", "structural_tag")
# What an operator writes, and which kinds that is.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "all": KINDS,
    "json": ("json", "json_object"),
    **{kind: (kind,) for kind in KINDS[2:]},
}
MAX_CHARACTERS = 1_000_000
_MOST_LOGGED = 1_000  # different notes
_log = logging.getLogger(__name__)

_MARKER = re.compile(r"<[^\s<>\"'{}]+>")


def read_kinds(setting: str | None = None) -> frozenset[str]:
    """Return the kinds of requests to serve, by a setting or ``MASKC_REQUESTS``; default: none."""
    given = os.environ.get(REQUESTS_VARIABLE, "") if setting is None else setting
    names = [name.strip() for name in given.split(",") if name.strip()]
    unknown = sorted(set(names) - set(_NAMES))
    if unknown:
        remedy = f"name some of {', '.join(_NAMES)}, with commas between them"
        raise ArtifactError(REQUESTS_VARIABLE, f"{unknown[0]!r} is not a kind of request", remedy)
    return frozenset(kind for name in names for kind in _NAMES[name])


def falls_back() -> bool:
    """Return whether what maskc refuses goes to the engine's own backend."""
    return read_choice(REFUSED_VARIABLE, ("error", "backend"), "backend or error") == "backend"


def read_unsupported() -> str:
    """Return what ``MASKC_UNSUPPORTED`` asks for: ``refuse`` (the default) or ``loosen``."""
    return read_choice(UNSUPPORTED_VARIABLE, ("refuse", "loosen"), "loosen or refuse")


class RequestConstraints:
    """Makes the constraints of requests, for one model. Safe to use from any thread.

    Args:
        vocabulary: the model's, as wide as its logits.
        limits: what compiling one request may take.
        fills_masks: whether this process fills masks; what all schemas share is then made ahead.

    Raises:
        ArtifactError: the kit of ``MASKC_KIT`` cannot be loaded, or is for another tokenizer.
    """

    def __init__(
        self, vocabulary: Vocabulary, *, limits: Limits = REQUEST_LIMITS, fills_masks: bool = True
    ) -> None:
        self._limits = limits
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()
        vocabulary = _take_as_kit(vocabulary)
        kinds, self._on_unsupported = read_kinds(), read_unsupported()
        self._logged: set[str] = set()
        self._compiler = OtherProcess(vocabulary, limits)
        self.kit = _open_kit(vocabulary, self._compiler)  # what they are linked against
        # Tags have schemas in them, and free text around these.
        if fills_masks and not kinds.isdisjoint(("json", "structural_tag")):
            self.kit.prepare()

    def make(self, kind: str, text: str) -> Constraint:
        """Return the constraint of a request."""
        try:
            how, limits = self._on_unsupported, self._limits
            made = make_constraint(self.kit, kind, text, on_unsupported=how, limits=limits)
        except MaskcError:
            self._count(f"{kind} refused")
            raise
        self._count(f"{kind} served")
        if made.notes:
            self._count(f"{kind} loosened")
            self._log_new(made.notes)
        return made

    def statistics(self) -> dict[str, int]:
        """Return how many requests of each kind were served and refused, and the kit's counts."""
        with self._lock:
            counts = dict(sorted(self._counts.items()))
        return {**counts, **self.kit.statistics(), **self._compiler.statistics()}

    def close(self) -> None:
        """End the processes that compile; it is done by itself when nobody holds this any more."""
        self._compiler.close()

    def _log_new(self, notes: Iterable[str]) -> None:
        """Log notes, each once; clients choose what is in them, so not very many are kept."""
        with self._lock:
            new = [note for note in notes if note not in self._logged]
            if len(self._logged) > _MOST_LOGGED:
                self._logged.clear()
            self._logged.update(new)
        for note in new:
            _log.warning("a schema is loosened for a request: %s", note)

    def _count(self, what: str) -> None:
        with self._lock:
            self._counts[what] += 1


def make_constraint(
    kit: Kit,
    kind: str,
    text: str,
    *,
    on_unsupported: str = "refuse",
    limits: Limits = REQUEST_LIMITS,
) -> Constraint:
    """Return the constraint of a request: the text may be a JSON list of choices, too."""
    as_one_of("a kind of request", kind, KINDS)
    if len(as_text("a request's constraint", text)) > MAX_CHARACTERS:
        raise GrammarError(f"<{kind}>", f"it has more than {MAX_CHARACTERS:,} characters")
    match kind:
        case "json":
            return kit.json_schema(text, on_unsupported=on_unsupported, limits=limits)
        case "json_object":
            return kit.json_schema({"type": "object"}, limits=limits)
        case "regex":
            return kit.regex(text, limits=limits)
        case "choice":
            return kit.choice(_read_choices(text))
        case "structural_tag":
            return kit.structural_tag(text, on_unsupported=on_unsupported, limits=limits)
    # Rules of xgrammar's notation, and no Lark grammar's, are written with this sign.
    make = kit.ebnf if "::=" in text else kit.lark
    return make(text, limits=limits)


def _read_choices(text: str) -> list[str]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(word, str) for word in found):
        raise GrammarError("<choice>", "it is not a JSON list of texts")
    return found


def _take_as_kit(vocabulary: Vocabulary) -> Vocabulary:
    """Return the vocabulary with its added tokens as the kit's file has them, if there is one."""
    path = os.environ.get(KIT_VARIABLE)
    if not path or not vocabulary.added:
        return vocabulary
    tokens = load_kit(path).tokens
    return vocabulary.take_added(
        lambda token: token < tokens.vocab_size and tokens.text_of(token) is not None
    )


def _open_kit(vocabulary: Vocabulary, compiler: Compiler) -> Kit:
    path = os.environ.get(KIT_VARIABLE)
    if not path:
        return make_kit(vocabulary, compiler=compiler, steps=MASK_STEPS)
    kit = load_kit(path, compiler=compiler, steps=MASK_STEPS)
    if kit.fingerprint != vocabulary.fingerprint:
        raise ArtifactError(
            os.path.basename(path),
            "is a kit for another tokenizer than the model's, or for another width of its logits",
            "make one with `maskc kit --tokenizer … --vocab-size …`, or leave MASKC_KIT out",
        )
    return kit


def serves_tags() -> bool:
    """Return whether structural tags are served; a wrong setting, told elsewhere, serves none."""
    try:
        return "structural_tag" in read_kinds()
    except MaskcError:
        return False


def bar_ends(form: Any, model: str) -> None:
    """Exclude what ends a call from all arguments in a tag, which is changed.

    Args:
        form: of calls, and of nothing else that has a JSON Schema; as JSON, or an object of the
            engine whose attributes are the fields of a format.
        model: the engine's name for how calls are written.
    """
    is_known = model in list_families() or model in list_parsers()
    words = load_family(model).list_forbidden() if is_known else _list_markers(form)
    for fields in _walk(form):
        # Of parameters that we do not know for sure, a text may need the word.
        if fields["type"] == "json_schema" and (is_known or fields.get("style", "json") == "json"):
            fields["excludes"] = list(dict.fromkeys((*(fields.get("excludes") or ()), *words)))


def find_markers(texts: Iterable[Any]) -> tuple[str, ...]:
    """Return the names in angle brackets in some texts, in order; what is not a text has none.

    >>> find_markers(['<tool_call>{"name": "f<a b>", ', "}</tool_call>"])
    ('</tool_call>', '<tool_call>')
    """
    found = set[str]()
    for text in texts:
        found.update(_MARKER.findall(text) if isinstance(text, str) else ())
    return tuple(sorted(found))


def _list_markers(form: Any) -> tuple[str, ...]:
    delimiters: list[Any] = []
    for fields in _walk(form):
        if fields["type"] == "tag":
            ends = fields["end"] if isinstance(fields["end"], list) else [fields["end"]]
            delimiters += [fields["begin"], *ends]
    return find_markers(delimiters)


def _walk(form: Any) -> Iterator[dict[str, Any]]:
    open_ = [form]
    while open_:
        here = open_.pop()
        if isinstance(here, list | tuple):
            open_ += here
            continue
        fields = here if isinstance(here, dict) else getattr(here, "__dict__", {})
        if "type" in fields:
            yield fields
            open_ += [inner for name, inner in fields.items() if name != "json_schema"]
