"""What each check finds in a grammar, and what it leaves alone."""

from itertools import pairwise

import pytest

from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from maskc.lint.order import lint_grammar
from maskc.vocab.vocabulary import Vocabulary

BASIC = "// maskc: lexer=basic\n"
EARLEY = "// maskc: parser=earley\n"
TWO_NUMBERS = "start: INT | HEX\nINT: /[0-9]+/\nHEX: /[0-9a-f]{2,}/\n"
DANGLING = 'start: "if" "e" start | "if" "e" start "else" start | "x"\n'
BLOCKS = (
    "// maskc: postlex=indenter NL_type=_NL INDENT_type=_INDENT DEDENT_type=_DEDENT tab_len=2\n"
    'start: "do" _NL _INDENT s _NL _DEDENT\n'
    's: "if" s | "if" s "else" s | "x"\n'
    "_NL: /\\n */\n%declare _INDENT _DEDENT\n"
)
LET = '"let" NAME | NAME'
WORDS = f'start: {LET}\nNAME: /[a-z]+/\n%ignore " "\n'
SHADOWED = 'NAME\nWORD: /if|in/\nNAME.1: /[a-z]+/\n%ignore " "\n'
LEVELS = 'start: e\ne: e "+" e | e "*" e | N\nN: /[0-9]/\n%ignore " "\n'
LARGE = "start: " + " ".join(f'"{n:03}"' for n in range(200)) + "\n"


SEVERITIES = {
    **dict.fromkeys(("ML002", "ML004", "ML009"), "error"),
    **dict.fromkeys(("ML001", "ML005", "ML006", "ML007"), "warning"),
    **dict.fromkeys(("ML003", "ML013"), "note"),
}
TWO_TREES = f'{EARLEY}start: a | b\na: "x"\nb: "x"\n'


