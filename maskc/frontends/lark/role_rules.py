"""The rules of a grammar in which terminals play roles.

In its rule a role's terminal replaces the terminal; everywhere else it stands beside it. A rule has
a copy for each path to it on which something is narrowed further. In each copy a terminal has the
role of the longest path that leads to it: the copy's own, or a suffix of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, cast

from lark import Token, Tree
from lark.grammar import NonTerminal, Terminal
from lark.lexer import PatternRE
from lark.load_grammar import Grammar as LarkGrammar
from lark.load_grammar import PrepareLiterals, TerminalTreeToPattern

from maskc.errors import GrammarError, UnknownSymbolError
from maskc.frontends.settings import Role

_N_NEAREST = 3

_RulePath = tuple[str, ...]  # of rules


def insert_into_rules(
    grammar: LarkGrammar, roles: Iterable[Role], name: str
) -> Mapping[tuple[str, str], str]:
    """Change a grammar's rules, so that its roles are terminals of their own."""
    _name_patterns(grammar)
    rules = _Rules(grammar, name)
    rules.insert(roles)
    rules.widen()
    return rules.names


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
