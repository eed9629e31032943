"""What maskc verify says where texts, patterns or characters are not as expected."""

import json
import os
import unicodedata
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import maskc
from maskc.artifact.container import encode
from maskc.artifact.model import Contents
from maskc.cli.main import run
from maskc.kit.artifacts import compile_structural_tag
from maskc.limits import Limits
from maskc.runtime.matcher import Matcher
from maskc.verify.grammar import GrammarSubject
from maskc.verify.model import Document, Unit, VerifyOptions
from maskc.verify.plan import run_unit
from maskc.verify.schema import SchemaSubject
from maskc.verify.tag import TagSubject
from maskc.vocab import load_encoder, load_vocabulary
from tests.compiled import compile_text

KINDS = ("positions", "segments", "mutations", "raw-positions")
ONLY_CORPUS = ("--texts=0", *(f"--{kind}=0" for kind in KINDS), "--jobs=1")
FEW = ("--texts=0", *(f"--{kind}=5" for kind in KINDS), "--jobs=1")


@pytest.fixture(scope="module")
def compiled():
    contents = maskc.compile_grammar("grammars/json.lark", tokenizer="bytes").contents
    return encode(contents.header, contents.arrays)


@pytest.fixture
def folder(compiled, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "a.maskc").write_bytes(compiled)
    (tmp_path / "texts").mkdir()
    return tmp_path


@pytest.fixture
def verify(folder, capsys):
    """Return a function from options to the exit status and what is printed."""

    def call(*options, corpus="texts"):
        assert folder.is_dir()
        status = run(["verify", "a.maskc", "--corpus", corpus, *options])
        return status, capsys.readouterr()

    return call


def write(folder, **texts):
    for name, text in texts.items():
        (folder / "texts" / f"{name}.json").write_text(text)


def test_three_hundred_files_that_are_no_json_are_no_proof(folder, verify):
    write(folder, **{f"n{i:03}": f"line {i}: no JSON at all\n" for i in range(300)})
    status, printed = verify(*FEW)
    assert status == 1
    assert "texts/n000.json:1:1: unexpected 'l'; expected FALSE, LBRACE, LSQB, NULL" in printed.out
    assert "… and 290 more, with --json" in printed.out
    assert "keeps its promise" not in printed.out
    assert "WRONG" not in printed.out
    last = " ".join(printed.out.split("\n\n")[-1].split())
    assert "corpus: Lark parses none of the files of the corpus" in last
    status, printed = verify(*ONLY_CORPUS, "--json", "--allow-refused")
    report = json.loads(printed.out)
    assert (status, report["ok"], report["wrong"]) == (1, False, False)
    assert len(report["experiments"][0]["refused"]) == 300


def test_one_refused_file_fails_the_run_unless_it_is_allowed(folder, verify):
    write(folder, good="[1, 2]", bad='{"a": 1,\n "b" 2}')
    status, printed = verify(*ONLY_CORPUS)
    assert status == 1
    assert "texts/bad.json:2:6: unexpected NUMBER '2'; expected COLON" in printed.out
    assert "NOT VERIFIED: corpus: 1 file is refused by Lark (give --corpus texts" in printed.out
    status, printed = verify(*ONLY_CORPUS, "--allow-refused")
    assert status == 0
    assert "texts/bad.json:2:6" in printed.out
    assert "The artifact keeps its promise." in printed.out


def test_the_report_for_a_program_has_all_that_was_expected(folder, verify):
    write(folder, good="[1, 2]", bad='{"a": 1,\n "b" 2}')
    report = json.loads(verify(*ONLY_CORPUS, "--json")[1].out)
    assert report["experiments"][0]["outcome"] == "texts were refused"
    assert report["experiments"][0]["refused"] == [
        {
            "file": "texts/bad.json",
            "line": 2,
            "column": 6,
            "reason": "unexpected NUMBER '2'",
            "expected": ["COLON"],
        }
    ]


