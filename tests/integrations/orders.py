"""What requests of all engines ask for: a language of short texts, and a structural tag."""

from lark import Lark

# Its texts are short, whatever a model's weights want, with bytes of all lengths.
ORDER = """
// maskc: start=order
order: verb " " part (", " part)~0..2 "."
part: amount " of " item
verb: "buy" | "sell"
amount: /[1-9][0-9]{0,2}/
item: "tea" | "coffee" | "crème fraîche" | "茶" | "🫖"
"""

# Text with calls of one function, whose argument is an integer.
TAG = {
    "type": "structural_tag",
    "format": {
        "type": "triggered_tags",
        "triggers": ["<f="],
        "tags": [
            {
                "type": "tag",
                "begin": "<f=a>",
                "content": {"type": "json_schema", "json_schema": {"type": "integer"}},
                "end": "</f>",
            }
        ],
    },
}


def build_parser():
    """Return Lark's parser of the language."""
    return Lark(ORDER, parser="lalr", start="order")
