"""Links and structural tags of the dense laws."""

from tests.laws.dense.making import LAYOUT, links, tag

DIGITS = {"numbers": "plain", "blanks": "compact"}
LINKS = [
    *links(
        "parts that end at two places",
        "abc",
        lambda kit: kit.sequence(
            kit.one_of(kit.choice(["a", "ab"]), kit.regex("b+a?")),
            kit.choice(["c", "bc"]),
            kit.repeat(kit.choice(["a", "ca"]), 0, 2),
        ),
        "(?:ab?|b+a?)b?c(?:a|ca){0,2}",
    ),
    *links(
        "passes that can be cut in two ways",
        "ab",
        lambda kit: kit.repeat(kit.one_of(kit.choice(["ab", "a"]), kit.regex("b{1,2}a?")), 2, 3),
        "(?:ab?|b{1,2}a?){2,3}",
    ),
    *links(
        "free text before a word",
        "abc",
        lambda kit: kit.sequence(kit.text(without=["ab", "ca"]), kit.choice(["ab", "cca"])),
        "(?:(?<!a)b|(?<!c)a|[^ab])*(?:ab|cca)",
        n=5,
    ),
    *links(
        "counted passes of counted texts",
        "ab,",
        lambda kit: kit.sequence(
            kit.regex("(?:a{1,2},){2,3}"),
            kit.repeat(kit.regex("b{2,3}"), 1, 2),
            kit.choice(["a", ""]),
        ),
        "(?:a{1,2},){2,3}(?:b{2,3}){1,2}a?",
        n=6,
    ),
    *links(
        "values of two schemas that differ in a bound",
        '["],a',
        lambda kit: kit.sequence(
            *(
                kit.json_schema(
                    {"type": "array", "items": {"type": "string", "maxLength": n}, "minItems": 1},
                    **LAYOUT.to_dict(),
                )
                for n in (1, 2)
            )
        ),
        r'\["[^"\\]?"(?:,"[^"\\]?")*\]\["[^"\\]{0,2}"(?:,"[^"\\]{0,2}")*\]',
        n=0,
        more=['["a",""]["aa","a"]', '[""]["a","aa"]'],
    ),
    *links(
        "numbers of two schemas",
        "0123;",
        lambda kit: kit.sequence(
            kit.json_schema({"type": "integer", "minimum": 0, "maximum": 12}, **DIGITS),
            kit.choice([";"]),
            kit.json_schema({"type": "integer", "minimum": 0, "maximum": 31}, **DIGITS),
        ),
        "(?:[0-9]|1[0-2]);(?:[0-9]|[12][0-9]|3[01])",
        n=4,
    ),
    *links(
        "a grammar between values",
        '[],"a',
        lambda kit: kit.sequence(
            kit.json_schema({"enum": [["a"], "a", "aa", []]}, **LAYOUT.to_dict()),
            kit.lark('start: "," A | A "," A?\nA: /a+/\n'),
            kit.json_schema({"enum": ["", ["a", "a"]]}, **LAYOUT.to_dict()),
        ),
        r'(?:\["a"\]|"aa?"|\[\])(?:,a+|a+,a*)(?:""|\["a","a"\])',
        n=4,
        more=['["a"],a["a","a"]', '"aa"aa,aa""', '[]a,["a","a"]'],
    ),
]

_PLAIN = "(?:(?!ab|!a).)*"
_FREE = "(?:(?!<a).)*"
_PARTS = ("<tool", '_call>{"name": "f", "arguments": ', '{"x":"', "a", '"}', "}</tool_call>", "<")
_TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "f",
            "strict": True,
            "parameters": {
                "type": "object",
                "properties": {"x": {"enum": ["a", "aa"]}},
                "required": ["x"],
                "additionalProperties": False,
            },
        },
    }
]
_CALL = r'<tool_call>\{"name": "f", "arguments": \{"x":"aa?"\}\}</tool_call>'
_ANSWER = "(?:(?!<tool_call>).)*"

TAGS = [
    *links(
        "tags in free text",
        "<a>b",
        tag(
            {
                "type": "triggered_tags",
                "triggers": ["<a"],
                "tags": [
                    {
                        "type": "tag",
                        "begin": "<a>",
                        "content": {"type": "regex", "pattern": "b{1,2}"},
                        "end": ["<", "b<>"],
                    },
                    {
                        "type": "tag",
                        "begin": "<ab",
                        "content": {"type": "const_string", "value": "ba"},
                        "end": "",
                    },
                ],
            }
        ),
        f"{_FREE}(?:(?:<a>b{{1,2}}(?:<|b<>)|<abba){_FREE})*",
        n=5,
    ),
    *links(
        "tags that are kept apart",
        "<>,ab",
        tag(
            {
                "type": "tags_with_separator",
                "separator": ",",
                "at_least_one": True,
                "tags": [
                    {
                        "type": "tag",
                        "begin": "<",
                        "content": {"type": "any_text", "excludes": ["aa"]},
                        "end": ">",
                    },
                    {
                        "type": "tag",
                        "begin": "a",
                        "content": {"type": "regex", "pattern": "b?"},
                        "end": "b,",
                    },
                ],
            }
        ),
        "(?:<(?:(?!aa|>).)*>|ab?b,)(?:,(?:<(?:(?!aa|>).)*>|ab?b,))*",
        n=4,
    ),
    *links(
        "one tag at least, and no text after it",
        "<a>b",
        tag(
            {
                "type": "triggered_tags",
                "triggers": ["<a", "b>"],
                "at_least_one": True,
                "stop_after_first": True,
                "tags": [
                    {
                        "type": "tag",
                        "begin": begin,
                        "content": {"type": "const_string", "value": ">"},
                        "end": end,
                    }
                    for begin, end in [("<a", "b"), ("b>a", "<")]
                ],
            }
        ),
        "<a>b|b>a><",
    ),
    *links(
        "patterns after words of free text",
        "ab!",
        tag(
            {
                "type": "dispatch",
                "rules": [
                    ["ab", {"type": "regex", "pattern": "b{1,2}!"}],
                    ["!a", {"type": "const_string", "value": "a!"}],
                ],
                "loop": True,
            }
        ),
        f"{_PLAIN}(?:(?:abb{{1,2}}!|!aa!){_PLAIN})*",
        n=6,
    ),
    *links(
        "free text of few characters",
        "<aé>",
        tag(
            {
                "type": "tag",
                "begin": "<",
                "content": {"type": "any_text", "excludes": ["aa"], "max_chars": 3},
                "end": ["a>", ">é"],
            }
        ),
        "<(?:[^aé>]|(?<!a)a|(?<!>)é|(?<!a)>){0,3}(?:a>|>é)",
        n=5,
    ),
    *links(
        "calls one after the other",
        _PARTS,
        lambda kit: kit.tools(_TOOLS, family="exaone"),
        f"{_ANSWER}(?:{_CALL}{_ANSWER})*",
        n=3,
        longest=2,
        more=["<tool_call>" + _PARTS[1][6:] + '{"x":"a"}}</tool_call>a'],
    ),
    *links(
        "one call at most",
        _PARTS,
        lambda kit: kit.tools(_TOOLS, family="exaone", parallel=False),
        f"{_ANSWER}(?:{_CALL})?",
        n=3,
        longest=2,
        more=["a<tool_call>" + _PARTS[1][6:] + '{"x":"aa"}}</tool_call>'],
    ),
]
