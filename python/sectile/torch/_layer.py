"""Linear layers whose products the library computes."""

from __future__ import annotations

import math
import weakref
from typing import Any, Iterable, Sequence, cast

import torch
from torch import nn
from torch.distributed.tensor import DTensor, Placement, Shard
from torch.distributed.tensor.placement_types import _StridedShard
from torch.nn import functional

from .._errors import BadArgumentError
from ._calls import count
from ._judge import quicker
from ._linear import linear
from ._matmul import gradient_placements
from ._operations import (
    Call,
    brought,
    check_locals,
    collective,
    move_across,
    normalized,
    sharding_of,
    why_not,
    why_not_on,
)
from ._operator import is_traced
from ._site import site_of, world_of
from ._sizes import shown
from ._specs import by_rows
from ._versions import nonstrict_trace


_UNFIT = "the shapes do not fit"


class _Ready:
    """What layers give for one activation that were computed together with another."""

    def __init__(self, x: DTensor, found: dict[Layer, DTensor], why: str | None):
        self.why = why  # the library has not computed them
        self._version = x._local_tensor._version
        self._grad = torch.is_grad_enabled()
        self.found = found

    def take(self, layer: Layer, x: DTensor) -> DTensor | None:
        if (self._version, self._grad) != (x._local_tensor._version, torch.is_grad_enabled()):
            return None
        return self.found.pop(layer, None)


def misfit(x: Any, weight: DTensor, placements: Sequence[Placement]) -> str | None:
    """Why the library cannot multiply an activation by the weight of a layer, for a result with these
    placements; None if it can."""
    why = why_not(Call(x, weight)) or why_not_on(weight.device_mesh, placements, x.ndim)
    if why is not None:
        return why
    if x.ndim < 2 or x.shape[-1] != weight.shape[1]:
        return _UNFIT
    mesh = site_of(x.device_mesh).mesh
    y = by_rows(x.device_mesh, placements, (*x.shape[:-1], weight.shape[0]), x.dtype)
    if any(sharding_of(spec, mesh).flattened() is None for spec in (x._spec, y)):
        return "a batch is cut unevenly"
    return None


class _Bias(torch.autograd.Function):
    """A bias whose gradient has its placements, where DTensor would leave to each rank its part of a sum."""

    @staticmethod
    def forward(ctx: Any, bias: DTensor) -> DTensor:
        ctx.spec = by_rows(bias.device_mesh, gradient_placements(bias), bias.shape, bias.dtype)
        return DTensor(bias._local_tensor, bias._spec, requires_grad=False)

    @staticmethod
    def backward(ctx: Any, grad: DTensor) -> DTensor:
        if is_traced(grad._local_tensor):
            return grad.redistribute(placements=ctx.spec.placements)
        return grad if grad.placements == ctx.spec.placements else move_across(grad, ctx.spec, calls=0)


def biased(y: Any, bias: Any) -> Any:
    """What a layer returns, if it has a bias or none."""
    if bias is None:
        return y
    return y + (_Bias.apply(bias) if isinstance(bias, DTensor) else bias)


class Layer:
    """The product of a linear layer, by the library: what the module calls instead of its forward function.

    Layers that take the same activation are a group: the first that is called computes the products of all.
    """

    def __init__(
        self, module: nn.Linear, placements: Sequence[Placement], inputs: Sequence[Placement]
    ):
        self._module = module
        self._forward = module.forward
        self._inputs = tuple(inputs)  # of the activation, as torch's own style moves it first
        self.placements = tuple(placements)
        self.group = [self]
        self._ready: weakref.ref[_Ready] | None = None
        self._passed_on: str | None = None  # why torch has computed the last product, if so

    @property
    def weight(self) -> DTensor:
        return cast(DTensor, self._module.weight)

    def _quicker(
        self, x: DTensor, weights: Sequence[DTensor], placements: Sequence[Placement]
    ) -> tuple[list[DTensor], str | None]:
        """The products of an activation and several weights, and why torch has computed them, if so."""

        def ours() -> list[DTensor]:
            return linear(x, weights, placements, timed=False)

        def torchs() -> list[DTensor]:
            return _by_torch(x.redistribute(placements=self._inputs), weights, placements)

        if is_traced(x._local_tensor):
            return ours(), None
        if _in_backward():  # what is computed again must be computed in the same way
            return (ours() if self._passed_on is None else torchs()), self._passed_on
        key = "linear", x._spec, tuple(placements), *(weight._spec for weight in weights)
        given = [x, *weights], ["activation", *["weight"] * len(weights)]
        products, self._passed_on = quicker(
            world_of(site_of(x.device_mesh)),
            key,
            lambda: brought(*given),
            ours,
            torchs,
            lambda: check_locals(*given),
            timed=not _is_recomputed(),
        )
        return products, self._passed_on

    def _products(
        self, x: DTensor, placements: Sequence[Placement]
    ) -> tuple[DTensor, str | None]:
        """Computes the products of the group, and leaves those of the others with the activation."""
        left = None if self._ready is None else self._ready()
        if left is not None and left.found and not _in_backward():
            self.group = [self]  # the others have taken other activations
        weights = [layer.weight for layer in self.group]
        if not is_traced(weights[0]._local_tensor):
            _join(weights)
        (first, *others), why = self._quicker(x, weights, placements)
        if others:
            ready = _Ready(x, dict(zip(self.group[1:], others)), why)
            self._ready = weakref.ref(ready)
            x.__dict__["_ready"] = ready
        return first, why

    def __call__(self, x: Any) -> Any:
        if torch.compiler.is_compiling():
            return _in_graph([layer._module for layer in self.group], x)
        return self.product(x)

    def product(self, x: Any) -> Any:
        placements = normalized(self.placements, x.ndim)
        why = misfit(x, self.weight, placements)
        if why == _UNFIT:
            _check_sizes(x, self.weight)
        if why is not None:
            count(passed_on=why)
            return self._forward(x.redistribute(placements=self._inputs))
        ready = x.__dict__.get("_ready")
        y = None if ready is None else ready.take(self, x)
        y, why = self._products(x, placements) if y is None else (y, ready.why)
        # A product that is traced counts when it is computed.
        count(served=why is None and not is_traced(x._local_tensor), passed_on=why)
        return biased(y, self._module.bias)


