"""The judge of a grammar: Lark's own parser, and of beginnings the oracle.

Texts are drawn by the grammar's rules and from the masks. A file that Lark refuses is named with
the position and what Lark expected (:class:`TextRefusal`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from random import Random
from typing import Any, NamedTuple, cast

from lark import Lark
from lark.exceptions import LarkError, UnexpectedCharacters, UnexpectedEOF, UnexpectedToken
from lark.indenter import DedentError, Indenter

from maskc.bounded import run_bounded
from maskc.errors import TokenizerError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import GrammarSource, source_from_header
from maskc.kinds import GRAMMAR
from maskc.verify.characters import BYTES, UTF8
from maskc.verify.general import build_oracle, is_two_endings, parses
from maskc.verify.generation import Drawer
from maskc.verify.model import Document, legality
from maskc.verify.mutation import KINDS, draw_mutations
from maskc.verify.oracle import Oracle, Undecided
from maskc.verify.plan import list_experiments
from maskc.verify.steps import ParserSteps, show_lark
from maskc.verify.subject import Cursor, Mutation, Subject

_SHOWN = 40  # characters of a lexeme


class TextRefusal(NamedTuple):
    """Why a text is not one of the artifact's."""

    line: int  # from 1
    column: int  # from 1, in characters
    reason: str
    expected: tuple[str, ...]  # terminals, as Lark names them, or what else must come

    def to_dict(self, file: str) -> dict[str, Any]:
        return {"file": file, **self._asdict(), "expected": list(self.expected)}


def find_refusal(
    parser: Lark, text: str, find_steps: Callable[[], ParserSteps]
) -> TextRefusal | None:
    """Return why Lark refuses a text, ``None`` if it parses it.

    The position is Lark's own if it names one. An ``Indenter`` names none: then Lark's lexer and
    table are driven one lexeme at a time to the lexeme that it refuses.
    """
    try:
        parser.parse(show_lark(parser, text))
    except UnexpectedCharacters as error:
        offset = cast(int, error.pos_in_stream)
        expected = _name(parser, cast(Any, error).allowed or ())
        return refuse_at(text, offset, f"unexpected {text[offset : offset + 1]!r}", expected)
    except UnexpectedToken as error:
        return _refuse_token(parser, text, error)
    except UnexpectedEOF as error:
        expected = _name(parser, map(str, error.expected))
        return refuse_at(text, len(text), "the text ends here", expected)
    except (LarkError, IndexError, AssertionError) as error:
        # What an Indenter raises: it closes no block, or a bracket too many, or counts no line.
        is_indented = parser.lexer_conf.postlex is not None
        offset = _find_offset(find_steps(), text, error) if is_indented else len(text)
        return refuse_at(text, offset, _say(error))
    except RuntimeError as error:
        if not is_two_endings(error):
            raise
    return None


def refuse_bytes(data: bytes, offset: int) -> TextRefusal:
    """Return why a file is refused that is not UTF-8 at an offset."""
    before = data[:offset].decode(errors="replace")
    return refuse_at(before, len(before), f"byte {offset} is not UTF-8")


def refuse_at(text: str, offset: int, reason: str, expected: tuple[str, ...] = ()) -> TextRefusal:
    begin = text.rfind("\n", 0, offset) + 1
    return TextRefusal(text.count("\n", 0, offset) + 1, offset - begin + 1, reason, expected)


def _refuse_token(parser: Lark, text: str, error: UnexpectedToken) -> TextRefusal:
    token = error.token
    expected = _name(parser, error.accepts or error.expected)
    offset = token.start_pos
    if token.type == "$END" or offset is None:
        return refuse_at(text, len(text), "the text ends here", expected)
    postlex = cast(Any, parser.lexer_conf.postlex)
    blocks = (postlex.INDENT_type, postlex.DEDENT_type) if isinstance(postlex, Indenter) else ()
    if token.type in blocks:
        # They are made after the newline lexeme that begins the line.
        offset = token.end_pos if token.end_pos is not None else offset
        if offset >= len(text):
            return refuse_at(text, len(text), "the text ends here", expected)
        return refuse_at(text, offset, f"unexpected {token.type}", expected)
    value = cast(Any, token.value)
    shown = value.decode(BYTES) if isinstance(value, bytes) else str(value)
    return refuse_at(text, offset, f"unexpected {token.type} {shown[:_SHOWN]!r}", expected)


def _name(parser: Lark, names: Iterable[str]) -> tuple[str, ...]:
    """Return terminals as Lark names them: a string that it had to name, by its text."""
    said = {"$END": "the end"} | {str(t.name): str(t.user_repr()) for t in parser.terminals}
    return tuple(sorted({said.get(name, str(name)) for name in names}))


def _say(error: BaseException) -> str:
    if isinstance(error, AssertionError):
        return "a bracket is closed that was not opened"
    if isinstance(error, IndexError):
        return "a newline lexeme has no line break"
    return " ".join(str(error).split()) or type(error).__name__


def _find_offset(steps: ParserSteps, text: str, error: BaseException) -> int:
    """Return where the lexeme is that is refused; after it, if it is one of line breaks."""
    *_, (state, position) = steps.walk(steps.start, text)
    if position < len(text) and isinstance(error, DedentError):
        match = steps.match(steps.lexer_at(state), text, position)
        position += len(match[0]) if match is not None else 0
    return position


