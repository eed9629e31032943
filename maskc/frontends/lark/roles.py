"""Lark's rules, terminals and lexers for a grammar in which terminals play roles.

A terminal with roles is read as ever, and its lexeme is *renamed* if it plays one: as Lark renames
the lexeme of an identifier to a keyword, but by a pattern instead of a string. In its rule the
role replaces the terminal; everywhere else it stands beside it, so nothing changes there.

So contexts, the ends of lexemes and keywords are what they were, and Lark itself is the judge of
which texts there are. A rule has a copy for each path to it on which something is narrowed further.
In each copy a terminal has the role of the longest path that leads to it: the copy's own, or a
suffix of it.

Limit: a lexeme plays one role at most, so the patterns of two roles of one terminal have no text in
common, or are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import Any, cast

import lark.lexer
from lark import Lark, Token, Tree
from lark.grammar import NonTerminal, Terminal
from lark.lexer import PatternRE, TerminalDef
from lark.load_grammar import Grammar as LarkGrammar
from lark.load_grammar import PrepareLiterals, TerminalTreeToPattern

from maskc.errors import GrammarError, UnknownSymbolError
from maskc.frontends.settings import Role
from maskc.frontends.source import GrammarSource
from maskc.grammar import Context, LexerSpec
from maskc.ids import ContextId, TerminalId
from maskc.lexer.lexeme import LexemeAutomaton
from maskc.regular.python import looks_around

_lark_create_unless: Callable[..., Any] = cast(Any, lark.lexer)._create_unless
_INHERITED = "i"
_WILD = "*"  # Lark is told to keep all terminals
_N_NEAREST = 3

_RulePath = tuple[str, ...]  # of rules


class RolePattern(PatternRE):
    """What a role's lexemes match; another terminal finds where they end."""

    base: TerminalDef

    def __init__(self, pattern: str, base: TerminalDef) -> None:
        # Whether case counts is the terminal's; how its pattern is laid out is not.
        super().__init__(pattern, tuple(flag for flag in base.pattern.flags if flag in _INHERITED))
        self.base = base

    @property
    def min_width(self) -> int:
        """One at least, which Lark asks for: nothing is no lexeme, even if it is matched."""
        return max(1, super().min_width)


def insert_roles(grammar: LarkGrammar, source: GrammarSource) -> None:
    """Change a grammar that Lark has loaded, so that its roles are terminals of their own.

    Raises:
        GrammarError: a role cannot be played.
        UnknownSymbolError: it names a rule or a terminal that the grammar does not have.
    """
    _check_source(source)
    _name_patterns(grammar)
    roles = _Rules(grammar, source.name)
    roles.insert(source.roles)
    roles.widen()
    names = roles.names
    compile_grammar = grammar.compile

    def compile_with_roles(start: Sequence[str], keep: Any) -> tuple[list[Any], list[Any], Any]:
        bases = {terminal for terminal, _ in names}
        kept = keep if keep == _WILD else {*keep, *bases}
        terminals, rules, ignored = compile_grammar(start, kept)
        by_name = {str(terminal.name): terminal for terminal in terminals}
        # Neither is a role that no rule of the start symbol has, nor what is kept for it alone.
        used = {str(symbol.name) for rule in rules for symbol in rule.expansion}
        played = {key: name for key, name in names.items() if name in used}
        unused = bases - {terminal for terminal, _ in played} - used if kept != _WILD else set()
        terminals = [t for name, t in by_name.items() if name in keep or name not in unused]
        added = []
        for (terminal, pattern), name in played.items():
            base = by_name[terminal]
            if not isinstance(base.pattern, PatternRE):
                raise GrammarError(source.name, f"{terminal} is a string, and cannot be restricted")
            added.append(TerminalDef(name, RolePattern(pattern, base), base.priority))
        return [*terminals, *added], rules, ignored

    cast(Any, grammar).compile = compile_with_roles


