"""Linear layers whose weights are spread over ranks that have rows of their own, and over others that
share the work of tensor parallelism."""

from __future__ import annotations

import math
import struct
from typing import Any, cast

import torch
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import MixedPrecisionPolicy
from torch.distributed.tensor import DTensor, Partial, Placement, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.placement_types import _StridedShard
from torch.nn import functional
from torch.utils._pytree import tree_leaves

from .._errors import BadArgumentError
from ._calls import count
from ._layer import Layer, biased, misfit
from ._linear import Summed, linear
from ._operations import DYNAMIC, collective, normalized
from ._operator import is_traced
from ._site import site_of, world_of
from ._versions import is_dynamic, nonstrict_trace

_NOT_IN_GRAPH = "ranks compare their numbers of rows, which torch.compile(dynamic=True) does not know"


class SpreadLayer:
    """The forward function of a linear layer whose weight is spread over ranks that each have rows of
    their own. What they have together is one batch."""

    def __init__(self, module: nn.Linear, data: DeviceMesh, policy: MixedPrecisionPolicy):
        inner = module.forward
        self._module = module
        self._placements = inner.placements if isinstance(inner, Layer) else ()
        self._parts = data.ndim, data.size()
        self.divisor = float(data.size())  #: of the sum of the gradients of ranks
        self._dtype = policy.param_dtype
        self._reduced = policy.reduce_dtype

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
        """The same on all ranks. Collective, except in a graph, where it is when the graph runs."""
        why = misfit(batch, weight, how)
        if is_traced(batch._local_tensor):
            return _fixed(why, weight)
        mine = struct.pack("=q?", x.shape[0], why is None)
        others = world_of(site_of(weight.device_mesh))._gather(mine)
        if why is None and any(other != mine for other in others):
            return "ranks have different numbers of rows"
        return why

    def _by_torch(self, x: torch.Tensor, weight: DTensor, dtype: torch.dtype, summed: Summed) -> torch.Tensor:
        """The product with the whole weight, as torch computes it, in this type."""
        dims = self._parts[0]
        inner = weight.placements[dims:]
        kind = summed.wider(weight, dtype) or dtype
        given: Any = weight.to(kind)
        if weight.requires_grad:
            given = given.clone()  # so that the hook is not that of the weight
            given.register_hook(lambda grad: summed.rounded(grad).to(kind))
        gathered = given.redistribute(placements=[*(Replicate(),) * dims, *inner])
        whole = gathered.to_local(grad_placements=[*(Partial(),) * dims, *inner])
        if whole.requires_grad:
            whole.register_hook(lambda grad: summed.rounded(grad * summed.scale).to(kind))
        whole = whole.to(dtype)
        if not isinstance(x, DTensor):
            return functional.linear(x, whole)
        own = DTensor.from_local(whole, x.device_mesh, inner, run_check=False)
        y = cast(DTensor, functional.linear(x, own))
        return y.redistribute(placements=self._placements)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        if not torch.compiler.is_compiling():
            return self.product(x)
        return cast(torch.Tensor, self._outside(x) if is_dynamic() else _in_graph(self._module, x))

    @torch.compiler.disable(reason=_NOT_IN_GRAPH)  # type: ignore[no-untyped-call,untyped-decorator]
    def _outside(self, x: torch.Tensor) -> torch.Tensor:
        return self.product(x)

    def product(self, x: torch.Tensor) -> torch.Tensor:
        weight = cast(DTensor, self._module.weight)
        dtype = self._dtype or weight.dtype
        low = cast(DTensor, weight.detach().to(dtype))
        batch = self._batch(x, weight.device_mesh)
        how = normalized((*(Shard(0),) * self._parts[0], *self._placements), x.ndim)
        why = self._why_not(x, batch, low, how)
        summed = Summed(1 / self.divisor, self._reduced)
        if why is None:
            products = linear(batch, [weight], how, summed, [low], counted=True)
            y = self._own(products[0], x)
        else:
            count(passed_on=why)
            y = self._by_torch(x, weight, dtype, summed)
        return cast(torch.Tensor, biased(y, self._module.bias))


@torch.compiler.disable  # type: ignore[untyped-decorator]
def fix_sizes(module: nn.Module, *given: Any) -> None:
    """A hook of a module with such layers, by which torch compiles a graph for each size of what the module is given.
    Otherwise, it would compile for any size on the ranks where a size changes."""
    for tensor in tree_leaves(given):
        for each in (tensor, getattr(tensor, "_base", None)):
            if isinstance(each, torch.Tensor):
                torch._dynamo.mark_static(each)


@collective
def _fixed(why: str | None, weight: DTensor) -> str | None:
    """Why a layer that is compiled is torch's, if so. Fails on all ranks where torch would have to compute it in a
    graph for all sizes: these may have changed on some ranks only."""
    if why == DYNAMIC:
        raise BadArgumentError(
            "a layer with tensor parallelism is compiled for fixed sizes: torch.compile(dynamic=False) makes a graph for each"
        )
    return why


@nonstrict_trace
def _in_graph(module: nn.Module, x: Any) -> Any:
    """What a layer returns, as torch.compile traces it: only the operators that it calls."""
    return cast(Any, module.forward).__self__.product(x)


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


