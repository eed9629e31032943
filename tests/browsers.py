"""A browser, where there is one: pages are shown in it without a window, as they are to people."""

import shutil
import subprocess
import tempfile

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next((path for name in NAMES if (path := shutil.which(name))), None)

needs_browser = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium; make browser")


def show(url, *options, width=1280):
    """Return the page's markup after its scripts have run for some seconds of its own time."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                *(str(BROWSER), "--headless=new", "--no-sandbox", "--disable-gpu"),
                *(f"--user-data-dir={folder}", f"--window-size={width},900"),
                *("--virtual-time-budget=10000", *options, "--dump-dom", url),
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
    return done.stdout
