"""The pieces of a kit: each once, and damaged ones refused."""

import pytest

from maskc.errors import ArtifactError
from maskc.kit.compiling import SchemaOrder
from maskc.kit.file import make_kit
from maskc.kit.making import Maker
from maskc.limits import Limits
from maskc.runtime.schema.plan.plan import FrozenPlan, Layout
from maskc.vocab.vocabulary import Vocabulary

ORDER = SchemaOrder({"const": 1}, {}, Layout(), True)


class Damaging:
    """A compiler whose plans are no plans."""

    def plan(self, _order, _limits):
        return FrozenPlan(b"\xc1")

    def wait(self, turn, is_over):
        turn.wait_for(is_over)


def make_maker(compiler=None):
    kit = make_kit(Vocabulary((b"a", b"1", None), (2,), "small"))
    return Maker(kit.tokens, 1 << 20, compiler, 1_000)


def test_a_piece_is_made_once():
    maker, made = make_maker(), []
    for _ in range(3):
        piece = maker.keep("kind", "key", lambda: made.append(1) or maker.words([b"a"]))
    assert made == [1]
    assert maker.keep("other", "key", lambda: "another") == "another"
    counts = maker.statistics()
    assert (counts["pieces_made"], counts["pieces_found"], counts["tokens"]) == (2, 2, 3)
    assert maker.link(maker.joints.leaf(piece)).matcher().legal_tokens().tolist() == [0]


def test_a_constraint_of_a_schema_is_its_machine():
    maker = make_maker()
    found = maker.constrain("schema", "1", lambda: maker.schema(ORDER, Limits()))
    assert found.matcher().legal_tokens().tolist() == [1]


def test_a_damaged_plan_is_refused():
    with pytest.raises(ArtifactError, match=r"is damaged: .*send the request again"):
        make_maker(Damaging()).plan(ORDER, Limits())
