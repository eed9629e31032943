import pytest

from maskc.runtime.lalr.pending_reductions import Evaluation
from tests.compiled import compile_text, legal_tokens

DEPTH = 1200  # deeper than Python may call
NESTED = 'start: "(" start ")" | "x"\n'


@pytest.fixture(scope="module")
def artifact():
    return compile_text(NESTED, (b"(", b")", b"x", b")" * DEPTH, b"(" * DEPTH + b"x"))


def test_a_token_of_thousands_of_terminals_is_asked_about_to_its_end(artifact):
    assert legal_tokens(artifact, "(" * DEPTH + "x") == {b")", b")" * DEPTH}


def test_one_bracket_too_many_is_found_at_the_bottom(artifact):
    assert legal_tokens(artifact, "(" * (DEPTH - 1) + "x") == {b")"}


def test_a_general_grammars_token_is_asked_about_to_its_end():
    tokens = (b"(", b")", b"x", b")" * DEPTH)
    artifact = compile_text(NESTED, tokens, parser="earley")
    assert legal_tokens(artifact, "(" * DEPTH + "x") == {b")", b")" * DEPTH}
    assert legal_tokens(artifact, "(" * (DEPTH - 1) + "x") == {b")"}


def read_down(artifact, text):
    """Return a mask's pending reductions with the top of the stack read, then state by state."""
    machine = artifact.machine
    (h,) = machine.step(machine.start(), text)
    debts, stack = machine._masks._debts, h.stack
    evaluation = Evaluation()
    found = [debts.open(evaluation, h.state, stack.state)]
    while found[-1][0] and stack.below is not None:
        stack = stack.below
        found.append(debts.read(evaluation, found[-1], stack.state))
    return found


def test_a_chain_leaves_the_same_debts_however_long_it_is():
    """Each ``y`` is reduced with what follows it: the closing bracket leaves a debt."""
    text = 'start: value\nvalue: "(" value ")" | "[" value "]" | "x" | "y" value\n'
    artifact = compile_text(text, (b"(", b"[", b"x", b"y", b")", b"]", b"))", b"])"))
    *chain, after = read_down(artifact, b"(yyyx")
    assert len(chain) == 3
    assert len(set(chain)) == 1
    assert len(chain[0][0]) == 1
    assert after == ((), chain[0][1], ())
    assert set(read_down(artifact, b"((yyx")[-1][1]) > set(after[1])


def test_blocks_that_nobody_gave_are_waited_for(blocks_artifact):
    machine = blocks_artifact.machine
    (h,) = machine.step(machine.start(), b"b:\n  x\n")
    debts, evaluation = machine._masks._debts, Evaluation()
    pending = debts.open(evaluation, h.state, h.stack.state)
    assert pending[2]
    assert not debts.look_at_blocks(evaluation, pending, h.indents, h.column)[2]


def test_what_waits_for_the_blocks_is_the_same_after_all_statements():
    """The statement is reduced before anybody asks for the blocks."""
    text = (
        "start: line+\nline: value _NL\nvalue: call | sum\ncall: NAME LP RP\nsum: NAME PLUS NAME\n"
        'NAME: /[a-z]/\nLP: "("\nRP: ")"\nPLUS: "+"\n_NL: /\\n */\n%declare _INDENT _DEDENT\n'
    )
    tokens = (b"x", b"(", b")", b"+", b"\n", b"\n  ")
    artifact = compile_text(text, tokens, postlex="tests.indenters:TwoColumns")
    waiting = [{*read_down(artifact, text)[-1][2]} for text in (b"x()", b"x+x", b"x()\nx+x")]
    assert waiting[0] == waiting[1] != set()
