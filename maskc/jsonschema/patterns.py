r"""A regular expression of ECMA-262 as an automaton over characters.

``pattern`` is searched for, not anchored, and read with the flag ``u`` where that makes no
difference to plain patterns: a character is a code point. States are sets of *threads*; a thread is
what is still to be matched, as a linked list of syntax nodes. A look-ahead adds a list of its own
that must match, or must not, what follows. ``^``, ``$``, ``\b`` and ``\B`` are decided between the
character before and the one after.

Example: behind ``a`` of ``^ab|ac`` two threads wait, for ``b`` and for ``c``.

Limits: back-references are not regular, and look-behinds are not read: both are refused by name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache

from maskc.jsonschema.automata import (
    LAST,
    MAX_STATES,
    CharSet,
    TooLargeError,
    explore,
    merge_starts,
)
from maskc.runtime.schema.characters import NO_LABEL, CharDfa

MAX_REPEAT = 5_000
_MAX_DEPTH = 60


class PatternError(Exception):
    """A pattern is not one of ECMA-262, or not regular; the text says why."""


@dataclass(frozen=True, slots=True)
class Set:
    """One character of a set."""

    characters: CharSet


@dataclass(frozen=True, slots=True)
class Sequence:
    """One node after the other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A node so many times; ``most`` may be ``None``."""

    body: Node
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Assertion:
    """``^``, ``$``, ``b`` or ``B``."""

    kind: str


@dataclass(frozen=True, slots=True)
class Look:
    """A look-ahead."""

    body: Node
    positive: bool


Node = Set | Sequence | Choice | Repeat | Assertion | Look

_DIGIT = CharSet([(48, 57)])
_WORD = CharSet([(48, 57), (65, 90), (95, 95), (97, 122)])
_SPACE = CharSet(
    [
        *((9, 13), (32, 32), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A)),
        *((0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000)),
        (0xFEFF, 0xFEFF),
    ]
)
_LINE_ENDS = CharSet([(10, 10), (13, 13), (0x2028, 0x2029)])
_ANY = CharSet([(0, LAST)])
_CLASSES = {
    "d": _DIGIT,
    "D": _DIGIT.negate(),
    "w": _WORD,
    "W": _WORD.negate(),
    "s": _SPACE,
    "S": _SPACE.negate(),
}
_CONTROLS = {"n": 10, "r": 13, "t": 9, "v": 11, "f": 12}
_EMPTY = Sequence(())
_NOTHING = Choice(())
_ANYTHING = Repeat(Set(_ANY), 0, None)


def parse_pattern(text: str) -> Node:
    """Return the syntax tree of a pattern.

    Raises:
        PatternError: it is no pattern, or uses what is not read.
    """
    parser = _Parser(text)
    node = parser.choice(0)
    if parser.at < len(text):
        raise PatternError("has an unmatched )")
    return node


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def peek(self, n: int = 1) -> str:
        return self.text[self.at : self.at + n]

    def eat(self, expected: str) -> bool:
        if self.text.startswith(expected, self.at):
            self.at += len(expected)
            return True
        return False

    def choice(self, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            raise PatternError(f"nests groups deeper than {_MAX_DEPTH}")
        parts = [self.sequence(depth)]
        while self.eat("|"):
            parts.append(self.sequence(depth))
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def sequence(self, depth: int) -> Node:
        parts: list[Node] = []
        while self.at < len(self.text) and self.peek() not in "|)":
            parts.append(self.repeated(self.atom(depth)))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def repeated(self, node: Node) -> Node:
        bounds = self.bounds()
        if bounds is None:
            return node
        self.eat("?")  # lazy: the same texts
        if isinstance(node, Assertion):
            raise PatternError("repeats an assertion")
        least, most = bounds
        if most is not None and most < least:
            raise PatternError(f"has numbers out of order in {{{least},{most}}}")
        if max(least, most or 0) > MAX_REPEAT:
            raise PatternError(
                f"repeats something {max(least, most or 0):,} times, more than {MAX_REPEAT:,}"
            )
        return Repeat(node, least, most)

    def bounds(self) -> tuple[int, int | None] | None:
        if self.eat("*"):
            return 0, None
        if self.eat("+"):
            return 1, None
        if self.eat("?"):
            return 0, 1
        if self.peek() != "{":
            return None
        end = self.text.find("}", self.at)
        inside = self.text[self.at + 1 : end] if end > 0 else ""
        least, comma, most = inside.partition(",")
        if (
            not (least.isascii() and least.isdigit())
            or most
            and not (most.isascii() and most.isdigit())
        ):
            return None  # a brace that stands for itself
        if len(inside) > 12:
            raise PatternError(f"repeats something more than {MAX_REPEAT:,} times")
        self.at = end + 1
        if not comma:
            return int(least), int(least)
        return int(least), int(most) if most else None

    def atom(self, depth: int) -> Node:
        character = self.text[self.at]
        self.at += 1
        if character == "(":
            return self.group(depth)
        if character == "[":
            return Set(self.bracket())
        if character == ".":
            return Set(_LINE_ENDS.negate())
        if character in "^$":
            return Assertion(character)
        if character == "\\":
            return self.escape()
        if character in "*+?":
            raise PatternError(f"has nothing to repeat before {character}")
        return Set(_one(ord(character)))

    def group(self, depth: int) -> Node:
        node: Node
        if self.eat("?:"):
            node = self.choice(depth + 1)
        elif self.eat("?="):
            node = Look(self.choice(depth + 1), positive=True)
        elif self.eat("?!"):
            node = Look(self.choice(depth + 1), positive=False)
        elif self.eat("?<=") or self.eat("?<!"):
            raise PatternError("has a look-behind, which is not supported")
        elif self.eat("?<"):
            end = self.text.find(">", self.at)
            if end < 0 or not self.text[self.at : end].isidentifier():
                raise PatternError("has a group without a proper name")
            self.at = end + 1
            node = self.choice(depth + 1)
        elif self.peek() == "?":
            raise PatternError(f"has {self.peek(2)!r} behind a bracket, which is no ECMA-262")
        else:
            node = self.choice(depth + 1)
        if not self.eat(")"):
            raise PatternError("has an unmatched (")
        return node

    def escape(self) -> Node:
        if self.at >= len(self.text):
            raise PatternError("ends in a backslash")
        if self.peek() in "bB":
            self.at += 1
            return Assertion(self.text[self.at - 1])
        if self.peek() in "123456789" or self.peek() == "k":
            raise PatternError("has a back-reference, which is not regular")
        return Set(self.class_escape())

    def class_escape(self) -> CharSet:
        """Read what stands behind a backslash, as one character or a class."""
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
            if self.peek().isdigit():
                raise PatternError("has an octal escape, which is no ECMA-262 with the flag u")
            return _one(0)
        if letter == "x":
            return _one(self.hexadecimal(2))
        if letter == "u":
            return _one(self.code_point())
        if letter.isascii() and letter.isalpha():
            raise PatternError(f"has the unknown escape \\{letter}")
        return _one(ord(letter))

    def code_point(self) -> int:
        if self.eat("{"):
            end = self.text.find("}", self.at)
            digits = self.text[self.at : end] if end > 0 else ""
            try:
                value = int(digits, 16) if len(digits) < 9 else LAST + 1
            except ValueError:
                value = LAST + 1
            if value > LAST:
                raise PatternError(r"has \u{…} without a code point")
            self.at = end + 1
            return value
        value = self.hexadecimal(4)
        if 0xD800 <= value <= 0xDBFF and self.peek(2) == "\\u":
            before = self.at
            self.at += 2
            low = self.hexadecimal(4)
            if 0xDC00 <= low <= 0xDFFF:
                return 0x10000 + (value - 0xD800 << 10) + low - 0xDC00
            self.at = before
        return value

    def hexadecimal(self, n: int) -> int:
        digits = self.peek(n)
        if len(digits) < n or any(digit not in "0123456789abcdefABCDEF" for digit in digits):
            raise PatternError(f"has an escape without its {n} hexadecimal digits")
        self.at += n
        return int(digits, 16)

    def category(self, *, negative: bool) -> CharSet:
        end = self.text.find("}", self.at)
        if not self.eat("{") or end < 0:
            raise PatternError(r"has \p without a property in braces")
        name = self.text[self.at : end]
        self.at = end + 1
        found = _property(name)
        return found.negate() if negative else found

    def bracket(self) -> CharSet:
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
                    ranges += [*low.ranges, (45, 45), *high.ranges]
                elif first > last:
                    raise PatternError("has a range of characters out of order")
                else:
                    ranges.append((first, last))
            else:
                ranges += low.ranges
        found = CharSet(ranges)
        return found.negate() if negative else found

    def member(self) -> CharSet:
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


def _one(code_point: int) -> CharSet:
    return CharSet([(code_point, code_point)])


def _single(characters: CharSet) -> int | None:
    (low, high), *more = characters.ranges
    return low if low == high and not more else None


_LONG_NAMES = {
    "Letter": "L",
    "Lowercase_Letter": "Ll",
    "Uppercase_Letter": "Lu",
    "Titlecase_Letter": "Lt",
    "Modifier_Letter": "Lm",
    "Other_Letter": "Lo",
    "Mark": "M",
    "Nonspacing_Mark": "Mn",
    "Number": "N",
    "Decimal_Number": "Nd",
    "digit": "Nd",
    "Letter_Number": "Nl",
    "Other_Number": "No",
    "Punctuation": "P",
    "punct": "P",
    "Symbol": "S",
    "Separator": "Z",
    "Space_Separator": "Zs",
    "Other": "C",
    "Control": "Cc",
}
_CATEGORIES = frozenset(
    [
        *("L", "Lu", "Ll", "Lt", "Lm", "Lo", "LC", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No"),
        *("P", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So"),
        *("Z", "Zs", "Zl", "Zp", "C", "Cc", "Cf", "Cs", "Co", "Cn"),
    ]
)


@lru_cache(maxsize=64)
def _property(name: str) -> CharSet:
    _, equals, value = name.partition("=")
    if equals and name.partition("=")[0] not in ("gc", "General_Category"):
        raise PatternError(f"has the property {name}, of which only categories are supported")
    short = _LONG_NAMES.get(value or name, value or name)
    if short == "Any":
        return _ANY
    if short == "ASCII":
        return CharSet([(0, 127)])
    if short not in _CATEGORIES:
        raise PatternError(f"has the property {name}, of which only categories are supported")
    wanted = ("Lu", "Ll", "Lt") if short == "LC" else (short,)
    ranges, start = [], -1
    for code_point in range(LAST + 2):
        inside = code_point <= LAST and unicodedata.category(chr(code_point)).startswith(wanted)
        if inside and start < 0:
            start = code_point
        elif not inside and start >= 0:
            ranges.append((start, code_point - 1))
            start = -1
    return CharSet(ranges)


# What is still to be matched: nodes as a linked list. A thread is a set of lists which must all
# match, and of sets of threads that must not.
_List = tuple[Node, "_List"] | None
_Thread = tuple[frozenset[_List], frozenset["_State"]]
_State = frozenset[_Thread]
_BEFORE, _BEHIND = -1, -2  # in the place of a character: the start and the end of the text


def build_pattern(text: str) -> CharDfa:
    """Return the automaton of the strings in which a pattern is found.

    Raises:
        PatternError: it is no pattern, or not regular.
        maskc.jsonschema.automata.TooLargeError: the automaton is too large.
    """
    return _build(parse_pattern(text), anchored=False)


def build_whole(text: str) -> CharDfa:
    """Return the automaton of the strings that a pattern matches from start to end."""
    return _build(parse_pattern(text), anchored=True)


def split_simple(text: str) -> tuple[CharDfa, int, int | None] | None:
    """Return characters and bounds of a pattern like ``^[a-z]{1,255}$``, ``None`` for others.

    A count in a pattern is a state for each character; a length costs nothing.
    """
    try:
        node = parse_pattern(text)
    except PatternError:
        return None
    if not isinstance(node, Sequence) or len(node.parts) != 3:
        return None
    first, middle, last = node.parts
    if first != Assertion("^") or last != Assertion("$"):
        return None
    if not isinstance(middle, Repeat) or not isinstance(middle.body, Set):
        return None
    return (
        _build(Repeat(middle.body, 0, None), anchored=True),
        middle.least,
        middle.most,
    )


def _build(node: Node, *, anchored: bool) -> CharDfa:
    sets: set[CharSet] = set()
    words = _collect(node, sets)
    if not words and not _looks(node):
        parts = (node,) if anchored else (_ANYTHING, node, _ANYTHING)
        return build_simple(Sequence(parts), sorted(sets, key=lambda s: s.ranges))
    cuts = [characters.starts for characters in sets]
    if words:
        cuts.append(_WORD.starts)
    starts = merge_starts(cuts)
    around: tuple[Node, ...] = (node,) if anchored else (_ANYTHING, node, _ANYTHING)
    whole: _List = None
    for part in reversed(around):
        whole = (part, whole)
    matcher = _Matcher()
    first: _State = frozenset([(frozenset([whole]), frozenset())])

    def step(state: Hashable, character: int) -> Hashable:
        if not isinstance(state, tuple):
            raise TypeError
        threads, before = state
        after = matcher.advance(threads, before, character)
        kind = (character if words and character in _WORD else 0) and 97
        return (after, kind) if after else None

    def label(state: Hashable) -> int:
        if not isinstance(state, tuple):
            raise TypeError
        return 0 if matcher.ends(state[0], state[1]) else NO_LABEL

    every = sorted(sets, key=lambda characters: characters.ranges)
    if words:
        every.append(_WORD)
    kinds = [tuple(low in characters for characters in every) for low in starts]
    return explore(starts, (first, _BEFORE), step, label, kinds)


def _collect(node: Node, sets: set[CharSet]) -> bool:
    """Add the sets of a tree; return whether it asks for word boundaries."""
    match node:
        case Set(characters):
            sets.add(characters)
        case Sequence(parts) | Choice(parts):
            found = [_collect(part, sets) for part in parts]
            return True in found
        case Repeat(body) | Look(body):
            return _collect(body, sets)
        case Assertion(kind):
            return kind in "bB"
    return False


def _looks(node: Node) -> bool:
    match node:
        case Sequence(parts) | Choice(parts):
            return any(_looks(part) for part in parts)
        case Repeat(body):
            return _looks(body)
    return isinstance(node, Look)


class _Nfa:
    """Thompson's automaton; moves between its states may be bound to the start or the end."""

    def __init__(self) -> None:
        self.free: list[list[int]] = []
        self.bound: list[list[tuple[str, int]]] = []
        self.reads: list[tuple[CharSet, int] | None] = []

    def add(self) -> int:
        """Return a new state.

        Raises:
            TooLargeError: there are too many.
        """
        if len(self.free) > 4 * MAX_STATES:
            raise TooLargeError
        self.free.append([])
        self.bound.append([])
        self.reads.append(None)
        return len(self.free) - 1

    def build(self, node: Node, following: int) -> int:
        """Return the state from which a node is matched before going on at another."""
        match node:
            case Set(characters):
                start = self.add()
                self.reads[start] = (characters, following)
                return start
            case Sequence(parts):
                for part in reversed(parts):
                    following = self.build(part, following)
                return following
            case Choice(parts):
                start = self.add()
                self.free[start] = [self.build(part, following) for part in parts]
                return start
            case Repeat(body, least, most):
                if most is None:
                    loop = self.add()
                    self.free[loop] = [self.build(body, loop), following]
                    following = loop
                else:
                    last = following
                    for _ in range(most - least):
                        start = self.add()
                        self.free[start] = [self.build(body, following), last]
                        following = start
                for _ in range(least):
                    following = self.build(body, following)
                return following
            case Assertion(kind):
                start = self.add()
                self.bound[start] = [(kind, following)]
                return start
        raise PatternError("has a look-ahead in an unexpected place")

    def close(self, state: int, kinds: str) -> int:
        """Return the states reached without a character, as bits; some bound moves are free."""
        found, open_ = 1 << state, [state]
        while open_:
            here = open_.pop()
            reached = self.free[here] + [t for kind, t in self.bound[here] if kind in kinds]
            for target in reached:
                if not found >> target & 1:
                    found |= 1 << target
                    open_.append(target)
        return found


