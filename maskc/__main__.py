"""``python -m maskc``: the command where no script is on the path."""

from maskc.cli.entry import main

if __name__ == "__main__":
    main()
