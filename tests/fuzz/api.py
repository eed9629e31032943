"""``python -m tests.fuzz.api [SECONDS]``: calls what users call, with arguments that are wrong.

Each call is drawn by its number: a function or a method, sound arguments, and hostile values in
the place of one or two of them. ``python -m tests.fuzz.api 0 NUMBER…`` makes these calls again.
Whatever comes out but a :class:`maskc.MaskcError` of one line is a failure, and so are a warning
and an error that does not survive pickling. Each is told once for each line that raises it; the
exit status is 1 if there was any. It needs no atheris.
"""

from __future__ import annotations

import contextlib
import copy
import enum
import pickle
import re
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import maskc
from maskc.errors import MaskcError
from maskc.integrations.registry import ArtifactRegistry
from maskc.integrations.requests import KINDS, make_constraint
from maskc.kit.file import make_kit, save_kit
from maskc.vocab import load_vocabulary
from tests.fuzz.driver import TooLongError

SLOW = 10.0  # seconds of processor time
LIMITS = maskc.Limits(seconds=2, bytes=1_000_000_000, text=20_000, work=20_000)
GRAMMAR = 'start: "a" WORD\nWORD: /[a-c]+/\n'
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}]
TAG = {"type": "structural_tag", "format": {"type": "regex", "pattern": "a+"}}

Call = tuple[Callable[..., object], tuple[Any, ...], dict[str, Any]]


class Kind(enum.Enum):
    """An enumeration whose class is given in the place of its members."""

    A = "a"
    B = 2


class Text(str):
    """A text of a class of one's own."""

    __slots__ = ()


class Number(int):
    """A number of a class of one's own."""


class Odd:
    """An object of no use."""


def nested(depth: int) -> list[Any]:
    """Return a list in a list in a list."""
    outer: list[Any] = []
    for _ in range(depth):
        outer = [outer]
    return outer


def endless() -> list[Any]:
    """Return a list that is in itself."""
    outer: list[Any] = []
    outer.append(outer)
    return outer


VALUES: tuple[Callable[[], Any], ...] = (
    *(
        lambda value=value: value  # type: ignore[misc]
        for value in (
            *(None, True, False, 0, 1, -1, 7, 2**31, 2**63, -(2**64), 10**400, 0.5, -0.0, 1e308),
            *(float("nan"), float("inf"), 1j, Fraction(1, 3), Ellipsis, NotImplemented),
            *(
                "",
                "a",
                "start",
                "WORD",
                "\x00",
                "\ud800",
                "a\udfff",
                "é",
                "x" * 5000,
                "[[:alpha:]]",
            ),
            *("(" * 300, "{}", "[", '{"a": "\\ud800"}', "1e999999", "NaN", "[[a]", "a--b"),
            *(b"", b"a", b"\xff", bytearray(b"a"), memoryview(b"ab"), Path("/"), Path("none")),
            *((), (1,), ("a",), [], ["a"], [1], [None], ["a", 1], ["\ud800"], [b"a"], [[]], [""]),
            *({}, {"a": 1}, {1: 2}, {"\ud800": 1}, {None: None}, {"type": 1}, {"type": "\ud800"}),
            *({"a": {"a": object()}}, set(), {"a"}, frozenset([1]), range(3), range(10**5)),
            *(Kind, Kind.A, Kind.B, Odd, Odd(), int, len, re.compile("a"), Text("a"), Text("auto")),
            *(Number(1), np.int64(1), np.int16(-1), np.uint64(2**63), np.float32(1), np.bool_(1)),
            *(np.str_("a"), np.array(1), np.array([1]), np.zeros((2, 9), np.int64), np.array("a")),
            *(np.zeros((2, 9), np.int32), np.zeros((1, 9), np.float32), np.zeros(9, np.int32)),
            *(
                np.zeros((2, 18), np.int32)[:, ::2],
                np.zeros((0, 0), np.int32),
                np.zeros((2, 8), "i4"),
            ),
            *(np.zeros((2, 9), ">i4"), np.zeros((2, 9), object), np.zeros(0), np.array([None])),
            *(np.zeros(80, np.uint8)[1:73].view(np.int32).reshape(2, 9)),
            *(np.ma.zeros((2, 9), "i4"), np.zeros((2, 8), np.int32)),
            *(pickle.loads, maskc.MaskcError, Exception("a"), sys, maskc.Limits()),
        )
    ),
    lambda: nested(50),
    lambda: nested(3000),
    endless,
    lambda: (word for word in ("a", "b")),
    lambda: (n for n in (1, "a")),
    lambda: iter([97, 98]),
    lambda: map(str, range(3)),
)


