"""Queries of a real database that name only tables and columns that it has.

The grammar says how a query is written, the database which names there are. Columns come before
the tables that they are of: so a column of the list is one that some table has beside those before
it, the first table has all of them, and a table that is joined adds its own for what comes after.

A stand-in for a model draws random legal tokens; each query is given to SQLite to prepare.

    python examples/text_to_sql.py [DATABASE] [--queries N]
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing

import maskc

GRAMMAR = r"""
start: _SELECT selected ("," selected)* _FROM first (_JOIN joined)* where? order? ";"
where: _WHERE test (_AND test)*
test: column ("=" | "<" | ">") (NUMBER | STRING)
    | column inner_open inner_column _FROM inner_table ")"
order: _ORDER column _DESC?
inner_open: _IN "(" _SELECT
selected: COLUMN
inner_column: COLUMN
column: COLUMN
first: TABLE
joined: TABLE
inner_table: TABLE
_SELECT: /SELECT\b/
_FROM: /FROM\b/
_JOIN: /NATURAL JOIN\b/
_WHERE: /WHERE\b/
_AND: /(AND|OR)\b/
_ORDER: /ORDER BY\b/
_DESC: /DESC\b/
_IN: /IN\b/
COLUMN: /[A-Za-z_]\w*/
TABLE: /[A-Za-z_]\w*/
NUMBER: /[0-9]{1,9}\b/
STRING: /'[^'\0]{0,20}'/
BLANKS: / {1,4}/
%ignore BLANKS
"""
SYMBOLS = ("selected", "first", "joined", "inner_open", "inner_column", "inner_table")
SHOP = """
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, email TEXT, born DATE);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, user_id INTEGER, placed DATE, total REAL);
CREATE TABLE order_items (order_id INTEGER, product_id INTEGER, quantity INTEGER, price REAL);
CREATE TABLE products (product_id INTEGER PRIMARY KEY, title TEXT, price REAL, stock INTEGER);
"""

Columns = Mapping[str, Sequence[str]]


def read_columns(database: sqlite3.Connection) -> Columns:
    """Return the columns of each table of a database."""
    tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    listed = {
        table: database.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
        for (table,) in tables
    }
    return {table: [column for (column,) in rows] for table, rows in listed.items()}


def words_after(columns: Columns, written: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the tables and the columns that may be named next.

    Args:
        columns: of each table.
        written: names of ``SYMBOLS`` and their texts, in order.
    """
    selected = [text for name, text in written if name == "selected"]
    tables = [text for name, text in written if name in ("first", "joined")]
    last, text = written[-1] if written else ("", "")
    having = [table for table in columns if {*selected} <= {*columns[table]}]
    if last == "inner_column":
        next_tables = [table for table in columns if text in columns[table]]
    else:
        next_tables = list(columns) if tables else having
    of_tables = list(columns) if last == "inner_open" else tables or having
    return {"TABLE": next_tables, "COLUMN": [c for table in of_tables for c in columns[table]]}


def draw_text(matcher: maskc.Matcher, artifact: maskc.Artifact, draw: random.Random) -> str:
    """Return a text of random legal tokens."""
    written = bytearray()
    while True:
        token = draw.choice(matcher.legal_tokens().tolist())
        matcher.accept_token(token)
        if matcher.is_terminated:
            return written.decode()
        written += artifact.token_bytes(token) or b""


def main() -> None:
    """Draw queries, and have SQLite prepare them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("database", nargs="?")
    parser.add_argument("--queries", type=int, default=10)
    parser.add_argument("--tokenizer", default="bytes")
    given = parser.parse_args()
    draw = random.Random(0)  # noqa: S311  # no secret
    with closing(sqlite3.connect(given.database or ":memory:")) as database:
        if given.database is None:
            database.executescript(SHOP)
        columns = read_columns(database)
        artifact = maskc.compile_grammar(GRAMMAR, tokenizer=given.tokenizer)
        followed = maskc.follow(
            artifact, *SYMBOLS, on_complete=lambda written: words_after(columns, written)
        )
        for _ in range(given.queries):
            query = draw_text(followed.matcher(), artifact, draw)
            database.execute(f"EXPLAIN {query}")
            sys.stdout.write(f"{query}\n")


if __name__ == "__main__":
    main()