@collective
def _check_sizes(x: DTensor, weight: DTensor) -> None:
    """Fails on all ranks, as others may have what fits, if torch cannot multiply either."""
    if x.shape[-1:] != weight.shape[1:]:
        given = shown(brought([x, weight], ["activation", "weight"]))
        raise BadArgumentError(f"the sizes do not fit: {given}")


def _in_backward() -> bool:
    return torch._C._current_graph_task_id() != -1


def _is_recomputed() -> bool:
    """Whether a backward pass may compute again what is computed now, as it does for a checkpoint."""
    return torch._C._autograd._top_saved_tensors_default_hooks(False) is not None


def _by_torch(
    x: DTensor, weights: Sequence[DTensor], placements: Sequence[Placement]
) -> list[DTensor]:
    """The products of an activation that has been moved to where the weights are."""
    products = (cast(DTensor, functional.linear(x, weight)) for weight in weights)
    return [product.redistribute(placements=placements) for product in products]


@nonstrict_trace
def _in_graph(modules: Sequence[nn.Module], x: Any) -> Any:
    """What a layer returns, as torch.compile traces it: only the operators that it calls. The graph has the
    parameters of all modules of its group."""
    return cast(Layer, modules[0].forward).product(x)


def _join(weights: Sequence[DTensor]) -> None:
    """Moves local tensors to one place, one behind another, unless they are there."""
    locals = [weight._local_tensor for weight in weights]
    ends = [local.data_ptr() + local.numel() * local.element_size() for local in locals]
    if ends[:-1] != [local.data_ptr() for local in locals[1:]]:
        whole = torch.cat([local.detach() for local in locals])
        for local, part in zip(locals, torch.split(whole, [local.shape[0] for local in locals])):
            local.data = part


def _can_join(layers: Sequence[Layer]) -> bool:
    """Whether the rows of the weights can be those of one weight, which is cut as they are."""
    weights = [layer.weight for layer in layers]
    first = weights[0]
    if any(layer.placements != layers[0].placements for layer in layers):
        return False
    parts = math.prod(
        first.device_mesh.size(d) for d, how in enumerate(first.placements) if how == Shard(0)
    )
    return all(
        weight._spec.placements == first.placements
        and weight.device_mesh == first.device_mesh
        and weight.shape[1] == first.shape[1]
        and weight.dtype == first.dtype
        and weight.shape[0] % parts == 0
        and not any(isinstance(how, _StridedShard) for how in weight.placements)
        for weight in weights
    )


def group(modules: Iterable[nn.Module]) -> None:
    """Has layers computed together that take the same activation, as far as they are cut alike."""
    layers = [m.forward for m in modules if isinstance(m.forward, Layer) and type(m) is nn.Linear]
    columns = [layer for layer in layers if isinstance(layer.weight, DTensor)]
    columns = [layer for layer in columns if Shard(0) in layer.weight.placements]
    if len(columns) > 1 and _can_join(columns):
        columns[0].group = columns
        _join([layer.weight for layer in columns])


class Grouping:
    """A hook that has the linear layers of a module computed together, from its first call on."""

    def __init__(self) -> None:
        self.done = False

    def __call__(self, module: nn.Module, inputs: Any) -> None:
        _group_once(self, module)


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]  # also while torch.compile traces the hook
def _group_once(grouping: Grouping, module: nn.Module) -> None:
    if not grouping.done:
        grouping.done = True
        group(module.children())


class PassedOn:
    """A hook that counts the calls of a module that is torch's, for a reason."""

    def __init__(self, why: str):
        self._why = why

    def __call__(self, module: nn.Module, inputs: Any) -> None:
        _count_passed_on(self._why)


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]  # as above
def _count_passed_on(why: str) -> None:
    count(passed_on=why)


def pass_on_embedding(module: nn.Module) -> None:
    """Counts the calls of a module from now on, if it is an embedding: torch looks up rows on each rank."""
    counted = any(isinstance(hook, PassedOn) for hook in module._forward_pre_hooks.values())
    if isinstance(module, nn.Embedding) and not counted:
        module.register_forward_pre_hook(PassedOn("an embedding"))
