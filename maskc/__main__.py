"""The command ``maskc``, and ``python -m maskc``: hears Ctrl-C, then loads everything else."""

from __future__ import annotations

from maskc.cli.signals import quit_at_once


def main() -> None:
    """Run the command of the process's arguments, and exit."""
    quit_at_once()
    from maskc.cli.main import main as run_command

    run_command()


if __name__ == "__main__":
    main()