def test_a_file_that_is_no_text_is_refused_too(folder, verify):
    write(folder, good="[1, 2]", empty="")
    (folder / "texts" / "latin.json").write_bytes(b'"a\n\xe9"')
    status, printed = verify(*ONLY_CORPUS)
    assert status == 1
    assert "texts/latin.json:2:1: byte 3 is not UTF-8" in printed.out
    assert "texts/empty.json:1:1: the text ends here; expected" in printed.out
    assert verify(*ONLY_CORPUS, "--allow-refused")[0] == 0
    os.unlink(folder / "texts" / "good.json")
    assert verify(*ONLY_CORPUS, "--allow-refused")[0] == 1


def test_the_report_is_the_same_by_several_processes(folder, verify):
    write(folder, good="[1, 2]", bad="[", worse="nope")
    (folder / "texts" / "latin.json").write_bytes(b"\xe9")
    alone = verify(*ONLY_CORPUS, "--json")
    assert verify(*ONLY_CORPUS, "--json", "--jobs", "2") == alone


def test_experiments_that_had_nothing_to_check_do_not_make_the_artifact_wrong(folder, verify):
    write(folder, bad="nope")
    status, printed = verify(*FEW, "--allow-refused")
    assert status == 1
    assert "WRONG" not in printed.out
    last = " ".join(printed.out.split("\n\n")[-1].split())
    for reason in (
        "corpus: Lark parses none of the files of the corpus",
        "oracle: there was no text that Lark parses to compare masks in",
        "mutation: there was no text that Lark parses to change",
    ):
        assert reason in last


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda folder: None, "texts: holds no file of at most 100,000 bytes; give --corpus"),  # noqa: ARG005
        (
            lambda folder: (folder / "a.json").symlink_to("/etc/passwd"),
            "texts: holds no file of at most 100,000 bytes (1 left out, links out of the folder); ",
        ),
        (
            lambda folder: os.mkfifo(folder / "a.json"),
            "texts: holds no file of at most 100,000 bytes (1 left out, no regular files); ",
        ),
        (
            lambda folder: os.truncate(
                os.open(folder / "a.json", os.O_CREAT | os.O_WRONLY), 1 << 40
            ),
            "texts: holds no file of at most 100,000 bytes (1 left out, too long); ",
        ),
    ],
    ids=["empty", "link", "pipe", "huge"],
)
def test_a_folder_without_a_file_to_read_is_refused(folder, verify, make, sentence):
    make(folder / "texts")
    status, printed = verify(*ONLY_CORPUS)
    assert (status, printed.out) == (2, "")
    assert printed.err.startswith(f"maskc: {sentence}")


def test_what_is_left_out_of_a_folder_is_counted(folder, verify):
    write(folder, good="[1]", long="[" + "1," * 60_000 + "1]")
    (folder / "texts" / "secret.json").symlink_to("/etc/passwd")
    os.mkfifo(folder / "texts" / "pipe.json")
    (folder / "texts" / "inside.json").symlink_to("good.json")
    (folder / "texts" / "circle").symlink_to(".")
    status, printed = verify(*ONLY_CORPUS, "--json")
    assert status == 0
    counts = json.loads(printed.out)["experiments"][0]["counts"]
    assert counts["files that Lark parses"] == 2
    assert counts["left out, links out of the folder"] == 1
    assert counts["left out, no regular files"] == 1
    assert counts["left out, too long"] == 1


@pytest.mark.parametrize("command", ["verify", "bench"])
def test_a_pipe_or_device_that_is_named_is_refused(folder, capsys, command):
    os.mkfifo(folder / "pipe")
    for name in ("pipe", "/dev/zero"):
        assert run([command, "a.maskc", "--corpus", name]) == 2
        assert capsys.readouterr().err == (
            f"maskc: {name}: is not a regular file; give --corpus a path that exists\n"
        )


HANGING = "start: A\nA: /(?:a?){40}a{40}/\n"
NONE = ("--positions=0", "--segments=0", "--mutations=0", "--raw-positions=0")


@pytest.fixture(scope="module")
def hanging(tmp_path_factory):
    path = tmp_path_factory.mktemp("hanging") / "a.maskc"
    maskc.compile_grammar(HANGING, tokenizer="bytes").save(path)
    return path


