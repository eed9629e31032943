import random

from maskc.byte_classes import DONE, byte_classes


def test_bytes_are_one_class_iff_no_node_tells_them_apart():
    draw = random.Random(0)
    for _ in range(50):
        nodes = []
        for _ in range(draw.randint(0, 4)):
            cuts = sorted(draw.sample(range(256), 2 * draw.randint(0, 3)))
            pairs = zip(cuts[::2], cuts[1::2], strict=True)
            nodes.append([(low, high, draw.choice([DONE, 0, 1])) for low, high in pairs])
        found = byte_classes(nodes)
        assert found.shape == (256,)
        assert found.dtype == "uint8"
        # What each node does with each byte, one by one.
        ways = [
            tuple(next((t for a, b, t in edges if a <= byte <= b), None) for edges in nodes)
            for byte in range(256)
        ]
        assert len(set(ways)) == len(set(zip(ways, found.tolist(), strict=True)))
        assert len(set(ways)) == len(set(found.tolist())) == int(found.max()) + 1
