"""What a client of vLLM's server sees: texts, refusals, streams, and a server that lives on."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from benchmarks.serving.guide import Subject
from benchmarks.serving.vllm_http import END, NAMES, PROMPT, THINK_END, Server, body
from maskc.verify.subject import parses

PLAIN = {"prompt": PROMPT, "structured_outputs": {"grammar": "maskc://json"}}


class Checks:
    """What a client of a server sees; each check returns what it found.

    Attributes:
        wrong: what is not as it should be, a sentence each.
    """

    def __init__(self, server: Server, subjects: dict[str, Subject]) -> None:
        self.wrong: list[str] = []
        self._server, self._subjects = server, subjects

    def _judge(self, name: str, text: str, reason: str | None) -> bool:
        good = reason == "stop" and parses(self._subjects[name].lark, text)
        if not good:
            self.wrong.append(f"{name}, {reason}: {text[:200]!r}")
        return good

    def _judge_choice(self, name: str, choice: dict[str, Any]) -> bool:
        return self._judge(name, choice["text"], choice["finish_reason"])

    def as_in_the_page(self) -> tuple[int, str]:
        """Ask as ``docs/serving.md`` does; the text may be the beginning of one."""
        status, answer = self._server.complete(**PLAIN)
        choice = answer["choices"][0]
        cut = self._subjects["json"].oracle.at(choice["text"].encode())
        if cut.decide(b"")[1] is None:
            self.wrong.append(f"as in the page: {choice['text']!r}")
        return status, choice["finish_reason"]

    def refusals(self) -> list[tuple[int, int, str]]:
        """Ask for what cannot be served: 400 and a sentence, in streams too."""
        found = []
        for name in ("missing", "../json", "broken", "other"):
            status, answer = self._server.complete(**body(name))
            found.append((status, answer["error"]["code"], answer["error"]["message"]))
            # A stream has begun when vLLM checks a request: the error is its first event.
            events = list(self._server.stream(**body(name)))
            found.append((len(events), events[0]["error"]["code"], events[0]["error"]["message"]))
        status, answer = self._server.complete(**body("json", use_beam_search=True, n=2))
        found.append((status, answer["error"]["code"], answer["error"]["message"]))
        self.wrong += [f"refused with {code}: {text}" for _, code, text in found if code != 400]
        return found

    def many_clients(self) -> int:
        """Ask for 64 texts at once; return how many are whole."""
        with ThreadPoolExecutor(64) as clients:
            names = [NAMES[number % 3] for number in range(64)]
            asked = [
                clients.submit(
                    self._server.complete, **body(name, after=4 + number % 17, seed=number)
                )
                for number, name in enumerate(names)
            ]
            answers = [(name, future.result()) for name, future in zip(names, asked, strict=True)]
        return sum(
            status == 200 and self._judge_choice(name, answer["choices"][0])
            for name, (status, answer) in answers
        )

    def several_texts(self) -> int:
        """Ask for four texts in one request."""
        _, answer = self._server.complete(**body("sql", n=4))
        return sum(self._judge_choice("sql", choice) for choice in answer["choices"])

    def streams(self) -> int:
        """Ask for a stream of each grammar."""
        n_good = 0
        for name in NAMES:
            chunks = [chunk["choices"][0] for chunk in self._server.stream(**body(name))]
            text = "".join(chunk["text"] for chunk in chunks)
            n_good += self._judge(name, text, chunks[-1]["finish_reason"])
        return n_good

    def leaving_clients(self) -> tuple[int, int]:
        """Leave eight streams; return how many requests ran before the last left, and after."""
        n_before = 0
        for _ in range(8):
            # Nothing steers these to an end: only the client's leaving stops them.
            more = {"max_tokens": 480, "stream": True}
            chunks = self._server.send("/v1/completions", PLAIN | more)
            chunks.readline()
            n_before = self._server.n_running()
            chunks.close()
        end = time.monotonic() + 20
        while self._server.n_running() and time.monotonic() < end:
            time.sleep(0.2)
        n_after = self._server.n_running()
        if n_after:
            self.wrong.append("requests run on after their clients left")
        return n_before, n_after

    def chats(self) -> int:
        """Ask for chats that think first; return how many did."""
        think = {"guide_think": THINK_END, "guide_think_after": 5}
        n_thought = 0
        for name in NAMES:
            asked = body(name) | {"messages": [{"role": "user", "content": "Think."}]}
            del asked["prompt"]
            asked["vllm_xargs"] |= think
            _, answer = self._server.complete("/v1/chat/completions", **asked)
            choice = answer["choices"][0]
            n_thought += bool(choice["message"].get("reasoning"))
            self._judge(name, choice["message"]["content"] or "", choice["finish_reason"])
        return n_thought

    def no_legal_token(self) -> int:
        """Ask so that no legal token is left: this request fails, and it alone."""
        asked = body("json", after=999, allowed_token_ids=[END])
        status, answer = self._server.complete(**asked)
        if status != 500:
            self.wrong.append(f"no legal token: {status} {answer}")
        return status

    def at_the_end(self) -> tuple[int, bool]:
        """Ask once more, after all that went wrong."""
        status, answer = self._server.complete(**body("json"))
        return status, self._judge_choice("json", answer["choices"][0])


def check_server(server: Server, subjects: dict[str, Subject]) -> dict[str, Any]:
    """Return what each check found; a text that is wrong is in ``wrong``."""
    checks = Checks(server, subjects)
    return {
        "as in the page": checks.as_in_the_page(),
        "refusals": checks.refusals(),
        "64 clients": checks.many_clients(),
        "n=4": checks.several_texts(),
        "streams": checks.streams(),
        "running before a client leaves, and after": checks.leaving_clients(),
        "chats with reasoning": checks.chats(),
        "no legal token": checks.no_legal_token(),
        "at the end": checks.at_the_end(),
        "wrong": checks.wrong,
    }
