from maskc.runtime.lalr.layout import Layout, read_layout


def test_a_layout_is_read_from_the_header():
    header = {"newline": 1, "indent": 2, "dedent": 3, "opens": [], "closes": [], "tab_len": 8}
    assert read_layout({**header, "dedent_at_end": 5}) == Layout(1, 2, 3, 8, 1 << 5)
