"""A browser, where there is one: pages are shown in it without a window, as they are to people.

:func:`show` returns what a page becomes by itself; an :class:`OpenPage` can be typed into and
clicked, through Chromium's own protocol: JSON texts that end in a zero byte, through a pipe
(https://chromedevtools.github.io/devtools-protocol/).
"""

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next((path for name in NAMES if (path := shutil.which(name))), None)

needs_browser = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium; make browser")


_OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu")
_SECONDS = 60
# Chromium reads requests from descriptor 3 and writes replies to 4.
_START = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def show(url, *options, width=1280):
    """Return the page's markup after its scripts have run for some seconds of its own time."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                *(str(BROWSER), *_OPTIONS),
                *(f"--user-data-dir={folder}", f"--window-size={width},900"),
                *("--virtual-time-budget=10000", *options, "--dump-dom", url),
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
    return done.stdout


@contextmanager
def open_page(url, *, width=1280):
    """Show a page until the block ends."""
    asking, to_browser = os.pipe()
    from_browser, answering = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        started = subprocess.Popen(
            [
                *(sys.executable, "-c", _START, str(asking), str(answering)),
                *(str(BROWSER), *_OPTIONS, "--remote-debugging-pipe"),
                *(f"--user-data-dir={folder}", "about:blank"),
            ],
            pass_fds=(asking, answering),
            stderr=subprocess.DEVNULL,
        )
        os.close(asking)
        os.close(answering)
        try:
            yield OpenPage(to_browser, from_browser, url, width)
        finally:
            os.close(to_browser)
            os.close(from_browser)
            started.terminate()
            started.wait(_SECONDS)


class OpenPage:
    """A page that is shown: keys are pressed in it, and buttons clicked.

    Args:
        to_browser, from_browser: descriptors of the pipes.
        url: of the page.
        width: of the window, in pixels.
    """

    def __init__(self, to_browser, from_browser, url, width):
        self._to_browser, self._from_browser = to_browser, from_browser
        self._number, self._read, self._session = 0, b"", {}
        target = self._ask("Target.createTarget", url=url)["targetId"]
        attached = self._ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = {"sessionId": attached["sessionId"]}
        # A window is at least 500 wide.
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self._ask("Emulation.setDeviceMetricsOverride", **size)
        self.wait_for("location.href !== 'about:blank' && document.readyState === 'complete'")

    def evaluate(self, script):
        """Return what an expression of JavaScript is in the page."""
        found = self._ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait_for(self, script):
        """Wait until an expression is true."""
        end = time.monotonic() + _SECONDS
        while not self.evaluate(script):
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.05)

    def press(self, key, *, shift=False):
        """Press and release one key, a character or a name such as Backspace."""
        codes = {"Backspace": 8, "Tab": 9, "Enter": 13}
        event = {"key": key, "modifiers": 8 if shift else 0}
        if key in codes:
            event["windowsVirtualKeyCode"] = codes[key]
        writes = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        self._ask("Input.dispatchKeyEvent", type="keyDown", text=writes, **event)
        self._ask("Input.dispatchKeyEvent", type="keyUp", **event)

    def type(self, text):
        """Press the key of each character."""
        for character in text:
            self.press("Enter" if character == "\n" else character)

    def click(self, selector):
        """Press the mouse's button in the middle of what is found."""
        script = f"""(() => {{
            const found = document.querySelector({json.dumps(selector)});
            found.scrollIntoView({{block: "center"}});
            const box = found.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()"""
        x, y = self.evaluate(script)
        for kind in ("mousePressed", "mouseReleased"):
            event = {"x": x, "y": y, "button": "left", "clickCount": 1}
            self._ask("Input.dispatchMouseEvent", type=kind, **event)

    def _ask(self, method, **params):
        self._number += 1
        request = {"id": self._number, "method": method, "params": params, **self._session}
        os.write(self._to_browser, json.dumps(request).encode() + b"\0")
        while True:
            reply = json.loads(self._receive())
            if reply.get("id") == self._number:
                assert "error" not in reply, reply["error"]
                return reply["result"]

    def _receive(self):
        while b"\0" not in self._read:
            ready, _, _ = select.select([self._from_browser], [], [], _SECONDS)
            assert ready, "the browser does not answer"
            more = os.read(self._from_browser, 1 << 16)
            assert more, "the browser has ended"
            self._read += more
        reply, _, self._read = self._read.partition(b"\0")
        return reply
