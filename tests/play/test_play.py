"""Answers of the page, and the server: only the page that it sent is answered."""

import json
import socket
import time
from functools import partial
from http.client import HTTPConnection

import pytest

import maskc
from maskc import play as module
from maskc.play import MAX_BODY, MAX_CONNECTIONS, MAX_TEXT, answer
from tests.browsers import needs_browser, open_page, show


def by_name(found):
    return {group["name"]: group["n_tokens"] for group in found["groups"]}


def test_what_may_come_next_is_told_by_terminal_with_its_reason(json_bytes):
    found = answer(json_bytes, '{"a"')
    assert found["is_legal"]
    assert by_name(found) == {'":"': 1, "ignored only": 4}
    assert 'if it ends here as STRING, next: ":"' in found["readings"]
    assert found["groups"][0]["examples"] == [{"shown": ":", "text": ":"}]


def test_an_illegal_text_is_pointed_at(json_bytes):
    found = answer(json_bytes, '{"a",\n')
    assert not found["is_legal"]
    assert (found["death"]["line"], found["death"]["column"]) == (1, 5)
    assert found["death"]["pointed"] == ['  {"a",', "      ^"]
    assert by_name(found) == {'":"': 1, "ignored only": 4}  # there
    assert [part["token"] for part in found["heat"]] == ["{", '"', "a", '"']


def test_a_group_is_unfolded_by_its_name_and_a_blank_can_be_seen(json_bytes):
    def examples(unfolded):
        (group,) = (
            g for g in answer(json_bytes, "[1", "", unfolded)["groups"] if g["name"] == "NUMBER"
        )
        return [example["shown"] for example in group["examples"]]

    assert (len(examples("")), len(examples("NUMBER"))) == (8, 13)
    ignored = answer(json_bytes, "[1")["groups"][-1]["examples"]
    assert {"shown": "␣", "text": " "} in ignored


def test_a_token_is_explained_beside(json_bytes):
    assert answer(json_bytes, "[", "}")["token"][0] == "token 125 '}': illegal"
    assert answer(json_bytes, "[", "999999")["problem"].startswith("there is no token 999999")
    assert "problem" in answer(json_bytes, "[", r"\x")


def test_heat_is_how_many_tokens_were_legal(json_bytes):
    assert [part["n_legal"] for part in answer(json_bytes, "true")["heat"]] == [21, 1, 1, 1]


def test_all_kinds_of_artifacts_are_answered():
    schema = maskc.compile_json_schema({"type": "integer"}, tokenizer="bytes")
    assert by_name(answer(schema, "1"))["number"] > 9
    assert "forbidden" in answer(schema, "x")["death"]["why"][0]
    tag = {"type": "structural_tag", "format": {"type": "const_string", "value": "ab"}}
    linked = maskc.compile_structural_tag(tag, tokenizer="bytes")
    assert answer(linked, "a")["forced"] == "b"
    general = maskc.compile_grammar(
        'start: "a" start "b" | "c"\n', tokenizer="bytes", parser="earley"
    )
    assert by_name(answer(general, "ac")) == {'"b"': 1}


def test_what_is_hostile_is_a_sentence(json_bytes):
    assert "takes 4,000 characters" in answer(json_bytes, "x" * (MAX_TEXT + 1))["problem"]
    assert not answer(json_bytes, "\ud800")["is_legal"]
    assert answer(json_bytes, "[" * MAX_TEXT)["is_legal"]


JSON = {"Content-Type": "application/json"}


def echo(text, token, unfolded):
    return {"text": text, "token": token, "unfolded": unfolded}


def ask(server, body, method="POST", path="/explain", **headers):
    connection = HTTPConnection("127.0.0.1", server.port, timeout=20)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, JSON | given if method == "POST" else given)
    reply = connection.getresponse()
    return reply.status, reply.read(), reply


def test_the_page_and_its_answers(serve):
    server = serve(echo)
    status, page, reply = ask(server, None, "GET", "/")
    assert (status, b"<textarea" in page) == (200, True)
    assert reply.headers["Content-Security-Policy"].startswith("default-src 'none'")
    for path in ("/play.js", "/play.css"):
        assert ask(server, None, "GET", path)[0] == 200
    status, data, _ = ask(server, json.dumps({"text": "é", "token": "1"}))
    assert (status, json.loads(data)) == (
        200,
        {"text": "é", "token": "1", "unfolded": "", "title": "a <title>"},
    )


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},  # without the port
        {"Host": ""},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
    ],
)
def test_another_host_or_origin_is_refused(serve, headers):
    server = serve(echo)
    assert ask(server, '{"text": ""}', **headers)[0] == 421
    assert ask(server, None, "GET", "/", **headers)[0] == 421


