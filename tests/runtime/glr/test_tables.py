from maskc.runtime.glr.tables import Lr0Tables
from tests.compiled import compile_text


def test_all_actions_are_kept():
    artifact = compile_text('start: start start | "a"\n', (b"a",), parser="earley")
    tables = Lr0Tables(artifact.contents.arrays)
    n_states = len(tables.taken)
    both = [s for s in range(n_states) if tables.shifts(s) and tables.reduces(s)]
    assert both
    assert all(length >= 1 for s in range(n_states) for _, length in tables.reduces(s))
    assert all(n < tables.n_nonterminals for s in range(n_states) for n in tables.gotos(s))
    assert {(n, t) for s in range(n_states) for n, t in tables.gotos(s).items()} == set(
        tables.list_gotos()
    )
