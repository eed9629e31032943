"""``maskc play``: try a grammar in a browser."""

from __future__ import annotations

import webbrowser
from functools import partial

import click

import maskc
from maskc.artifact.sections import is_schema
from maskc.cli.json_schema import read_resources, resource_option
from maskc.cli.options import start_option


@click.command("play", short_help="Try an artifact in a browser.")
@click.argument("artifact")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=0, metavar="N", help="Default: a free one."
)
@click.option("--no-browser", is_flag=True, help="Only print where the page is.")
@resource_option
@start_option
def play_command(
    artifact: str, *, port: int, no_browser: bool, resources: tuple[str, ...], start: str | None
) -> None:
    """Open a page in which ARTIFACT can be tried; Ctrl-C ends it.

    While you type, the page shows which tokens may come next, by terminal, how much choice there
    was at each token so far, and where a text becomes illegal and why. It is served on this machine
    for this machine, and loads nothing from elsewhere.
    """
    from maskc.play.answers import answer
    from maskc.play.server import PlayServer

    loaded = maskc.load(artifact).for_start(start)
    if resources and not is_schema(loaded.header):
        raise click.UsageError("--resource goes with a JSON Schema only.")
    documents = read_resources(resources)
    header = loaded.header
    title = f"{header['grammar']['name']} for {header['tokenizer']['name']}"
    with PlayServer(partial(answer, loaded, resources=documents), title, port) as server:
        click.echo(f"{server.url} (Ctrl-C ends it)")
        if not no_browser:
            webbrowser.open(server.url)
        server.serve_forever()