_MOST_BEGUN = 400  # characters of the beginning of a walk
_PART = 8  # of the longest text that a walk after a beginning may add


class GrammarSubject(Subject):
    """An artifact of a grammar that is verified, for one process."""

    judge_name, takes, side, prefix_side = "Lark", "parses", "lark", "oracle"
    has_long_texts = True
    mutation_counts = (
        *KINDS,
        *("that are not UTF-8", "that Lark parses", "that Lark refuses"),
        *("refused at a byte", "refused at the end"),
    )
    experiments = list_experiments(
        corpus=("files that Lark parses", "Lark parses none of the files of the corpus", "Lark"),
        no_text="there was no text that Lark parses",
        per_unit=2,
        most=20_000,  # Lark parses every mutation from its start
        oracle=(20, 1 << 60),  # a text is lexed once for all of them
        has_raw=True,
    )

    @cached_property
    def source(self) -> GrammarSource:
        return source_from_header(self.artifact.header["grammar"])

    @cached_property
    def lark(self) -> Lark:
        """Lark's own parser: the judge of complete texts."""
        return run_bounded(lambda: build_lark(self.source), self.options.limits)

    @cached_property
    def oracle(self) -> Oracle:
        """The judge of beginnings; its answers may depend on what it was asked before."""
        return build_oracle(self.lark)

    @cached_property
    def drawer(self) -> Drawer:
        return Drawer(self.artifact, self.lark, self.oracle)

    @cached_property
    def encoding(self) -> str:
        return GRAMMAR.encoding(self.artifact.header)

    def begin_unit(self) -> None:
        """Forget what the oracle remembers."""
        if "oracle" in self.__dict__:
            self.oracle.forget()

    def encode(self, text: str) -> list[int]:
        """Return the model's tokens for a text; of bytes that are no UTF-8, any cut into tokens."""
        if self.encoding == UTF8:
            return super().encode(text)
        data = text.encode(self.encoding)
        try:
            return super().encode(data.decode())
        except UnicodeDecodeError:
            cut = self.segments.draw(data, Random(len(data)))
        if cut is None:
            raise TokenizerError(
                self.encoder.name, "no tokens write these bytes", "use one with a token a byte"
            )
        return cut

    def verdict(self, text: str) -> bool:
        return parses(self.lark, text)

    def judge_file(self, document: Document) -> Iterator[tuple[Document, bool]]:
        """Yield a file with Lark's verdict; name it, with what Lark expected, if it is refused."""
        refusal = find_refusal(self.lark, document.text, lambda: self.oracle.steps)
        if refusal is not None:
            self.found.refused.append(refusal.to_dict(document.name))
        self.found.count("files")
        self.found.count("non-ASCII files", int(not document.text.isascii()))
        self.found.count("files that Lark parses" if refusal is None else "files that Lark refuses")
        yield document, refusal is None

    def mutate(self, document: Document, amount: int, draw: Random) -> Iterator[Mutation]:
        return draw_mutations(document.data, amount, draw)

    def begins(self, prefix: bytes, text: str, more: bytes) -> bool | None:
        try:
            return self.oracle.at(prefix, text).legal(more)
        except Undecided:
            self.found.count("undecided by the oracle")
            return None

    def can_end(self, document: Document, offset: int) -> bool:
        """Return whether Lark, resumed near a byte, parses the text before it."""
        return self.oracle.at(document.data[:offset], document.text).can_end()

    def goes_on(
        self, document: Document, here: Cursor, token: int, *, is_legal: bool
    ) -> tuple[bool | None, str]:
        del is_legal
        prefix, more = document.data[: here.n_written], self.written(token)
        expected = self.begins(prefix, document.text, more)
        if expected is not None:
            self.found.count(legality(is_legal=expected))
        return expected, ""

    def draw(self, number: int) -> str | None:
        """Return a text drawn by the rules, or one that begins like it and follows the masks."""
        self.oracle.forget()
        draw, most = Random(f"{self.options.seed}:{number}"), self.options.max_tokens
        drawn, n_others = self.drawer.draw_by_rules(
            draw, self.options.seed, number, most, partial(self._is_agreed, number)
        )
        if n_others:
            self.found.count("drawn again", n_others)
        if number % 2 == 0 and drawn is not None:
            self.found.count("drawn by the rules")
            return drawn.text
        self.found.count("drawn from the masks")
        whole = "" if drawn is None else drawn.text[:_MOST_BEGUN]
        beginning = whole[: draw.randint(0, len(whole))].encode(self.encoding)
        n_tokens = max(1, most // _PART) if beginning else most
        walked = self.drawer.draw_from_masks(draw, n_tokens, beginning)
        self.found.count("ends searched again", walked.n_retries)
        return self.finished(walked, number)

    def _is_agreed(self, number: int, text: str) -> bool:
        """Return whether Lark and the artifact take a text; fail where only one does."""
        is_legal, is_parsed = self.drawer.is_legal(text), self.verdict(text)
        if is_legal != is_parsed:
            self.found.fail(
                what="Lark and the artifact do not agree on a text",
                file=self.name_of(number),
                text=text,
                maskc="accepts the text" if is_legal else "refuses the text",
                lark="parses the text" if is_parsed else "refuses the text",
            )
        return is_legal and is_parsed
