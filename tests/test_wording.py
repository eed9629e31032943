"""Errors use the words of the grammar's author; names in the code are standard terms."""

import ast
import pickle
import re
from collections import defaultdict
from pathlib import Path

import pytest

import maskc
from maskc.bounded import run_bounded
from maskc.budget import name_grammar
from maskc.errors import GrammarError, LimitError, UnsupportedTerminalError
from maskc.wording import LARK_WORDING, Phrase, Wording
from tests.surface import TELLING, list_errors, list_literals

PATTERN = Wording({Phrase.SIMPLER_TERMINALS: "count less"}, whole="the pattern")


def raised(error, wording):
    def work():
        name_grammar("g", "A: /a/\n", wording)
        raise error

    with pytest.raises(type(error)) as caught:
        run_bounded(work)
    return caught.value


def test_a_phrase_is_said_in_the_words_of_the_notation():
    error = raised(LimitError("states", 3, Phrase.SIMPLER_TERMINALS, "here"), PATTERN)
    assert str(error) == "here: more than 3 states; count less"


def test_a_phrase_is_as_it_is_for_lark():
    error = LimitError("states", 3, Phrase.SIMPLER_TERMINALS, "here")
    assert raised(error, LARK_WORDING) is error
    assert str(error) == "here: more than 3 states; simplify the terminals"


def test_a_text_that_is_no_phrase_stays():
    error = GrammarError("g", "it is wrong")
    assert raised(error, PATTERN) is error


def test_a_terminal_is_called_what_the_notation_calls_it():
    error = raised(UnsupportedTerminalError("T", "x is not regular", "leave it out"), PATTERN)
    assert str(error) == "g: the pattern: x is not regular; leave it out"


def test_an_error_in_other_words_survives_pickling():
    error = raised(UnsupportedTerminalError("T", "x is not regular", "leave it out"), PATTERN)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_lark_quotes_a_terminal_with_its_line():
    assert LARK_WORDING.quote("terminal", "A", "\nA: /a/\n") == "terminal A (line 2)"
    assert LARK_WORDING.quote("terminal", "B", "\nA: /a/\n") == "terminal B"
    assert LARK_WORDING.quote("rule", "a", "?a: B\n") == "rule a (line 1)"


def test_a_notation_without_terminals_quotes_the_rule():
    wording = Wording(terminal="rule", definition=r"^NAME ::=")
    assert wording.quote("terminal", "a-b", "x ::= y\na-b ::= x") == "rule a-b (line 2)"


MASKC = Path(maskc.__file__).parent
# Interfaces of two engines, by the names that their users expect.
MAY_REPEAT = ("GrammarProcessor", "MaskcGrammar")
# Words that were given up for a standard term: as names of classes, functions and modules.
GIVEN_UP_CLASSES = (
    "Place|Spot|Wishes|Streamlined|MaskStore|Decider|TableDecider|Lexed|Boundaries|Staying|Sights?|"
    "Nursery|Lane|Ticket|Pieces|HostedRule|Prices|Landings|Prospects|Gone|Outlook|Openings|Joints|"
    "Asks?|Spelled|Leaf|Leaves|Means|Trial|Questions?|Doubtful|Closers|Residue|Forgetting|Owed"
)
GIVEN_UP = (
    "wish|wishes|prices|landings?|prospects|outlook|barred|gone|doubtful|unsure|endless|scarce|"
    "joints|unlisted|nursery|spots?|leaf|pushing|settling|survey|vast|streamlined?|"
    "spelled|openings|freshen|roomy|alike|residue|trials?|owed"
)
# The same for parameters, variables and attributes.
GIVEN_UP_NAMES = (
    "places?|owed|wish|wishes|prices?|landings?|prospects?|barred|endless|spots?|nursery|survey|"
    "vast|joints|streamlined?|alike|doubtful|fresh|gone|roomy|scarce|unsure|"
    "closers|residue|unlisted|asks|questions|trials?|openings|forgetting|means|spelled|ways?"
)
# Arrays of a kit's file, by the names that they have there.
ARRAYS_OF_KITS = ("places", "quote_places")


@pytest.fixture(scope="module")
def definitions():
    """Return the names of classes, functions and modules, each with where it is defined."""
    found = {"class": defaultdict(list), "function": defaultdict(list), "module": {}}
    for path in sorted(MASKC.rglob("*.py")):
        where = path.relative_to(MASKC).as_posix()
        found["module"][path.stem] = where
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found["class"][node.name].append(where)
            elif isinstance(node, ast.FunctionDef):
                found["function"][node.name].append(where)
    return found


def test_no_docstring_begins_with_a_question():
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    asking = [
        f"{path.relative_to(MASKC)}: {told}"
        for path in sorted(MASKC.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, documented)
        and (told := (ast.get_docstring(node) or "").partition("\n\n")[0]).endswith("?")
    ]
    assert asking == []


def test_no_two_public_classes_have_one_name(definitions):
    twice = {name: where for name, where in definitions["class"].items() if len(where) > 1}
    assert {name: where for name, where in twice.items() if name not in MAY_REPEAT} == {}


def test_a_word_that_was_given_up_names_no_class(definitions):
    assert [name for name in definitions["class"] if re.fullmatch(GIVEN_UP_CLASSES, name)] == []


@pytest.mark.parametrize("kind", ["function", "module"])
def test_a_word_that_was_given_up_is_in_no_name(definitions, kind):
    given_up = re.compile(rf"(?:^|_)(?:{GIVEN_UP})(?:_|$)")
    assert {n: where for n, where in definitions[kind].items() if given_up.search(n)} == {}


@pytest.fixture(scope="module")
def bound_names():
    """Return the names of parameters, variables and attributes, each with its files."""
    found = defaultdict(set)
    for path in sorted(MASKC.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.arg):
                name = node.arg
            elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                name = node.id if isinstance(node, ast.Name) else node.attr
            else:
                continue
            found[name].add(path.relative_to(MASKC).as_posix())
    return found


def test_a_word_that_was_given_up_is_in_no_variable(bound_names):
    word = re.compile(rf"(?:^|_)(?:{GIVEN_UP_NAMES})(?:_|$)", re.IGNORECASE)
    assert {
        name: paths
        for name, paths in bound_names.items()
        if word.search(name) and name not in ARRAYS_OF_KITS
    } == {}


@pytest.fixture(scope="module")
def surface():
    """Return what maskc says to people, without the help of its commands, line by line."""
    lines = []
    for path in sorted(MASKC.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        lines += list_errors(tree)
        if path.relative_to(MASKC).parts[0] in TELLING:
            lines += list_literals(tree)
    return lines


@pytest.mark.parametrize(
    "phrase",
    [
        "every reading dies",
        "those that there are",
        "there is no such (artifact|part|special)",
        "is itself in",
        "goes with a .* only",
        "as often as it comes",
        "is none of (its|those)",
        r", and this is \{",
        "(it|that|this) is no (JSON|list|text|table|tag|object)",
    ],
)
def test_a_sentence_is_plain_english(surface, phrase):
    assert [line for line in surface if re.search(phrase, line)] == []
