import os
from pathlib import Path

import pytest

from maskc.errors import FileTooLargeError, GrammarError
from maskc.verify.model import IRREGULAR, LINKS_OUT, TOO_LONG, choose_files, find_corpus, read_text


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "inside"
    for name in ("a.py", "b/c.py", "__pycache__/d.py", "README"):
        (inside / name).parent.mkdir(parents=True, exist_ok=True)
        (inside / name).write_text("text")
    return inside


def names(corpus, folder):
    return [str(path.relative_to(folder)) for path in corpus.files]


def test_a_folder_holds_the_files_of_its_most_common_suffix(folder):
    assert names(find_corpus([str(folder)], 100), folder) == ["a.py", "b/c.py"]


def test_what_leads_out_and_what_is_no_file_is_counted_and_left_out(folder, tmp_path):
    (tmp_path / "outside.py").write_text("secret")
    (folder / "link.py").symlink_to(tmp_path / "outside.py")
    (folder / "inner.py").symlink_to(folder / "a.py")
    os.mkfifo(folder / "pipe.py")
    (folder / "long.py").write_text("x" * 101)
    corpus = find_corpus([str(folder)], 100)
    assert names(corpus, folder) == ["a.py", "b/c.py", "inner.py"]
    assert corpus.left_out == {LINKS_OUT: 1, IRREGULAR: 1, TOO_LONG: 1}


def test_a_file_that_is_named_may_be_a_link(folder, tmp_path):
    (tmp_path / "link").symlink_to(folder / "a.py")
    assert find_corpus([str(tmp_path / "link")], 100).files == (tmp_path / "link",)


@pytest.mark.parametrize(
    ("name", "told"), [("none", "is no file or folder"), ("inside/README", "holds no file of at")]
)
def test_a_corpus_without_a_file_is_refused(folder, name, told):
    with pytest.raises(GrammarError, match=told):
        find_corpus([str(folder.parent / name)], 1)


def test_files_are_chosen_by_the_seed_and_stay_in_order():
    paths = [Path(f"{n:02}") for n in range(20)]
    chosen = choose_files(paths, 5, seed=1)
    assert chosen == choose_files(paths, 5, seed=1) == sorted(chosen)
    assert len(chosen) == 5
    assert choose_files(paths, 20, seed=1) == paths


def test_a_text_keeps_its_line_ends_and_its_bound(tmp_path):
    (tmp_path / "a").write_bytes(b"a\r\nb")
    assert read_text(tmp_path / "a", 4) == "a\r\nb"
    with pytest.raises(FileTooLargeError):
        read_text(tmp_path / "a", 3)
