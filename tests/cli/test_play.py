"""maskc play: a server that says where it is, and ends at Ctrl-C."""

import signal
import subprocess
import sys
from urllib.request import urlopen


def test_play_says_where_the_page_is_and_ends_at_ctrl_c(artifact):
    command = [sys.executable, "-m", "maskc", "play", str(artifact), "--no-browser"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        line = run.stdout.readline()
        assert line.startswith("http://127.0.0.1:")
        with urlopen(line.split()[0]) as page:
            assert b"<textarea" in page.read()
        run.send_signal(signal.SIGINT)
        _, error = run.communicate(timeout=30)
    assert (run.returncode, error) == (130, "maskc: interrupted\n")


def test_play_refuses_what_is_no_artifact(refusal, tmp_path):
    (tmp_path / "x.maskc").write_text("x")
    assert "is not a maskc artifact" in refusal("play", "x.maskc")
