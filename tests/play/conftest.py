import threading

import pytest

import maskc
from maskc.play import PlayServer


@pytest.fixture(scope="session")
def json_bytes():
    return maskc.compile_grammar("json", tokenizer="bytes")


@pytest.fixture
def serve():
    """Return a function that serves answers until the test ends."""
    servers = []

    def start(answer):
        server = PlayServer(answer, "a <title>")
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        servers.append((server, thread))
        return server

    yield start
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()
