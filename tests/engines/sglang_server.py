"""SGLang's server with a model of random weights, in a process of its own, on a CPU.

Example: ``with serving(folder, artifacts, "--reasoning-parser", "deepseek-r1") as server:`` starts
it, ``server.post("/generate", {…})`` sends a request, and the end of the block stops it.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from pathlib import Path

from tests.engines.hf_model import write_folder
from tests.engines.servers import Server, serve
from tests.engines.sglang_cpu import SETTINGS, prepare
from tests.engines.sglang_speculation import VARIABLE


def serving(folder: Path, artifacts: Path, *options: str) -> AbstractContextManager[Server]:
    """Return a server of a model of random weights, which is stopped after the block.

    Args:
        folder: for the model and the server's log.
        artifacts: the folder that requests name artifacts of.
        options: of ``sglang.launch_server``.
    """
    model = folder / "model"
    if not model.is_dir():
        write_folder(model)
    prepare(folder)
    command = [
        *(sys.executable, "-m", "sglang.launch_server", "--model-path", str(model)),
        *("--grammar-backend", "maskc", "--max-total-tokens", "16384"),
        *("--max-running-requests", "16", "--log-level", "info", *_list_settings(), *options),
    ]
    environment = {"MASKC_ARTIFACTS": str(artifacts), "OMP_NUM_THREADS": "1"}
    if "--speculative-algorithm" in options:
        environment[VARIABLE] = "1"
    return serve(command, folder / "server.log", environment)


def _list_settings() -> list[str]:
    """Return the engine's settings as options of the command."""
    found = []
    for name, value in SETTINGS.items():
        found.append("--" + name.replace("_", "-"))
        if value is not True:
            found.append(str(value))
    return found