def test_its_own_origin_is_taken(serve):
    server = serve(echo)
    origin = f"http://localhost:{server.port}"
    assert ask(server, '{"text": ""}', Origin=origin)[0] == 200


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        ('{"text": ""}', {"Content_Type": "text/plain"}),  # what a form of another site can send
        ("{", {}),
        ("[" * 20_000, {}),
        ("[]", {}),
        ('{"text": 1}', {}),
        ('{"text": "", "token": 1}', {}),
        ("{}", {}),
        ('{"text": ""}', {"Content_Length": "-1"}),
        ('{"text": ""}', {"Content_Length": str(MAX_BODY + 1)}),
        ('{"text": ""}', {"Content_Length": "9" * 5_000}),
    ],
)
def test_what_the_page_does_not_send_is_refused(serve, body, headers):
    assert ask(serve(echo), body, **headers)[0] == 400


@pytest.mark.parametrize("path", ["/../server.py", "/play.js/..", "/explain", "/?x"])
def test_there_are_no_other_pages(serve, path):
    assert ask(serve(echo), None, "GET", path)[0] == 404


def test_it_listens_on_the_loopback_interface_only(serve):
    assert serve(echo).socket.getsockname()[0] == "127.0.0.1"


def test_those_who_say_nothing_do_not_keep_others_out(serve, monkeypatch):
    monkeypatch.setattr(module._Handler, "timeout", 0.5)
    server = serve(echo)
    silent = [
        socket.create_connection(("127.0.0.1", server.port)) for _ in range(MAX_CONNECTIONS + 4)
    ]
    try:
        for one in silent:
            one.settimeout(20)
            assert one.recv(100) == b""  # they are hung up on
        assert ask(server, '{"text": ""}')[0] == 200
    finally:
        for one in silent:
            one.close()


@needs_browser
def test_a_browser_shows_what_may_come_next(serve, json_bytes):
    server = serve(partial(answer, json_bytes))
    page = show(f"{server.url}#%7B%22%3Cb%3E%22")
    assert '<h1 id="title">a &lt;title&gt;</h1>' in page
    assert '<th scope="row">COLON ":"</th>' in page
    assert "5 of 256 tokens are legal" in page
    assert "<b>" not in page.split('id="heat"')[1]
    page = show(f"{server.url}#%5B1%7D", width=390)
    assert "illegal at line 1, column 3" in page
    assert "'1' ends as NUMBER, and after it '}' begins \"}\"" in page


def shown(text):
    return f"document.body.dataset.shown === {json.dumps(text)}"


@needs_browser
def test_keys_that_are_pressed_are_answered(serve, json_bytes):
    with open_page(serve(partial(answer, json_bytes)).url) as page:
        page.wait_for(shown(""))
        page.click("#text")
        page.type('{"a"\n:')
        page.wait_for(shown('{"a"\n:'))
        rows = "[...document.querySelectorAll('#groups th')].map((th) => th.textContent)"
        assert {"STRING", "NUMBER", 'TRUE "true"', 'LBRACE "{"'} < set(page.evaluate(rows))
        page.type(" ]")
        page.wait_for(shown('{"a"\n: ]'))
        status = "document.getElementById('status').textContent"
        assert page.evaluate(status) == "illegal at line 2, column 3"
        heading = "document.getElementById('next').textContent"
        assert page.evaluate(heading) == "What may come there instead"
        page.click("#groups .more")
        page.wait_for("document.querySelectorAll('#groups tr:first-child button').length > 9")
        page.press("Backspace")
        page.wait_for(shown('{"a"\n: '))
        assert "tokens are legal" in page.evaluate(status)


@needs_browser
def test_a_token_is_clicked_and_another_one_asked_about(serve, json_bytes):
    with open_page(f"{serve(partial(answer, json_bytes)).url}#%5Btru", width=390) as page:
        page.wait_for(shown("[tru"))
        page.click("#groups button")
        page.wait_for(shown("[true"))
        assert page.evaluate("document.activeElement.id") == "text"  # one can write on
        page.click("#token")
        page.type("}")
        page.wait_for("!document.getElementById('verdict').hidden")
        assert page.evaluate("document.getElementById('verdict').textContent").startswith(
            "token 125 '}': illegal"
        )
        assert page.evaluate("document.documentElement.scrollWidth <= 390")


@needs_browser
def test_what_was_typed_last_is_shown_however_late_the_answers_come(serve):
    def slowly(text, _token, _unfolded):
        time.sleep(0.5 if len(text) < 3 else 0)
        return {"problem": f"asked about {text}"}

    with open_page(serve(slowly).url) as page:
        page.click("#text")
        page.type("a")
        time.sleep(0.2)  # it has been asked about, and is not answered
        page.type("bc")
        page.wait_for(shown("abc"))
        time.sleep(0.6)
        assert page.evaluate("document.getElementById('status').textContent") == "asked about abc"
