"""One class per thing a caller can act on.

Every message names the subject, the fact and a way out; the fields are attributes.
The fields, not the text, go to ``super().__init__``, so that an error survives pickling
between the processes of an inference server.
"""

from __future__ import annotations

# Characters that are shown at the beginning and at the end: of what a request brought, and of all.
_MOST_SHOWN, _MOST_TOLD = 200, 1_000


def _show(text: str, most: int = _MOST_SHOWN) -> str:
    r"""Return what a request brought as a part of a sentence: on one line, and not without end.

    What is not printable is an escape: a server has to write it, and a lone surrogate has no UTF-8.

    >>> _show("/properties/a\n\ud800")
    '/properties/a\\n\\ud800'
    """
    if len(text) > 2 * most:
        text = f"{text[:most]}…{text[-most:]}"
    return escape(text)


def escape(text: str) -> str:
    """Return a text with an escape for each character that is not printable."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class MaskcError(Exception):
    """Base class of what maskc raises on bad input; never raised itself.

    Attributes:
        is_lasting: whether the same input meets the same error when it comes again.
    """

    is_lasting = True

    def __str__(self) -> str:
        return _show(self._sentence(), _MOST_TOLD)

    def _sentence(self) -> str:
        """Return the subject, the fact and a remedy."""
        return super().__str__()


class WrongTypeError(MaskcError, TypeError):
    """An argument has a type that is not taken there, or an object cannot be pickled."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def _sentence(self) -> str:
        return self.reason


class WrongValueError(MaskcError, ValueError):
    """An argument has the right type, and a value that is not taken there."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def _sentence(self) -> str:
        return self.reason


class UnreadableFileError(MaskcError):
    """A file is missing, too large, unreadable, or no regular file."""

    def __init__(self, path: str, reason: str, remedy: str) -> None:
        super().__init__(path, reason, remedy)
        self.path, self.reason, self.remedy = path, reason, remedy

    def _sentence(self) -> str:
        return f"{self.path}: {self.reason}; {self.remedy}"


class FileTooLargeError(UnreadableFileError):
    """A file is larger than what is asked for may be."""


class GrammarError(MaskcError):
    """The grammar cannot be read: a missing file, or text that Lark refuses."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason)
        self.name, self.reason = name, reason

    def _sentence(self) -> str:
        return f"{self.name}: {self.reason}"


class UnknownSymbolError(MaskcError):
    """A name is not a terminal, or no symbol at all, of the grammar."""

    def __init__(self, grammar: str, kind: str, name: str, nearest: tuple[str, ...]) -> None:
        super().__init__(grammar, kind, name, nearest)
        self.grammar, self.kind, self.name, self.nearest = grammar, kind, name, nearest

    def _sentence(self) -> str:
        if self.nearest:
            near = f"the nearest names are {', '.join(self.nearest)}"
        elif self.grammar.startswith("<"):  # it is in no file
            near = "no name is near"
        else:
            near = "no name is near; `maskc dump GRAMMAR --stage grammar` lists them"
        return f"{self.grammar}: there is no {self.kind} {self.name!r}; {near}"


class UnsupportedTerminalError(MaskcError):
    """A terminal uses a construct that no finite automaton can follow.

    ``label`` is what the author calls the terminal, in a notation that has none.
    """

    def __init__(self, terminal: str, construct: str, remedy: str, label: str = "") -> None:
        super().__init__(terminal, construct, remedy, label)
        self.terminal, self.construct, self.remedy = terminal, construct, remedy
        self.label = label

    def _sentence(self) -> str:
        return f"{self.label or f'terminal {self.terminal}'}: {self.construct}; {self.remedy}"


class PostlexError(MaskcError):
    """The postlex is not one that can be compiled; ``grammar`` is the name of the grammar."""

    def __init__(self, postlex: str, reason: str, grammar: str = "") -> None:
        super().__init__(postlex, reason, grammar)
        self.postlex, self.reason, self.grammar = postlex, reason, grammar

    def of(self, grammar: str) -> PostlexError:
        """Return the error with the name of a grammar, if it has none."""
        return self if self.grammar else PostlexError(self.postlex, self.reason, grammar)

    def _sentence(self) -> str:
        prefix = f"{self.grammar}: " if self.grammar else ""
        return f"{prefix}postlex {self.postlex}: {self.reason}"


