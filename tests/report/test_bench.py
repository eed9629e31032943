from maskc.report.bench import list_floors, list_times

FIGURES = {"p50": 1.0, "mean": 2.0, "p90": 3.0, "p99": 4.0, "max": 5000.0}


def test_each_pass_has_a_row_for_each_operation():
    report = {"passes": {"cold": {"fill": FIGURES, "accept": FIGURES}, "warm": {"fill": FIGURES}}}
    assert [row[0] for row in list_times(report)] == ["cold: fill", "cold: accept", "warm: fill"]
    assert [cell.strip() for cell in list_times(report)[0][1:3]] == ["1.00", "2.00"]


def test_a_floor_is_called_by_what_it_does():
    (row,) = list_floors({"floors": {"hot": FIGURES}})
    assert row[0] == "copy one row"
