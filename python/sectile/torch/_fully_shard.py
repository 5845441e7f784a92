"""Fully sharded modules, whose linear layers are never whole on a rank."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from typing import Any, Callable, Iterable

import torch
from torch import nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy
from torch.distributed.fsdp import fully_shard as torch_fully_shard
from torch.distributed.tensor import DTensor, Shard

from ._layer import Layer, pass_on_embedding
from ._library import refuse_export
from ._placed import share_
from ._sharded_layer import ShardedLayer, Spread, spread_over
from ._shards import TYPES
from ._spread_layer import SpreadLayer, fix_sizes, sharded
from ._steps import Steps, bound

# Weights of fewer elements are left to torch: to gather them takes less time than we need for a product.
LEAST = 1 << 17


def _taken(module: nn.Module) -> Any:
    """What computes the product of a linear layer that this file has taken; None of other modules."""
    return getattr(vars(module).get("forward"), "__self__", None)


def _held_once(modules: Iterable[nn.Module]) -> set[nn.Parameter]:
    """The parameters that belong to one module alone."""
    held = Counter(p for m in modules for p in m.parameters(recurse=False))
    return {parameter for parameter, count in held.items() if count == 1}


def _kind_of(modules: Iterable[nn.Module]) -> str:
    """The kind of devices that parameters are on."""
    kinds = {p.device.type for m in modules for p in m.parameters(recurse=False) if not p.is_meta}
    return kinds.pop() if len(kinds) == 1 else "cpu"


def _serves(layer: nn.Module, mesh: DeviceMesh, where: Any) -> bool:
    """Whether the weight of a layer can stay sharded."""
    own = vars(layer).get("forward")
    if type(layer) is not nn.Linear or not (own is None or isinstance(own, Layer)):
        return False
    weight = layer.weight
    elsewhere = where is not None and where(weight) not in (None, Shard(0))
    there = weight.device.type == mesh.device_type or (weight.is_meta and not isinstance(weight, DTensor))
    return there and weight.dtype in TYPES and weight.numel() >= LEAST and not elsewhere


def _take(
    layer: nn.Linear, mesh: DeviceMesh, spread: Spread, policy: MixedPrecisionPolicy
) -> ShardedLayer | SpreadLayer:
    """Spreads the weight of a layer. Collective."""
    weight = layer.weight
    twice = isinstance(weight, DTensor)  # over the ranks of tensor parallelism, too
    made = sharded(weight, mesh) if twice else spread.spread(weight)
    layer.weight = nn.Parameter(made, requires_grad=weight.requires_grad)
    if twice:
        share_(layer.weight)
        over_both = SpreadLayer(layer, mesh, policy)
        vars(layer)["forward"] = over_both.__call__
        return over_both
    served = ShardedLayer(layer, spread, policy)
    # A method: of any other callable, torch.compile expects the same one in all layers that a graph serves.
    vars(layer)["forward"] = served.__call__
    if not weight.is_meta:
        served.begin_forward()
    return served


def _have_passes_together(modules: list[nn.Module]) -> None:
    """Has all sharded layers in a module begin and end their passes with it."""
    inside = itertools.chain.from_iterable(module.modules() for module in modules)
    layers = [served for m in inside if isinstance(served := _taken(m), ShardedLayer)]
    for world in dict.fromkeys(layer.world for layer in layers):
        own = [layer for layer in layers if layer.world is world]
        Steps(world).take([*own])
        for module in modules:
            bound(module, own[0])


def _divide_alike(modules: list[Any], layers: list[ShardedLayer | SpreadLayer]) -> None:
    """Has ``set_gradient_divide_factor`` of modules apply to layers whose weights are not torch's."""

    def set_factor(by_torch: Callable[[float], None], factor: float) -> None:
        by_torch(factor)
        for layer in layers:
            layer.divisor = factor

    for module in modules:
        for_both = functools.partial(set_factor, module.set_gradient_divide_factor)
        vars(module)["set_gradient_divide_factor"] = for_both


def _refuse_export(*_: Any) -> None:
    refuse_export("fully_shard", "export the model before it is sharded")


def fully_shard(
    module: Any,
    *,
    mesh: DeviceMesh | None = None,
    mp_policy: MixedPrecisionPolicy = MixedPrecisionPolicy(),
    ignored_params: set[nn.Parameter] | None = None,
    **options: Any,
) -> Any:
    """Shards the parameters of a module as torch's ``fully_shard`` does, with its arguments.

    The weights of linear layers stay sharded during their products, too. Collective.
    """
    modules: list[nn.Module] = [*module] if isinstance(module, (list, tuple)) else [module]
    inside = [m for given in modules for m in given.modules()]
    if mesh is None:
        mesh = init_device_mesh(_kind_of(inside), (torch.distributed.get_world_size(),))
    left: set[Any] = set(ignored_params or ())
    left |= {m.weight for m in inside if isinstance(_taken(m), (ShardedLayer, SpreadLayer))}
    once, where = _held_once(inside) - left, options.get("shard_placement_fn")
    spread = spread_over(mesh)
    taken: list[ShardedLayer | SpreadLayer] = []
    for layer in inside:
        if isinstance(layer, nn.Linear) and layer.weight in once and _serves(layer, mesh, where):
            taken.append(_take(layer, mesh, spread, mp_policy))
            left.add(layer.weight)
    for other in inside:
        pass_on_embedding(other)
    _have_passes_together(modules)
    sharded_by_torch: Any = torch_fully_shard
    made = sharded_by_torch(module, mesh=mesh, mp_policy=mp_policy, ignored_params=left, **options)
    _divide_alike(modules, taken)
    for given in modules if any(isinstance(layer, SpreadLayer) for layer in taken) else ():
        # Behind the hook of torch, which makes views of what is given.
        given.register_forward_pre_hook(fix_sizes, with_kwargs=True)
    for given in modules:  # before the hooks of torch, which an export leaves unusable
        given.register_forward_pre_hook(_refuse_export, prepend=True)
    return made
