"""Oracles of the dense laws: which texts are in a language, by packages that share no code with us.

A judge knows some texts of its language, all that are short at least, and can say of any text
whether it is one. A judge of a pattern says of any bytes whether a text begins with them; that of a
listed language does if all its texts are listed, and else says ``None`` where no listed text does.

Lark judges grammars, the package ``jsonschema`` JSON Schemas, the package ``regex``, which matches
partially, whatever is regular.
"""

import itertools
import json
import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from functools import cache
from typing import Any

import jsonschema
import regex
from lark import Lark, Token

from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from maskc.verify.general import parses_generally
from tests.indenters import TwoColumns
from tests.random_grammars import lark_accepts

_N_ENDINGS = 12  # of texts of a schema
ADDED = ("_INDENT", "_DEDENT")  # by the indenter; they have no text


def write_words(letters: Iterable[str], longest: int) -> Iterator[str]:
    """Yield every word of so many letters, short ones first."""
    some = tuple(letters)
    for n_letters in range(longest + 1):
        yield from map("".join, itertools.product(some, repeat=n_letters))


class Judge:
    """Knows the texts of a language that are listed.

    Args:
        is_text: says whether a text is of the language.
        texts: some of it, all that are short.
        are_all: whether there are no others.
        n_endings: how many that others had are tried, before one is searched for.

    Attributes:
        guess: returns what may finish a text, where ends are too far to be searched for.
    """

    def __init__(
        self,
        is_text: Callable[[str], bool],
        texts: Iterable[str],
        *,
        are_all: bool = False,
        n_endings: int = 0,
    ) -> None:
        self.is_text = cache(is_text)
        self.texts = sorted(set(texts))
        self._are_all = are_all
        self.guess: Callable[[str], str] | None = None
        self._endings: list[bytes] = []
        self._n_endings = n_endings
        data = [text.encode() for text in self.texts]
        self._prefixes = {text[:n] for text in data for n in range(len(text) + 1)}

    def may_end(self, data: bytes) -> bool:
        """Return whether some bytes are a text."""
        try:
            return self.is_text(data.decode())
        except UnicodeDecodeError:
            return False

    def begins(self, data: bytes) -> bool | None:
        """Return whether a text begins with some bytes, ``None`` if that is not known."""
        if data in self._prefixes:
            return True
        if self._are_all:
            return False
        guessed = [self.guess(data.decode()).encode()] if self.guess else []
        for ending in [*guessed, *self._endings]:
            if self.may_end(data + ending):
                self.add(data, ending)
                return True
        return None

    def add(self, data: bytes, ending: bytes) -> None:
        """Add a text that was found, whose ending others may have: it is tried first."""
        whole = data + ending
        self._prefixes.update(whole[:n] for n in range(len(whole) + 1))
        others = (other for other in self._endings if other != ending)
        self._endings = [ending, *others][: self._n_endings]


class PatternJudge(Judge):
    """Knows the texts that a pattern matches.

    Args:
        pattern: as the package ``regex`` reads it.
        letters, longest: of the texts that are listed.
        more: longer texts.
    """

    def __init__(
        self, pattern: str, letters: Iterable[str], longest: int, more: Iterable[str] = ()
    ) -> None:
        self._pattern, self._letters = regex.compile(f"(?:{pattern})", regex.DOTALL), tuple(letters)
        is_text = self._pattern.fullmatch
        texts = [*filter(is_text, self._list(longest)), *more]
        assert all(map(is_text, texts)), pattern
        super().__init__(lambda text: is_text(text) is not None, texts)

    def _list(self, longest: int) -> Iterator[str]:
        level = [""]
        for _ in range(longest + 1):
            yield from level
            longer = (text + letter for text in level for letter in self._letters)
            level = [text for text in longer if self._pattern.fullmatch(text, partial=True)]

    def begins(self, data: bytes) -> bool | None:
        """Return whether a text begins with some bytes."""
        cut = find_cut(data)
        if cut is None:
            return False
        begun = data[: len(data) - len(cut)].decode()
        ways = ("",) if not cut else list_characters(cut, self._letters)
        return any(self._pattern.fullmatch(begun + way, partial=True) for way in ways)


