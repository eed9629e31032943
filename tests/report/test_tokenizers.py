from maskc.report.tokenizers import print_tokenizers
from maskc.vocab import list_tokenizers


def test_every_tokenizer_has_a_line_that_says_whether_it_is_here(capsys):
    entries = list_tokenizers()
    print_tokenizers(entries)
    lines = capsys.readouterr().out.splitlines()
    for entry in entries:
        (line,) = [line for line in lines if line.split()[:1] == [entry.name]]
        assert line.split()[1] == ("yes" if entry.available else "no")
