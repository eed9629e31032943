"""Schemas and special tokens in Lark text, as structural tags."""

import pytest

import maskc
from maskc.errors import GrammarError, MaskcError, TagError
from maskc.frontends.embedded import cut_out, describe_embedded, has_embedded
from maskc.frontends.source import load_source
from maskc.jobs import GrammarJob, LinkJob, read_grammar
from maskc.kit.file import make_kit
from maskc.limits import Limits
from maskc.vocab.vocabulary import Vocabulary

LETTERS = tuple(bytes([byte]) for byte in range(128))
CALL, END, STOP = 128, 129, 130
MODEL = Vocabulary(
    (*LETTERS, None, None, None), (STOP,), "ascii", {"<|call|>": CALL, "<|end|>": END, "</s>": STOP}
)
BYTES = Vocabulary(
    (
        *(bytes([byte]) for byte in range(128)),
        None,
        *(bytes([byte]) for byte in range(129, 256)),
        None,
    ),
    (256,),
    "bytes",
    {"<|call|>": CALL},
)
CALLS = """\
start: TEXT | call+
call: <|call|> name "(" %json {
  "type": "integer",
  "maximum": 9
} ")" <|end|>
name: "get" | "set" | /[x-z]{1,3}/i
TEXT: /[^(]+/
"""


def tag_of(text):
    return describe_embedded(load_source(text))["format"]


def accepts(constraint, *parts):
    matcher = constraint.matcher()
    taken = all(
        matcher.accept_token(part) if isinstance(part, int) else matcher.accept_text(part)
        for part in parts
    )
    return taken and matcher.is_accepting


def token(name):
    return {"type": "token", "token": name}


def text(value):
    return {"type": "const_string", "value": value}


def either(*elements):
    return {"type": "or", "elements": list(elements)}


def row(*elements):
    return {"type": "sequence", "elements": list(elements)}


@pytest.mark.parametrize("make", ["artifact", "kit"])
def test_a_grammar_with_schemas_and_tokens_is_followed(make):
    if make == "kit":
        constraint = make_kit(MODEL).lark(CALLS)
    else:
        job = read_grammar(CALLS, Limits())
        constraint = maskc.Artifact(job.compile(MODEL, Limits())[0])
    assert accepts(constraint, "no call")
    assert accepts(constraint, CALL, "get(7)", END)
    assert accepts(constraint, CALL, "Zx(7)", END, CALL, "set(-1)", END)
    assert not accepts(constraint, CALL, "get(10)", END)
    assert not accepts(constraint, CALL, "get(7)")
    assert not accepts(constraint, "<|call|>get(7)")
    assert constraint.matcher().legal_tokens().tolist() == [
        token for token in range(129) if token != ord("(")
    ]


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ('start: <|a|> "b"', row(token("<|a|>"), text("b"))),
        ("start: <think> </think>", row(token("<think>"), token("</think>"))),
        ("start: <[7]>", token(7)),
        ("start: <[1-2,7]>", either(token(1), token(2), token(7))),
        ("start: <[^1-2]>", {"type": "exclude_token", "exclude_tokens": [1, 2]}),
        ("start: <[*]>", {"type": "exclude_token", "exclude_tokens": []}),
        (
            'start: %json {"const": "<|a|> \\" }"} // %json',
            {"type": "json_schema", "json_schema": {"const": '<|a|> " }'}},
        ),
        ('start: <|a|>? "b"', either(row(token("<|a|>"), text("b")), text("b"))),
        ('start: x | <|a|>\nx: "b" x | "c"', ...),
        ("start: A <|a|>\nA: /b/i", row({"type": "regex", "pattern": "(?i:b)"}, token("<|a|>"))),
    ],
)
def test_parts_are_written_out_as_formats(given, written):
    found = tag_of(f"{given}\n")
    assert written in (..., found)


@pytest.mark.parametrize(
    ("rule", "taken", "refused"),
    [
        ('x: x "," "b" | "b"', ["b", "b,b"], ["", ",b"]),
        ('x: "b" "," x | "b"', ["b", "b,b,b"], ["b,"]),
        ('x: ("b" ",")*', ["", "b,b,"], ["b"]),
        ('x: "b"~2..3', ["bb", "bbb"], ["b", "bbbb"]),
        ('x: | "b"', ["", "b"], ["bb"]),
    ],
)
def test_a_rule_repeats_itself_at_its_beginning_or_its_end(rule, taken, refused):
    constraint = make_kit(MODEL).lark(f"start: <|call|> x\n{rule}\n")
    assert [accepts(constraint, CALL, text) for text in taken] == [True] * len(taken)
    assert [accepts(constraint, CALL, text) for text in refused] == [False] * len(refused)