class Calls:
    """Draws calls.

    Args:
        folder: for files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        vocabulary = load_vocabulary("bytes")
        self.kit = make_kit(vocabulary)
        self._path, self._kit_path = folder / "a.maskc", folder / "a.kit"
        self.artifact = maskc.compile_grammar(GRAMMAR, tokenizer="bytes")
        self.artifact.save(self._path)
        save_kit(self.kit, self._kit_path)
        self._registry = ArtifactRegistry(vocabulary, folder)
        self._constraint = self.kit.regex("[ab]{2,5}")
        self._captured = maskc.capture(self.artifact, "WORD").matcher()
        self._spelling = maskc.compile_spelling("bytes")
        self._spelling.save(folder / "a.spelling")

    def draw(self, draw: Random) -> tuple[str, Call]:
        """Return a name and a call, some of whose arguments are hostile."""
        name, (function, positional, named) = draw.choice(self._list())
        parameters: list[int | str] = [*range(len(positional)), *named]
        given, given_named = list(positional), dict(named)
        for parameter in draw.sample(parameters, min(len(parameters), draw.choice((1, 1, 1, 2)))):
            value = draw.choice(VALUES)()
            sound = named[parameter] if isinstance(parameter, str) else positional[parameter]
            # A function of one's own may raise, and whoever asks for an hour gets it.
            if callable(value) and (callable(sound) or parameter == "progress"):
                value = None
            if type(sound) is float and not (isinstance(value, int | float) and value < sound):
                value = "a"
            if isinstance(parameter, int):
                given[parameter] = value
            else:
                given_named[parameter] = value
        return name, (function, tuple(given), given_named)

    def _list(self) -> list[tuple[str, Call]]:
        kit, artifact, constraint = self.kit, self.artifact, self._constraint
        matcher, other = constraint.matcher(), artifact.matcher()
        bitmask = maskc.allocate_bitmask(2, 257)
        usual = {"vocab_size": 257, "eos_ids": [256], "added_tokens": None, "limits": LIMITS}
        layout = {"resources": {}, "key_order": "any", "blanks": "any", "escapes": "any"}
        layout |= {"numbers": "plain", "formats": "assert"}
        settings = {"start": "start", "parser": "lalr", "lexer": "contextual", "postlex": None}
        choice = {"family": "qwen_3", "choice": "auto", "parallel": True, "reasoning": False}
        grammar = {**settings, "dialect": "lark", "roles": {}, "progress": None}
        captured = self._captured.fork()
        calls: dict[str, Call] = {
            "compile_grammar": (
                maskc.compile_grammar,
                (GRAMMAR,),
                {"tokenizer": "bytes", **grammar, **usual},
            ),
            "compile_json_schema": (
                maskc.compile_json_schema,
                (SCHEMA,),
                {"tokenizer": "bytes", **layout, **usual},
            ),
            "compile_structural_tag": (
                maskc.compile_structural_tag,
                (TAG,),
                {"tokenizer": "bytes", **usual},
            ),
            "compile_tools": (
                maskc.compile_tools,
                (TOOLS,),
                {"tokenizer": "bytes", **choice, **usual},
            ),
            "compile_spelling": (maskc.compile_spelling, ("bytes",), {}),
            "compile_pattern": (maskc.compile_pattern, ("a+",), {"limits": LIMITS}),
            "load": (
                maskc.load,
                (self._path,),
                {"cache_bytes": 1 << 20, "mapped": True, "kit": self._kit_path, "steps": 1000},
            ),
            "load_kit": (
                maskc.load_kit,
                (self._kit_path,),
                {"cache_bytes": 1 << 20, "mapped": True, "steps": 1000},
            ),
            "load_spelling": (maskc.load_spelling, (self._folder / "a.spelling",), {}),
            "allocate_bitmask": (maskc.allocate_bitmask, (2, 257), {}),
            "fill_bitmasks": (maskc.fill_bitmasks, ([matcher, other], bitmask, [0, 1]), {}),
            "apply_bitmask": (maskc.apply_bitmask, (np.zeros((2, 257), "f4"), bitmask), {}),
            "canonical": (maskc.canonical, (artifact, self._spelling), {}),
            "capture": (maskc.capture, (artifact, "WORD", "start"), {}),
            "follow": (
                maskc.follow,
                (artifact, "WORD"),
                {"on_complete": lambda _: {"WORD": ["ab"]}},
            ),
            "narrow": (maskc.narrow, (artifact,), {"WORD": ["ab"]}),
            "register_format": (
                maskc.register_format,
                ("fuzzed",),
                {"pattern": "a+", "judge": None},
            ),
            "Limits": (maskc.Limits, (1.0, 2, 3, 4), {}),
            "AddedTokens": (maskc.AddedTokens, ("form", ("a",), (1,)), {}),
            "added": (
                lambda *fields: maskc.compile_pattern(str(maskc.AddedTokens(*fields).choice)),
                ("form", ("a",), (1,)),
                {},
            ),
            "Artifact.bind": (artifact.bind, (), {"WORD": ["ab"]}),
            "Artifact.matcher": (artifact.matcher, (), {"start": "start", "WORD": ["ab"]}),
            "Artifact.for_start": (artifact.for_start, ("start",), {}),
            "Artifact.token_bytes": (artifact.token_bytes, (1,), {}),
            "Artifact.is_text": (artifact.is_text, (1,), {}),
            "Artifact.mask_table": (artifact.mask_table, (1,), {}),
            "Artifact.prepare": (artifact.prepare, ([[97]],), {"seconds": 0.01}),
            "Artifact.save": (artifact.save, (self._folder / "b.maskc",), {"kit": self._kit_path}),
            "Kit.json_schema": (kit.json_schema, (SCHEMA,), {**layout, "limits": LIMITS}),
            "Kit.choice": (kit.choice, (["a", "b"],), {}),
            "Kit.regex": (kit.regex, ("a+",), {"limits": LIMITS}),
            "Kit.text": (kit.text, (), {"without": ["ab"]}),
            "Kit.lark": (kit.lark, (GRAMMAR,), {**settings, "limits": LIMITS}),
            "Kit.gbnf": (kit.gbnf, ('root ::= "a"\n',), {"limits": LIMITS}),
            "Kit.ebnf": (kit.ebnf, ('root ::= "a"\n',), {"limits": LIMITS}),
            "Kit.structural_tag": (kit.structural_tag, (TAG,), {"limits": LIMITS}),
            "Kit.tools": (kit.tools, (TOOLS,), {**choice, "limits": LIMITS}),
            "Kit.artifact": (kit.artifact, (self._path,), {}),
            "Kit.artifact.bind": (kit.artifact(self._path).bind, (), {"WORD": ["ab"]}),  # type: ignore[attr-defined]
            "Kit.sequence": (kit.sequence, (constraint, constraint), {}),
            "Kit.one_of": (kit.one_of, (constraint, constraint), {}),
            "Kit.repeat": (kit.repeat, (constraint, 1, 2), {}),
            "Kit.mask_table": (kit.mask_table, (1,), {}),
            "Constraint.prepare": (constraint.prepare, (0.01,), {}),
            "Constraint.mask_table": (constraint.mask_table, (1,), {}),
            "Matcher.fill_bitmask": (matcher.fill_bitmask, (bitmask, 1), {"tokens_left": 9}),
            "Matcher.accept_token": (matcher.accept_token, (97,), {}),
            "Matcher.accept_tokens": (matcher.accept_tokens, ([97, 98],), {}),
            "Matcher.validate_tokens": (matcher.validate_tokens, ([97, 98],), {}),
            "Matcher.accept_bytes": (matcher.accept_bytes, (b"a",), {}),
            "Matcher.accept_text": (matcher.accept_text, ("a",), {}),
            "Matcher.rollback": (matcher.rollback, (0,), {}),
            "Matcher.forced_tokens": (other.forced_tokens, (lambda _: [97],), {"before": "a"}),
            "spans": (captured.spans, ("WORD",), {}),
            "rollback_to": (captured.rollback_to, ("WORD",), {}),
            "registry.load": (self._registry.load, ("a",), {}),
            "registry.find": (self._registry.find, ("a",), {}),
            "registry": (lambda folder: ArtifactRegistry(VOCABULARY, folder), (self._folder,), {}),
            "make_constraint": (
                lambda kind, text: make_constraint(kit, kind, text, limits=LIMITS),
                ("regex", "a"),
                {},
            ),
            "pickle": (
                lambda draw: pickle.dumps(
                    (kit, artifact, constraint, matcher, captured)[len(type(draw).__name__) % 5]
                ),
                (3,),
                {},
            ),
        }
        for kind in KINDS:
            calls[f"make_constraint {kind}"] = (
                lambda text, kind=kind: make_constraint(kit, kind, text, limits=LIMITS),
                ("{}",),
                {},
            )
        return sorted(calls.items())


VOCABULARY = load_vocabulary("bytes")


def use(made: object) -> None:
    """Use what a call returned: copy it, and fill a mask of its matcher."""
    if isinstance(made, MaskcError | str | bytes | int | float | np.ndarray | list):
        return
    make = getattr(made, "matcher", None)
    if make is not None:
        copy.deepcopy(made)
        matcher = make()
        matcher.fill_bitmask(maskc.allocate_bitmask(1, made.vocab_size), 0)  # type: ignore[attr-defined]
        repr(made), repr(matcher)


def check_error(error: MaskcError) -> str:
    """Return what is wrong with an error, an empty text if it is as it should be."""
    text = str(error)
    if not text.isprintable():
        return "is not on one line, or not printable"
    if len(text) > 3000:
        return "is very long"
    again = type(error)(*error.args)
    if str(again) != text or str(pickle.loads(pickle.dumps(error))) != text:
        return "is another one after copying"
    return ""


def run_call(calls: Calls, number: int) -> tuple[str, str, BaseException | None]:
    """Make a call; return its name, what is wrong with its outcome, and what it raised."""
    name, (function, given, named) = calls.draw(Random(number))
    signal.setitimer(signal.ITIMER_VIRTUAL, SLOW)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            use(function(*given, **named))
    except MaskcError as error:
        return name, check_error(error), error
    except Exception as error:  # noqa: BLE001 - whatever comes is what is looked for
        return name, "is no MaskcError", error
    except TooLongError as error:
        return name, "takes too long", error
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return name, "", None


def _stop(*_: object) -> None:
    raise TooLongError


def main() -> int:
    """Make calls for some time, or some again; return the exit status."""
    signal.signal(signal.SIGVTALRM, _stop)
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 180.0
    again = [int(number) for number in sys.argv[2:]]
    numbers: Iterable[int] = again or count()
    failures: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    until = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        calls = Calls(Path(folder))
        for number in numbers:
            if not again and time.monotonic() > until:
                break
            name, fault, error = run_call(calls, number)
            outcomes["refused" if error else "taken"] += 1
            if fault and error is not None:
                frames = traceback.extract_tb(error.__traceback__)
                ours = [f for f in frames if "/maskc/" in f.filename] or frames
                where = f"{type(error).__name__} at {ours[-1].filename}:{ours[-1].lineno}"
                if not failures[where]:
                    text = f"\ncall {number}: {name}: {where}: {str(error)[:300]!r} {fault}\n"
                    sys.stderr.write(text)
                failures[where] += 1
    sys.stdout.write(f"{dict(outcomes)}\n")
    for where, n in failures.most_common():
        sys.stdout.write(f"{n} times {where}\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