def _check_source(source: GrammarSource) -> None:
    fact = None
    if source.parser != "lalr":
        fact = "it is read by Earley's parser, and only lexemes of the LALR parser play roles"
    elif source.regex:
        fact = "its patterns are those of the module regex, and roles are not narrowed by these"
    if fact:
        raise GrammarError(source.name, f"{fact}; leave the roles out")


def _name_patterns(grammar: LarkGrammar) -> None:
    """Put a terminal's name where a rule has its pattern, which is the same terminal to Lark."""
    read = PrepareLiterals()
    as_pattern = read * TerminalTreeToPattern()
    name_of = {
        as_pattern.transform(_copy_tree(tree)): name
        for name, (tree, _) in grammar.term_defs
        if tree
    }
    for _, _, tree, _ in grammar.rule_defs:
        for value in list(tree.find_data("value")):
            (child,) = value.children
            if isinstance(child, Tree) and child.data in ("literal", "range"):
                (pattern,) = read.transform(_copy_tree(child)).children
                if isinstance(pattern, PatternRE) and pattern in name_of:
                    value.children = [cast(Any, Terminal)(str(name_of[pattern]))]


class _Rules:
    """Rules that are being changed."""

    def __init__(self, grammar: LarkGrammar, name: str) -> None:
        self._grammar, self._name = grammar, name
        self.names: dict[tuple[str, str], str] = {}
        # Path and terminal → the terminal of the role.
        self._played: dict[tuple[_RulePath, str], str] = {}
        self._rules: dict[_RulePath, str] = {}  # path → the rule it leads to, or its copy
        self._taken = {str(n) for n, *_ in grammar.rule_defs} | {
            str(n) for n, _ in grammar.term_defs
        }

    def insert(self, roles: Iterable[Role]) -> None:
        for role in sorted(roles, key=lambda role: -len(role.rules)):
            self._read(role)
        trees = {path: self._tree_of(name) for path, name in self._rules.items()}
        for path, tree in trees.items():
            for inner, index, child in _list_children(tree):
                by = self._found_on(path, child)
                if by is not None:
                    inner.children[index] = Tree("value", [by])

    def _read(self, role: Role) -> None:
        terminals = [str(n) for n, (tree, _) in self._grammar.term_defs if tree]
        terminal = self._resolve("terminal", role.terminal, terminals)
        if terminal in self._grammar.ignore:
            raise GrammarError(
                self._name, f"{terminal} is ignored and can have no role; leave {role.title} out"
            )
        key = (terminal, role.pattern)
        if key not in self.names:
            self.names[key] = self._new_name("__".join([terminal, *role.rules]))
        rules = [str(name) for name, *_ in self._grammar.rule_defs]
        path = tuple(self._resolve("rule", rule, rules) for rule in role.rules)
        for length in range(1, len(path) + 1):
            if path[:length] not in self._rules:
                self._rules[path[:length]] = self._copy(path[:length]) if length > 1 else path[0]
        for rule, following in zip(path, (*path[1:], terminal), strict=True):
            self._check_has(rule, following, role)
        self._played[path, terminal] = self.names[key]

    def _found_on(self, path: _RulePath, node: Any) -> Any:
        """Return the symbol that stands for one on a path, ``None`` for the symbol itself."""
        rule, terminal = _name_in(node, NonTerminal), _name_in(node, Terminal)
        for start in range(len(path)):
            if rule is not None and (*path[start:], rule) in self._rules:
                return NonTerminal(self._rules[*path[start:], rule])
            if terminal is not None and (path[start:], terminal) in self._played:
                return cast(Any, Terminal)(self._played[path[start:], terminal])
        return None

    def widen(self) -> None:
        """Put roles beside their terminals where these stand on their own."""
        terminal_named = cast(Any, Terminal)  # without types in Lark 1.2
        by_terminal: dict[str, list[str]] = {}
        for (terminal, _), name in self.names.items():
            by_terminal.setdefault(terminal, []).append(name)
        for _, _, tree, _ in self._grammar.rule_defs:
            for inner, index, child in _list_children(tree):
                found = _name_in(child, Terminal)
                if found is None or found not in by_terminal:
                    continue
                if inner.data == "template_usage":
                    raise GrammarError(
                        self._name,
                        f"{found} has roles and is given to a template; write the template out",
                    )
                either = [terminal_named(one) for one in (found, *by_terminal[found])]
                inner.children[index] = Tree(
                    "expansions", [Tree("expansion", [Tree("value", [one])]) for one in either]
                )

    def _resolve(self, kind: str, name: str, known: Sequence[str]) -> str:
        """Return the name of a symbol; Lark puts a module's name before what it imports."""
        if name in known:
            return name
        imported = [one for one in known if one.endswith(f"__{name}")]
        if len(imported) != 1:
            nearest = get_close_matches(name, known, _N_NEAREST, cutoff=0.3)
            raise UnknownSymbolError(self._name, kind, name, tuple(nearest))
        return imported[0]

    def _tree_of(self, rule: str) -> Any:
        return next(tree for name, _, tree, _ in self._grammar.rule_defs if name == rule)

    def _copy(self, path: _RulePath) -> str:
        (found,) = (one for one in self._grammar.rule_defs if one[0] == path[-1])
        _, parameters, tree, options = found
        if parameters:
            raise GrammarError(
                self._name,
                f"{path[-1]} is a template, which a role cannot pass through; write it out",
            )
        name = self._new_name("__".join(path[::-1]))
        copy = (Token("RULE", name), parameters, _copy_tree(tree), options)
        self._grammar.rule_defs.append(copy)
        return name

    def _new_name(self, wanted: str) -> str:
        name = wanted
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def _check_has(self, rule: str, name: str, role: Role) -> None:
        for _, _, child in _list_children(self._tree_of(rule)):
            if name in (_name_in(child, NonTerminal), _name_in(child, Terminal)):
                return
        raise GrammarError(
            self._name,
            f"there is no {name} to restrict in the role {role.title}; "
            "name the rule that contains it, with the rules in between: RULE.RULE.TERMINAL",
        )