@pytest.mark.parametrize(
    ("read", "taken", "refused"),
    [
        (
            '{"substring_words": "The quick,  fox\'s end."}',
            ["", "The quick", "quick,", "  fox", "fox's", "'s", " ", "end.", "."],
            ["T", "ick", "quick, ", " fox ", "The fox", "end.The"],
        ),
        (
            '{"substring_words": "a?!b \\n\\tc_1"}',
            ["?!", "a?!b", "b \n\t", "c_1"],
            ["!", "b ", "c"],
        ),
        ('{"substring_chars": "abé"}', ["", "a", "ab", "bé", "é"], ["aé", "ba", "abéa"]),
        ('{"substring_chunks": ["\\"x", "y", "\\"x"]}', ["", '"x', '"xy"x', 'y"x'], ["x", '"x"x']),
        ('{"substring_chars": ""}', [""], ["a"]),
    ],
)
def test_a_substring_is_read_as_llguidance_reads_it(read, taken, refused):
    """In a rule or as a whole terminal; the texts are what llguidance 1.9.1 says."""
    for form in ("start: <|call|> %regex {}\n", "start: <|call|> A\nA: %regex {}\n"):
        constraint = make_kit(BYTES).lark(form.replace("{}", read))
        assert [accepts(constraint, CALL, text) for text in taken] == [True] * len(taken)
        assert [accepts(constraint, CALL, text) for text in refused] == [False] * len(refused)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ('start: "b"\nx: %json {"a": \n', "<text>:2: what follows %json is not JSON (Expecting"),
        ("start: %json [1]\n", "<text>:1: what follows %json is not a JSON object"),
        ("start: %regex [1]\n", "<text>:1: what follows %regex is not a JSON object"),
        ('start: %regex {"a": "b"}\n', "is none of substring_words, substring_chars, substring"),
        ('start: %regex {"substring_words": ["b"], "a": 1}\n', "write a pattern of re as /…/"),
        ('start: %regex {"substring_words": 1}\n', "is none of substring_words"),
        ('start: %regex {"substring_chunks": ["a", ""]}\n', "is none of substring_words"),
        ("start: %regex {}\n", "is none of substring_words"),
        ("start: <[a]>\n", "<text>:1: <[a]> lists no ids of tokens"),
        ("start: <[1-100000]>\n", "or more than 1,000; write it as <[1-3,7]>"),
        ('start: "(" start ")" | <|call|>\n', "as start is; write a repetition"),
        ('start: <|call|> A\nA: "a"\n%ignore " "\n', "takes no %ignore; write blanks"),
        ('start: A\nA: "a" <|call|>\n', "terminal A has a schema or a special token in it"),
        ('begin: <|call|> "a"\n', "there is no rule start; name one with start="),
        ("// maskc: lexer=basic\nstart: <|call|>\n", "takes no lexer"),
        ("start: <|call|>\nx: %json {\n}\ny: ) z\n", "line 4"),
    ],
)
def test_what_has_no_form_is_refused_with_its_place(given, said):
    with pytest.raises(GrammarError) as caught:
        tag_of(given)
    assert said in str(caught.value)


def test_rules_that_are_written_out_too_often_are_refused():
    rules = [f"x{n + 1}: x{n} x{n}" for n in range(20)]
    with pytest.raises(GrammarError, match="written out to more than 20,000 parts"):
        tag_of("\n".join(["start: x20", *rules, "x0: <|call|>", ""]))
    deep = [f'y{n + 1}: "(" y{n} ")"' for n in range(200)]
    with pytest.raises(GrammarError, match="50 deep at most"):
        tag_of("\n".join(["start: y200", *deep, "y0: <|call|>", ""]))


def test_a_token_that_the_tokenizer_has_not_is_named():
    with pytest.raises(TagError, match=r"has no token '<\|none\|>'"):
        make_kit(MODEL).lark("start: <|none|>\n")


def test_only_rules_are_looked_at():
    plain = 'start: "<|a|>" /<b>/ "%json" // <c>\n# %json {}\n'
    assert not has_embedded(plain)
    assert isinstance(read_grammar(plain, Limits()), GrammarJob)
    assert isinstance(read_grammar("start: <|a|>\n", Limits()), LinkJob)


def test_lines_stay_where_they_were():
    cut, parts = cut_out("g", 'a: %json {\n"x": 1\n} "b"\nc: <|d|>\n')
    assert cut.splitlines()[0].endswith('"b"')
    assert cut.splitlines()[3].startswith("c: ")
    assert parts == [{"type": "json_schema", "json_schema": {"x": 1}}, token("<|d|>")]


def test_commands_about_terminals_name_the_way_out(tmp_path, monkeypatch, capsys):
    from maskc.cli.main import run

    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.lark").write_text('start: %json {"const": 1}\n')
    assert run(["lint", "g.lark"]) == 2
    assert "it becomes a structural tag, which has no terminals" in capsys.readouterr().err
    assert run(["compile", "g.lark", "-t", "bytes", "-q"]) == 0
    assert accepts(maskc.load("g.bytes.maskc"), "1")


def test_every_error_is_ours():
    for given in ("start: <|\n", "start: %json\n", "start: <[]>\n", 'start: %json {"a": 1} x\n'):
        with pytest.raises(MaskcError):
            read_grammar(given, Limits()).compile(MODEL, Limits())
