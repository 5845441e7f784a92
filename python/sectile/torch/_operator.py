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
from torch.distributed.tensor.debug._comm_mode import c10d_collective_ops

from .._collective import telling
from .._errors import BadArgumentError
from .._processes import ProcessWorld
from . import _collectives
from ._calls import count
from ._judge import quicker
from ._library import define
from ._local import Operand
from ._rendezvous import check_group
from ._product import Bias, multiply
from ._sharding import Sharding
from ._site import Site, site_at, world_of
from ._sizes import compare, sizes_of
from ._texts import sharding_of_list, sharding_to_list

_MOST_OPERANDS = 3
_NAMES = "a", "b", "result"


class Product(NamedTuple):
    """``alpha a @ b + beta bias``, without its tensors."""

    site: Site
    operands: tuple[tuple[Sharding, str], ...]  # a, b and perhaps the bias, and how they are stored
    result: Sharding
    alpha: complex = 1
    beta: complex = 1
    alike: bool = True  # all ranks store the operands as it is said here
    calls: int = 0  # how many calls of products this serves
    timed: bool = False  # torch may compute it, if that takes less time
    kind: torch.dtype | None = None  # the type of the result and of sums, if it is wider than that of the operands


# ---- As a text ----


@lru_cache(maxsize=4096)
def text_of(product: Product) -> str:
    """Describes a product. The text is the same on all ranks."""
    mesh, _, ranks, kind = product.site
    described = {
        "mesh": mesh.shape,
        "ranks": [ranks[place] for place in mesh.ranks],
        "device": kind,
        "operands": [[*sharding_to_list(s), order] for s, order in product.operands],
        "result": sharding_to_list(product.result),
        "factors": [[complex(x).real, complex(x).imag] for x in (product.alpha, product.beta)],
        "alike": product.alike,
        "calls": product.calls,
        "timed": product.timed,
        "kind": None if product.kind is None else str(product.kind).removeprefix("torch."),
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
    site = site_at(read["mesh"], places, rank, kind=read["device"])
    mesh = site.mesh
    operands = ((sharding_of_list(parts, mesh), order) for *parts, order in read["operands"])
    alpha, beta = (complex(*x) if x[1] else x[0] for x in read["factors"])
    result = sharding_of_list(read["result"], mesh)
    kind = None if read["kind"] is None else getattr(torch, read["kind"])
    how = read["alike"], read["calls"], read["timed"], kind
    return Product(site, tuple(operands), result, alpha, beta, *how)


def compile_apart(apart: bool) -> None:
    """Has torch keep graphs in its cache apart from those in which products are not served, and from those
    of other ranks, for which it would take them on processors although each rank has slices of its own."""
    config: Any = torch.compiler.config
    tag = f" with sectile on rank {dist.get_rank() if dist.is_initialized() else 0}"
    before = config.cache_key_tag.removesuffix(tag)
    config.cache_key_tag = before + tag if apart else before


# ---- Computed ----


def agreed(world: ProcessWorld, operands: list[Operand]) -> list[Operand]:
    """The operands in storage orders that all ranks have: by rows, where ranks differ, as they may
    after `DTensor.from_local`. Collective."""
    mine = "".join(operand.order for operand in operands).ljust(_MOST_OPERANDS).encode()
    everyone = world._gather(mine)
    if everyone.count(mine) == len(everyone):
        return operands
    alike = [len(set(orders)) == 1 for orders in zip(*everyone)]
    return [x if same else x._replace(order="C") for x, same in zip(operands, alike)]


#: The classes of tensors that have no elements yet, as torch makes a graph.
TRACED = (FakeTensor, FunctionalTensor)


def is_traced(local: torch.Tensor) -> bool:
    return type(local) in TRACED


def joined(pieces: Sequence[torch.Tensor], order: str) -> torch.Tensor:
    """Matrices one behind another, in the order in which they are stored. If they lie so in memory, they
    stay where they are."""
    if len(pieces) == 1:
        return pieces[0]
    if order == "F":
        return joined([piece.t() for piece in pieces], "C").t()
    whole = _adjacent(pieces)
    return torch.cat(list(pieces)) if whole is None else whole


def _adjacent(pieces: Sequence[torch.Tensor]) -> torch.Tensor | None:
    """The matrix by rows that has these pieces, if they lie one behind another."""
    first = pieces[0]
    if is_traced(first) or not all(piece.is_contiguous() for piece in pieces):
        return None
    ends = [piece.data_ptr() + piece.numel() * piece.element_size() for piece in pieces]
    if ends[:-1] != [piece.data_ptr() for piece in pieces[1:]]:
        return None
    rows = sum(piece.shape[0] for piece in pieces)
    return first.as_strided((rows, first.shape[1]), first.stride())


def is_observed(local: torch.Tensor) -> bool:
    """Whether torch makes a graph of operators, counts them or takes their times."""
    return (
        torch._C._len_torch_dispatch_stack() > 0
        or torch._C._autograd._profiler_enabled()
        or is_traced(local)
    )


def computed(
    product: Product,
    a: torch.Tensor,
    b: Sequence[torch.Tensor],
    bias: torch.Tensor | None = None,
) -> torch.Tensor:
    """Returns this rank's part of a product; b may be in pieces one behind another. Collective."""
    if not is_observed(a):
        return _compute(product, a, b, bias)
    first, *behind = b
    made: torch.Tensor = torch.ops.sectile.product.default(
        a, first, behind, bias, text_of(product)
    )
    return made


def _compute(
    product: Product, a: torch.Tensor, b: Sequence[torch.Tensor], bias: torch.Tensor | None
) -> torch.Tensor:
    site, result = product.site, product.result
    world = world_of(site)
    locals = [a, joined(b, product.operands[1][1]), *([] if bias is None else [bias])]
    pairs = zip(product.operands, locals)
    operands = [Operand(s, local, site.coordinate, order) for (s, order), local in pairs]

    def ours() -> torch.Tensor:
        known = operands if product.alike else agreed(world, operands)
        added = Bias(known[2], product.beta) if bias is not None else None
        return multiply(world, known[0], known[1], result, product.alpha, added, product.kind)

    def torchs() -> torch.Tensor:
        a, b = operands[:2]
        return _collectives.multiply(world, site, a, b, result, product.alpha, product.kind)

    shardings = operands[0].sharding, operands[1].sharding, result
    sizes = sizes_of(_NAMES, shardings)
    if product.timed and bias is None and _collectives.can_multiply(world, site, *shardings):
        found, why = quicker(world, product, lambda: sizes, ours, torchs)
    else:
        if product.timed:
            compare(world, sizes)
        found, why = ours(), None
    if why is None:
        count(served=product.calls)
    for _ in range(0 if why is None else product.calls):
        count(passed_on=why)
    return found


# ---- The operator ----


def _world_of_text(values: Iterable[Any]) -> ProcessWorld:
    return world_of(next(product_of(value).site for value in values if isinstance(value, str)))


@telling(_world_of_text)
def _run(
    a: torch.Tensor,
    b: torch.Tensor,
    behind: Sequence[torch.Tensor],
    bias: torch.Tensor | None,
    product: str,
) -> torch.Tensor:
    return _compute(product_of(product), a, [b, *behind], bias)


def _fake(a: torch.Tensor, b: Any, behind: Any, bias: Any, product: str) -> torch.Tensor:
    known = product_of(product)
    return a.new_empty(known.result.local_shape(known.site.coordinate), dtype=known.kind or a.dtype)


_PRODUCT = "product(Tensor a, Tensor b, Tensor[] behind, Tensor? bias, str product) -> Tensor"
define(_PRODUCT, _run, _fake)
c10d_collective_ops.add(torch.ops.sectile.product)  # so that CommDebugMode counts it