def _list_children(tree: Any) -> list[tuple[Any, int, Any]]:
    """Return, for each tree in a tree, itself with the index of each of its children, and that."""
    return [(t, n, child) for t in tree.iter_subtrees() for n, child in enumerate(t.children)]


def _name_in(node: Any, kind: type) -> str | None:
    """Return the name of a symbol that stands in a rule, ``None`` for all else."""
    if isinstance(node, Tree) and node.data == "value" and isinstance(node.children[0], kind):
        return str(cast(Any, node.children[0]).name)
    return None


def _copy_tree(tree: Any) -> Any:
    return Tree(tree.data, [_copy_tree(c) if isinstance(c, Tree) else c for c in tree.children])


def create_unless(
    terminals: Sequence[Any],
    flags: int,
    re_module: Any,
    use_bytes: bool,  # noqa: FBT001  # as Lark calls it
) -> tuple[list[Any], dict[str, Any]]:
    """Return what a lexer looks for, and what it renames; as Lark's ``_create_unless``."""
    roles = [t for t in terminals if isinstance(t.pattern, RolePattern)]
    if not roles:
        return cast(
            "tuple[list[Any], dict[str, Any]]",
            _lark_create_unless(terminals, flags, re_module, use_bytes),
        )
    bases = {str(t.pattern.base.name): t.pattern.base for t in roles}
    looked_for = {str(t.name): t for t in terminals if t not in roles} | bases
    in_order = sorted(looked_for.values(), key=_rank)
    found, callbacks = _lark_create_unless(in_order, flags, re_module, use_bytes)
    for name, base in bases.items():
        own = [t for t in roles if t.pattern.base is base]
        callbacks[name] = _Renaming(callbacks.get(name), own, flags, re_module)
    return found, callbacks


