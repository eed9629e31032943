"""The page: whole, safe, and by itself; axes."""

import re
from html.parser import HTMLParser

import pytest

import maskc
from maskc.compiler.pipeline import PassRecord
from maskc.report import Bar, html
from maskc.report.html import list_log_ticks, list_ticks, make_environment, scale_linear, scale_log
from maskc.report.inspect import report_artifact, view_artifact
from tests.browsers import needs_browser, show
from tests.report.example import HEADER, TIMINGS, UNDECIDED, curve, inspection

VOID = {"meta", "br", "col", "hr"}
EVIL = "<script>alert('1')</script>\"&"


class Reader(HTMLParser):
    """Collects texts and elements; fails where an element is not closed in its turn."""

    def __init__(self, page):
        super().__init__()
        self.texts, self.tags, self.attributes, self._open = [], [], [], []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return " ".join(self.texts)


def build_page(inspected, *, internals=False):
    names = inspected.header
    title = f"{names['grammar']['name']} for {names['tokenizer']['name']}"
    report = report_artifact(inspected, internals=internals)
    return html.build_page(report, title=title, lead="maskc artifact a.maskc", version="1")


def read(**options):
    return Reader(build_page(inspection(**options), internals=True))


@pytest.fixture(scope="module")
def page():
    return read(timings=TIMINGS)


def test_the_page_shows_what_is_known_and_every_drawing_has_a_name(page):
    facts = (
        *("g.lark for t", "1,000,000 bytes", "Rows after each step", "1.08 × more"),
        *("number of rows", "rows of a lexer state (logarithmic)", "share of lexer states"),
        "4 at the median, 9 at the 99th percentile, 17 at most",
        *('open: COMMA | "+="', 'and "+=" decides', r"b'a\n\xff'", "•value", "value ::= start"),
        *("lalr states", "3.0 s", "2.5 s", "transitions", "Transitions; ε is nothing"),
    )
    assert [fact for fact in facts if fact not in page.text] == []
    assert "maskc artifact a.maskc" in page.texts
    assert page.tags.count("svg") == 3
    assert [value for name, value in page.attributes if name == "role"].count("img") == 3


def test_the_page_asks_nobody_for_anything(page):
    assert not {"script", "link", "img", "iframe", "object", "base", "form"} & set(page.tags)
    names = {name for name, _ in page.attributes}
    assert not {name for name in names if name.startswith("on")}
    assert not {"src", "srcset", "action", "data"} & names
    assert not [value for _, value in page.attributes if value and "//" in value]
    assert not [
        value for _, value in page.attributes if value and "url(" in value.replace("url(#", "")
    ]
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in page.attributes


def test_nothing_that_comes_from_a_grammar_becomes_markup():
    header = {
        **HEADER,
        "grammar": {
            **HEADER["grammar"],
            "name": EVIL,
            "start": "start",
            "imports": {EVIL: ""},
            "text": 'start: "<script>alert(1)</script>" B\nB: "\\"><img src=x>"\n',
        },
        "tokenizer": {**HEADER["tokenizer"], "name": EVIL},
        "classes": [[EVIL, "B"]],
        "counts": {**HEADER["counts"], EVIL: 1},
        "streamlining": [{**step, "step": EVIL} for step in HEADER["streamlining"]],
        "residue": {
            **UNDECIDED,
            "examples": [{"sequence": [EVIL, f"open: {EVIL}"], "pairs": 1, "why": EVIL}],
        },
        "not_lexed_apart": [{"first": EVIL, "second": EVIL, "witness": EVIL.encode()}],
    }
    found = read(header=header, timings=(PassRecord(EVIL, 1.0, 1.0, 1.0),))
    assert not {"script", "img", "b"} & set(found.tags)
    assert EVIL in found.texts


def test_an_equal_artifact_has_an_equal_page():
    assert build_page(inspection()) == build_page(inspection())


GRAMMAR = """\
start: "<b>" item ("&" item)* NAME?
item: /[a-z]</ | "x"~2..3 | _list{item}
_list{x}: "[" x "]"
NAME: /[A-Z]+/
%ignore " "
"""


@pytest.fixture(scope="module")
def viewed():
    pytest.importorskip("railroad")
    artifact = maskc.compile_grammar(GRAMMAR, tokenizer="bytes")
    return inspection(view=view_artifact(artifact, b"<b> a<"))


def test_the_page_begins_with_what_an_author_asks(viewed):
    page = Reader(build_page(viewed))
    titles = ["How many tokens were legal", "What may come next", "Rules", "Terminals", "Artifact"]
    assert [text for text in page.texts if text in titles] == titles * 2  # links, then sections
    assert "Rows after each step" not in page.text
    assert "Rows after each step" in Reader(build_page(viewed, internals=True)).text
    assert page.texts.count('"&"') == 3  # in the diagram, beside its terminal, and what may come
    assert page.tags.count("svg") == 3
    assert "b" not in page.tags
    assert "After '<b> a<', 29 of 256 tokens are legal. The text may end here." in page.text


