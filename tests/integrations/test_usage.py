import logging
import os

import pytest

import maskc
from maskc.errors import ArtifactError, WrongTypeError
from maskc.integrations.registry import ArtifactRegistry
from maskc.integrations.usage import HELD, PrometheusCollector, Usage
from maskc.vocab import load_vocabulary


@pytest.fixture
def registry(tmp_path):
    for name, text in (("one", '"a" "b"'), ("two", '"c"')):
        maskc.compile_grammar(f"start: {text}\n", tokenizer="bytes").save(
            tmp_path / f"{name}.maskc"
        )
    return ArtifactRegistry(load_vocabulary("bytes"), tmp_path)


def replace(folder, name, text):
    maskc.compile_grammar(f"start: {text}\n", tokenizer="bytes").save(folder / f"{name}.maskc")
    stamp = os.stat(folder / f"{name}.maskc").st_mtime_ns + 1_000_000
    os.utime(folder / f"{name}.maskc", ns=(stamp, stamp))


def test_counts_are_kept_by_artifact_and_of_unknown_names_together():
    usage = Usage()
    usage.know("json")
    usage.add("json", tokens=3, seconds=0.5)
    usage.add("json", tokens=4)
    usage.add("invented", refusals=1)
    usage.add("another", refusals=1)
    counts = usage.counts()
    assert set(counts) == {"", "json"}
    assert (counts["json"]["tokens"], counts["json"]["seconds"]) == (7, 0.5)
    assert counts[""]["refusals"] == 2


@pytest.mark.parametrize(
    ("amounts", "fact"),
    [
        ({"tokens": 1, "tokns": 1}, "there is no count 'tokns'; give loads, "),
        ({"tokens": 1, "masks": "a"}, "the amount of masks must be a number, not str"),
    ],
)
def test_what_cannot_be_counted_is_named_and_adds_nothing(amounts, fact):
    usage = Usage()
    with pytest.raises(WrongTypeError, match=fact):
        usage.add("", **amounts)
    assert usage.counts()[""]["tokens"] == 0


def test_a_registry_counts_requests_loads_reloads_and_refusals(registry, tmp_path):
    registry.load("one")
    registry.load("one")
    replace(tmp_path, "one", '"x"')
    registry.load("one")
    (tmp_path / "one.maskc").write_bytes(b"?")
    for name in ("one", "gone"):
        with pytest.raises(ArtifactError):
            registry.load(name)
    counts = registry.usage.counts()
    asked = ("requests", "loads", "reloads", "refusals", "failures")
    assert [counts["one"][name] for name in asked] == [3, 2, 1, 0, 1]
    assert counts[""]["refusals"] == 1


def test_all_artifacts_can_be_loaded_before_the_first_request(registry, tmp_path, caplog):
    (tmp_path / "broken.maskc").write_bytes(b"?")
    with caplog.at_level(logging.INFO, logger="maskc"):
        refused = registry.preload()
    assert [*refused] == ["broken"]
    assert sorted(registry.served()) == ["one", "two"]
    said = [record.getMessage().partition(":")[0] for record in caplog.records]
    assert said == ["artifact broken", "artifact one", "artifact two"]
    assert registry.usage.counts()["one"]["requests"] == 0


def test_what_an_artifact_holds_grows_with_its_masks(registry):
    artifact = registry.load("one")
    n_composed, n_bytes = (read(artifact) for _, read in HELD.values())
    matcher, bitmask = artifact.matcher(), maskc.allocate_bitmask(1, 257)
    matcher.fill_bitmask(bitmask, 0)
    matcher.accept_token(ord("a"))
    matcher.fill_bitmask(bitmask, 0)
    now_composed, now_bytes = (read(artifact) for _, read in HELD.values())
    assert now_composed == n_composed + 2
    assert now_bytes > n_bytes


def test_prometheus_reads_it_all_when_it_asks(registry):
    prometheus_client = pytest.importorskip("prometheus_client")
    registry.load("one")
    registry.usage.add("one", tokens=5)
    own = prometheus_client.CollectorRegistry()
    own.register(PrometheusCollector(registry.usage, registry.served))
    assert own.get_sample_value("maskc_tokens_total", {"artifact": "one"}) == 5
    assert own.get_sample_value("maskc_requests_total", {"artifact": "one"}) == 1
    assert own.get_sample_value("maskc_masks_composed", {"artifact": "one"}) == 1
    assert own.get_sample_value("maskc_remembered_bytes", {"artifact": "one"}) > 0


def test_a_cache_that_is_full_is_said_once(caplog):
    artifact = maskc.compile_grammar('start: "a" "b" "c"\n', tokenizer="bytes")
    small = maskc.Artifact(artifact.contents, cache_bytes=2 * 36 * 2)
    matcher, bitmask = small.matcher(), maskc.allocate_bitmask(1, 257)
    with caplog.at_level(logging.INFO, logger="maskc"):
        for token in b"abc":
            matcher.fill_bitmask(bitmask, 0)
            matcher.accept_token(token)
    (record,) = caplog.records
    assert record.getMessage() == (
        "2 masks have a number, and there is no room for more in this artifact's cache_bytes: "
        "others are composed again when they are needed"
    )
