"""What a hypothesis allows, and what of it was read for that."""

from maskc.runtime.lalr.read_set import ReadSet
from tests.compiled import compile_text


def test_a_mask_reads_the_stack_as_deep_as_its_tokens_go():
    artifact = compile_text('start: "(" start ")" | "x"\n', (b"(", b"x", b")", b"))", b")))"))
    machine = artifact.machine
    (h,) = machine.step(machine.start(), b"((((((x")
    reads = ReadSet(h.stack.depth)
    mask = machine._masks.compose(h, reads)
    assert mask.words[0] == 0b011100
    assert 1 <= h.stack.depth - reads.lowest <= 4
    assert not reads.layout
