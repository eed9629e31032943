"""The entry point: runs a command and turns what it raises into an exit status.

0 done; 1 the check failed (``verify``); 2 bad input or usage, with one sentence on standard
error; 130 interrupted; 141 the reader of the output went away; 143 terminated.
"""

from __future__ import annotations

import gc
import importlib
import io
import os
import sys
import warnings
from collections.abc import Sequence
from difflib import get_close_matches

import click

import maskc
from maskc.cli.signals import quit_at_once, raise_exceptions, status_of
from maskc.errors import MaskcError
from maskc.native import describe_runtime

BAD_INPUT, CLOSED_PIPE = 2, 141
# Shells ask by this variable what may follow; `_MASKC_COMPLETE=bash_source maskc` says how they do.
COMPLETE = "_MASKC_COMPLETE"
COMMANDS = (
    *("compile", "build", "inspect", "verify", "bench", "kit", "spelling", "generate"),
    *("grammars", "tokenizers", "families", "analyze", "lint", "explain", "play", "check"),
    *("diff", "dump"),
)
# NAME is `NAME_command` of `maskc.cli.NAME`, but for these.
_MODULES = {
    **dict.fromkeys(("check", "explain", "generate", "play", "bench"), "texts"),
    **dict.fromkeys(("grammars", "tokenizers", "families"), "lists"),
    **dict.fromkeys(("inspect", "diff"), "artifacts"),
    **dict.fromkeys(("kit", "spelling"), "build"),
    "dump": "analyze",
}


class LazyGroup(click.Group):
    """Imports the command that is asked for, and no other: the compiler alone takes a second."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *COMMANDS})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            name = _MODULES.get(cmd_name, cmd_name)
            module = importlib.import_module(f"maskc.cli.{name}")
            self.add_command(getattr(module, f"{cmd_name}_command"))
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the commands with a similar name if there is none of this one."""
        name = args[0]
        similar = get_close_matches(name, COMMANDS)
        if self.get_command(ctx, name) is None and similar and not name.startswith("-"):
            raise click.UsageError(
                f"No such command {name!r}. Did you mean {' or '.join(similar)}?", ctx
            )
        return super().resolve_command(ctx, args)


def _show_version(context: click.Context, _: click.Parameter, wanted: object) -> None:
    if wanted and not context.resilient_parsing:
        click.echo(f"maskc, version {maskc.__version__} (runtime: {describe_runtime()})")
        context.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the version, and whether the runtime is compiled.",
)
def commands() -> None:
    """Compile a Lark grammar and an LLM tokenizer into exact token masks."""


def main() -> None:
    """Run the command of the process's arguments, and exit."""
    _open_what_is_closed()
    # `re` warns of `[[a]` wherever a pattern is read: it may mean a set some day.
    warnings.simplefilter("ignore", FutureWarning)
    # A file name need not be text in the terminal's encoding; failing to print it helps nobody.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        raise_exceptions()
        if asked := os.environ.get(COMPLETE):
            from click.shell_completion import shell_complete

            status: int = shell_complete(commands, {}, "maskc", COMPLETE, asked)
        else:
            status = run(sys.argv[1:])
    except KeyboardInterrupt as error:  # before or after what `run` does, or a second one
        status = status_of(error)
    finally:
        quit_at_once()
    # What is left goes with the process: to collect a large pass that was given up takes seconds.
    gc.freeze()
    sys.exit(status)


def _open_what_is_closed() -> None:
    """Let nothing that is opened later take the place of a standard stream that was closed."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # it takes the lowest number that is free
    for name, number in (("stdout", 1), ("stderr", 2)):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w", closefd=False))


def run(arguments: Sequence[str]) -> int:
    """Return the exit status of a command; its output and its error are printed."""
    try:
        with commands.make_context("maskc", list(arguments)) as context:
            commands.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return BAD_INPUT
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "maskc"
        return _refuse(f"{error.format_message()} See `{command} --help`.")
    except click.ClickException as error:
        return _refuse(error.format_message())
    except MaskcError as error:
        return _refuse(str(error))
    except (KeyboardInterrupt, click.Abort) as error:
        return status_of(error)
    except BrokenPipeError:
        _discard_output()
        return CLOSED_PIPE
    except OSError as error:
        _discard_output()
        prefix = f"{error.filename}: " if error.filename else ""
        return _refuse(f"{prefix}{error.strerror or error}")
    return 0


def _refuse(sentence: str) -> int:
    click.echo(f"maskc: {' '.join(sentence.split())}", err=True)
    return BAD_INPUT


def _discard_output() -> None:
    """Send what cannot be written nowhere: Python flushes once more at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
