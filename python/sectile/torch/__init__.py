"""Products of PyTorch's DTensors in any placements, without resharding an operand first."""

from __future__ import annotations

from . import parallel
from ._calls import Calls, calls, reset_calls
from ._choose import Placed, choose
from ._dispatch import disable, enable, is_enabled
from ._fully_shard import fully_shard
from ._matmul import matmul, redistribute
from ._placed import empty, share_, zeros

__all__ = [
    "Calls",
    "Placed",
    "calls",
    "choose",
    "disable",
    "empty",
    "enable",
    "fully_shard",
    "is_enabled",
    "matmul",
    "parallel",
    "redistribute",
    "reset_calls",
    "share_",
    "zeros",
]