@pytest.fixture
def long_text(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("a" * 42)
    return path


def refuse(capfd, *arguments):
    assert run([*map(str, arguments), "--part-limit=0.5"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize("jobs", [1, 2])
def test_verify_names_the_text(capfd, hanging, long_text, jobs):
    corpus = ("--corpus", long_text, "--texts=0", *NONE, "--jobs", jobs)
    told = refuse(capfd, "verify", hanging, *corpus)
    assert told.startswith(
        f"maskc: {long_text}: experiment corpus: more than 0.5 seconds for one part"
    )
    assert "allow more with --part-limit SECONDS" in told


def test_generate_names_the_text(capfd, hanging):
    options = ("--max-tokens=39", "--count=10", "--part-limit=0.5")
    assert run([*map(str, ("generate", hanging, *options))]) == 2
    out, err = capfd.readouterr()
    # Those before it are whole.
    n_texts = out.count("\n")
    assert n_texts < 10
    assert all(40 <= len(line) <= 80 for line in out.splitlines())
    assert err.startswith(f"maskc: {hanging}: text {n_texts + 1}: more than 0.5 seconds for one")
    assert err.count("\n") == 1


@pytest.mark.costly
@pytest.mark.parametrize(
    "command",
    [("explain", "--text", "a" * 39), ("bench",), ("lint",)],
    ids=lambda command: command[0],
)
def test_commands_that_give_no_text_to_lark_are_not_held_up(capfd, hanging, tmp_path, command):
    (tmp_path / "a.lark").write_text(f"{HANGING}// B is a collision\nB: /a{{1,80}}/\n%ignore B\n")
    (tmp_path / "whole.txt").write_text("a" * 40)
    more = {"bench": ("--corpus", tmp_path / "whole.txt")}.get(command[0], ())
    subject = tmp_path / "a.lark" if command[0] == "lint" else hanging
    assert run([*map(str, (command[0], subject, *command[1:], *more))]) in (0, 1)
    assert capfd.readouterr().err.count("\n") <= 1


WORDS = 'start: (WORD " ")*\nWORD: /\\w+/\n'
HERE = unicodedata.unidata_version
DIFFER = f"Unicode 1.1.5, and this Python has those of Unicode {HERE}"
QUICK = ["--texts=2", "--max-tokens=12", "--positions=4", "--segments=1", "--mutations=2"]
QUICK += ["--raw-positions=0", "--jobs=1"]


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "a.txt").write_text("one two ")
    return tmp_path / "a.txt"


@pytest.fixture
def save(tmp_path):
    artifact = maskc.compile_grammar(WORDS, tokenizer="bytes")

    def call(version, grammar=None):
        header = {**artifact.header, "unicode": version}
        if version is None:
            del header["unicode"]
        if grammar is not None:
            header["grammar"] = {**header["grammar"], "text": grammar}
        path = str(tmp_path / "a.maskc")
        maskc.Artifact(Contents(header, artifact.contents.arrays)).save(path)
        return path

    return call


def test_an_artifact_says_which_characters_it_was_compiled_with():
    assert compile_text(WORDS).header["unicode"] == HERE
    general = compile_text(WORDS, parser="earley", lexer="dynamic_complete")
    assert general.header["unicode"] == HERE


@pytest.mark.parametrize(
    ("version", "grammar", "status", "said", "unsaid"),
    [
        (None, None, 0, "The artifact keeps its promise.", "Unicode"),
        (HERE, None, 0, "The artifact keeps its promise.", "Unicode"),
        ("1.1.5", None, 0, DIFFER, "WRONG"),
        # The judge's words are longer here, as if its tables had more characters.
        (
            *("1.1.5", WORDS.replace("\\w", "[\\w ]"), 1),
            *("The artifact and this Python do not agree. It was compiled with", "WRONG"),
        ),
    ],
)
def test_verify_says_where_the_versions_differ(
    save, corpus, capsys, version, grammar, status, said, unsaid
):
    path = save(version, grammar)
    assert run(["inspect", path]) == 0
    shown = capsys.readouterr().out
    assert ("Unicode" in shown) == (version is not None)
    assert run(["verify", path, "--corpus", str(corpus), *QUICK]) == status
    out = " ".join(capsys.readouterr().out.split())
    assert said in out
    assert unsaid not in out


def test_verify_tells_programs_of_both_versions(save, corpus, capsys):
    assert run(["verify", save("1.1.5"), "--corpus", str(corpus), *QUICK, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["unicode"] == {"artifact": "1.1.5", "python": HERE}


# Planted errors. Each kind of artifact: as Lark, a JSON Schema or a tag has it, with a text of both
# languages, one that only the first has, and one that only the second has.
LANGUAGES = {
    "grammar": ('start: "[" ("a" | "b")+ "]"\n', 'start: "[" ("a" | "c")+ "]"\n', "[aa]"),
    "general": ('start: "[" ("a" | "b")+ "]"\n', 'start: "[" ("a" | "c")+ "]"\n', "[aa]"),
    "schema": ({"enum": ["[aa]", "[ab]"]}, {"enum": ["[aa]", "[ac]"]}, '"[aa]"'),
    "tag": ("(a|b)+", "(a|c)+", "<t>aa</t>"),
}
EXPERIMENTS = ("corpus", "generation", "oracle", "segmentation", "mutation")


def tag_of(pattern):
    content = {"type": "regex", "pattern": pattern}
    tag = {"type": "tag", "begin": "<t>", "content": content, "end": "</t>"}
    return {"type": "structural_tag", "format": tag}


def plant(kind, compiled, judged):
    """Return an artifact of one language that is held against the judge of another."""
    options = VerifyOptions(max_tokens=20)
    if kind in ("grammar", "general"):
        subject = GrammarSubject("", options, Path())
        made = compile_text(compiled, **({"parser": "earley"} if kind == "general" else {}))
        other = {**made.header["grammar"], "text": judged}
        subject.artifact = maskc.Artifact(
            replace(made.contents, header={**made.header, "grammar": other})
        )
    elif kind == "schema":
        subject = SchemaSubject("", options, Path())
        subject.artifact = maskc.compile_json_schema(compiled, tokenizer="bytes")
        subject.artifact.header["grammar"]["text"] = json.dumps(judged)
    else:
        subject = TagSubject("", options, Path())
        vocabulary = load_vocabulary("bytes")
        made = compile_structural_tag(tag_of(compiled), vocabulary, limits=Limits())
        source = np.frombuffer(json.dumps(tag_of(judged)).encode(), dtype=np.uint8)
        arrays = {**made.arrays, "link_source": source}
        subject.artifact = maskc.Artifact(Contents(made.header, arrays))
    subject.encoder = load_encoder("bytes")
    return subject


def find(subject, experiment, text, amount=30):
    unit = Unit(experiment, 0, "seed", amount, Document("a.txt", text))
    return {failure["what"] for failure in run_unit(subject, unit).failures}


def experiments_of(kind):
    return [e for e in EXPERIMENTS if not (kind == "tag" and e == "oracle")]


CASES = [(kind, experiment) for kind in LANGUAGES for experiment in experiments_of(kind)]


@pytest.mark.parametrize(("kind", "experiment"), CASES)
def test_where_nothing_is_planted_nothing_is_found(kind, experiment):
    compiled, _, text = LANGUAGES[kind]
    assert find(plant(kind, compiled, compiled), experiment, text) == set()


@pytest.mark.parametrize("kind", ["grammar", "general", "schema"])
def test_masks_are_compared_up_to_the_token_that_both_sides_refuse(kind):
    compiled, _, text = LANGUAGES[kind]
    assert find(plant(kind, compiled, compiled), "oracle", text.replace("aa", "ac")) == set()


# How the witness says it; {judge}: Lark, or the judge.
TOO_MANY = {
    "corpus": "a text that {judge} refuses is accepted",
    "generation": (
        "Lark and the artifact do not agree on",
        "a text that the masks allow is refused",
    ),
    "oracle": ("mask and oracle differ", "the judge refuses a text that begins so, and ends with"),
    "mutation": "a text that {judge} refuses is accepted",
}
TOO_FEW = {
    "corpus": "a token is illegal in a text that {judge} {takes}",
    "oracle": ("mask and oracle differ", "the judge takes a text that begins so, and ends with"),
    "segmentation": "a byte is refused in a legal text",
    "mutation": "a text that {judge} {takes} is refused",
}


def is_said(said, kind, told):
    is_grammar = kind in ("grammar", "general")
    said = said if isinstance(said, str) else said[not is_grammar]
    judge, takes = ("Lark", "parses") if is_grammar else ("the judge", "takes")
    return any(what.startswith(said.format(judge=judge, takes=takes)) for what in told)


@pytest.mark.parametrize(("kind", "experiment"), [case for case in CASES if case[1] in TOO_MANY])
def test_a_text_too_many_is_found(kind, experiment):
    compiled, judged, text = LANGUAGES[kind]
    if experiment != "generation":
        text = text.replace("aa", "ab")
    assert is_said(
        TOO_MANY[experiment], kind, find(plant(kind, compiled, judged), experiment, text)
    )


@pytest.mark.parametrize(("kind", "experiment"), [case for case in CASES if case[1] in TOO_FEW])
def test_a_text_too_few_is_found(kind, experiment):
    compiled, judged, text = LANGUAGES[kind]
    # A letter between that only the judge takes comes of a mutation, or of a rest.
    texts = [text.replace("aa", changed) for changed in ("ac", "ca", "caa", "aac")]
    subject = plant(kind, compiled, judged)
    told = set().union(*(find(subject, experiment, changed) for changed in texts))
    assert is_said(TOO_FEW[experiment], kind, told)


def test_an_end_that_is_not_one_is_found():
    subject = plant("schema", {"type": "integer"}, {"minimum": 10})
    assert "mask and judge differ" in find(subject, "oracle", "12")


@pytest.mark.parametrize(("judged", "says"), [(0, set()), (1, {"streamlining changed a mask"})])
def test_a_mask_that_is_not_that_of_the_rows_before_optimisation_is_found(tmp_path, judged, says):
    subject = plant("grammar", LANGUAGES["grammar"][0], LANGUAGES["grammar"][judged])
    subject.folder = tmp_path
    run_unit(subject, Unit("optimisation", 0, "", 0))
    assert find(subject, "optimisation", "[aa]", amount=5) == says


DISAGREE = "the mask and the matcher do not agree on a token"
LOST = {
    "corpus": DISAGREE,
    "generation": DISAGREE,
    "oracle": ("mask and oracle differ", "the judge takes a text that begins so, and ends with"),
    "segmentation": "the mask forbids a token in a legal text",
    "mutation": "a token is illegal in the mask and taken",
}
# The other experiments look at tokens of legal texts only.
ADDED = {
    "oracle": ("mask and oracle differ", "a token is legal in the mask and refused"),
    "mutation": "a token is legal in the mask and refused",
}
# Of a grammar, masks are not looked at along the files of a corpus, which would take too long.
LONG = [("grammar", "corpus"), ("general", "corpus")]
WRONG = [(*case, said) for said in (LOST, ADDED) for case in CASES if case[1] in said]


@pytest.mark.parametrize(
    ("kind", "experiment", "said"),
    [case for case in WRONG if case[:2] not in LONG],
    ids=lambda value: value if isinstance(value, str) else "lost" if value is LOST else "added",
)
def test_a_mask_that_is_wrong_at_a_token_is_found(kind, experiment, said):
    """A token of the text is lost; or one that is in no text is there."""
    compiled, _, text = LANGUAGES[kind]
    subject, bit = plant(kind, compiled, compiled), said is ADDED
    legal, token = subject.legal, ord("z" if bit else "a")

    def sabotaged(matcher):
        mask = legal(matcher)
        mask[token] = bit
        return mask

    subject.legal = sabotaged
    # Of a changed text only the tokens that are there are looked at: it must have one.
    text = text.replace("aa", "az") if bit and experiment == "mutation" else text
    assert is_said(said[experiment], kind, find(subject, experiment, text))


@pytest.mark.parametrize("kind", LANGUAGES)
@pytest.mark.parametrize(
    ("takes", "what"),
    [(b"?", "a token is legal and refused"), (None, "a token leads elsewhere than its bytes")],
)
def test_a_token_that_leads_elsewhere_than_its_bytes_is_found(kind, takes, what, monkeypatch):
    compiled, _, text = LANGUAGES[kind]
    subject = plant(kind, compiled, compiled)
    first, takes = ord(text[0]), takes or text[:2].encode()
    accept = Matcher.accept_token
    monkeypatch.setattr(
        Matcher,
        "accept_token",
        lambda self, token: self.accept_bytes(takes) if token == first else accept(self, token),
    )
    assert f"{what} in a legal text" in find(subject, "segmentation", text)