class LimitError(MaskcError):
    """A stated bound on time, memory or size was reached while compiling.

    ``location`` is the grammar, with the rule, terminal or pass where it happened.
    """

    def __init__(self, what: str, limit: float, remedy: str, location: str = "") -> None:
        super().__init__(what, limit, remedy, location)
        self.what, self.limit, self.remedy, self.location = what, limit, remedy, location

    def at(self, location: str) -> LimitError:
        """Return the error with a location, if it has none."""
        if self.location:
            return self
        return type(self)(self.what, self.limit, self.remedy, location)

    def _sentence(self) -> str:
        prefix = f"{self.location}: " if self.location else ""
        return f"{prefix}more than {self.limit:,.15g} {self.what}; {self.remedy}"


class BudgetError(LimitError):
    """The time or the memory of a whole compilation is spent: nothing of it can go on."""


class TokensLeftError(MaskcError):
    """No text is known that finishes another one in the tokens that are left.

    ``needed`` counts the end of sequence; ``None``: no tokens are known that finish the text.
    ``left`` is ``None`` where any number was allowed.
    """

    def __init__(self, needed: int | None, left: int | None) -> None:
        super().__init__(needed, left)
        self.needed, self.left = needed, left

    def _sentence(self) -> str:
        if self.left is None:
            return (
                "the search for tokens that finish the text was given up, and found none; "
                "accept more tokens of the text, and ask again"
            )
        if self.needed is None:
            return (
                f"{self.left} tokens are left, and none are known that finish the text; "
                "leave tokens_left out"
            )
        return (
            f"{self.left} tokens are left, and the shortest completion known takes {self.needed}, "
            "end of sequence included; give tokens_left from the first token on, with room for it"
        )


class TokenizerError(MaskcError):
    """The tokenizer cannot be found or read."""

    def __init__(self, tokenizer: str, reason: str, remedy: str) -> None:
        super().__init__(tokenizer, reason, remedy)
        self.tokenizer, self.reason, self.remedy = tokenizer, reason, remedy

    def _sentence(self) -> str:
        return f"tokenizer {self.tokenizer}: {self.reason}; {self.remedy}"


class ArtifactError(MaskcError):
    """A file is not an artifact this version can load."""

    def __init__(self, path: str, reason: str, remedy: str) -> None:
        super().__init__(path, reason, remedy)
        self.path, self.reason, self.remedy = path, reason, remedy

    def _sentence(self) -> str:
        return f"{self.path}: {self.reason}; {self.remedy}"


class UnknownArtifactError(ArtifactError):
    """A request names an artifact that the server does not have: the request's own fault."""


class VocabularyMismatchError(MaskcError):
    """An artifact was compiled for another tokenizer than the one in use."""

    def __init__(self, path: str, expected: str, found: str) -> None:
        super().__init__(path, expected, found)
        self.path, self.expected, self.found = path, expected, found

    def _sentence(self) -> str:
        return (
            f"{self.path}: compiled for tokenizer {self.expected}, but {self.found} is in use; "
            "compile the grammar again for this tokenizer"
        )


class OutputError(MaskcError):
    """A file cannot be written."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path, self.reason = path, reason

    def _sentence(self) -> str:
        return f"{self.path}: cannot be written ({self.reason}); choose another path"


class CaptureError(MaskcError):
    """Symbols of an artifact cannot be captured."""

    def __init__(self, name: str, reason: str, remedy: str) -> None:
        super().__init__(name, reason, remedy)
        self.name, self.reason, self.remedy = name, reason, remedy

    def _sentence(self) -> str:
        return f"{self.name}: {self.reason}; {self.remedy}"


class HoleError(MaskcError):
    """A terminal cannot be restricted to the given words."""

    def __init__(self, name: str, hole: str, reason: str, remedy: str) -> None:
        super().__init__(name, hole, reason, remedy)
        self.name, self.hole, self.reason, self.remedy = name, hole, reason, remedy

    def _sentence(self) -> str:
        return f"{self.name}: {self.hole}: {self.reason}; {self.remedy}"


class SpellingError(MaskcError):
    """What is asked for does not go with the tokenizer's own tokens."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason, remedy)
        self.reason, self.remedy = reason, remedy

    def _sentence(self) -> str:
        return f"{self.reason}; {self.remedy}"


