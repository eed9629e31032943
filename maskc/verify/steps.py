"""Lark's own lexer objects and LALR table, driven one lexeme at a time.

A parse that runs in Lark hides its stack and starts at the beginning. Here the same objects are
asked one by one: the lexer of the state on top for the match, its callback for the keyword, the
table for the action; the ``Indenter`` is followed by its attributes. So a parse can be resumed
at any lexeme of a text, as often as one likes, and everything before it costs nothing.

Whatever Lark raises is a refusal here: unexpected characters and terminals, a dedent to no open
column, a closing bracket too many (an ``AssertionError``), and a newline lexeme without a newline
in it (an ``IndexError``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple, cast

from lark import Lark
from lark.indenter import Indenter
from lark.lexer import BasicLexer, Token
from lark.parsers.lalr_analysis import Shift

from maskc.frontends.lark.build import match_lexeme
from maskc.frontends.lark.rule_postlex import RulePostlex
from maskc.frontends.postlex import TEXT_END, TEXT_START
from maskc.verify.characters import BYTES, UTF8
from maskc.verify.rules import Remaining


class ParseState(NamedTuple):
    """A parse between two lexemes. The last three are for a postlex that is written as rules."""

    stack: tuple[int, ...]  # states of Lark's own table, the last is on top
    parens: int = 0  # open brackets, as the Indenter counts them
    columns: tuple[int, ...] = (0,)  # open columns, as the Indenter keeps them
    last: str = ""  # the terminal of the last lexeme, if rules may ask for it
    brackets: tuple[str, ...] = ()  # the open ones, if rules ask for them
    waiting: tuple[str, str] | None = None  # a lexeme's terminal that the parser has not got yet,
    # and the one before it


class ParserSteps:
    """Lark's parser for one grammar, a step at a time."""

    is_dynamic = False  # whether there is no lexer, but patterns that a parser asks for

    def __init__(self, lark: Lark) -> None:
        parser, frontend = cast(Any, lark.parser).parser, cast(Any, lark.parser)
        table, start = parser._parse_table, cast(Any, lark.options).start[0]
        self.rows: dict[int, dict[str, Any]] = table.states
        self.start = ParseState((table.start_states[start],))
        self._end_state: int = table.end_states[start]
        postlex = cast(Any, lark.lexer_conf.postlex)
        self.indenter: Any = postlex if isinstance(postlex, Indenter) else None
        self._lexer = frontend.lexer.lexer if postlex else frontend.lexer
        self._read_terminals(lark)
        self.newline: str | None = self.indenter.NL_type if self.indenter else None
        self._opens = frozenset(self.indenter.OPEN_PAREN_types if self.indenter else ())
        self._closes = frozenset(self.indenter.CLOSE_PAREN_types if self.indenter else ())
        self.remaining = Remaining(lark, self.rows, self.start.stack[0])

    def _read_terminals(self, lark: Lark) -> None:
        self.terminals = {str(t.name): t for t in lark.terminals}
        self.ignored = frozenset(map(str, lark.lexer_conf.ignore))
        # With ``use_bytes=True`` Lark gets bytes: then a text is here what Latin-1 makes of them,
        # and letters and blanks are ASCII's.
        use_bytes = lark.lexer_conf.use_bytes
        self.encoding = BYTES if use_bytes else UTF8
        self.flags: int = cast(Any, lark.lexer_conf).g_regex_flags | (re.ASCII if use_bytes else 0)
        self.patterns = {str(t.name): read_pattern(lark, t) for t in lark.terminals}
        self._encoded = ("", b"")
        self._resolve = cache(self._find_name)

    def lexer_at(self, state: ParseState) -> BasicLexer:
        lexer = self._lexer
        basic: BasicLexer = (
            lexer if isinstance(lexer, BasicLexer) else lexer.lexers[state.stack[-1]]
        )
        _ = basic.scanner  # builds the callbacks as well
        return basic

    def name_of(self, lexer: BasicLexer, terminal: str, value: str) -> str | None:
        """Return the terminal that the parser gets for a lexeme, ``None`` if it gets none."""
        if terminal in lexer.ignore_types:
            return None
        return self._resolve(lexer, terminal, value) if terminal in lexer.callback else terminal

    def feed(self, stack: tuple[int, ...], terminal: str) -> tuple[int, ...] | None:
        """Return the stack after a terminal, ``None`` if the table refuses it."""
        new = list(stack)
        while True:
            action = self.rows[new[-1]].get(terminal)
            if action is None:
                return None
            if action[0] is Shift:
                new.append(action[1])
                return tuple(new)
            self._reduce(new, action[1])

    def take(self, state: ParseState, terminal: str, value: str) -> ParseState | None:
        """Return the state after a lexeme that is not ignored, ``None`` if it is refused."""
        if self.indenter and terminal == self.newline:
            if state.parens > 0:
                return state
            _, newline, indent = value.rpartition("\n")
            if not newline:
                return None
            column = indent.count(" ") + indent.count("\t") * self.indenter.tab_len
            return self.take_newline(state, column)
        stack = self.feed(state.stack, terminal)
        if stack is None:
            return None
        parens = state.parens + (terminal in self._opens)
        if terminal in self._closes and terminal not in self._opens:
            parens -= 1
        return ParseState(stack, parens, state.columns) if parens >= 0 else None

    def take_newline(self, state: ParseState, column: int) -> ParseState | None:
        """Return the state after a newline lexeme that ends in a column, outside brackets."""
        stack = self.feed(state.stack, self.indenter.NL_type)
        columns = state.columns
        if stack is not None and column > columns[-1]:
            stack, columns = self.feed(stack, self.indenter.INDENT_type), (*columns, column)
        while stack is not None and column < columns[-1]:
            stack, columns = self.feed(stack, self.indenter.DEDENT_type), columns[:-1]
        if stack is None or column != columns[-1]:
            return None
        return ParseState(stack, state.parens, columns)

    def step(self, state: ParseState, text: str, position: int) -> tuple[ParseState, int] | None:
        """Return the state and position after the next lexeme, ``None`` if Lark refuses it."""
        lexer = self.lexer_at(state)
        match = self.match(lexer, text, position)
        if match is None:
            return None
        value, terminal = match
        name = self.name_of(lexer, terminal, value)
        after = state if name is None else self.take(state, name, value)
        return None if after is None else (after, position + len(value))

    def walk(
        self, state: ParseState, text: str, position: int = 0
    ) -> Iterator[tuple[ParseState, int]]:
        """Yield the state and position before each lexeme, and after the last that Lark takes."""
        here: tuple[ParseState, int] | None = (state, position)
        while here is not None:
            yield here
            here = self.step(here[0], text, here[1]) if here[1] < len(text) else None

    def match(self, lexer: BasicLexer, text: str, position: int) -> tuple[str, str] | None:
        """Return the lexeme and the terminal that a lexer of Lark's finds, ``None`` if none."""
        if self.encoding != BYTES:
            return match_lexeme(lexer, text, position)
        if self._encoded[0] != text:
            self._encoded = (text, text.encode(BYTES))
        found = match_lexeme(lexer, self._encoded[1], position)
        return None if found is None else (found[0].decode(BYTES), found[1])

    def can_finish(self, state: ParseState) -> bool:
        """Return whether Lark accepts the end of the text here."""
        stack: tuple[int, ...] | None = state.stack
        for _ in state.columns[1:]:
            stack = None if stack is None else self.feed(stack, self.indenter.DEDENT_type)
        if stack is None:
            return False
        new = list(stack)
        while new[-1] != self._end_state:
            action = self.rows[new[-1]].get("$END")
            if action is None or action[0] is Shift:
                return False
            self._reduce(new, action[1])
        return True

    def names_at(self, state: ParseState) -> list[str]:
        """Return the terminals, and nonterminals, with which a text may go on."""
        return sorted(self.rows[state.stack[-1]])

    def can_go_on(self, state: ParseState) -> bool:
        """Return whether more of the text, or its end, may follow; ``False`` is a proof.

        What follows first is the end or a lexeme that the parser takes: INDENT and DEDENT come
        only with a newline, and after what the parser does not get comes something that it gets.
        """
        if not self.remaining.can_be_finished(state.stack):
            return False
        return self.can_finish(state) or any(
            self.feed(state.stack, name) is not None
            for name in self.rows[state.stack[-1]]
            if name in self.terminals and not (name == self.newline and state.parens)
        )

    def parses(self, state: ParseState, text: str, position: int) -> bool:
        """Return whether Lark, resumed at a lexeme's start, parses the text to its end."""
        *_, (last, end) = self.walk(state, text, position)
        return end == len(text) and self.can_finish(last)

    def _reduce(self, stack: list[int], rule: Any) -> None:
        if rule.expansion:
            del stack[-len(rule.expansion) :]
        stack.append(self.rows[stack[-1]][rule.origin.name][1])

    def _find_name(self, lexer: BasicLexer, terminal: str, value: str) -> str:
        given: Any = value.encode(BYTES) if self.encoding == BYTES else value
        return str(cast(Any, lexer.callback[terminal])(Token(terminal, given)).type)