def find_cut(data: bytes) -> bytes | None:
    """Return the bytes at the end that begin a character, ``None`` if no text begins so."""
    decoder = getincrementaldecoder("utf-8")()
    try:
        decoder.decode(data)
    except UnicodeDecodeError:
        return None
    return decoder.getstate()[0]


def list_characters(cut: bytes, letters: Iterable[str]) -> list[str]:
    """Return characters that begin with some bytes: those of an alphabet, the first and last."""
    found = [letter for letter in letters if letter.encode().startswith(cut)]
    n_left = (4 if cut[0] >= 0xF0 else 3 if cut[0] >= 0xE0 else 2) - len(cut)
    for tail in (b"\x80", b"\xa0", b"\xbf"):
        whole = cut + tail + b"\xbf" * (n_left - 1)
        if find_cut(whole) == b"":
            found.append(whole.decode())
    return found


def judge_grammar(
    grammar: str, letters: Iterable[str], longest: int, more: Iterable[str] = (), **settings: str
) -> Judge:
    """Return a judge of the texts that Lark parses."""
    lark = build_lark(load_source(grammar, **settings))
    accepts = parses_generally if settings.get("parser") == "earley" else lark_accepts
    return _list(lambda text: accepts(lark, text), write_words(letters, longest), more)


def judge_words(
    grammar: str,
    letters: Iterable[str],
    longest: int,
    words: dict[str, Iterable[str]],
    more: Iterable[str] = (),
    **settings: str,
) -> Judge:
    """Return a judge of the texts that Lark parses with no other lexemes of some terminals."""
    lark = build_lark(load_source(grammar, **settings))

    def is_text(text: str) -> bool:
        if not lark_accepts(lark, text):
            return False
        lexemes = lark.parse_interactive(text).exhaust_lexer()
        return all(str(one) in words[one.type] for one in lexemes if one.type in words)

    return _list(is_text, write_words(letters, longest), more)


class TreeJudge(Judge):
    """Knows the texts that Lark parses to a tree of which something more holds.

    Args:
        grammar: of the texts, for Lark's LALR parser.
        letters, longest, more: of texts that are listed.
        names: of symbols whose texts count.
        on_complete: as for :func:`maskc.follow`; ``None``: every tree will do.
        postlex: of the grammar, or ``None``.
    """

    def __init__(
        self,
        grammar: str,
        letters: Iterable[str],
        longest: int,
        more: Iterable[str] = (),
        *,
        names: tuple[str, ...],
        on_complete: Callable[[Any], dict[str, Any]] | None = None,
        postlex: str | None = None,
    ) -> None:
        self._names, self._on_complete = set(names), on_complete
        indenter = TwoColumns() if postlex else None
        self._lark = Lark(
            grammar, parser="lalr", lexer="contextual", keep_all_tokens=True, postlex=indenter
        )
        listed = _list(self._is_tree, write_words(letters, longest), more)
        super().__init__(listed.is_text, listed.texts)

    def spans(self, text: str) -> list[tuple[str, int, int]]:
        """Return the extents of named symbols, as (name, first byte, one past the last)."""
        symbols, _ = read_tree(self._lark.parse(text), self._names)
        extents = [(name, *(len(text[:at].encode()) for at in extent)) for name, extent in symbols]
        return sorted(extents)

    def _is_tree(self, text: str) -> bool:
        if not lark_accepts(self._lark, text):
            return False
        if self._on_complete is None:
            return True
        symbols, tokens = read_tree(self._lark.parse(text), self._names)
        for name, (start, end) in tokens:
            before = tuple((n, text[s:e]) for n, (s, e) in symbols if e <= start)
            words = self._on_complete(before)
            if name in words and text[start:end] not in words[name]:
                return False
        return True