@pytest.mark.parametrize(
    ("code", "text", "location", "witness", "said"),
    [
        # Terminals that match the same lexeme.
        ("ML001", TWO_NUMBERS, "INT:2", "00", "HEX and INT match the same text"),
        # Terminals that are never lexed.
        ("ML002", f"start: WORD NAME | {SHADOWED}", "WORD:2", "if", "NAME is taken instead"),
        # Strings that a pattern matches too.
        ("ML003", WORDS, "NAME:2", "let", '"let" is a keyword in 1 of 2 contexts'),
        ("ML003", WORDS.replace(LET, f'"#" ({LET})'), "NAME:2", "#let", ""),
        ("ML003", BASIC + WORDS, "NAME:3", ..., '"let" can never be used as NAME'),
        ("ML003", 'start: "+=" OP | OP\nOP: /[+=]+/\n', "OP:2", "+=", '"+=" is a keyword in'),
        # States that no text leaves.
        ("ML004", 'start: x "a" "c" | "d"\nx: "a" x | "a"\n', "x:2", "a", "conflict by shifting"),
        ("ML004", 'start: x "a"\nx: "a" x | "a"\n', ..., ..., "no text at all can be parsed"),
        (
            "ML004",
            f'{BASIC}start: NAME | "#" WORD "!"\nWORD: /if|in/\nNAME.1: /[a-z]+/\n',
            ...,
            ...,
            "cannot separate the terminals",
        ),
        # Terminals that cannot be lexed apart.
        ("ML005", 'start: NAME NAME | "x"\nNAME: /[a-z]+/\n', "NAME:2", "aa", ""),
        # Reductions that Lark gave up.
        (
            "ML006",
            DANGLING,
            ...,
            "ifexelse",
            'before "else", Lark goes on with start -> "if" "e" start . ',
        ),
        ("ML006", BLOCKS, ..., "do\n    ifxelse", ""),
        # Blanks for ever.
        (
            "ML007",
            'start: "a" "b"\n%ignore /[ \\n]+/\n',
            r"/[ \n]+/:2",
            ...,
            r"%ignore /(?<![ \n])[ \n]{1,16}/",
        ),
        ("ML007", 'start: "a" "b"\n%ignore " "\n', ..., ..., "any number of times"),
        ("ML007", 'start: "a"\n%ignore /[ \\n]{1,16}/\n', ..., ..., "any number of times"),
        ("ML007", 'start: "a"\n%ignore /[ ,]+/\n', ..., ..., "%ignore /(?<![ ,])[ ,]{1,16}/"),
        ("ML007", 'start: "a"\n%ignore "#"\n%ignore / +/\n', "/ +/:3", ..., ""),
        ("ML007", 'start: "a" (NL "a")*\nNL: /\\n+/\n', "NL:2", ..., ""),
        ("ML007", 'start: (NL | "a")*\nNL: "\\n"\n', "start:1", ..., ""),
        ("ML007", f'{EARLEY}start: "a"+\n%ignore " "\n', ..., ..., "ignored any number of times"),
        # Productions that take part in no text.
        (
            "ML009",
            'start: "p" x "a" "c"\nx: "b" "a" | "b"\n',
            ...,
            ...,
            'x -> "b" is never completed',
        ),
        # A name in a comment or a string is no use.
        ("ML010", 'start: "DIGIT" // DIGIT\nDIGIT: "0".."9"\n', "DIGIT:2", ..., ""),
        # Blanks that nothing uses or ignores.
        ("ML011", 'start: "a" "b"\n%import common.WS\n', "WS:2", ..., "%ignore"),
        ("ML011", 'start: "a" "b"\n%import common (INT, WS)\n', "WS:2", ..., "%ignore"),
        ("ML011", 'start: "a" "b"\n%import common.WS -> BLANK\n', "BLANK:2", ..., "%ignore"),
        ("ML011", 'start: "a" "b"\nWS: /[ \\t]+/\n', "WS:2", ..., "%ignore"),
        ("ML011", 'start: "a" "b"\nWS: " "\n', "WS:2", ..., "%ignore"),
        # Greedy quotes.
        ("ML012", 'start: STRING+\nSTRING: /".*"/\n', "STRING:2", '"a" "b"', ""),
        ("ML012", "start: STRING+\nSTRING: /'.*'/\n", "STRING:2", "'a' 'b'", ""),
        ("ML012", "start: STRING+\nSTRING: /`.*`/\n", "STRING:2", "`a` `b`", ""),
        ("ML012", 'start: STRING\nSTRING: /(?:(".+")|x)/\n', ..., ..., ""),
        # Words that need no blank after them.
        ("ML013", WORDS.replace(LET, '"let" NAME'), ..., "leta", ""),
        # Texts with two parse trees.
        ("ML014", EARLEY + LEVELS, "e:3", "0 + 0 + 0", "e(e(0) + e(e(0) + e(0))) and e(e(e(0) + "),
        ("ML014", EARLEY + LEVELS, ..., ..., 'e: e "+" e_2 | e_2; e_2: e_2 "*" e_3 | e_3; e_3: N'),
        (
            "ML014",
            TWO_TREES,
            ...,
            ...,
            "start is ambiguous: a text has two trees, start(a(x)) and start(b(x))",
        ),
        # Told of the rule that has it.
        ("ML014", f'{EARLEY}start: "(" x ")"\nx: a | b\na: "x"\nb: "x"\n', "x:3", ..., ""),
    ],
)
def test_a_check_finds(lint, code, text, location, witness, said):
    (finding,) = lint(text, code)
    assert finding.severity.value == SEVERITIES.get(code, finding.severity.value)
    assert location in (..., f"{finding.location.name}:{finding.location.line}")
    assert witness in (..., finding.witness)
    assert said in f"{finding.fact}; {finding.remedy}"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        # A priority is the author's word; other contexts; a keyword; patterns that exclude.
        ("ML001", TWO_NUMBERS.replace("INT:", "INT.1:")),
        ("ML001", TWO_NUMBERS.replace("INT | HEX", 'INT "x" HEX')),
        ("ML001", 'start: "if" NAME | NAME\nNAME: /[a-z]+/\n'),
        ("ML001", "start: INT | NAME\nINT: /[0-9]+/\nNAME: /(?![0-9])[0-9a-f]+/\n"),
        # Some context lexes it.
        ("ML002", f'start: WORD NAME | "!" {SHADOWED}'),
        ("ML003", 'start: "+" NAME | NAME\nNAME: /[a-z]+/\n'),
        # A left-recursive list.
        ("ML004", 'start: x "a" "c" | "d"\nx: x "a" | "a"\n'),
        # A blank keeps them apart.
        ("ML005", 'start: NAME NAME\nNAME: /[a-z]+/\n%ignore " "\n'),
        ("ML005", "start: NAME NAME\nNAME: /[a-z]+/\n%ignore /[ \\n]+/\n"),
        ("ML006", 'start: "a" start | "b"\n'),
        # A newline between items; blanks inside text.
        ("ML007", 'start: "a" (NL "a")*\nNL: "\\n"\n'),
        ("ML007", 'start: TEXT STRING\nTEXT: /[a-z ]+/\nSTRING: /"[^"]*"/\n'),
        # Allowed there, or at the top.
        ("ML007", 'start: "a" "b"\n%ignore /[ ]+/ // maskc: allow=ML007\n'),
        ("ML007", '// maskc: allow=ML007 it is so\nstart: "a" "b"\n%ignore /[ ]+/\n'),
        # Some conflict spares it.
        ("ML009", DANGLING),
        # Templates, terminals and ignored ones use them.
        (
            "ML010",
            'start: list{"a", ","}\nlist{x, y}: x (y x)*\n'
            "NAME: LETTER+\nLETTER: /[a-z]/\n%ignore NAME\n",
        ),
        ("ML011", 'start: "a" "b"\n%import common.WS\n%ignore WS\n'),
        ("ML011", 'start: "a" WS "b"\nWS: /[ ]+/\n'),
        ("ML011", 'start: "a" GAP\nGAP: WS "x"\nWS: /[ ]+/\n'),
        ("ML011", 'start: "a"\nSIGN: /[+-]/\n'),
        *(
            ("ML012", f"start: STRING+\nSTRING: /{pattern}/\n")
            for pattern in (r'"[^"]*"', r'".*?"', r'"(?:\\.|[^"\\])*"', "[a-z]+", '(?:r(".+")|x)')
        ),
        # A word beside a name, with the basic lexer, that ends by itself, or without blanks.
        ("ML013", WORDS),
        ("ML013", f'{BASIC}start: "let" NAME\nNAME: /[a-z]+/\n%ignore " "\n'),
        ("ML013", 'start: LET NAME\nLET: /let(?!\\w)/\nNAME: /[a-z]+/\n%ignore " "\n'),
        ("ML013", 'start: "let" NAME\nNAME: /[a-z]+/\n'),
        # Levels of precedence have one tree; a large rule is left out.
        ("ML014", f'{EARLEY}start: start "+" t | t\nt: t "*" N | N\nN: /[0-9]/\n'),
        ("ML014", EARLEY + LARGE),
    ],
)
def test_a_check_leaves_alone(lint, code, text):
    assert lint(text, code) == []


