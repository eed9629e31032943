r"""The parser of ECMA-262: a regular expression of JSON Schema as a syntax tree.

It is read with the flag ``u`` where that makes no difference to plain patterns: a character is a
code point. Sets may hold surrogates, as :func:`_of_texts` says.

Example: ``a|b{2}`` is a choice between a set of one character and a repetition of another.

Limits: back-references are refused by name; so are a look-behind inside another
look-around, and what looks on from inside a look-behind.
"""

from __future__ import annotations

import re
from functools import lru_cache

from maskc.regular import Alternation, Anchor, Characters, Expression, Look, Repeat, Sequence
from maskc.regular.charset import MAX_CODE_POINT, CodePoints, find_property, merge, negate

_MOST_DIGITS = 12  # of a count
_MAX_DEPTH = 60


class PatternError(Exception):
    """A pattern is not one of ECMA-262, or not regular; the text says why."""

    def __init__(self, fact: str, remedy: str = "write it differently") -> None:
        super().__init__(fact)
        self.remedy = remedy  # what to do about it


# What other dialects write, and what ECMA-262 has instead.
_REMEDIES = {
    "A": "write ^, which is the start of the string",
    "Z": "write $, which is the end of the string",
    "z": "write $, which is the end of the string",
    "Q": "put a backslash before each sign instead",
}
_FLAGS = "write both cases as a set, such as [aA]; ECMA-262 has no flags inside a pattern"
_GROUPS = {
    "?P": "name a group as ECMA-262 does, (?<name>…)",
    "?>": "write (?:…), which may also match less than the most",
}


_DIGIT: CodePoints = ((48, 57),)
WORD: CodePoints = ((48, 57), (65, 90), (95, 95), (97, 122))
_SPACE: CodePoints = (
    *((9, 13), (32, 32), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A)),
    *((0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000)),
    (0xFEFF, 0xFEFF),
)
_LINE_ENDS: CodePoints = ((10, 10), (13, 13), (0x2028, 0x2029))
_SURROGATES = (0xD800, 0xDFFF)
EVERY: CodePoints = ((0, MAX_CODE_POINT),)
_CLASSES = {
    "d": _DIGIT,
    "D": negate(_DIGIT),
    "w": WORD,
    "W": negate(WORD),
    "s": _SPACE,
    "S": negate(_SPACE),
}
_CONTROLS = {"n": 10, "r": 13, "t": 9, "v": 11, "f": 12}
_QUANTIFIER = re.compile(r"(?:([*+?])|\{([0-9]+)(?:(,)([0-9]*))?\})(\??)")
_BOUNDS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_GROUP = re.compile(
    r"\?:|\?(?P<look><?[=!])|\?<(?P<name>[^>]*)(?P<end>>?)|(?P<odd>\?.?)|", re.DOTALL
)
_HEX = r"[0-9a-fA-F]"
_PAIR = re.compile(rf"([dD][89abAB]{_HEX}{{2}})\\u([dD][c-fC-F]{_HEX}{{2}})")
_NUMBER, _NAME = re.compile(rf"\{{({_HEX}{{1,98}})\}}"), re.compile(r"\{([^}]*)\}")
_DOT = Characters(negate(_LINE_ENDS))
# Where a bracket ends, if all of it may be kept.
_SHORT_BRACKET = re.compile(r"(?:[^\]\\]|\\.){0,80}+\]", re.DOTALL)
ANYTHING = Repeat(Characters(EVERY), 0, None)