class FramedJudge(Judge):
    """Knows the texts of another judge, with something before each and after it."""

    def __init__(self, inner: Judge, before: str, after: str) -> None:
        self._inner, self._before, self._after = inner, before.encode(), after.encode()
        middle = slice(len(before), -len(after) or None)

        def is_text(text: str) -> bool:
            is_framed = text.startswith(before) and text[len(before) :].endswith(after)
            return is_framed and inner.is_text(text[middle])

        super().__init__(is_text, [before + text + after for text in inner.texts])

    def begins(self, data: bytes) -> bool | None:
        """Return whether a text begins with some bytes, ``None`` if that is not known."""
        rest = data[len(self._before) :]
        if not rest:
            return self._before.startswith(data)
        if not data.startswith(self._before):
            return False
        ends = (n for n in range(1, len(self._after) + 1) if rest.endswith(self._after[:n]))
        if any(self._inner.may_end(rest[:-n]) for n in ends):
            return True
        return super().begins(data) or self._inner.begins(rest)


def read_tree(tree: Any, names: Iterable[str]) -> tuple[list[Any], list[Any]]:
    """Return symbols of some names by their end, inner ones first, and tokens by their start.

    Each is (name, (first character, one past the last)).
    """
    symbols: list[tuple[str, tuple[int, int]]] = []
    tokens: list[tuple[str, tuple[int, int]]] = []

    def visit(node: Any) -> tuple[int, int] | None:
        if isinstance(node, Token):
            name = node.type
            extent = None if name in ADDED else (node.start_pos, node.end_pos)
            if extent:
                tokens.append((name, extent))
        else:
            name = str(node.data)
            inside = [extent for extent in map(visit, node.children) if extent]
            extent = (inside[0][0], inside[-1][1]) if inside else None
        if extent and name in names:
            symbols.append((name, extent))
        return extent

    visit(tree)
    return symbols, tokens


def judge_schema(
    schema: Any,
    letters: Iterable[str],
    texts: Iterable[str],
    *,
    are_all: bool = False,
    is_plain: bool = True,
    pattern: str | None = None,
) -> Judge:
    """Return a judge of the JSON texts of valid values.

    Args:
        schema: of the 2020-12 draft.
        letters: of texts.
        texts: that are tried.
        are_all: whether no other text is valid.
        is_plain: whether texts have neither blanks nor needless escapes.
        pattern: of all texts, where there is one: it says with what they begin.
    """
    exact = json.loads(json.dumps(schema), parse_float=_number)
    validator = jsonschema.Draft202012Validator(exact)

    def is_text(text: str) -> bool:
        try:
            value = json.loads(
                text, parse_float=_number, object_pairs_hook=_object, parse_constant=_refuse
            )
        except ValueError:
            return False
        return (not is_plain or _is_plain(text)) and validator.is_valid(value)

    tried = list(texts)
    if pattern is None:
        return Judge(is_text, filter(is_text, tried), are_all=are_all, n_endings=_N_ENDINGS)
    judge = PatternJudge(pattern, letters, 0)
    judge.texts = sorted(filter(is_text, tried))
    wrong = [text for text in tried if judge.is_text(text) != is_text(text)]
    if wrong:
        raise ValueError(f"the pattern and the schema differ: {wrong}")
    return judge


_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def write(value: Any) -> str:
    """Return a JSON text without blanks and needless escapes."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _is_plain(text: str) -> bool:
    strings = _STRING.findall(text)
    written = [write(json.loads(one)) for one in strings]
    return strings == written and not re.search(r"\s", _STRING.sub("", text))


def _number(text: str) -> Any:
    exact = Decimal(text)
    return int(exact) if exact == exact.to_integral_value() else exact


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key comes twice")
    return found


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _list(is_text: Callable[[str], bool], short: Iterable[str], more: Iterable[str]) -> Judge:
    longer = list(more)
    wrong = [text for text in longer if not is_text(text)]
    if wrong:
        raise ValueError(f"no texts of the language: {wrong}")
    return Judge(is_text, [*filter(is_text, short), *longer])
