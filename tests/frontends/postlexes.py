"""Postlexes that maskc refuses."""

from tests.indenters import TwoColumns


class OwnProcess(TwoColumns):
    """Does more than its attributes say."""

    def process(self, stream):
        return stream
