import pytest

from maskc.jsonschema.formats import build_format


@pytest.mark.parametrize(
    ("name", "text", "valid"),
    [
        ("date", "2024-02-29", True),
        ("date", "2023-02-29", False),
        ("date", "1900-02-29", False),
        ("time", "23:59:60Z", True),
        ("time", "22:59:60Z", False),
        ("time", "12:00:00", False),
        ("time", "01:29:60+01:30", True),
        ("time", "01:29:60+01:00", False),
        ("time", "15:59:60.25-08:00", True),
        ("time", "15:59:60+08:00", False),
        ("date-time", "2016-12-31T23:29:60+23:30", True),
        ("date-time", "2024-01-31t00:00:00.5+23:59", True),
        ("duration", "P1Y2M3DT4H5M6S", True),
        ("duration", "P1Y2D", False),
        ("email", '"a b"@example.com', True),
        ("email", "a..b@example.com", False),
        ("email", "a@[127.0.00.001]", True),
        ("email", "a@[127.0.0.0001]", False),
        ("email", "a@[256.0.0.1]", False),
        ("email", "a@[ipv6:1:2:3:4:5:6:127.0.0.01]", True),
        ("email", "a@[IPv6:1::2:3:4:5:6]", True),
        ("email", "a@[IPv6:1::2:3:4:5:6:7]", False),
        ("email", "a@[IPv6:1::2:3:4:1.2.3.4]", True),
        ("email", "a@[IPv6:1::2:3:4:5:1.2.3.4]", False),
        ("hostname", "a-b.example", True),
        ("hostname", "-a", False),
        ("ipv4", "255.0.0.1", True),
        ("ipv4", "256.0.0.1", False),
        ("ipv6", "::ffff:1.2.3.4", True),
        ("ipv6", "1::2::3", False),
        ("uri", "https://[::1]:80/a?b#c", True),
        ("uri", "/a", False),
        ("uri-reference", "/a", True),
        ("iri", "https://é.example/", True),
        ("uri-template", "/{a:3}{?b*}", True),
        ("uri-template", "a'b", True),  # as the JSON Schema Test Suite has it since 2026
        ("json-pointer", "/a~1b", True),
        ("json-pointer", "/a~2", False),
        ("relative-json-pointer", "1/a", True),
        ("relative-json-pointer", "01/a", False),
        ("uuid", "2EB8AA08-aa98-11ea-b4aa-73b441d16380", True),
    ],
)
def test_a_format_is_what_its_standard_says(name, text, valid):
    dfa = build_format(name)
    assert (dfa.labels[dfa.read(text)] >= 0) is valid


def test_a_leap_second_is_the_last_minute_of_a_day_in_utc():
    dfa = build_format("time")
    minutes = range(24 * 60)
    accepted = {
        (minute, offset)
        for minute in minutes
        for offset in range(0, 24 * 60, 30)
        if dfa.labels[dfa.read(f"{_clock(minute)}:60+{_clock(offset)}")] >= 0
        and dfa.labels[dfa.read(f"{_clock((2 * 1439 - minute) % 1440)}:60-{_clock(offset)}")] >= 0
    }
    assert accepted == {((1439 + offset) % 1440, offset) for offset in range(0, 24 * 60, 30)}


def _clock(minute):
    return f"{minute // 60:02}:{minute % 60:02}"


def test_a_leap_second_has_no_offset_of_other_minutes():
    dfa = build_format("time")
    assert dfa.read("00:14:60+00:1") == 0


def test_another_name_is_an_annotation():
    assert build_format("color") is None
