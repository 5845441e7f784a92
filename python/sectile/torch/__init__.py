"""Products of PyTorch's DTensors in any placements, without resharding an operand first."""

from __future__ import annotations

from ._dispatch import Calls, calls, disable, enable, is_enabled, reset_calls
from ._matmul import matmul
from ._placed import empty, share_, zeros

__all__ = [
    "Calls",
    "calls",
    "disable",
    "empty",
    "enable",
    "is_enabled",
    "matmul",
    "reset_calls",
    "share_",
    "zeros",
]
