"""Linear layers whose weights are spread over ranks that have rows of their own, and over others that
share the work of tensor parallelism."""

from __future__ import annotations

import math
import struct
from typing import Any, cast

import torch
from torch import nn
from torch._compile import _disable_dynamo
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Partial, Placement, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.placement_types import _StridedShard
from torch.nn import functional

from ._calls import count
from ._layer import Layer, misfit
from ._linear import linear
from ._operations import normalized
from ._site import site_of, world_of


class SpreadLayer:
    """The forward function of a linear layer whose weight is spread over ranks that each have rows of
    their own. What they have together is one batch."""

    def __init__(self, module: nn.Linear, data: DeviceMesh, dtype: torch.dtype | None):
        inner = module.forward
        self._module = module
        self._placements = inner.placements if isinstance(inner, Layer) else ()
        self._parts = data.ndim, data.size()
        self.divisor = float(data.size())  #: of the sum of the gradients of ranks
        self._dtype = dtype

    def _spread(self, local: torch.Tensor, mesh: DeviceMesh, how: Any, rows: int, shape: Any) -> DTensor:
        shape = torch.Size((rows, *shape[1:]))
        stride = torch.empty(shape, device="meta").stride()
        return DTensor.from_local(local, mesh, how, run_check=False, shape=shape, stride=stride)

    def _batch(self, x: torch.Tensor, mesh: DeviceMesh) -> DTensor:
        """The activations of all ranks."""
        dims, parts = self._parts
        inner = x.placements if isinstance(x, DTensor) else ()
        local = x.to_local() if isinstance(x, DTensor) else x
        return self._spread(local, mesh, (*(Shard(0),) * dims, *inner), parts * x.shape[0], x.shape)

    def _own(self, y: DTensor, x: torch.Tensor) -> torch.Tensor:
        """This rank's rows of the result of all."""
        local = y.to_local()
        if not isinstance(x, DTensor):
            return local
        how = y.placements[self._parts[0] :]
        return self._spread(local, x.device_mesh, how, x.shape[0], y.shape)

    def _why_not(self, x: torch.Tensor, batch: DTensor, weight: DTensor, how: Any) -> str | None:
        """The same on all ranks. Collective."""
        why = misfit(batch, weight, how)
        mine = struct.pack("=q?", x.shape[0], why is None)
        others = world_of(site_of(weight.device_mesh))._gather(mine)
        if why is None and any(other != mine for other in others):
            return "ranks have different numbers of rows"
        return why

    def _by_torch(self, x: torch.Tensor, weight: DTensor) -> torch.Tensor:
        """The product with the whole weight, as torch computes it."""
        dims, divisor = self._parts[0], self.divisor
        inner = weight.placements[dims:]
        gathered = weight.redistribute(placements=[*(Replicate(),) * dims, *inner])
        whole = gathered.to_local(grad_placements=[*(Partial(),) * dims, *inner])
        if whole.requires_grad:
            whole.register_hook(lambda grad: grad / divisor)  # type: ignore[no-untyped-call]
        if not isinstance(x, DTensor):
            return functional.linear(x, whole)
        own = DTensor.from_local(whole, x.device_mesh, inner, run_check=False)
        y = cast(DTensor, functional.linear(x, own))
        return y.redistribute(placements=self._placements)

    @_disable_dynamo
    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        weight = cast(DTensor, self._module.weight)
        weight = weight if self._dtype is None else cast(DTensor, weight.to(self._dtype))
        batch = self._batch(x, weight.device_mesh)
        how = normalized((*(Shard(0),) * self._parts[0], *self._placements), x.ndim)
        why = self._why_not(x, batch, weight, how)
        count(served=why is None, passed_on=why)
        if why is None:
            y = self._own(linear(batch, [weight], how, 1 / self.divisor)[0], x)
        else:
            y = self._by_torch(x, weight)
        return y if self._module.bias is None else y + self._module.bias


def sharded(weight: torch.Tensor, data: DeviceMesh) -> DTensor:
    """A weight that is also cut by its rows over a mesh of ranks with data of their own."""
    how: list[Placement] = [Replicate()] * (data.ndim - 1) + [Shard(0)]
    if not isinstance(weight, DTensor):
        return distribute_tensor(weight.detach(), data, how)
    mesh = DeviceMesh._concatenate([data, weight.device_mesh])
    cuts = math.prod(
        weight.device_mesh.size(d) for d, inner in enumerate(weight.placements) if inner == Shard(0)
    )
    if cuts > 1:
        how[-1] = _StridedShard(0, split_factor=cuts)
    local = distribute_tensor(weight.to_local().detach(), data, [*how[:-1], Shard(0)]).to_local()
    return DTensor.from_local(
        local, mesh, (*how, *weight.placements), run_check=False, shape=weight.shape, stride=weight.stride()
    )


