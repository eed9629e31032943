import pytest

from maskc.errors import GrammarError
from maskc.frontends.bundled import find_grammar, list_grammars
from maskc.frontends.lark.shapes import MAX_PARTS, Shape, read_shapes
from maskc.frontends.source import load_source


def write(shape):
    """Return a shape as text, to be compared."""
    inner = [write(part) for part in shape.parts]
    match shape.kind:
        case "row":
            return f"({' '.join(inner)})"
        case "either":
            return f"({' | '.join(inner)})"
        case "repeat":
            return f"{inner[0]}{shape.text.replace(' ', '-')}{shape.low}{'+' * shape.is_many}"
    return shape.text


@pytest.mark.parametrize(
    ("side", "written"),
    [
        ('"a" B', '("a" B)'),
        ('"a" | x', '("a" | x)'),
        ('("a" | x)* B', '(("a" | x)*0+ B)'),
        ('["a"] x+', '("a"?0 x+1+)'),
        ('"a"?', '"a"?0'),
        ('"a"~3', '"a"3-times1+'),
        ('"a"~0..1', '"a"0-to-1-times0'),
        ('"a"~2..5', '"a"2-to-5-times1+'),
        ("two{x, B} -> name", "two{x, B}"),
        ("/a+b/i", "/a+b/i"),
        ('"a" |', '("a" | ())'),
    ],
)
def test_a_rule_is_read_as_it_is_written(side, written):
    text = f'start: {side}\nx: "x"\nB: "a".."c"\ntwo{{a, b}}: a b\n'
    shapes = {rule.name: rule.shape for rule in read_shapes(load_source(text))}
    assert write(shapes["start"]) == written
    assert list(shapes) == ["start", "x", "two{a, b}"]


def test_every_grammar_that_comes_with_maskc_has_shapes():
    for name in list_grammars():
        rules = read_shapes(load_source(find_grammar(name)))
        assert len(rules) > 3 or name == "csv"


def test_what_is_large_or_deep_ends_in_dots():
    wide = read_shapes(load_source("start: " + " ".join(['"a"'] * (2 * MAX_PARTS)) + "\n"))[0].shape
    assert len(wide.parts) == MAX_PARTS
    assert wide.parts[-1] == Shape("more", "…")
    deep = read_shapes(load_source(f'start: {"(" * 60}"a" "b"{")?" * 60}\n'))[0].shape
    depth = 0
    while deep.parts:
        deep, depth = deep.parts[0], depth + 1
    assert (deep.kind, depth < 60) == ("more", True)


def test_what_lark_refuses_is_refused():
    with pytest.raises(GrammarError, match="Lark refuses it"):
        read_shapes(load_source("start: (\n"))