class WorkerError(MaskcError):
    """A process that did a part of the work ended before its time."""

    def __init__(self, status: int | None) -> None:
        super().__init__(status)
        self.status = status

    def _sentence(self) -> str:
        return (
            f"a process that did a part of the work ended with status {self.status}; "
            "run it again with fewer --jobs if memory is short"
        )


class ConfigError(MaskcError):
    """A ``maskc.toml`` asks for what is unknown, or cannot be read.

    ``location`` is the table and key: ``grammars.json.start``.
    """

    def __init__(self, path: str, location: str, reason: str, remedy: str) -> None:
        super().__init__(path, location, reason, remedy)
        self.path, self.location = path, location
        self.reason, self.remedy = reason, remedy

    def _sentence(self) -> str:
        prefix = f"{self.location}: " if self.location else ""
        return f"{self.path}: {prefix}{self.reason}; {self.remedy}"


class ExecutorError(MaskcError):
    """An executor that the user named cannot be had, or failed at its own work."""

    def __init__(self, executor: str, reason: str) -> None:
        super().__init__(executor, reason)
        self.executor, self.reason = executor, reason

    def _sentence(self) -> str:
        return (
            f"executor {self.executor}: {self.reason}; give --executor module:name of a function "
            "that returns a concurrent.futures.Executor that works, or leave it out"
        )


class FormatError(MaskcError):
    """A string format cannot be registered, is not registered, or its reader fails."""

    def __init__(self, name: str, reason: str, remedy: str) -> None:
        super().__init__(name, reason, remedy)
        self.name, self.reason, self.remedy = name, reason, remedy

    def _sentence(self) -> str:
        return f"format {_show(self.name)}: {_show(self.reason)}; {self.remedy}"


class StageError(MaskcError):
    """A stage of the compiler that this grammar does not have was asked for."""

    def __init__(self, stage: str, reason: str, instead: str) -> None:
        super().__init__(stage, reason, instead)
        self.stage, self.reason, self.instead = stage, reason, instead

    def _sentence(self) -> str:
        return f"stage {self.stage}: {self.reason}; ask for {self.instead}"


class MissingPackageError(MaskcError):
    """What was asked for needs a package that is not installed.

    ``extra`` is the extra of maskc that installs it; empty: maskc itself does.
    """

    def __init__(self, package: str, extra: str = "") -> None:
        super().__init__(package, extra)
        self.package, self.extra = package, extra

    def _sentence(self) -> str:
        command = f"'maskc[{self.extra}]'" if self.extra else "maskc"
        return f"{self.package} is not installed; install it with pip install {command}"


class SchemaError(MaskcError):
    """A JSON Schema cannot be compiled: it is none, or it asks for what is not supported."""

    def __init__(self, pointer: str, keyword: str, reason: str, remedy: str) -> None:
        super().__init__(pointer, keyword, reason, remedy)
        self.pointer, self.keyword = pointer, keyword
        self.reason, self.remedy = reason, remedy

    def _sentence(self) -> str:
        pointer = _show(self.pointer) or "#"
        keyword = f"{_show(self.keyword)} " if self.keyword else ""
        return f"schema at {pointer}: {keyword}{_show(self.reason)}; {self.remedy}"


class UnsatisfiableError(SchemaError):
    """A JSON Schema fits no value."""


class TagError(MaskcError):
    """A structural tag, or a list of tools, cannot be read, or asks for what is not supported."""

    def __init__(self, pointer: str, reason: str, remedy: str) -> None:
        super().__init__(pointer, reason, remedy)
        self.pointer, self.reason, self.remedy = pointer, reason, remedy

    def _sentence(self) -> str:
        pointer = _show(self.pointer) or "#"
        return f"structural tag at {pointer}: {_show(self.reason)}; {self.remedy}"


class UnfinishedTextError(MaskcError):
    """A model's text was cut before it was whole.

    ``text`` is what there is of it, and ``finish_reason`` is ``length`` or ``stop_string``.
    """

    def __init__(self, text: str, finish_reason: str, max_tokens: int) -> None:
        super().__init__(text, finish_reason, max_tokens)
        self.text, self.finish_reason, self.max_tokens = text, finish_reason, max_tokens

    def _sentence(self) -> str:
        if self.finish_reason == "stop_string":
            return (
                f"a stop string ended the text before it was whole, after {_show(self.text, 40)!r}"
            )
        return (
            f"the text is not whole after {self.max_tokens:,} tokens: it ends with "
            f"{self.text[-40:]!r}; give a larger max_tokens"
        )
