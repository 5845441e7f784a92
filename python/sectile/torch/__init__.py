"""Products of PyTorch's DTensors in any placements, without resharding an operand first."""

from __future__ import annotations

from ._dispatch import Calls, calls, disable, enable, is_enabled, reset_calls
from ._matmul import matmul

__all__ = ["Calls", "calls", "disable", "enable", "is_enabled", "matmul", "reset_calls"]
