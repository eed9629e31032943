"""What commands print of grammars, artifacts and texts, and what they give as JSON."""

import json
import shlex

import pytest

COSTLY = pytest.mark.costly
EXPLAINED = """\
after '[ab'
  open lexeme: 'ab'
  it may become: WORD
  if it ends here as WORD, next: ",", "]"
  rule: list -> "[" . WORD (list…) "]"
"""
DIFFERENT = """\
only new.maskc accepts: 'ac'
after 'a' (1 configuration)
  only new.maskc: 'c'
  a text of one of them: 'ac'
1 kind of difference in 3 configurations
"""


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ("check list.maskc right", 0, ()),
        ("check list.maskc wrong", 1, ("wrong:1:4: ", "expected: WORD\n")),
        # The keyword that forbids.
        ("check order.maskc b.json", 1, ("b.json:1:8: ", "/required")),
        ("explain list.maskc --text '[ab'", 0, EXPLAINED.splitlines()),
        (
            "explain list.maskc --text '[ab' --token '['",
            0,
            (
                "token 91 '[': illegal\n",
                "no terminal that may follow it begins with '['\n",
                '    the parser accepts: ",", "]"\n',
            ),
        ),
        (
            "explain list.maskc --text '[a!b'",
            0,
            ("after '[a' no parse survives the byte '!' at offset 2\n",),
        ),
        ("explain list.maskc --text '[ab' --all", 0, ("'x' 'y' 'z'\n",)),
        (
            "explain list.maskc --text '[a a' --heat",
            0,
            ("  legal tokens there: 3 of 256\n", "[2 a28 ␣29 \n"),
        ),
        (
            "explain tools.maskc --text 'a <tool_call>' --token x",
            0,
            ("what must come next: '\\n{", "illegal"),
        ),
        pytest.param(
            "bench list.maskc --corpus texts", 0, ("copy one row", "two.txt"), marks=COSTLY
        ),
        pytest.param(
            "bench list.maskc --files 3", 0, ("copy one row", "drawn text 1:1"), marks=COSTLY
        ),
        ("diff old.maskc new.maskc", 1, (DIFFERENT,)),
        ("diff old.maskc old.maskc", 0, ("the same tables: no mask differs\n",)),
        (
            "inspect list.maskc --internals",
            0,
            (
                *("start", "contextual", "bytes", "scanner states", "Sections"),
                "257 ids: 256 with text, 1 special or padding",
            ),
        ),
        ("inspect list.maskc --text '[,'", 0, ("The text '[,' is illegal.",)),
        ("inspect tools.maskc", 0, ("family qwen_3",)),
        ("verify tools.maskc --corpus replies --texts 2", 0, ("The artifact keeps its promise.",)),
        # A reply that is refused is named.
        (
            "verify tools.maskc --corpus bad --corpus replies --texts 0",
            1,
            ("bad.txt:2:11: unexpected 'put", "refused by the tag"),
        ),
        ("verify tools.maskc --corpus bad --corpus replies --texts 0 --allow-refused", 0, ()),
    ],
)
@pytest.mark.usefixtures("project")
def test_a_command_prints(command, line, status, said):
    outcome = command(*shlex.split(line))
    assert outcome.status == status
    unwrapped = " ".join(outcome.out.split())
    assert [text for text in said if text not in outcome.out and text not in unwrapped] == []


@pytest.mark.parametrize(
    ("line", "status", "found"),
    [
        (
            "check list.maskc right wrong",
            1,
            {
                "0": {"file": "right", "is_right": True},
                "1.line": 1,
                "1.column": 4,
                "1.expected": ["WORD"],
            },
        ),
        (
            "explain list.maskc --text '[a' --token 93",
            0,
            {
                "text": "[a",
                "readings.0.may_become": ["WORD"],
                "token.token": "]",
                "token.is_legal": True,
                "death": None,
            },
        ),
        (
            "explain list.maskc --text '[a a'",
            0,
            {"death.offset": 3, "groups.0.name": '","', "groups.0.examples": [","]},
        ),
        # Bytes that are no text are escaped.
        (r"""explain list.maskc --text '[' --token "b'\xff'" """, 0, {"token.token": r"\xff"}),
        ("explain tools.maskc --text '<tool_call>x'", 0, {"death.offset": 11}),
        pytest.param("bench tools.maskc --corpus replies", 0, {"documents": 1}, marks=COSTLY),
        (
            "diff new.maskc old.maskc --corpus letters",
            1,
            {
                "differences.0.only_first": {"count": 1, "tokens": ["c"]},
                "differences.0.before": "a",
                "differences.0.example": "ac",
                "texts": {"only_first": "ac", "only_second": None},
            },
        ),
        (
            "inspect tools.maskc",
            0,
            {"tag.type": "structural_tag", "header.link.settings.family": "qwen_3"},
        ),
    ],
)
@pytest.mark.usefixtures("project")
def test_json_has_it_for_a_program(command, line, status, found):
    outcome = command(*shlex.split(line), "--json")
    assert outcome.status == status
    for path, value in found.items():
        here = json.loads(outcome.out)
        for part in path.split("."):
            here = here[int(part) if isinstance(here, list) else part]
        assert here == value, path


@pytest.mark.usefixtures("project")
def test_groups_of_legal_tokens_are_counted_with_examples(command):
    groups = command("explain", "list.maskc", "--text", "[ab").out
    lines = groups.split("legal tokens: 29 of 256\n")[1].splitlines()
    assert [line.split() for line in lines] == [
        ["WORD", "26", *(f"'{c}'" for c in "abcdefgh"), "and", "18", "more"],
        ['","', "1", "','"],
        ['"]"', "1", "']'"],
        ["ignored", "only", "1", "'", "'"],
    ]


@pytest.mark.usefixtures("project")
def test_a_check_counts_on_standard_error_and_can_be_quiet(command):
    outcome = command("check", "list.maskc", "right", "wrong")
    assert (outcome.out.count("\n"), outcome.err) == (1, "1 of 2 files are right\n")
    outcome = command("check", "list.maskc", "wrong", "--quiet")
    assert (outcome.status, outcome.out, outcome.err) == (1, "", "")


@pytest.mark.costly
@pytest.mark.usefixtures("project")
def test_times_have_passes_and_the_slowest_fills(command):
    found = json.loads(command("bench", "list.maskc", "--corpus", "texts", "--json").out)
    assert (found["documents"], found["skipped"], found["refused"]) == (2, 1, 1)
    assert found["tokens"] == len("[ab, cd]") + len("[ab, ")
    assert set(found["passes"]) == {"first", "cold", "warm"}
    assert found["passes"]["warm"]["fill"]["p50"] > 0
    assert 0 < len(found["slowest"]) <= 10


@pytest.mark.parametrize(
    ("name", "text", "parts"),
    [
        (
            "list",
            "[ab, c",
            ("tokens that were legal there", "After '[ab, c'", "Terminals", "fingerprint"),
        ),
        ("null", "null", ("tokens that were legal there", "After 'null'", "JSON Schema")),
        ("null", "null", ("The text may end here.", "JSON Schema")),
    ],
)
@pytest.mark.usefixtures("project")
def test_inspect_begins_with_what_an_author_asks(command, name, text, parts):
    out = command("inspect", f"{name}.maskc", "--text", text).out
    assert "Sections" not in out
    indices = [out.index(part) for part in parts]
    assert indices == sorted(indices)