class _Renaming:
    """Renames a lexeme to a keyword, as Lark does, or else to a role that it plays as a whole."""

    def __init__(self, keywords: Any, roles: Sequence[Any], flags: int, re_module: Any) -> None:
        self._keywords, self._roles, self._flags, self._re = keywords, roles, flags, re_module
        self.terminals = [*(keywords.scanner.terminals if keywords else ()), *roles]

    @property
    def scanner(self) -> _Renaming:
        """What has the terminals, as with Lark's own callbacks."""
        return self

    def __call__(self, token: Token) -> Token:
        name = token.type
        if self._keywords is not None:
            token = self._keywords(token)
        if token.type != name:
            return token
        for role in self._roles:
            # ``re`` keeps what it has compiled.
            if self._re.compile(role.pattern.to_regexp(), self._flags).fullmatch(str(token)):
                token.type = str(role.name)
                break
        return token


def _rank(terminal: Any) -> tuple[Any, ...]:
    pattern = terminal.pattern
    return (-terminal.priority, -pattern.max_width, -len(pattern.value), terminal.name)


def list_roles(lark: Lark) -> list[str]:
    return [str(t.name) for t in lark.terminals if isinstance(t.pattern, RolePattern)]


def rank_roles(in_order: Iterable[Any]) -> list[Any]:
    """Return terminals with the roles at the end: a lexeme that is a keyword plays none."""
    return sorted(in_order, key=lambda terminal: isinstance(terminal.pattern, RolePattern))


def check_roles(lark: Lark, name: str) -> None:
    """Check that no lexeme plays two roles, and that each role is played by some."""
    by_base: dict[str, list[Any]] = {}
    for terminal in lark.terminals:
        if isinstance(terminal.pattern, RolePattern):
            by_base.setdefault(str(terminal.pattern.base.name), []).append(terminal)
    for base, roles in by_base.items():
        patterns = [role.pattern.value for role in roles]
        automaton = _automaton_of(lark, roles)
        is_played = [False] * len(roles)
        for played, witness in _list_played(automaton, len(roles)):
            if len(played) > 1:
                first, second = (patterns[number] for number in sorted(played)[:2])
                raise GrammarError(
                    name,
                    f"{witness!r} has two roles of {base}, {first} and {second}; "
                    "make the patterns disjoint or equal",
                )
            for number in played:
                is_played[number] = True
        if not all(is_played):
            pattern = patterns[is_played.index(False)]
            raise GrammarError(
                name,
                f"no {base} matches {pattern}, so nothing can have this role; change the pattern",
            )


def _automaton_of(lark: Lark, roles: Sequence[Any]) -> LexemeAutomaton:
    """Return the lexemes of a terminal and its roles alone, numbered from 1."""
    flags, base = lark.lexer_conf.g_regex_flags, roles[0].pattern.base.pattern.to_regexp()
    if looks_around(base, flags):
        # What its lexemes are depends on where they stand: roles have to differ on every text.
        base = "(?s:.)+"
    renamed = tuple(TerminalId(n) for n in range(2, len(roles) + 2))
    return LexemeAutomaton(
        LexerSpec(
            terminals=("$END", str(roles[0].pattern.base.name), *(str(t.name) for t in roles)),
            patterns=(None, base, *(t.pattern.to_regexp() for t in roles)),
            re_flags=flags,
            ranks=tuple(range(len(roles) + 2)),
            ignored=frozenset(),
            contexts=(Context((TerminalId(1),), ((TerminalId(1), renamed),)),),
            first_context=ContextId(0),
            contexts_after={},
            layout=None,
        )
    )


def _list_played(automaton: LexemeAutomaton, n_roles: int) -> list[tuple[set[int], bytes]]:
    """Return, for each state in which a lexeme may end, the roles it plays and a lexeme."""
    first_byte = {int(c): n for n, c in reversed(list(enumerate(automaton.threads.byte_class)))}
    start = automaton.start_of_text()
    found, seen, pending = [], {start: b""}, [start]
    for state in pending:
        if automaton.ends(state):
            labels = automaton.renamed_to(state)
            found.append(({label - 2 for label in labels if label - 2 < n_roles}, seen[state]))
        for byte_class, after in enumerate(automaton.row(state)):
            if after >= 0 and after not in seen:
                seen[after] = seen[state] + bytes([first_byte[byte_class]])
                pending.append(after)
    return found