def test_the_text_of_a_silent_shift_begins_one_that_lark_parses(lint):
    (finding,) = lint(DANGLING, "ML006")
    build_lark(load_source(DANGLING)).parse(finding.witness + "x")


@pytest.mark.parametrize("blanks", [" ", r" \n", r" \t\n\r"])
def test_the_rewrite_of_the_remedy_is_not_reported(lint, blanks):
    (finding,) = lint(f'start: "a" "b"\n%ignore /[{blanks}]+/\n', "ML007")
    rewrite = finding.remedy.partition(": ")[2]
    assert lint(f'start: "a" "b"\n{rewrite}\n', "ML007") == []


@pytest.mark.parametrize(
    ("code", "text", "locations"),
    [
        ("ML009", 'start: "a" | x\nx: x "b"\n', [("rule", "start", 1), ("rule", "x", 2)]),
        (
            "ML010",
            'start: "a"\nother: "c"\nDIGIT: "0".."9"\n',
            [("rule", "other", 2), ("terminal", "DIGIT", 3)],
        ),
    ],
)
def test_each_of_several_is_found(lint, code, text, locations):
    found = [finding.location for finding in lint(text, code)]
    assert [(each.kind, each.name, each.line) for each in found] == locations


def test_repetitions_and_rules_that_become_themselves_are_searched(lint):
    (finding,) = lint(f'{EARLEY}start: ("a" | x)+\nx: "a"\n', "ML014")
    assert "__" not in finding.fact + finding.remedy
    assert lint(f'{EARLEY}start: start | x\nx: "a" | \n', "ML014")


