import pytest

import maskc
from maskc.integrations import llama_cpp, transformers
from maskc.integrations.errors import IntegrationError, check_artifacts


@pytest.mark.parametrize("make", [transformers.GrammarProcessor, llama_cpp.GrammarProcessor])
def test_a_name_is_not_taken_for_artifacts_of_its_letters(make):
    with pytest.raises(IntegrationError, match="'json' is a name, not an artifact; give maskc"):
        make("json")


def test_what_makes_matchers_and_none_are_right_and_all_else_is_named():
    check_artifacts("it", [maskc.compile_grammar('start: "a"\n', tokenizer="bytes"), None])
    with pytest.raises(IntegrationError, match="it: dict is given, not an artifact"):
        check_artifacts("it", [{}])
