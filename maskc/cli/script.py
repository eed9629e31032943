#!/usr/bin/env python3
"""The command ``maskc``, as it is installed: hears Ctrl-C before it imports anything.

Python raises KeyboardInterrupt from its start on, and importing takes most of a short command's
time. So the first line that is ours lets Ctrl-C end the process as the system does, silently; from
:mod:`maskc.cli.entry` on it is told in a line. ``_signal`` is part of the interpreter: loading
``signal``, or the console script that installers write, would import other modules first.
"""

import _signal  # type: ignore[import-not-found]

if __name__ == "__main__":
    # A command that was started with Ctrl-C ignored goes on ignoring it.
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

    from maskc.cli.entry import main

    main()