@pytest.mark.parametrize(
    ("code", "text", "location"),
    [
        ("ML014", 'root ::= e\ne ::= "(" e ")" | e "+" e | [0-9]\n', ("e", 2)),
        ("ML007", 'root ::= "a" ws "b"\nws ::= [ \\t\\n]*\n', ("root", 1)),
        ("ML007", 'root ::= "a" " "* "b"\n', ("root", 1)),
        ("ML007", 'root ::= "a" ws "b"\nws ::= [ \\t]{0,3}\n', None),
        ("ML007", 'root ::= "a" ws "b"\nws ::= [ -~]*\n', None),
        ("ML007", 'root ::= "a" ws "b"\nws ::= [^x]*\n', None),
    ],
)
def test_gbnf_is_told_of_in_the_names_of_its_author(tmp_path, code, text, location):
    path = tmp_path / "e.gbnf"
    path.write_text(text)
    found = [f.location for f in lint_grammar(load_source(path)) if f.code == code]
    assert [(p.name, p.line) for p in found] == ([] if location is None else [location])


def test_a_forgotten_ignore_is_one_finding_before_what_follows_from_it():
    text = "start: NAME NAME {}\nNAME: /[a-z]+/\nWS: /[ ]+/\n"
    for more, follow in {'| "1"': ["ML005"], '"x"': ["ML004", "ML002"]}.items():
        codes = [finding.code for finding in lint_grammar(load_source(text.format(more)))]
        assert codes == ["ML011", *follow]


def test_findings_come_in_the_order_of_severities_and_codes():
    text = f'{TWO_TREES}c: "y"\n%import common.WS\n'
    codes = [finding.code for finding in lint_grammar(load_source(text))]
    assert all(one <= other for one, other in pairwise(codes))
    assert codes == ["ML010", "ML011", "ML014"]


def test_without_any_text_the_pair_that_cannot_be_lexed_is_the_one_cause():
    (finding,) = lint_grammar(load_source("start: NAME NAME\nNAME: /[a-z]+/\n"))
    assert (finding.code, finding.remedy) == ("ML004", "put something between them")
    said = "terminal NAME can never be lexed right after terminal NAME, as in b'aa'"
    assert finding.fact == f"no text at all can be parsed: {said}"


def test_a_forgotten_ignore_comes_before_what_follows_from_it():
    text = 'start: NAME NAME | "!"\nNAME: /[a-z]+/\n%import common.WS\n'
    assert [f.code for f in lint_grammar(load_source(text))] == ["ML011", "ML005"]
    dead = text.replace(' | "!"', "")
    assert [f.code for f in lint_grammar(load_source(dead))] == ["ML011", "ML004"]


def test_a_collision_is_told_once(lint):
    three = "start: A | B | C\nA: /[0a]/\nB: /[0b]/\nC: /[0c]/\n"
    told = [finding.fact.split(" match ")[0] for finding in lint(three, "ML001")]
    assert told == ["A and B", "A and C"]
    # What is never lexed collides with what is taken.
    never = "start: WORD | NAME\nWORD: /if|in/\nNAME: /[a-z]+/\n"
    assert [f.code for f in lint_grammar(load_source(never))] == ["ML002"]


def test_a_token_that_no_mask_holds_is_useless(lint):
    tokens = (b"a", b"b", b"ab", b"ba", b"\x01", None)
    vocabulary = Vocabulary(tokens=tokens, eos_ids=(5,), name="test")
    (finding,) = lint('start: "a" "b"\n', "ML008", vocabulary)
    assert finding.fact == "2 of 5 tokens are never legal"
    assert (finding.witness, finding.location.kind) == (r"'\x01' 'ba'", "vocabulary")
    used = Vocabulary(tokens=(b"a", b"b", None), eos_ids=(2,), name="test")
    assert lint('start: "a" "b"\n', "ML008", used) == []
