def test_a_stage_of_the_grammar_is_printed_without_a_tokenizer(command, grammar):
    outcome = command("dump", grammar, "--stage", "dft")
    assert outcome.status == 0
    assert outcome.out.startswith("start •list, Z0\n")


def test_a_stage_of_the_store_is_printed_with_a_tokenizer(command, grammar):
    outcome = command("dump", grammar, "--stage", "graph", "--tokenizer", "bytes")
    assert outcome.status == 0
    assert "moves of the parser in a fill" in outcome.out.splitlines()[0]


def test_the_same_stage_is_printed_twice_alike(command, grammar):
    arguments = ("dump", grammar, "--stage", "masks", "--tokenizer", "bytes")
    assert command(*arguments).out == command(*arguments).out


def test_a_stage_of_the_store_needs_a_tokenizer(refusal, grammar):
    assert "needs --tokenizer" in refusal("dump", grammar, "--stage", "rows:raw")


def test_a_stage_of_the_grammar_takes_no_tokenizer(refusal, grammar):
    sentence = refusal("dump", grammar, "--stage", "items", "--tokenizer", "bytes")
    assert "leave it out" in sentence


def test_an_unknown_stage_is_refused_with_those_there_are(refusal, grammar):
    assert "grammar, dft, debts, scanner, boundaries" in refusal("dump", grammar, "--stage", "x")


def test_what_is_left_out_is_counted(command, grammar):
    outcome = command("dump", grammar, "--stage", "scanner", "--lines", "3")
    assert outcome.out.splitlines()[3].startswith("… ")


def test_general_grammars_have_their_productions_printed(command, grammar):
    outcome = command("dump", grammar, "--parser", "earley", "--stage", "productions")
    assert outcome.status == 0
    assert outcome.out.startswith("start: N0\n")
