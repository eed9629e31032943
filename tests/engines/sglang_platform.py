"""The platform of plain torch that tests/engines/sglang_cpu.py gives to SGLang.

Only SGLang imports this module: importing it from elsewhere makes SGLang look for platforms while
this one is half read.
"""

from __future__ import annotations

import platform
from typing import Any

import psutil
import torch
from sglang.srt.platforms.device_mixin import PlatformEnum
from sglang.srt.platforms.interface import SRTPlatform


class PlainTorch(SRTPlatform):
    """A CPU that runs torch's own operators only."""

    _enum = PlatformEnum.OOT
    device_name = "cpu"
    device_type = "cpu"

    def get_default_attention_backend(self) -> str:
        """Return torch's own."""
        return "torch_native"

    def get_device_total_memory(self, device_id: int = 0) -> int:  # noqa: ARG002
        """Return the machine's memory, in bytes."""
        return int(psutil.virtual_memory().total)

    def get_current_memory_usage(self, device: Any = None) -> float:  # noqa: ARG002
        """Return what is in use of it, in bytes."""
        memory = psutil.virtual_memory()
        return float(memory.total - memory.available)

    def get_available_memory(self, device_id: int = 0) -> tuple[int, int]:  # noqa: ARG002
        """Return what is free of it, and all of it, in bytes."""
        memory = psutil.virtual_memory()
        return memory.available, memory.total

    def get_device(self, device_id: int = 0) -> Any:  # noqa: ARG002
        """Return the only one."""
        return torch.device("cpu")

    def set_device(self, device: Any) -> None:
        """There is one."""

    def get_device_name(self, device_id: int = 0) -> str:  # noqa: ARG002
        """Return the machine's kind."""
        return platform.machine()

    def get_device_uuid(self, device_id: int = 0) -> str:  # noqa: ARG002
        """Return the machine's kind: there is one device."""
        return platform.machine()

    def get_device_capability(self, device_id: int = 0) -> None:
        """A CPU has none."""


def activate() -> str:
    """Return the name of the platform's class; SGLang calls it."""
    return f"{__name__}:PlainTorch"
