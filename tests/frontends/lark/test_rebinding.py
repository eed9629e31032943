"""Lark is the host program's, too: no class or function of ours is ever in its modules."""

import threading

import lark
import lark.lexer
import lark.parser_frontends
from lark import Lark

from maskc.frontends.lark.rebinding import rebound
from maskc.frontends.lark.tables import SharedRow
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source

GRAMMAR = 'start: ("a" N | "b" N)+\nN: /n+/\n%ignore " "\n'


def asked(more=len):
    """Say how much."""
    return more(GRAMMAR)


def test_a_copy_has_another_name_and_the_function_has_not():
    copy = rebound(asked, GRAMMAR="abc")
    assert (copy(), asked(), copy.__doc__) == (3, len(GRAMMAR), "Say how much.")


def is_larks_own(built):
    """Return whether nothing of ours is in a parser."""
    rows = built.parser.parser._parse_table.states.values()
    lexers = built.parser.lexer.lexers.values()
    made = [built.parser.parser, built.parser.lexer, *lexers]
    modules = {type(one).__module__.partition(".")[0] for one in made}
    return modules == {"lark"} and not any(isinstance(row, SharedRow) for row in rows)


def test_a_thread_that_builds_its_own_lark_meanwhile_gets_larks_classes():
    source, done, found = load_source("python"), threading.Event(), []

    def build_ours():
        for _ in range(2):
            load_grammar(source)
            load_grammar(load_source(GRAMMAR, roles={"start.N": "n"}))
        done.set()

    thread = threading.Thread(target=build_ours)
    before = {**vars(lark.lexer)}, {**vars(lark.parser_frontends)}
    thread.start()
    while not done.is_set():
        found.append(is_larks_own(Lark(GRAMMAR, parser="lalr")))
        assert (vars(lark.lexer), vars(lark.parser_frontends)) == before
    thread.join()
    assert len(found) > 10
    assert all(found)