def parse_pattern(text: str) -> Expression:
    parser = _Parser(text)
    node = parser.choice(0)
    if parser.at < len(text):
        raise PatternError("has an unmatched )")
    return node


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.n_looks = 0  # that are open
        self.is_behind = False  # whether a look-behind is

    def peek(self, n: int = 1) -> str:
        return self.text[self.at : self.at + n]

    def eat(self, expected: str) -> bool:
        if self.text.startswith(expected, self.at):
            self.at += len(expected)
            return True
        return False

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.at)
        self.at = self.at if found is None else found.end()
        return found

    def choice(self, depth: int) -> Expression:
        if depth > _MAX_DEPTH:
            raise PatternError(f"nests groups deeper than {_MAX_DEPTH}")
        parts = [self.sequence(depth)]
        while self.eat("|"):
            parts.append(self.sequence(depth))
        return parts[0] if len(parts) == 1 else Alternation(tuple(parts))

    def sequence(self, depth: int) -> Expression:
        text, parts = self.text, list[Expression]()
        while self.at < len(text) and (character := text[self.at]) not in "|)":
            node = self.atom(depth)
            if self.at < len(text) and text[self.at] in "*+?{":
                may_be = character == "(" or not isinstance(node, Anchor)
                node = self.repeated(node, may_be=may_be)
            parts.append(node)
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def repeated(self, node: Expression, *, may_be: bool) -> Expression:
        found = self.match(_QUANTIFIER)  # a lazy one has the same texts
        if found is None:
            return node  # a brace that stands for itself
        if not may_be:
            raise PatternError("repeats an assertion")
        sign, low, comma, high, _ = found.groups()
        if sign:
            return Repeat(node, *_BOUNDS[sign])
        if max(len(low), len(high or "")) > _MOST_DIGITS:
            raise PatternError(f"repeats something 10 to the power of {_MOST_DIGITS} times or more")
        least, most = int(low), int(high) if high else None if comma else int(low)
        if most is not None and most < least:
            raise PatternError(f"has numbers out of order in {{{least},{most}}}")
        return Repeat(node, least, most)

    def atom(self, depth: int) -> Expression:
        character = self.text[self.at]
        self.at += 1
        if character == "(":
            return self.group(depth)
        if character == "[":
            known = _SHORT_BRACKET.match(self.text, self.at)
            if known is None:
                return _set_of(self.bracket())
            self.at = known.end()
            return _read_bracket(known[0])
        if character == ".":
            return _DOT
        if character in "^$":
            if character == "$" and self.is_behind:
                raise PatternError("has $ inside a look-behind, which is not supported")
            return Anchor(character)
        if character == "\\":
            return self.escape()
        if character in "*+?":
            raise PatternError(f"has nothing to repeat before {character}")
        return _literal(ord(character))

    def group(self, depth: int) -> Expression:
        found = self.match(_GROUP)
        kinds = {} if found is None else found.groupdict()
        if kinds.get("odd"):
            fact = f"has {kinds['odd']!r} after a bracket, which ECMA-262 does not have"
            raise PatternError(fact, _GROUPS.get(kinds["odd"], _FLAGS))
        name = kinds.get("name")
        if name is not None and not (kinds["end"] and name.replace("$", "_").isidentifier()):
            raise PatternError("has a group without a proper name")
        look = kinds.get("look")
        node = self.look(depth, look) if look else self.choice(depth + 1)
        if not self.eat(")"):
            raise PatternError("has an unmatched (")
        return node

    def look(self, depth: int, sign: str) -> Look:
        positive, ahead = sign.endswith("="), not sign.startswith("<")
        if self.is_behind or self.n_looks and not ahead:
            raise PatternError("has a look-behind and another look-around, one inside the other")
        self.n_looks, self.is_behind = self.n_looks + 1, not ahead
        body = self.choice(depth + 1)
        self.n_looks, self.is_behind = self.n_looks - 1, False
        return Look(body, positive, ahead)

    def escape(self) -> Expression:
        if self.at >= len(self.text):
            raise PatternError("ends in a backslash")
        if self.peek() in "bB":
            self.at += 1
            if self.is_behind:
                raise PatternError(
                    "has a word boundary inside a look-behind, which is not supported"
                )
            return Anchor(self.text[self.at - 1])
        if self.peek() in "123456789" or self.peek() == "k":
            raise PatternError("has a back-reference, which is not supported")
        return _set_of(self.class_escape())

    def class_escape(self) -> CodePoints:
        """Read what stands after a backslash, as one character or a class."""
        letter = self.peek()
        self.at += 1
        if letter in _CLASSES:
            return _CLASSES[letter]
        if letter in _CONTROLS:
            return _one(_CONTROLS[letter])
        if letter in "pP":
            return self.category(negative=letter == "P")
        if letter == "c":
            control = self.peek()
            if not (control.isascii() and control.isalpha()):
                raise PatternError(r"has \c without a letter")
            self.at += 1
            return _one(ord(control) % 32)
        if letter == "0":
            if self.peek().isascii() and self.peek().isdigit():
                raise PatternError("has an octal escape, which ECMA-262 refuses with the flag u")
            return _one(0)
        if letter == "x":
            return _one(self.hexadecimal(2))
        if letter == "u":
            return _one(self.code_point())
        if letter.isascii() and letter.isalpha():
            remedy = _REMEDIES.get(letter, "write the character itself, or one of its escapes")
            raise PatternError(f"has the unknown escape \\{letter}", remedy)
        return _one(ord(letter))

    def code_point(self) -> int:
        pair = self.match(_PAIR)
        if pair is not None:
            high, low = (int(half, 16) for half in pair.groups())
            return 0x10000 + (high - 0xD800 << 10) + low - 0xDC00
        if self.peek() != "{":
            return self.hexadecimal(4)
        found = self.match(_NUMBER)
        if found is None or int(found[1], 16) > MAX_CODE_POINT:
            raise PatternError(r"has \u{…} without a code point")
        return int(found[1], 16)

    def hexadecimal(self, n: int) -> int:
        found = self.match(re.compile(f"{_HEX}{{{n}}}"))
        if found is None:
            raise PatternError(f"has an escape without its {n} hexadecimal digits")
        return int(found[0], 16)

    def category(self, *, negative: bool) -> CodePoints:
        named = self.match(_NAME)
        if named is None:
            raise PatternError(r"has \p without a property in braces")
        found = find_property(named[1])
        if found is None:
            fact = f"has the property {named[1]}, which is not one of ECMA-262"
            raise PatternError(fact, "write one, such as L, Script=Latin or Alphabetic")
        return negate(found) if negative else found

    def bracket(self) -> CodePoints:
        negative = self.eat("^")
        ranges: list[tuple[int, int]] = []
        while not self.eat("]"):
            if self.at >= len(self.text):
                raise PatternError("has an unmatched [")
            low = self.member()
            if self.peek() == "-" and self.peek(2)[1:] not in ("]", ""):
                self.at += 1
                high = self.member()
                first, last = _single(low), _single(high)
                if first is None or last is None:
                    ranges += [*low, (45, 45), *high]
                elif first > last:
                    raise PatternError("has a range of characters out of order")
                else:
                    ranges.append((first, last))
            else:
                ranges += low
        found = merge(ranges)
        return negate(found) if negative else found

    def member(self) -> CodePoints:
        character = self.text[self.at]
        self.at += 1
        if character != "\\":
            return _one(ord(character))
        if self.at >= len(self.text):
            raise PatternError("ends in a backslash")
        if self.eat("b"):
            return _one(8)
        if self.eat("-"):
            return _one(45)
        return self.class_escape()


