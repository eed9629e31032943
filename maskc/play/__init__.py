"""A page on this machine in which a grammar can be tried: what is legal next, and why not.

A page of any site that is open in the same browser can send requests to this machine, and a name
that it owns can lead here (DNS rebinding). So a request must name this server as its host, must not
come from another origin, and must send JSON, which no form of another site can. Sizes, times, and
how much is answered at once are bounded.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from socket import socket
from typing import Any

from maskc.bounded import run_bounded
from maskc.errors import MaskcError
from maskc.explain import Explanation, line_and_column_of, measure_heat, parse_token
from maskc.kinds import kind_of
from maskc.limits import Limits
from maskc.report import point_at, show_token
from maskc.report.explain import MOST_TOKENS, name_group, say_death, say_reading, say_token
from maskc.runtime.artifact import Artifact

MAX_TEXT = 4_000
MAX_TOKEN = 400
MAX_UNFOLDED = 5_000  # tokens of a group that is unfolded
ANSWER_SECONDS = 20.0


def answer(
    artifact: Artifact,
    text: str,
    token: str = "",
    unfolded: str = "",
    resources: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what the page shows.

    Args:
        token: a token to explain as well, as ``--token`` takes it; empty: none.
        unfolded: the group of which all tokens are shown, by its name.

    Returns:
        A map for JSON; with ``problem`` alone, a sentence, if the text cannot be explained.
    """
    if len(text) > MAX_TEXT or max(len(token), len(unfolded)) > MAX_TOKEN:
        return {"problem": f"the page takes {MAX_TEXT:,} characters; use maskc check for files"}
    written = text.encode(errors="surrogatepass")
    try:
        return run_bounded(
            lambda: _answer(artifact, written, token, unfolded, resources),
            Limits(seconds=ANSWER_SECONDS),
        )
    except (MaskcError, ValueError) as error:
        return {"problem": str(error)}


def _answer(
    artifact: Artifact, text: bytes, token: str, unfolded: str, resources: Mapping[str, Any] | None
) -> dict[str, Any]:
    asked = parse_token(token) if token else None
    found = kind_of(artifact.header).explain(artifact, text, asked, resources)
    heat = [
        {"token": show_token(w.token), "n_legal": w.n_legal, "is_special": w.is_special}
        for w in measure_heat(artifact, text)
    ]
    return {
        "is_legal": found.death is None,
        "may_end": found.may_end,
        "forced": show_token(found.forced),
        "n_legal": found.n_legal,
        "n_tokens": found.n_tokens,
        "groups": _list_groups(found, unfolded),
        "readings": [line.strip() for reading in found.readings for line in say_reading(reading)],
        "death": _describe_death(found),
        "token": list(say_token(found.token)) if found.token is not None else [],
        "heat": heat,
    }


def _describe_death(found: Explanation) -> dict[str, Any] | None:
    if found.death is None:
        return None
    line, column = line_and_column_of(found.text, found.death.offset)
    return {
        "line": line,
        "column": column,
        "pointed": point_at(found.text, found.death.offset),
        "why": [said.removeprefix("  ") for said in say_death(found.death, found.text)],
    }


def _list_groups(found: Explanation, unfolded: str) -> list[dict[str, Any]]:
    if not found.groups and not found.tokens:
        return []
    named = [(name_group(group), len(group.tokens), group.tokens) for group in found.groups]
    return [
        {
            "name": name,
            "n_tokens": n_tokens,
            "examples": [
                {"shown": show_token(token), "text": _decode(token)}
                for token in tokens[: MAX_UNFOLDED if name == unfolded else MOST_TOKENS]
            ],
        }
        for name, n_tokens, tokens in named or [("any", found.n_legal, found.tokens)]
    ]


def _decode(token: bytes) -> str | None:
    """Return a token as what can be typed, ``None`` if it ends inside a character."""
    try:
        return token.decode()
    except UnicodeDecodeError:
        return None


LOOPBACK = "127.0.0.1"
MAX_BODY = 64_000
MAX_CONNECTIONS = 16
SECONDS = 10.0  # that a request may take to arrive, piece by piece

Answer = Callable[[str, str, str], dict[str, Any]]
_ASKED = "text", "token", "unfolded"

_PAGES = {
    "/": ("page.html", "text/html; charset=utf-8"),
    "/play.css": ("play.css", "text/css; charset=utf-8"),
    "/play.js": ("play.js", "text/javascript; charset=utf-8"),
}
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class PlayServer(ThreadingHTTPServer):
    """Serves the page.

    Args:
        answer: text, token and the group to unfold → what the page shows.
        title: what is tried.
        port: 0: any that is free.
    """

    daemon_threads = True

    def __init__(self, answer: Answer, title: str, port: int = 0) -> None:
        self.answer, self.title = answer, title
        self._free = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self.one_at_a_time = threading.Lock()
        super().__init__((LOOPBACK, port), _Handler)
        self.port: int = self.server_address[1]
        self.hosts = {f"{name}:{self.port}" for name in (LOOPBACK, "localhost")}

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread of its own, or not at all if there are too many."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and make room for the next one."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        """Say nothing: a browser may hang up when it likes."""


class _Handler(BaseHTTPRequestHandler):
    server: PlayServer
    timeout = SECONDS
    protocol_version = "HTTP/1.0"  # one request a connection
    server_version = "maskc"
    sys_version = ""

    def do_GET(self) -> None:
        page = _PAGES.get(self.path)
        if self._is_ours() and page is not None:
            name, kind = page
            data = files("maskc.play").joinpath(name).read_bytes()
            self._send(HTTPStatus.OK, kind, data)
        elif self._is_ours():
            self._refuse(HTTPStatus.NOT_FOUND, "there is the page / only")
        else:
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, f"the page is {self.server.url}")

    def do_POST(self) -> None:
        if not self._is_ours():
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, f"the page is {self.server.url}")
            return
        asked = self._read_body() if self.path == "/explain" else None
        if asked is None:
            self._refuse(HTTPStatus.BAD_REQUEST, 'send JSON, {"text": "…"}, to /explain')
            return
        with self.server.one_at_a_time:
            found = self.server.answer(*asked)
        found["title"] = self.server.title
        self._send(HTTPStatus.OK, "application/json", json.dumps(found).encode())

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base class's name
        """Write nothing: each key that is pressed is a request."""

    def _is_ours(self) -> bool:
        """Return whether it is this server that the request is for, and its own page that asks."""
        origin = self.headers.get("Origin")
        is_own = origin is None or origin in {f"http://{host}" for host in self.server.hosts}
        return is_own and self.headers.get("Host") in self.server.hosts

    def _read_body(self) -> list[str] | None:
        """Return what a request asks, ``None`` if it is not one that the page sends."""
        length = self.headers.get("Content-Length", "")
        if self.headers.get_content_type() != "application/json" or not length.isdecimal():
            return None
        if len(length) > len(str(MAX_BODY)) or int(length) > MAX_BODY:
            return None
        try:
            asked = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            return None
        if not isinstance(asked, dict):
            return None
        found = [asked.get(name, "") for name in _ASKED]
        return found if "text" in asked and all(isinstance(t, str) for t in found) else None

    def _refuse(self, status: HTTPStatus, sentence: str) -> None:
        self._send(status, "text/plain; charset=utf-8", f"maskc play: {sentence}\n".encode())

    def _send(self, status: HTTPStatus, kind: str, data: bytes) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
