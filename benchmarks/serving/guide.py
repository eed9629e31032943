"""Answer what would end a text, for an engine in another process, over a socket.

The server runs where Lark is new enough for maskc's oracle; the client needs the standard library.
A question is a line of JSON, ``[["json", [58, 16]], …]``: the name of a grammar and the tokens of a
text so far. The answer is a line with a token for each, ``null`` where no end is found.

Example: for ``json`` and the tokens of ``[1`` the answer is the token of ``]``.
"""

from __future__ import annotations

import json
import socket
import socketserver
import threading
from pathlib import Path
from typing import Any

VARIABLE = "MASKC_GUIDE"


class Subject:
    """A grammar, its artifact for a tokenizer, and its judge.

    Args:
        path: the artifact's file.
        tokenizer: the name of its tokenizer.
    """

    def __init__(self, path: Path, tokenizer: str) -> None:
        import maskc
        from maskc.frontends.lark.build import build_lark
        from maskc.frontends.source import source_from_header
        from maskc.verify.subject import build_oracle
        from tests.engines.steering import Steering

        artifact = maskc.load(path)
        self.lark = build_lark(source_from_header(artifact.header["grammar"]))
        self.steering = Steering(artifact, self.lark, tokenizer)
        self.oracle = build_oracle(self.lark)

    def judge(self, ids: list[int], *, ended: bool) -> str | None:
        """Return what is wrong with a text, or the beginning of one; ``None`` if nothing is."""
        from maskc.verify.subject import parses

        data = self.steering.write(ids)
        if ended:
            return None if parses(self.lark, data.decode()) else "Lark does not parse it"
        self.oracle.forget()
        _, witness = self.oracle.at(data).decide(b"")
        return "the oracle finds no text that begins so" if witness is None else None


class GuideServer:
    """Answers in threads, for the block.

    Args:
        subjects: by name.
        path: of the socket.
    """

    def __init__(self, subjects: dict[str, Subject], path: Path) -> None:
        lock = threading.Lock()

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                for line in self.rfile:
                    asked = json.loads(line)
                    with lock:
                        answer = [subjects[name].steering.wish(ids) for name, ids in asked]
                    self.wfile.write(json.dumps(answer).encode() + b"\n")

        self._server = socketserver.ThreadingUnixStreamServer(str(path), Handler)
        self._server.daemon_threads = True

    def __enter__(self) -> GuideServer:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class GuideClient:
    """Asks the server of a socket."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.connect(path)
        self._file: Any = self._socket.makefile("rwb")

    def ask(self, texts: list[tuple[str, list[int]]]) -> list[int | None]:
        """Return the token that leads each text to an end."""
        self._file.write(json.dumps(texts).encode() + b"\n")
        self._file.flush()
        answer: list[int | None] = json.loads(self._file.readline())
        return answer
