"""``maskc play``: try a grammar in a browser."""

from __future__ import annotations

import webbrowser
from functools import partial

import click

from maskc.cli.options import Opened, sourced_artifact_options


@click.command("play", short_help="Try an artifact in a browser.")
@sourced_artifact_options
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=0, metavar="N", help="Default: a free one."
)
@click.option("--no-browser", is_flag=True, help="Only print where the page is.")
def play_command(opened: Opened, *, port: int, no_browser: bool) -> None:
    """Open a page in which ARTIFACT can be tried; Ctrl-C ends it.

    While you type, the page shows which tokens may come next, by terminal, how much choice there
    was at each token so far, and where a text becomes illegal and why. It is served on this machine
    for this machine, and loads nothing from elsewhere.
    """
    from maskc.play.answers import answer
    from maskc.play.server import PlayServer

    header = opened.artifact.header
    title = f"{header['grammar']['name']} for {header['tokenizer']['name']}"
    give = partial(answer, opened.artifact, resources=opened.resources)
    with PlayServer(give, title, port) as server:
        click.echo(f"{server.url} (Ctrl-C ends it)")
        if not no_browser:
            webbrowser.open(server.url)
        server.serve_forever()
