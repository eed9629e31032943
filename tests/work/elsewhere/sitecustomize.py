"""Takes away what Windows lacks, in each Python that has this folder first on its path."""

import importlib.abc
import os
import signal
import socket
import sys
import time

MODULES = {"fcntl", "grp", "pwd", "resource", "termios"}
MISSING = {
    os: ("fork", "forkpty", "killpg", "nice", "register_at_fork", "sched_getaffinity", "sysconf"),
    signal: ("SIGALRM", "SIGXCPU", "alarm", "pthread_sigmask", "setitimer"),
    socket: ("recv_fds", "send_fds"),
    time: ("pthread_getcpuclockid",),
}


class Hidden(importlib.abc.MetaPathFinder):
    def find_spec(self, name, _path=None, _target=None):
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Hidden())
for module, names in MISSING.items():
    for name in names:
        delattr(module, name)

open_file = os.open


def open_visible(path, *args, **named):
    if str(path).startswith("/proc"):
        raise FileNotFoundError(path)
    return open_file(path, *args, **named)


os.open = open_visible
