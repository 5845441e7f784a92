"""The product as an operator of torch on local tensors, for what traces or observes operators.

A graph that torch.compile has made calls the operator. The graph may be cached, and run in another process,
so the operator takes a text that describes the product, and that each rank of the same mesh can read.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Iterable, NamedTuple, Sequence

import torch
import torch.distributed as dist
from torch._subclasses import FakeTensor
from torch._subclasses.functional_tensor import FunctionalTensor
from torch.distributed.tensor import Partial, Replicate, Shard
from torch.distributed.tensor.placement_types import _StridedShard

from .._collective import telling
from .._errors import BadArgumentError
from .._processes import ProcessWorld
from ._calls import count
from ._local import Operand
from ._meeting import check_group
from ._product import Bias, multiply
from ._sharding import How, Mesh, Sharding
from ._site import Site, site_at, world_of

_MOST_OPERANDS = 3


class Product(NamedTuple):
    """``alpha a @ b + beta bias``, without its tensors."""

    site: Site
    operands: tuple[tuple[Sharding, str], ...]  # a, b and perhaps the bias, and how they are stored
    result: Sharding
    alpha: complex = 1
    beta: complex = 1
    alike: bool = True  # all ranks store the operands as it is said here
    calls: int = 0  # how many calls of products this serves


# ---- As a text ----

_HOWS = {"S": Shard, "R": Replicate, "P": Partial, "_S": _StridedShard}


def _how_to_list(how: How) -> list[Any]:
    if isinstance(how, _StridedShard):
        return ["_S", how.dim, how.split_factor]
    if isinstance(how, Shard):
        return ["S", how.dim]
    return ["P", how.reduce_op] if isinstance(how, Partial) else ["R"]


def _how_of_list(parts: list[Any]) -> How:
    kind, *values = parts
    if kind == "_S":
        return _StridedShard(values[0], split_factor=values[1])
    how: How = _HOWS[kind](*values)
    return how


def _sharding_to_list(sharding: Sharding) -> list[Any]:
    return [sharding.shape, list(map(_how_to_list, sharding.how)), sharding.order]


def _sharding_of_list(parts: list[Any], mesh: Mesh) -> Sharding:
    shape, hows, order = parts
    return Sharding(mesh, tuple(shape), tuple(map(_how_of_list, hows)), tuple(order))


@lru_cache(maxsize=4096)
def text_of(product: Product) -> str:
    """Describes a product. The text is the same on all ranks."""
    mesh, _, ranks = product.site
    described = {
        "mesh": mesh.shape,
        "ranks": [ranks[place] for place in mesh.ranks],
        "operands": [[*_sharding_to_list(s), order] for s, order in product.operands],
        "result": _sharding_to_list(product.result),
        "factors": [[complex(x).real, complex(x).imag] for x in (product.alpha, product.beta)],
        "alike": product.alike,
        "calls": product.calls,
    }
    return json.dumps(described, separators=(",", ":"))


def product_of(text: str) -> Product:
    """Reads what `text_of` has written, on any rank of the mesh."""
    check_group()
    return _product_of(text, dist.get_rank())


@lru_cache(maxsize=4096)
def _product_of(text: str, rank: int) -> Product:
    read = json.loads(text)
    places = read["ranks"]
    if rank not in places:
        raise BadArgumentError(
            f"a product was compiled for ranks {places}, of which rank {rank} is none"
        )
    site = site_at(read["mesh"], places, rank)
    mesh = site.mesh
    operands = ((_sharding_of_list(parts, mesh), order) for *parts, order in read["operands"])
    alpha, beta = (complex(*x) if x[1] else x[0] for x in read["factors"])
    result = _sharding_of_list(read["result"], mesh)
    return Product(site, tuple(operands), result, alpha, beta, read["alike"], read["calls"])


def compile_apart(apart: bool) -> None:
    """Has torch keep graphs in its cache apart from those in which products are not served, and from those
    of other ranks, for which it would take them on processors although each rank has slices of its own."""
    config: Any = torch.compiler.config
    tag = f" with sectile on rank {dist.get_rank() if dist.is_initialized() else 0}"
    before = config.cache_key_tag.removesuffix(tag)
    config.cache_key_tag = before + tag if apart else before


# ---- Computed ----


def _agreed(world: ProcessWorld, operands: list[Operand]) -> list[Operand]:
    """The operands in storage orders that all ranks have: by rows, where ranks differ, as they may
    after `DTensor.from_local`. Collective."""
    mine = "".join(operand.order for operand in operands).ljust(_MOST_OPERANDS).encode()
    everyone = world._gather(mine)
    if everyone.count(mine) == len(everyone):
        return operands
    alike = [len(set(orders)) == 1 for orders in zip(*everyone)]
    return [x if same else x._replace(order="C") for x, same in zip(operands, alike)]


def _compute(product: Product, locals: Iterable[torch.Tensor]) -> torch.Tensor:
    """Returns this rank's part of a product. Collective."""
    site = product.site
    world = world_of(site)
    pairs = zip(product.operands, locals)
    operands = [Operand(s, local, site.coordinate, order) for (s, order), local in pairs]
    if not product.alike:
        operands = _agreed(world, operands)
    a, b, *added = operands
    bias = Bias(added[0], product.beta) if added else None
    return multiply(world, a, b, product.result, product.alpha, bias)