def test_an_alternative_of_nothing_is_drawn():
    pytest.importorskip("railroad")
    artifact = maskc.compile_grammar('start: "a" x\nx: | "b"\n', tokenizer="bytes")
    page = Reader(build_page(inspection(view=view_artifact(artifact, b"a"))))
    assert "rule x" in dict(page.attributes).values() or "x" in page.texts


def test_an_illegal_text_says_why():
    artifact = maskc.compile_grammar(GRAMMAR, tokenizer="bytes")
    page = Reader(build_page(inspection(view=view_artifact(artifact, b"<b>?"))))
    assert "The text '<b>?' is illegal." in page.text
    assert "no parse survives the byte '?'" in page.text
    assert "Legal tokens by terminal" in page.text


@needs_browser
def test_a_browser_shows_it_without_a_complaint(viewed, tmp_path):
    (tmp_path / "page.html").write_text(build_page(viewed, internals=True))
    # The page runs no script, so one around it measures: no page may be wider than its window.
    (tmp_path / "around.html").write_text(
        "<iframe src=page.html width=390 height=900></iframe><script>addEventListener('load', () =>"
        "{const d = frames[0].document.documentElement; document.title = d.scrollWidth + ' ' +"
        "frames[0].document.querySelectorAll('svg').length})</script>"
    )
    shown = show((tmp_path / "around.html").as_uri(), "--allow-file-access-from-files")
    width, drawings = re.search(r"<title>(\d+) (\d+)</title>", shown).groups()
    assert int(width) <= 390
    assert int(drawings) == 3 + 3


def with_text(text):
    return {"grammar": {**HEADER["grammar"], "text": text}}


LARGE = "start: " + " | ".join(f'"{i}" "x"' for i in range(80))


@pytest.mark.parametrize(
    ("changes", "said", "unsaid"),
    [
        (with_text("start: ("), "the installed Lark refuses the grammar", "transitions"),
        # A large grammar has no table, but what prints it.
        (with_text(LARGE), "241 transitions", "Transitions; ε is nothing"),
        ({"classes": []}, "No two terminals are interchangeable.", None),
        ({"not_lexed_apart": []}, "None: what the grammar puts side by side", None),
        ({"residue": {}}, "g.lark for t", "Rows that depend on the stack"),
        (
            {"residue": {**UNDECIDED, "max": 0, "per_pair": curve(0), "examples": []}},
            "No row depends on the stack.",
            None,
        ),
    ],
)
def test_what_there_is_not_is_said_or_left_out(changes, said, unsaid):
    found = read(header={**HEADER, **changes})
    assert said in found.text
    assert unsaid is None or not any(text.startswith(unsaid) for text in found.texts)


def draw(chart, *arguments):
    charts = make_environment().get_template("charts.html.j2").module
    return Reader(getattr(charts, chart)(*arguments))


def test_a_store_without_rows_is_drawn():
    drawn = draw("bars_chart", [Bar("raw", 0, 0)], ("Rows", "note", "rows"))
    assert "raw: 0 rows, 0 stored" in drawn.texts


def test_a_curve_is_described_in_words():
    found = draw("distribution", [("raw", curve(0, 4, 400))], "Rows", "rows", "states")
    description = "raw: half have at most 4, 90 % at most 400, the largest has 400"
    assert description in found.texts


@pytest.mark.parametrize("name", ["page", "blocks", "charts"])
def test_templates_escape_what_they_write(name):
    environment = make_environment()
    assert environment.autoescape is True
    source = environment.loader.get_source(environment, f"{name}.html.j2")[0]
    assert not re.search(r"\|\s*safe|autoescape|Markup", source)


@pytest.mark.parametrize(
    ("list_", "largest", "ticks"),
    [
        (list_ticks, 0, [0, 1]),
        (list_ticks, 1, [0, 1]),
        (list_ticks, 7, [0, 1, 2, 3, 4, 5, 6, 7]),
        (list_ticks, 8, [0, 2, 4, 6, 8]),
        (list_ticks, 979, [0, 200, 400, 600, 800, 1000]),
        (list_ticks, 112_283, [0, 20_000, 40_000, 60_000, 80_000, 100_000, 120_000]),
        # Logarithmic ones begin at nothing.
        (list_log_ticks, 1, [0, 1]),
        (list_log_ticks, 3000, [0, 1, 3, 10, 30, 100, 300, 1000, 3000]),
        (list_log_ticks, 200_000, [0, 1, 10, 100, 1000, 10_000, 100_000]),
    ],
)
def test_ticks_are_round_and_reach_the_largest(list_, largest, ticks):
    assert list_(largest) == ticks


def test_an_axis_reaches_from_its_start_to_its_end():
    assert [scale_linear(v, 10, 5, 100) for v in (0, 5, 10)] == [5, 55, 105]
    assert [scale_log(v, 99, 5, 100) for v in (0, 9, 99)] == [5, 55, 105]
    assert scale_linear(0, 0, 5, 100) == 5
