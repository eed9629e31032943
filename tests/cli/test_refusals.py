"""Each command says in one sentence what is wrong, with status 2, and writes nothing."""

import os
import shlex

import pytest

from maskc.compiler import pipeline

CONFLICT = (
    "// maskc: postlex=rules rule=drop:C:after:A\nstart: x A C\n"
    'x: B A | B\nA: "a"\nB: "b"\nC: "c"\n'
)
DEEP = '{"items": ' * 10_000 + "{}" + "}" * 10_000


@pytest.fixture
def refuse(refusal, project):
    """Return a function that runs a command line where there are files of every kind."""

    def call(line, **files):
        for name, contents in files.items():
            data = contents if isinstance(contents, bytes) else contents.encode()
            (project / name).write_bytes(data)
        return refusal(*shlex.split(line))

    return call


@pytest.mark.parametrize(
    ("line", "said"),
    [
        # Of all commands.
        ("copmile", "No such command 'copmile'. Did you mean compile? See `maskc --help`."),
        ("xyzzy", "No such command 'xyzzy'. See `maskc --help`."),
        ("compile a.lark", "Missing option '--tokenizer' / '-t'. See `maskc compile --help`."),
        ("inspect --verbose", "See `maskc inspect --help`."),  # the rest is click's
        ("compile a -t bytes --vocab-size 0", "Invalid value for '--vocab-size': 0 is not in"),
        ("compile a -t bytes --lexer dinamic", "'--lexer': 'dinamic' is not one of"),
        ("inspect a.maskc", "a.maskc: cannot be read (No such file or directory); give the path"),
        ("generate a.maskc", "a.maskc: cannot be read (No such file or directory)"),
        ("explain a.maskc --text ''", "a.maskc: cannot be read (No such file or directory)"),
        ("inspect empty", "empty: is a folder; give the path of an artifact"),
        ("inspect empty.txt", "empty.txt: is not a maskc artifact"),
        ("generate empty.txt", "empty.txt: is not a maskc artifact"),
        ("play empty.txt", "empty.txt: is not a maskc artifact"),
        # Questions about a grammar.
        ("analyze operators.lark never NUBMER PLUS", "no terminal 'NUBMER'; the nearest names are"),
        ("analyze operators.lark follow trem", "no symbol 'trem'; the nearest names are term, sta"),
        ("analyze operators.lark never plus NUMBER", "the nearest names are PLUS, MINUS"),
        (
            "analyze nested.lark follow zzzzzz",
            "no name is near; `maskc dump GRAMMAR --stage grammar`",
        ),
        *(
            (f"analyze nested.lark {question}", "See `maskc analyze --help`.")
            for question in (
                *("never", "always", "joint A B", "joint A B A B", "follow", "follow A B"),
                *("classes A", "pda A", "pda --dot --json", "classes --dot", "sometimes A"),
            )
        ),
        ("analyze no.lark classes", "no.lark: cannot be read"),
        ("analyze nested.lark --export g.txt", ".cfg or .json"),
        ("analyze a.schema.json", "needs a grammar with terminals"),
        ("analyze", "Give one of GRAMMAR and --regex"),
        ("analyze --regex '('", "re refuses the pattern"),
        ("dump list.lark --stage rows:raw", "needs --tokenizer"),
        ("dump list.lark --stage items --tokenizer bytes", "leave it out"),
        ("dump list.lark --stage x", "grammar, dft, debts, scanner, boundaries"),
        ("lint missing.lark", "missing.lark"),
        ("lint good.schema.json --start x", "has no start"),
        ("lint bad.schema.json", "bad.schema.json: schema at #: type "),
        ("lint list.lark --sarif - --json", "--sarif"),
        ("lint --regex '('", "re refuses the pattern"),
        ("lint json --regex a", "Give one of GRAMMAR, --regex"),
        ("grammars --show ../json", "no grammar '../json'; available: c, csv"),
        ("families --show gpt", "'gpt' is not a family; use one of apertus,"),
        # Texts and artifacts.
        ("bench list.maskc --corpus other.txt", "give --corpus texts of this grammar"),
        ("bench list.maskc --corpus nowhere", "nowhere"),
        ("check list.maskc nowhere", "nowhere: "),
        ("diff list.maskc wide.maskc", "compile both for one tokenizer"),
        ("explain list.maskc --text '' --token 999", "there is no token 999"),
        ("explain list.maskc", "--text"),
        ("generate null.maskc --unreached", "--unreached is for grammars only"),
        ("generate list.maskc --start x", "start symbol 'x'; use one of list"),
        (
            "inspect list.maskc --tokenizer tokenizer.json",
            "list.maskc: compiled for tokenizer bytes (",
        ),
        ("inspect list.maskc --tokenizer x", "tokenizer x: "),
        ("inspect list.maskc --html no/r.html", "/no/r.html: cannot be written (there is no fold"),
        ("inspect list.maskc --html empty", "it is a folder"),
        ("inspect list.maskc --html list.maskc", "is the artifact itself"),
        ("inspect list.maskc --html r.html --json", "--html or --json"),
        ("inspect null.maskc --html r.html", "JSON Schema"),
        ("inspect tools.maskc --html r.html", "draws grammars"),
        ("verify list.maskc --corpus list.txt --jobs 0", "Invalid value for '--jobs': 0 is not"),
        ("verify list.maskc --corpus nowhere", "nowhere: "),
        ("verify list.maskc --corpus empty", "empty: "),
        ("verify list.maskc --texts 0", "--texts 0 needs --corpus PATH"),
        (
            "verify list.maskc --corpus list.txt --tokenizer tokenizer.json",
            "list.maskc: compiled for tokenizer bytes (",
        ),
        (
            "verify list.maskc --corpus list.txt --executor builtins:dict",
            "executor builtins:dict: makes a dict, not a concurrent.futures",
        ),
        *(
            (f"generate list.maskc {option} {seconds}", option)
            for option in ("--time-limit", "--part-limit")
            for seconds in ("nan", "-nan", "-inf", "0", "x", "''")
        ),
        # What makes files.
        ("build --shard 0/2", "no such part"),
        ("build --shard 3/2", "no such part"),
        ("build --shard 1", "not of the form I/N"),
        ("build gone.toml", "gone.toml: cannot be read"),
        *(
            (f"{command} {options}", said)
            for command in ("kit", "spelling")
            for options, said in (
                ("-t nothing-of-that-name", "tokenizer nothing-of-that-name: "),
                ("-t bytes -o /nowhere/b", "cannot be written"),
                ("", "Missing option '--tokenizer'"),
            )
        ),
        ("kit -t bytes --vocab-size 3", "size 3 is smaller than its 257 tokens"),
        ("compile no.lark -t bytes", "no.lark: cannot be read (No such file or directory); give"),
        ("compile cobol -t bytes", "cobol: cannot be read"),
        ("compile jsn -t bytes", "; did you mean json, which comes with maskc?"),
        ("compile empty -t bytes", "is a folder"),
        ("compile list.lark csv -t bytes -o a", "leave it out for several"),
        (
            "compile list.lark -t tokenizer.json --eos '</t>'",
            "has no special token of this name; did you",
        ),
        ("compile list.lark -t bytes --start nowhere", "nowhere"),
        ("compile list.lark -t llama99", "tokenizer llama99: there is no such name, file or fold"),
        ("compile list.lark -t bytes --vocab-size 10", "tokenizer bytes: "),
        (
            "compile list.lark -t tokenizer.json --text-token x",
            "'x' is not one of its added tokens",
        ),
        ("compile list.lark -t bytes --kit none.kit", "none.kit"),
        ("compile list.lark -t bytes --blanks any", "--blanks is for JSON Schemas only"),
        ("compile list.lark -t bytes --parser earley --lexer contextual", "choose one of dynamic,"),
        ("compile --choices empty.txt -t bytes", "has no text; write one"),
        ("compile --choices no.txt -t bytes", "cannot be read"),
        ("compile bad.schema.json good.schema.json -t bytes -q", "bad.schema.json: schema at #: t"),
        ("compile tools.json -t bytes", "Tools need --family NAME"),
        ("compile tools.json -t bytes --family no_such", "'no_such' is not a family"),
        ("compile tools.json -t bytes --family qwen_3 --choice x", "there is no tool 'x'"),
        ("compile tag.json -t bytes --family qwen_3", "is for a list of tools, not for a tag"),
        ("compile tag.json -t bytes --start a", "A structural tag has no start"),
        ("compile --regex a -t bytes --reasoning", "--reasoning is for a file of tools only"),
    ],
)
def test_what_is_wrong_is_one_sentence(refuse, line, said):
    assert said in refuse(line)