def joined(parts: Sequence[torch.Tensor], order: str) -> torch.Tensor:
    """Matrices one behind another, in the order in which they are stored: where they lie, if they lie
    so in memory."""
    if len(parts) == 1:
        return parts[0]
    if order == "F":
        return joined([part.t() for part in parts], "C").t()
    first = parts[0]
    if is_traced(first):
        return torch.cat(list(parts))
    ends = [part.data_ptr() + part.numel() * part.element_size() for part in parts]
    behind = ends[:-1] == [part.data_ptr() for part in parts[1:]]
    if behind and all(part.is_contiguous() for part in parts):
        return first.as_strided((sum(part.shape[0] for part in parts), first.shape[1]), first.stride())
    return torch.cat(list(parts))


#: The classes of tensors that have no elements yet, as torch makes a graph.
TRACED = (FakeTensor, FunctionalTensor)


def is_traced(local: torch.Tensor) -> bool:
    return type(local) in TRACED


def _is_observed(local: torch.Tensor) -> bool:
    """Whether torch makes a graph of operators, counts them or takes their times."""
    return (
        torch._C._len_torch_dispatch_stack() > 0
        or torch._C._autograd._profiler_enabled()
        or is_traced(local)
    )


def computed(
    product: Product,
    a: Sequence[torch.Tensor],
    b: Sequence[torch.Tensor],
    bias: torch.Tensor | None = None,
) -> torch.Tensor:
    """Returns this rank's part of a product, whose operands may be in parts one behind another. Collective."""
    if _is_observed(a[0]):
        made: torch.Tensor = torch.ops.sectile.product.default(a, b, bias, text_of(product))
        return made
    return _with_parts(product, a, b, bias)


def _with_parts(
    product: Product,
    a: Sequence[torch.Tensor],
    b: Sequence[torch.Tensor],
    bias: torch.Tensor | None,
) -> torch.Tensor:
    count(served=product.calls)
    locals = [joined(parts, order) for parts, (_, order) in zip((a, b), product.operands)]
    return _compute(product, locals if bias is None else [*locals, bias])


def _world_of_text(values: Iterable[Any]) -> ProcessWorld:
    return world_of(next(product_of(value).site for value in values if isinstance(value, str)))


@telling(_world_of_text)
def _run(
    a: Sequence[torch.Tensor], b: Sequence[torch.Tensor], bias: torch.Tensor | None, product: str
) -> torch.Tensor:
    return _with_parts(product_of(product), a, b, bias)


def _fake(
    a: Sequence[torch.Tensor], b: Sequence[torch.Tensor], bias: torch.Tensor | None, product: str
) -> torch.Tensor:
    known = product_of(product)
    return a[0].new_empty(known.result.local_shape(known.site.coordinate))


_library: Any = torch.library.Library("sectile", "DEF")  # type: ignore[no-untyped-call]
_library.define(
    "product(Tensor[] a, Tensor[] b, Tensor? bias, str product) -> Tensor",
    tags=[torch.Tag.needs_exact_strides],
)
_library.impl("product", _run, "CPU")
torch.library.register_fake("sectile::product", _fake, lib=_library)
