"""Placements for a sequence of linear layers, chosen on a described machine."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple, Sequence, Union

import torch
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import Placement, Replicate, Shard

from .._arguments import sizes, whole
from .._chosen import ProductsChoice, Search
from .._errors import BadArgumentError, BadTypeError, kind_of
from .._layout import Layout, Shape
from .._machine import AnyMachine, find_machine
from .._products import Products
from ._local import TYPES
from ._sharding import Mesh, Sharding, cut_dim, layout_of
from ._site import site_of

Placements = tuple[Placement, ...]


class Placed(NamedTuple):
    """Placements for a sequence of linear layers; made by `choose`.

    ``parameters`` has those of each weight and bias by its name, ``input`` those of the input,
    and ``outputs`` those of each layer's output with which the time was simulated. ``choice`` has
    this time, the memory that a rank needs, and how each product is done.
    """

    parameters: dict[str, Placements]
    input: Placements
    outputs: list[Placements]
    choice: ProductsChoice


class _Layer(NamedTuple):
    """A linear layer: the names of its parameters, and the shape of its weight."""

    weight: str
    bias: str | None
    shape: Shape


def _of_module(model: torch.nn.Module) -> tuple[list[_Layer], torch.dtype]:
    layers, dtypes = [], set()
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.Linear):
            before = f"{name}." if name else ""
            bias = None if module.bias is None else f"{before}bias"
            shape = module.out_features, module.in_features
            layers.append(_Layer(f"{before}weight", bias, shape))
            dtypes.add(module.weight.dtype)
    if len(dtypes) != 1:
        raise BadArgumentError("choose: the model has no nn.Linear, or weights of several types")
    return layers, dtypes.pop()


def _of_shapes(shapes: Any) -> list[_Layer]:
    try:
        given = list(shapes)
    except TypeError:
        raise BadTypeError(f"choose: {kind_of(shapes)} is neither a module nor several shapes") from None
    layers = []
    for i, shape in enumerate(given):
        rows, cols = sizes(shape, ("out", "in"), "(out_features, in_features) for each layer")
        layers.append(_Layer(f"{i}.weight", None, (rows, cols)))
    return layers


def _check(layers: list[_Layer]) -> None:
    for one, next_one in zip(layers, layers[1:]):
        if one.shape[0] != next_one.shape[1]:
            raise BadArgumentError(
                f"choose: {next_one.weight} takes {next_one.shape[1]} features, but {one.weight} "
                f"makes {one.shape[0]}: they are no sequence"
            )


def _group(layers: list[_Layer], rows: int) -> Products:
    """The products of the layers: X1 = X0 * W1', and so on."""
    group = Products()
    x: Any = group.matrix("X0", (rows, layers[0].shape[1]))
    for i, layer in enumerate(layers, 1):
        group[f"X{i}"] = x @ group.matrix(f"W{i}", layer.shape).T
        x = group[f"X{i}"]
    return group


def _candidates(mesh: Mesh, shape: Shape) -> dict[Layout, Placements]:
    """All placements of a matrix, by their layouts."""
    order = tuple(range(len(mesh.shape)))
    each = [[Replicate(), Shard(0), Shard(1)] if size > 1 else [Replicate()] for size in mesh.shape]
    found = itertools.product(*each)
    return {layout_of(Sharding(mesh, shape, how, order)): how for how in found}


def _of_bias(output: Placements) -> Placements:
    """A bias has an element for each column of the output."""
    return tuple(Shard(0) if cut_dim(how) == 1 else Replicate() for how in output)


def choose(
    model: Union[torch.nn.Module, Sequence[tuple[int, int]]],
    mesh: DeviceMesh,
    rows: int,
    *,
    dtype: torch.dtype | None = None,
    machine: AnyMachine | None = None,
    backward: bool = True,
    same_ends: bool = False,
    memory: int = 0,
    ranks_per_node: int = 0,
) -> Placed:
    """Finds placements for a sequence of linear layers with which it takes the least time.

    ``model`` is a module, of which each ``nn.Linear`` multiplies the output of the one before, or a
    list of shapes, (out_features, in_features). ``rows`` are those of the input: tokens. Layers between
    them are assumed to leave placements as they are. Without ``backward`` gradients do not count; with
    ``same_ends`` the output has the placements of the input. ``memory`` limits the bytes of each rank.
    Every rank finds the same; nothing is sent.

    >>> model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 8))
    >>> placed = sectile.torch.choose(model, mesh, rows=64)
    >>> placed.input, sorted(placed.parameters)
    ((Replicate(),), ['0.bias', '0.weight', '2.bias', '2.weight'])
    """
    if not isinstance(mesh, DeviceMesh):
        raise BadTypeError(f"choose: {kind_of(mesh)} is not a DeviceMesh")
    if isinstance(model, torch.nn.Module):
        layers, of_weights = _of_module(model)
    else:
        layers, of_weights = _of_shapes(model), torch.get_default_dtype()
    number = TYPES.get(dtype or of_weights)
    if number is None or not layers:
        raise BadArgumentError(
            f"choose: elements of type {dtype or of_weights}" if layers else "choose: no layers"
        )
    _check(layers)
    group = _group(layers, whole("rows", rows, "int64_t", least=1))
    if same_ends:
        group.equal("X0", f"X{len(layers)}")
    roots = list(group.names)
    if backward:
        group.backward()
    ranks = site_of(mesh).mesh
    candidates = {name: _candidates(ranks, group[name].shape) for name in roots}
    found = find_machine(machine) if machine is not None else None
    search = Search(group, ranks.world, number, found, ranks_per_node)
    choice = search.choose({name: list(each) for name, each in candidates.items()}, memory)
    how = {name: candidates[name][choice.layouts[name]] for name in roots}
    outputs = [how[f"X{i}"] for i in range(1, len(layers) + 1)]
    parameters = {}
    for i, layer in enumerate(layers):
        parameters[layer.weight] = how[f"W{i + 1}"]
        if layer.bias is not None:
            parameters[layer.bias] = _of_bias(outputs[i])
    return Placed(parameters, how["X0"], outputs, choice)
