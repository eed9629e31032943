"""sql.lark against SQLite itself: what the grammar accepts is syntax to SQLite.

The judge prepares a statement after EXPLAIN, so that nothing runs; that a table is not there is
no matter of syntax. SQLite stops at the first error of any kind, so a statement is also given to it
with a bracket after: where it complains about that bracket, it has read everything before.
"""

import functools
import random
import re
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark, Token, Tree

from tests.grammars.derive import Deriver, accepts
from tests.grammars.laws import GrammarLaws
from tests.grammars.walks import read_grammar

pytestmark = pytest.mark.skipif(
    sqlite3.sqlite_version_info < (3, 39), reason="RIGHT JOIN and IS DISTINCT FROM came with 3.39"
)

SYNTAX = re.compile(
    "syntax error|incomplete input|unrecognized token|unterminated|should come after"
    "|JOIN clause is required|unknown join type|unknown table option|null character"
)
LEXEMES = {
    "NAME": ["a", "b", "t", "x1", "é", "_$"],
    "QUOTED_NAME": ['"q"', '""', "`q`", "[q r]", '"a""b"'],
    "TABLE_NAME": ["a", "b", "t", "x1", "é", "_$"],
    "QUOTED_TABLE_NAME": ['"q"', '""', "`q`", "[q r]", '"a""b"'],
    "NUMBER": ["1", "0x1F", "1.5e3", ".5", "2."],
    "STRING": ["'s'", "''''", "''", "'--'"],
    "BLOB": ["x'0a'", "X''"],
    "VARIABLE": ["?", "?1", ":v", "@v", "$v"],
}
# Words that SQLite knows and does not reserve.
UNRESERVED = """
abort action after always analyze asc attach before begin by cascade cast column conflict
current database deferred desc detach do each end exclude exclusive explain fail first following
for generated glob groups if ignore immediate initially instead key last like match materialized
no nulls of offset others partition plan pragma preceding query range recursive regexp reindex
release rename replace restrict rollback row rows savepoint temp temporary ties trigger
unbounded vacuum view virtual with without
"""
ACCEPTED = [
    *("SELECT 1", "sElEcT\f1\r\n;", "SELECT key, action, row FROM query WHERE plan = 1"),
    *("SELECT 1 AS 'a name', 2 two, 3 AS [drei]", "SELECT selected FROM fromage"),
    *("SELECT ſelect", "SELECT naïve, 日本 FROM Ελλάδα", "SELECT SELECT$x", "SELECT '' || x''"),
    *("SELECT a/**/b/* * / **/", "SELECT 1 -- no line after", "SELECT 1 - -1 -+-~1"),
    *("SELECT a.b.c, t.*, *", "SELECT * FROM (a, b JOIN c ON 1) x LEFT JOIN d USING (e, f)"),
    "SELECT * FROM a NATURAL LEFT OUTER JOIN b",
    "SELECT * FROM json_each(?1) WHERE ?2 OR :name OR @name OR $name OR ?",
    "SELECT 1 IN t, 1 IN main.t, 1 IN f(1, 2), 1 NOT IN ()",
    "SELECT 1 WHERE 1 GROUP BY 1 HAVING 1 WINDOW w AS () ORDER BY 1 LIMIT 1",
    *("SELECT 1 HAVING 1", "VALUES (1), (2) UNION ALL SELECT 3 ORDER BY 1"),
    "SELECT 9223372036854775808, 0xFFFFFFFFFFFFFFFF, 1.e5",
    "CREATE TABLE t (a, b INTEGER PRIMARY KEY DESC, c UNSIGNED BIG INT (+1, -2))",
    "CREATE TABLE t (a CONSTRAINT c NOT NULL UNIQUE CHECK (a) DEFAULT +1 COLLATE nocase)",
    "CREATE TABLE t (a REFERENCES u ON DELETE SET DEFAULT MATCH full_ NOT DEFERRABLE NOT NULL)",
    "CREATE TABLE t AS WITH a AS (SELECT 1) SELECT * FROM a",
    "INSERT INTO t SELECT * FROM a WHERE 1 ON CONFLICT DO NOTHING",
    "INSERT INTO t SELECT * FROM a ORDER BY 1 ON CONFLICT DO NOTHING",
    "INSERT INTO t SELECT 1 ON CONFLICT DO NOTHING",
    "INSERT INTO t VALUES (1) ON CONFLICT (a COLLATE b DESC, c) DO UPDATE SET d = 1 WHERE 2",
    "UPDATE t INDEXED BY i SET a = 1, (b, c) = (1, 2) FROM u JOIN v RETURNING *",
    *("DROP TABLE IF EXISTS main.t", "BEGIN; SELECT 1; END"),
]
REFUSED = [
    *("", ";", "SELECT", "SELECT 1,", "SELECT 1 FROM", "SELECT 12abc", "SELECT 1é"),
    *("SELECT 0x", "SELECT 0xG", "SELECT 1e", "SELECT x'abc'", "SELECT 1 x'0'", "SELECT 'a"),
    *("SELECT 'a\0b'", 'SELECT "a', "SELECT select", "SELECT Select FROM t"),
    *("SELECT 1 AS from", "SELECTx", "SELECT1", "ſELECT 1", "\ufeffselect 1 \ufeffselect"),
    *("SELECT 1 FROM t WHERE", "SELECT 1 FROM t ON a", "SELECT 1 FROM t LEFT JOIN"),
    *("SELECT 1 FROM t INNER OUTER JOIN u", "SELECT 1 ORDER BY 1 UNION SELECT 2"),
    *("SELECT 1 LIMIT 1 UNION SELECT 2", "VALUES (1) ORDER BY 1", "VALUES (1) LIMIT 1"),
    *("SELECT () FROM t", "SELECT a b c", "SELECT t.* x", "SELECT a BETWEEN 1"),
    *("SELECT a BETWEEN 1 OR 2", "SELECT a NOT = 1", "SELECT a ESCAPE b", "SELECT CASE END"),
    *("SELECT CASE WHEN 1 END", "SELECT f(DISTINCT *)", "SELECT f(*, 1)"),
    *("SELECT raise FROM t", "SELECT current_date (1)", "SELECT 1 FROM t INDEXED BY"),
    *("SELECT a = = 1", "SELECT 1 /* open", "SELECT 1 */", "SELECT 1 FROM (SELECT 2"),
    *("SELECT f() OVER (ROWS BETWEEN 1 AND 2)", "SELECT f() OVER (ROWS UNBOUNDED FOLLOWING)"),
    *("SELECT f() OVER (ORDER BY 1 PARTITION BY 2)", "SELECT f() FILTER (1)", "INSERT INTO t"),
    *("INSERT t VALUES (1)", "INSERT INTO t VALUES 1", "INSERT INTO t (a) (SELECT 1)"),
    "INSERT INTO t SELECT * FROM a ON CONFLICT DO NOTHING",
    "INSERT INTO t VALUES (1) ON CONFLICT DO DELETE",
    *("INSERT INTO t DEFAULT VALUES ON CONFLICT DO NOTHING", "UPDATE t SET a"),
    *("UPDATE t SET t.a = 1", "UPDATE SET a = 1", "DELETE t", "DELETE FROM t LIMIT WHERE"),
    *("CREATE TABLE t", "CREATE TABLE t ()", "CREATE TABLE t (a,)"),
    *("CREATE TABLE t (PRIMARY KEY (a))", "CREATE TABLE t (a DEFAULT 1 + 2)"),
    *("CREATE TABLE t (a) WITHOUT a", "CREATE TABLE order (a)", "CREATE TEMP INDEX i ON t (a)"),
    *("CREATE INDEX i ON t ()", "CREATE VIEW v SELECT 1", "CREATE UNIQUE TABLE t (a)"),
    *("DROP t", "SELECT 1;;", "SELECT 1 SELECT 2"),
]
LEFT_OUT = [
    *("SELECT a = NOT b", "SELECT 'a' 'b'", "SELECT a FROM 't'", "SELECT * FROM a, b ON 1"),
    *("SELECT * FROM a LEFT NATURAL JOIN b", "SELECT filter FROM t", "SELECT left FROM t"),
    *("SELECT a end", "EXPLAIN SELECT 1", "PRAGMA user_version", "ALTER TABLE t ADD COLUMN a"),
    *("SAVEPOINT s", "SELECT $a::b(c)", "SELECT 1 BETWEEN 2 = 3 AND 4"),
    *("SELECT 1 FROM t LEFT RIGHT JOIN u", "UPDATE t SET a == 1"),
    "CREATE TABLE t (a generated)",
]


