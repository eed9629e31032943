"""SGLang's engine on a machine without a GPU: a platform of plain torch.

SGLang's own CPU platform needs kernels that the package index has no build of, and its CUDA kernels
do not load without a driver. It lets others add platforms by entry point, and has a torch
implementation of all that a small Llama needs. So memory is the machine's, and nothing is
captured, compiled or launched.

Example: ``sglang.Engine(model_path, **prepare(folder))``.

What it cannot show: kernels, CUDA graphs, and anything that depends on a GPU's order of execution.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

NAME = "plain_torch"
# Loaded into each of SGLang's processes, name → module; one may be added before a server starts.
PLUGINS = {"maskc_speculation": f"{__package__}.sglang_speculation"}
SETTINGS: dict[str, Any] = {
    "device": "cpu",
    "dtype": "float32",
    "attention_backend": "torch_native",
    "sampling_backend": "pytorch",
    "disable_cuda_graph": True,
    "skip_server_warmup": True,
}


def prepare(folder: Path) -> dict[str, Any]:
    """Return settings of an engine, and make SGLang's processes find the platform.

    Call it before SGLang is imported.

    Args:
        folder: what Python finds the platform by is written there.
    """
    information = folder / f"{NAME}-0.dist-info"
    information.mkdir(parents=True, exist_ok=True)
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 0\n")
    (information / "entry_points.txt").write_text(
        f"[sglang.srt.platforms]\n{NAME} = {__package__}.sglang_platform:activate\n"
        "[sglang.srt.plugins]\n"
        + "".join(f"{name} = {module}:register\n" for name, module in PLUGINS.items())
    )
    paths = [str(folder), str(Path(__file__).parents[2])]
    given = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([*paths, *([given] if given else [])])
    sys.path[:0] = paths
    return dict(SETTINGS)