def build_simple(node: Node, sets: list[CharSet]) -> CharDfa:
    """Return the automaton of a pattern without look-aheads and word boundaries.

    Args:
        node: its tree.
        sets: the sets in it.
    """
    nfa = _Nfa()
    final = nfa.add()
    start = nfa.build(node, final)
    starts = merge_starts(characters.starts for characters in sets)
    kinds = [tuple(low in characters for characters in sets) for low in starts]
    closed: dict[int, int] = {}
    reading = 0
    for state, read in enumerate(nfa.reads):
        if read is not None:
            reading |= 1 << state
            if read[1] not in closed:
                closed[read[1]] = nfa.close(read[1], "")
    useful = reading
    for state, bound in enumerate(nfa.bound):
        if bound or state == final:
            useful |= 1 << state
    closed = {state: bits & useful for state, bits in closed.items()}
    may_end = 0
    for state in range(len(nfa.free)):
        if useful >> state & 1 and nfa.close(state, "$") >> final & 1:
            may_end |= 1 << state
    first = nfa.close(start, "^") & useful
    ends_empty = bool(nfa.close(start, "^$") >> final & 1)
    tables: dict[int, dict[int, int]] = {}

    def table_of(character: int) -> dict[int, int]:
        found = tables.get(character)
        if found is None:
            found = tables[character] = {
                state: closed[read[1]]
                for state, read in enumerate(nfa.reads)
                if read is not None and character in read[0]
            }
        return found

    def step(state: Hashable, character: int) -> Hashable:
        bits = state if isinstance(state, int) else first
        table, after = table_of(character), 0
        bits &= reading
        while bits:
            low = bits & -bits
            after |= table.get(low.bit_length() - 1, 0)
            bits ^= low
        return after or None

    def label(state: Hashable) -> int:
        if not isinstance(state, int):
            return 0 if ends_empty else NO_LABEL
        return 0 if state & may_end else NO_LABEL

    return explore(starts, "start", step, label, kinds)


