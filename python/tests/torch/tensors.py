"""Distributed tensors of small integers, whose products are exact in every type."""

import functools
import math

import torch
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
from torch.distributed.tensor.placement_types import _StridedShard

TYPES = [
    torch.float32,
    torch.float64,
    torch.complex64,
    torch.complex128,
    torch.float16,
    torch.bfloat16,
]
PLACEMENTS = [Shard(0), Shard(1), Replicate(), Partial()]
# How a whole tensor lies in memory: by rows, by columns, as a part of a larger one.
STORED = ["C", "F", "view"]


@functools.lru_cache(maxsize=None)
def mesh_of(shape, names=None):
    """A mesh of the first ranks; made on all."""
    return DeviceMesh("cpu", torch.arange(math.prod(shape)).reshape(shape), mesh_dim_names=names)


def mesh_among(ranks, shape=None):
    """A mesh of these ranks; made on all."""
    return _mesh_among(tuple(ranks), shape or (len(ranks),))


@functools.lru_cache(maxsize=None)
def _mesh_among(ranks, shape):
    return DeviceMesh("cpu", torch.tensor(ranks).reshape(shape))


def integers(shape, dtype, seed, stored="C"):
    """A whole tensor, the same on all ranks."""
    generator = torch.Generator().manual_seed(seed)

    def draw(shape):
        values = torch.randint(-1, 2, shape, generator=generator).to(dtype)
        if dtype.is_complex:
            values = values + 1j * torch.randint(-1, 2, shape, generator=generator).to(dtype)
        return values

    if stored == "C":
        return draw(shape)
    if stored == "F":
        return draw((*shape[:-2], shape[-1], shape[-2])).transpose(-1, -2)
    larger = draw((*shape[:-1], shape[-1] + 3))
    return larger[..., 2 : shape[-1] + 2]


def _term(whole, index, terms, seed):
    """One of several tensors that add up to the whole."""
    others = [integers(whole.shape, whole.dtype, seed + i).to(whole.device) for i in range(terms - 1)]
    return others[index] if index < terms - 1 else whole - sum(others)


def spread(whole, mesh, placements, seed=0):
    """Distributes a tensor that all ranks have, by torch's own rules, without communication."""
    local = whole
    for d, how in enumerate(placements):
        if isinstance(how, Partial):
            local = _term(local, mesh.get_coordinate()[d], mesh.size(d), seed)
    for d, how in enumerate(placements):
        if isinstance(how, (Shard, _StridedShard)):
            pieces, _ = how._split_tensor(local, mesh.size(d), with_padding=False, contiguous=False)
            local = pieces[mesh.get_coordinate()[d]]
    return DTensor.from_local(
        local, mesh, placements, run_check=False, shape=whole.shape, stride=whole.stride()
    )


def exact(whole):
    """The same numbers in a type in which torch computes exactly."""
    return whole.to(torch.complex128 if whole.dtype.is_complex else torch.float64)


def equal(found, expected):
    """True if a distributed tensor is this whole one; compares the parts where it has them."""
    if found.shape != expected.shape:
        return False
    mesh, placements = found.device_mesh, found.placements
    if any(isinstance(how, Partial) for how in placements):
        whole = exact(found.full_tensor())
        return torch.equal(whole, expected)
    part = spread(expected, mesh, placements).to_local()
    return torch.equal(exact(found.to_local()), part)
