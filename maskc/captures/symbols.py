"""The numbers that rules and terminals of some names have in an artifact.

An artifact has no names: they come from the grammar that its header carries, built again. Numbers
are canonical, so they agree.

Example: in json, ``STRING`` is a terminal that is renamed to none, and ``pair`` a rule; ``WS`` is
ignored, never reaches the parser, and cannot be captured.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import NoReturn

from maskc.artifact.sections import is_general
from maskc.compiler.pushdown.interchangeable import Classes, find_table_classes
from maskc.errors import CaptureError, GrammarError, UnknownSymbolError
from maskc.frontends.loading import load_lalr_grammar
from maskc.frontends.source import source_from_header
from maskc.grammar.model import LalrGrammar
from maskc.ids import LalrStateId, NonterminalId, TerminalId
from maskc.kinds import kind_of
from maskc.runtime.artifact import Artifact

_N_NEAREST = 3


@dataclass(frozen=True, slots=True)
class Symbols:
    """The rules and terminals that are captured.

    Attributes:
        grammar: what the grammar is called.
        rules: number of a nonterminal → its name.
        terminals: number of a terminal → its name.
        end_state: of the LALR table, the state in which the parser is done when the text has ended.
    """

    grammar: str
    rules: Mapping[NonterminalId, str]
    terminals: Mapping[TerminalId, str]
    end_state: LalrStateId

    def check(self, name: str) -> None:
        """Raise an ``UnknownSymbolError`` if a name is not captured."""
        names = {*self.rules.values(), *self.terminals.values()}
        if name not in names:
            _refuse_unknown(self.grammar, "captured symbol", name, names)


def find_symbols(artifact: Artifact, names: Iterable[str]) -> Symbols:
    """Return the rules and terminals with some names.

    Raises:
        CaptureError: the artifact was not made from a grammar with an LALR table, the lexer drops a
            terminal, or another one stands for it or for a word of a rule.
        GrammarError, PostlexError: this version of Lark reads the grammar differently.
        UnknownSymbolError: a name is neither a rule nor a terminal.
    """
    _check_kind(artifact)
    grammar = _load_grammar(artifact)
    terminals = {name: TerminalId(n) for n, name in enumerate(grammar.bnf.terminals) if n}
    rules = {name: NonterminalId(n) for n, name in enumerate(grammar.bnf.nonterminals)}
    title = _title_of(artifact)
    groups = artifact.header.get("merged_words", ())
    merged = {name: len(group) for group in groups for name in group}
    found_rules: dict[NonterminalId, str] = {}
    found_terminals: dict[TerminalId, str] = {}
    for name in names:
        if name in rules:
            found_rules[rules[name]] = name
        elif name not in terminals:
            _refuse_unknown(title, "rule or terminal", name, {*rules, *terminals})
        elif terminals[name] in grammar.lexer.ignored:
            raise CaptureError(
                title,
                f"{name} is ignored, so it never reaches the parser",
                "take it out of %ignore, or capture a rule around it",
            )
        elif name in merged:
            raise CaptureError(
                title,
                f"the artifact joins {name} with others to one terminal of {merged[name]} words",
                "capture a rule around it",
            )
        else:
            found_terminals[terminals[name]] = name
    if groups:
        numbers = [frozenset(terminals[name] for name in group) for group in groups]
        for rule, name in found_rules.items():
            _check_words(title, name, find_table_classes(grammar, apart=[rule]), numbers)
    return Symbols(
        title,
        MappingProxyType(found_rules),
        MappingProxyType(found_terminals),
        grammar.lalr.end_state,
    )


def _check_words(
    title: str, rule: str, classes: Classes, merged: Iterable[frozenset[TerminalId]]
) -> None:
    for group in merged:
        if not any(group.issubset(members) for members in classes):
            raise CaptureError(
                title,
                f"the artifact joins {len(group)} words, of {rule} and of other rules, to one "
                "terminal",
                "capture a rule around it",
            )


def _check_kind(artifact: Artifact) -> None:
    title = _title_of(artifact)
    no_rules = kind_of(artifact.header).no_rules
    if no_rules is not None:
        raise CaptureError(title, *no_rules)
    if is_general(artifact.header):
        raise CaptureError(
            title,
            "a general parser reads it, so its texts may have several readings",
            "compile it with parser=lalr if Lark's LALR parser takes it",
        )


def _load_grammar(artifact: Artifact) -> LalrGrammar:
    source = source_from_header(artifact.header["grammar"])
    grammar = load_lalr_grammar(source)[0]
    sizes = artifact.header["sizes"]
    numbers = (len(grammar.bnf.terminals), len(grammar.bnf.nonterminals), len(grammar.lalr.states))
    n_states = len(artifact.contents.arrays["lalr_context"])
    if numbers != (sizes["T"], sizes["N"], n_states):
        raise GrammarError(
            source.name, "this version of Lark builds other tables for it; compile it again"
        )
    return grammar


def _title_of(artifact: Artifact) -> str:
    grammar = artifact.header.get("grammar")
    return str(grammar.get("name")) if isinstance(grammar, dict) else "<artifact>"


def _refuse_unknown(grammar: str, kind: str, name: str, known: set[str]) -> NoReturn:
    nearest = get_close_matches(name, sorted(known), _N_NEAREST, cutoff=0.3)
    raise UnknownSymbolError(grammar, kind, name, tuple(nearest))