class _Matcher:
    """Moves sets of threads by a character."""

    def ends(self, state: _State, before: int) -> bool:
        """Return whether the text may end in a state."""
        return any(
            all(self._can_end(list_, before) for list_ in wanted)
            and not any(self.ends(unwanted_, before) for unwanted_ in unwanted)
            for wanted, unwanted in state
        )

    def _can_end(self, list_: _List, before: int) -> bool:
        return any(
            not reached
            and all(self._can_end(w, before) for w in more)
            and not any(self.ends(u, before) for u in fewer)
            for reached, more, fewer in self._expand(list_, before, _BEHIND)
        )

    def advance(self, state: _State, before: int, character: int) -> _State:
        """Return the threads after a character."""
        found: set[_Thread] = set()
        for wanted, unwanted in state:
            options: list[_Thread] = [(frozenset(), frozenset())]
            for list_ in wanted:
                moved = self._advance(list_, before, character)
                options = [(w | more, u | fewer) for w, u in options for more, fewer in moved]
                options = list(dict.fromkeys(options))
            blocked = set()
            for threads in unwanted:
                after = self.advance(threads, before, character)
                if after:
                    blocked.add(after)
            for w, u in options:
                every = frozenset(list_ for list_ in w if not _is_anything(list_))
                if any(_always(threads) for threads in u | blocked):
                    continue
                found.add((every, u | blocked))
        if any(not w and not u for w, u in found):
            return frozenset([(frozenset(), frozenset())]) if found else frozenset()
        return frozenset(found)

    def _advance(self, list_: _List, before: int, character: int) -> list[_Thread]:
        """Return threads that stand for what is left of a list after a character."""
        found: list[_Thread] = []
        for reached, more, fewer in self._expand(list_, before, character):
            if reached is None:
                continue
            options: list[_Thread] = [(frozenset([reached[0]]), frozenset())]
            for w in more:
                moved = self._advance(w, before, character)
                options = [(a | c, b | d) for a, b in options for c, d in moved]
            blocked = set()
            for threads in fewer:
                after = self.advance(threads, before, character)
                if after:
                    blocked.add(after)
            found += [(w, u | frozenset(blocked)) for w, u in options]
        return found

    def _expand(
        self, list_: _List, before: int, character: int
    ) -> list[tuple[tuple[_List] | None, tuple[_List, ...], tuple[_State, ...]]]:
        """Return ways to the next character: the list after it, and what look-aheads demand.

        With ``_BEHIND`` as the character, ``None`` stands for reaching the end.
        """
        found: list[tuple[tuple[_List] | None, tuple[_List, ...], tuple[_State, ...]]] = []
        open_: list[tuple[_List, tuple[_List, ...], tuple[_State, ...]]] = [(list_, (), ())]
        seen = set(open_)

        def reach(
            place: tuple[_List, tuple[_List, ...], tuple[_State, ...]],
        ) -> None:
            if place not in seen:
                seen.add(place)
                open_.append(place)

        while open_:
            here, more, fewer = open_.pop()
            if here is None:
                if character == _BEHIND:
                    found.append((None, more, fewer))
                continue
            node, rest = here
            match node:
                case Set(characters):
                    if character >= 0 and character in characters:
                        found.append(((rest,), more, fewer))
                case Sequence(parts):
                    after = rest
                    for part in reversed(parts):
                        after = (part, after)
                    reach((after, more, fewer))
                case Choice(parts):
                    for part in parts:
                        reach(((part, rest), more, fewer))
                case Repeat(body, least, most):
                    if least == 0:
                        reach((rest, more, fewer))
                    if most != 0:
                        again = Repeat(body, max(least - 1, 0), None if most is None else most - 1)
                        # A pass that reads nothing leads back here, where it is seen.
                        reach(((body, (again, rest)), more, fewer))
                case Assertion(kind):
                    if _holds(kind, before, character):
                        reach((rest, more, fewer))
                case Look(body, positive):
                    ahead: _List = (body, (_ANYTHING, None))
                    if positive:
                        reach((rest, (*more, ahead), fewer))
                    else:
                        thread: _Thread = (frozenset([ahead]), frozenset())
                        reach((rest, more, (*fewer, frozenset([thread]))))
        return found


def _is_anything(list_: _List) -> bool:
    return list_ is not None and list_[0] == _ANYTHING and list_[1] is None


def _always(state: _State) -> bool:
    return any(not wanted and not unwanted for wanted, unwanted in state)


def _holds(kind: str, before: int, character: int) -> bool:
    if kind == "^":
        return before == _BEFORE
    if kind == "$":
        return character == _BEHIND
    boundary = (before in _WORD) != (character in _WORD)
    return boundary == (kind == "b")
