"""The public names have descriptions, and the examples in them run on one rank and print what they say."""

import doctest
import inspect

import sectile.torch
import tensors
import torch
from sectile.torch import _calls, _choose, _dispatch, _matmul, _placed, parallel
from torch.distributed.tensor import Replicate, Shard, distribute_tensor


def test_public_names_are_described():
    names = [getattr(sectile.torch, name) for name in sectile.torch.__all__]
    assert [each for each in names if not inspect.getdoc(each)] == []


def _examples():
    mesh = tensors.mesh_of((1,))
    if mesh.get_coordinate() is None:
        return None
    names = {"sectile": sectile, "torch": torch, "mesh": mesh, "Shard": Shard}
    names.update(Replicate=Replicate, distribute_tensor=distribute_tensor)
    modules = (_calls, _choose, _dispatch, _matmul, _placed, parallel)
    return [tuple(doctest.testmod(each, extraglobs=names)) for each in modules]


def test_examples(ranks):
    assert ranks.run(_examples)[0] == [(0, 4), (0, 3), (0, 3), (0, 4), (0, 4), (0, 3)]
