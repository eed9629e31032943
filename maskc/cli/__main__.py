"""``python -m maskc.cli``: as ``python -m maskc``; see :mod:`maskc.cli.script`."""

import _signal  # type: ignore[import-not-found]

if __name__ == "__main__":
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

    from maskc.cli.entry import main

    main()