def complaint(text: str) -> str:
    """Return SQLite's error message for one statement, empty if it has none."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(f"EXPLAIN {text}")
    except (sqlite3.Error, sqlite3.Warning) as error:
        return str(error)
    finally:
        connection.close()
    return ""


def is_syntax(text: str) -> bool:
    return SYNTAX.search(complaint(text)) is None


@functools.cache
def tree_parser(start: str) -> Lark:
    return Lark(
        read_grammar("sql"),
        parser="lalr",
        start=start,
        keep_all_tokens=True,
        maybe_placeholders=False,
        propagate_positions=True,
    )


def statements(text: str) -> list[str]:
    """Return the statements of a script as the grammar splits it."""
    return [
        text[tree.meta.start_pos : tree.meta.end_pos]
        for tree in tree_parser("script").parse(text).children
        if isinstance(tree, Tree)
    ]


class TestSql(GrammarLaws):
    name = "sql"
    start = "script"
    drawn_from = ("statement",)
    accepted, refused, left_out = ACCEPTED, REFUSED, LEFT_OUT
    # SQLite reads an open comment to its end, and takes empty statements.
    taken = ("SELECT 1 /* open", "SELECT 1;;")
    lengths = (5, 20, 60)
    separators = (" ",)
    n_changed = 120
    generated = (10, 60)

    def is_text(self, text):
        return is_syntax(text)

    def list_faults(self, texts):
        return [one for text in texts for one in statements(text) if not is_syntax(one)]

    def list_lexemes(self, parser):
        words = {
            terminal.name: [terminal.name, terminal.name.lower(), terminal.name.title()]
            for terminal in parser.terminals
            if terminal.priority
        }
        return {**words, **LEXEMES}

    @pytest.mark.parametrize("word", UNRESERVED.split())
    def test_an_unreserved_word_is_a_name_only_where_sqlite_takes_it_for_one(
        self, parser, deriver, word
    ):
        draw = random.Random(word)
        names = {"NAME": [word, word, "a"], "TABLE_NAME": [word]}
        named = Deriver(parser, {**deriver.lexemes, **names})
        texts = [named.text("statement", draw, draw.choice([5, 15])) for _ in range(25)]
        accepted = [text for text in texts if accepts(parser, text)]
        assert len(accepted) > 10
        assert [text for text in accepted if not is_syntax(text)] == []

    def test_the_judge_reads_most_derived_statements_to_their_end(self, deriver):
        draw = random.Random(0)
        texts = [self.join(self.draw_words(deriver, draw)) for _ in range(40)]
        assert sum('near ")": syntax error' in complaint(f"{text} )") for text in texts) > 20

    def test_the_corpus_is_run_by_sqlite(self, corpus):
        connection = sqlite3.connect(":memory:", isolation_level=None)
        for statement in statements(corpus):
            connection.execute(statement).fetchall()
        connection.close()

    @pytest.mark.parametrize(
        ("text", "is_legal"),
        [
            ("SELECT nope.a, f(b) FROM users AS nope", True),
            ("SELECT a FROM nope", False),
            ('SELECT a FROM "users", orders', True),
            ("SELECT a FROM [nope]", False),
            ("SELECT a FROM users JOIN nope", False),
            ("SELECT a IN orders FROM users", True),
            ("SELECT a IN nope", False),
            ("INSERT INTO orders (nope) VALUES (1)", True),
            ("UPDATE nope SET a", False),
            ("DROP TABLE nope", False),
            ("WITH users AS (SELECT 1 AS nope) SELECT * FROM users", True),
            ("SELECT a FROM user", True),  # the beginning of a table
            ("SELECT a FROM user ", False),
        ],
    )
    def test_tables_are_narrowed_to_those_that_exist(self, artifact, text, is_legal):
        tables = ["users", "orders"]
        bound = artifact.bind(TABLE_NAME=tables, QUOTED_TABLE_NAME=[f'"{name}"' for name in tables])
        assert bound.matcher().accept_text(text) is is_legal
        assert artifact.matcher().accept_text(text)


def bracketed(tree: Tree | Token) -> str:
    """Return an expression with brackets around every part that is one."""
    if isinstance(tree, Token):
        return str(tree)
    return "(" + " ".join(map(bracketed, tree.children)) + ")"


operands = st.sampled_from(["0", "1", "2", "3", "'1'", "'a'", "NULL", "1.5"])


prefixes = st.lists(st.sampled_from(["-", "+", "~"]), max_size=2).map(" ".join)


operators = st.sampled_from(
    [
        *("OR", "AND", "=", "==", "<>", "!=", "IS", "IS NOT", "IS DISTINCT FROM"),
        *("IS NOT DISTINCT FROM", "LIKE", "NOT LIKE", "GLOB", "<", "<=", ">", ">=", "&", "|", "<<"),
        *(">>", "+", "-", "*", "/", "%", "||", "BETWEEN 1 AND", "NOT BETWEEN 0 AND", "ISNULL ="),
        "COLLATE nocase <",
    ]
)


@st.composite
def expressions(draw):
    parts = []
    for number in range(draw(st.integers(2, 6))):
        if number:
            parts.append(draw(operators))
        if not number or parts[-1] in {"AND", "OR"}:
            parts.append(draw(st.sampled_from(["", "", "NOT"])))
        parts += [draw(prefixes), draw(operands)]
    return " ".join(" ".join(parts).split())


@given(expressions())
def test_operators_bind_as_in_sqlite(expression):
    explicit = bracketed(tree_parser("expr").parse(expression))
    # A name is no expression, and has no brackets.
    explicit = re.sub(r"COLLATE \((\w+)\)", r"COLLATE \1", explicit)
    connection = sqlite3.connect(":memory:")
    values = [connection.execute(f"SELECT {e}").fetchone()[0] for e in (expression, explicit)]
    connection.close()
    assert values[0] == values[1]