class RuleSteps(ParserSteps):
    """Lark's parser for a grammar whose postlex is written as rules: they drop and rename lexemes.

    The lexer is asked in the state of the parser as it stands, and that has not got a lexeme yet
    which waits for the next one. The rules are those of the postlex that Lark has.
    """

    def __init__(self, lark: Lark, postlex: RulePostlex) -> None:
        super().__init__(lark)
        self._postlex, self._rules = postlex, postlex.rules
        self._waiting = postlex.rules.waiting()
        self._opening = dict(postlex.rules.brackets)
        self._closing = frozenset(self._opening.values())
        self._asked = frozenset(name for rule in postlex.rules.rules for name in rule.after)
        self._targets = {
            rule.becomes: rule.terminal for rule in postlex.rules.rules if rule.becomes is not None
        }
        self.start = self.start._replace(last=TEXT_START)

    def take(self, state: ParseState, terminal: str, value: str) -> ParseState | None:
        del value
        fed = self._settle(state, terminal)
        if fed is None:
            return None
        last = terminal if terminal in self._asked else ""
        if terminal in self._waiting:
            return fed._replace(waiting=(terminal, state.last), last=last)
        innermost = fed.brackets[-1] if fed.brackets else None
        after = self._feed(fed, self._postlex.becomes(terminal, state.last, innermost, None))
        if after is None:
            return None
        brackets = after.brackets
        if terminal in self._opening:
            brackets = (*brackets, terminal)
        elif terminal in self._closing:
            if not brackets or self._opening[brackets[-1]] != terminal:
                return None
            brackets = brackets[:-1]
        return after._replace(last=last, brackets=brackets)

    def can_finish(self, state: ParseState) -> bool:
        settled = self._settle(state, TEXT_END)
        return settled is not None and super().can_finish(settled)

    def names_at(self, state: ParseState) -> list[str]:
        found = set(self.rows[state.stack[-1]])
        if state.waiting is not None:
            found |= set(self.terminals)
        return sorted(found | {self._targets[name] for name in found & self._targets.keys()})

    def can_go_on(self, state: ParseState) -> bool:
        if self.can_finish(state):
            return True
        return any(
            self.remaining.can_be_finished(settled.stack)
            and any(
                self.feed(settled.stack, name) is not None
                for name in self.rows[settled.stack[-1]]
                if name in self.terminals or name in self._targets
            )
            for settled in self._settlements(state)
        )

    def _settlements(self, state: ParseState) -> Iterator[ParseState]:
        if state.waiting is None:
            yield state
            return
        for following in sorted({*self.terminals, TEXT_END}):
            settled = self._settle(state, following)
            if settled is not None:
                yield settled

    def _settle(self, state: ParseState, following: str) -> ParseState | None:
        """Return the state once the parser has got what waited; ``None`` if it refuses it."""
        if state.waiting is None:
            return state
        innermost = state.brackets[-1] if state.brackets else None
        name = self._postlex.becomes(*state.waiting, innermost, following)
        return self._feed(state._replace(waiting=None), name)

    def _feed(self, state: ParseState, name: str | None) -> ParseState | None:
        stack = state.stack if name is None else self.feed(state.stack, name)
        return None if stack is None else state._replace(stack=stack)


def build_steps(lark: Lark) -> ParserSteps:
    postlex = cast(Any, lark.lexer_conf.postlex)
    return RuleSteps(lark, postlex) if isinstance(postlex, RulePostlex) else ParserSteps(lark)


def show_lark(lark: Lark, text: str) -> Any:
    return text.encode(BYTES) if lark.lexer_conf.use_bytes else text


def read_pattern(lark: Lark, terminal: Any) -> str:
    """Return the pattern of a terminal of Lark's, to be matched against texts.

    Lark writes a pattern of bytes as Latin-1 for its lexers, and as UTF-8 for ``dynamic`` ones.
    """
    pattern = str(terminal.pattern.to_regexp())
    if not lark.lexer_conf.use_bytes:
        return pattern
    is_dynamic = str(lark.lexer_conf.lexer_type).startswith("dynamic")
    return pattern.encode(UTF8 if is_dynamic else BYTES).decode(BYTES)