def _one(code_point: int) -> CodePoints:
    return ((code_point, code_point),)


@lru_cache(maxsize=1024)
def _literal(code_point: int) -> Characters:
    return Characters(_one(code_point))


@lru_cache(maxsize=256)
def _set_of(characters: CodePoints) -> Characters:
    return Characters(_of_texts(characters))


@lru_cache(maxsize=256)
def _read_bracket(text: str) -> Characters:
    """Return what stands behind an opening bracket, the closing one included; many are alike."""
    return _set_of(_Parser(text).bracket())


def _of_texts(ranges: CodePoints) -> CodePoints:
    """Return a set with the same characters, of which no class holds surrogates alone.

    No text has half of a surrogate pair, so what only these lead to cannot be reached. They are
    made to go with the character before them.

    >>> _of_texts(((0xD83D, 0xD83D),))
    ()
    """
    low, high = _SURROGATES
    if any(first < low <= last + 1 for first, last in ranges):
        return merge((*ranges, _SURROGATES))
    kept = ((a, min(b, low - 1)) for a, b in ranges if a < low)
    return merge((*kept, *((max(a, high + 1), b) for a, b in ranges if b > high)))


def _single(characters: CodePoints) -> int | None:
    if len(characters) != 1:
        return None
    ((low, high),) = characters
    return low if low == high else None
