"""A language whose texts are short, whatever a model's weights want, with bytes of all lengths."""

from lark import Lark

ORDER = """
// maskc: start=order
order: verb " " part (", " part)~0..2 "."
part: amount " of " item
verb: "buy" | "sell"
amount: /[1-9][0-9]{0,2}/
item: "tea" | "coffee" | "crème fraîche" | "茶" | "🫖"
"""


def build_parser():
    """Return Lark's parser of the language."""
    return Lark(ORDER, parser="lalr", start="order")
