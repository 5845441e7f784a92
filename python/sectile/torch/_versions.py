"""What differs between the versions of torch that are supported."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import torch
import torch._dynamo
from torch.distributed.tensor import Partial, Replicate, Shard
from torch.distributed.tensor.placement_types import _StridedShard
from torch.utils._pytree import is_constant_class, register_constant

#: Has torch.compile take a function as one call, which it does not look into.
if TYPE_CHECKING or hasattr(torch.compiler, "nonstrict_trace"):
    nonstrict_trace = torch.compiler.nonstrict_trace
else:  # torch 2.11
    # There, such a function takes only what torch can flatten, and not None.
    for kind in (Shard, Replicate, Partial, _StridedShard):
        if not is_constant_class(kind):
            register_constant(kind)

    def nonstrict_trace(function):
        traced = torch._dynamo.nonstrict_trace(function)

        @functools.wraps(function)
        def call(*given):
            while given[-1] is None:
                given = given[:-1]
            return traced(*given)

        return call


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def is_exporting() -> bool:
    """Whether torch.export traces. In torch 2.11, torch's own function is true in all that torch.compile traces."""
    return torch.compiler._is_exporting_flag


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def is_dynamic() -> bool:
    """Whether torch.compile(dynamic=True) compiles, so that sizes are symbols."""
    return not torch._dynamo.config.assume_static_by_default
