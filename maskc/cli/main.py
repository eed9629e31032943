"""The entry point: runs a command and turns what it raises into an exit status.

0 done; 1 the check failed (``verify``); 2 bad input or usage, with one sentence on standard
error; 130 interrupted; 141 the reader of the output went away; 143 terminated.
"""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Sequence

import click

import maskc
from maskc.cli.analyze import analyze_command
from maskc.cli.bench import bench_command
from maskc.cli.compile import compile_command
from maskc.cli.dump import dump_command
from maskc.cli.explain import explain_command
from maskc.cli.generate import generate_command
from maskc.cli.inspect import inspect_command
from maskc.cli.kit import kit_command
from maskc.cli.lint import lint_command
from maskc.cli.signals import quit_at_once, raise_exceptions, status_of
from maskc.cli.tokenizers import tokenizers_command
from maskc.cli.verify import verify_command
from maskc.errors import MaskcError

BAD_INPUT, CLOSED_PIPE = 2, 141


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(maskc.__version__, prog_name="maskc")
def commands() -> None:
    """Compile a Lark grammar and an LLM tokenizer into exact token masks."""


commands.add_command(compile_command)
commands.add_command(inspect_command)
commands.add_command(verify_command)
commands.add_command(bench_command)
commands.add_command(kit_command)
commands.add_command(generate_command)
commands.add_command(tokenizers_command)
commands.add_command(analyze_command)
commands.add_command(lint_command)
commands.add_command(explain_command)
commands.add_command(dump_command)


def main() -> None:
    """Run the command of the process's arguments, and exit."""
    # A file name need not be text in the terminal's encoding; failing to print it helps nobody.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        raise_exceptions()
        status = run(sys.argv[1:])
    except KeyboardInterrupt as error:  # before or after what `run` does, or a second one
        status = status_of(error)
    finally:
        quit_at_once()
    # What is left goes with the process: to collect a large pass that was given up takes seconds.
    gc.freeze()
    sys.exit(status)


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
        place = f"{error.filename}: " if error.filename else ""
        return _refuse(f"{place}{error.strerror or error}")
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