@pytest.mark.parametrize(
    ("options", "text", "said"),
    [
        # The line, and a way out.
        ("", 'start: "a"\n\nb: (\n', "line 3: its ( is not closed; write ) at its end, and begin"),
        ("", b"start: \xff", "byte 7 is not UTF-8"),
        ("", "start: nothing\n", "rule nothing (line 1) is used and nothing defines it"),
        ("", "start: a | b\na: X\nb: X\nX: /x/\n", "reduce/reduce"),
        ("", "start: Q\nQ: /(['\"]).*?\\1/\n", "terminal Q (line 2): it refers back to group 1"),
        ("", "start: A\nA: /a*/\n", "terminal A (line 2): its pattern a* matches nothing, too"),
        ("", "start: A\nA: /(a/\n", "terminal A"),
        ("", "// A list.\n// maskc: begin=list\nstart: A\n", "g:2: 'begin=list' is not a setting;"),
        ("--parser earley", 'start: "a" start\n', "no text at all can be parsed"),
        # Earley tries both.
        ("--parser earley", CONFLICT, "before A, rule x (line 3) may have ended as `B` or go on"),
        *(
            (f"--postlex {postlex}", 'start: "a"\n', f"g: postlex {postlex}: ")
            for postlex in (
                *("lark.indenter", "no.such:Thing", "lark.indenter:NoThing"),
                *("collections:OrderedDict", ":"),
            )
        ),
        ("--choices", b"a\nb\xff\n", "g:2: is not UTF-8"),
        ("--json-schema", '{"type": "nul"}', "schema at #: type is 'nul'"),
        ("--json-schema", "{", "is not JSON"),
        ("--json-schema", '{"a": 1, "a": 2}', "has the key 'a' twice"),
        ("--json-schema", "false", "fits no value"),
        ("--json-schema", DEEP, "is nested deeper than 100 levels"),
    ],
)
def test_what_is_wrong_in_a_source_is_one_sentence(refuse, options, text, said):
    assert said in refuse(f"compile {options} g -t bytes", g=text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"type": "object"}', "--json-schema g.json"),
        ("{", "is not JSON"),
        ('{"format": {"type": "tagg"}}', "structural tag at /format/type"),
    ],
)
def test_json_of_another_kind_is_refused(refuse, text, said):
    assert said in refuse("compile g.json -t bytes", **{"g.json": text})


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer.model"])
def test_a_broken_tokenizer_file_is_refused(refuse, name):
    for data in (b"", b"{", b"{}", b"[]", b"\xff\xfe", b"not base64\n", b"YQ== x\n"):
        said = refuse(f"compile list.lark -t {name}", **{name: data})
        assert said.startswith(f"tokenizer {name}: ")


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("no/a.maskc", "/no/a.maskc: cannot be written (there is no folder "),
        ("empty", "it is a folder"),
        ("/proc/a.maskc", "cannot be written"),
        # As a device; a pipe can be lost without harm.
        ("pipe", "it is not a regular file"),
    ],
)
def test_where_nothing_can_be_written_is_known_before_compiling(
    refuse, project, monkeypatch, target, said
):
    def fail(*_arguments):
        raise AssertionError("compiled before the output was checked")

    monkeypatch.setattr(pipeline, "compile_contents", fail)
    os.mkfifo(project / "pipe")
    assert said in refuse(f"compile list.lark -t bytes -o {target}")


def test_an_artifact_cut_off_or_changed_anywhere_is_refused(refusal, artifact):
    data = artifact.read_bytes()
    for n_bytes in [*range(0, 200, 7), *range(200, len(data), len(data) // 50), len(data) - 1]:
        artifact.write_bytes(data[:n_bytes])
        assert refusal("inspect", artifact)
    for position in [*range(60), *range(60, len(data), len(data) // 50), len(data) - 1]:
        changed = bytearray(data)
        changed[position] ^= 0x40
        artifact.write_bytes(changed)
        assert refusal("inspect", artifact)
