"""What docs/torch.md shows runs, on four ranks, and prints what it says."""

import pathlib
import sys

import sectile.torch
import tensors
import torch
from torch import nn
from torch.distributed.tensor import Shard, distribute_tensor

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import documents  # noqa: E402


def _page():
    mesh = tensors.mesh_of((4,))
    for ranks in ([0, 1], [1, 2, 3]):
        tensors.mesh_among(ranks)
    if mesh.get_coordinate() is None:
        return None
    torch.manual_seed(7)
    names = {"model": nn.Linear(8, 8)}
    weight = distribute_tensor(names["model"].weight.detach(), mesh, [Shard(0)])
    names["model"].weight = nn.Parameter(weight)
    try:
        return [
            documents.run("docs/torch.md", line, _of_four(block), names)
            for line, block in documents.blocks("docs/torch.md")
        ]
    finally:
        sectile.torch.disable()
        sectile.torch.reset_calls()


def _of_four(block):
    """Six ranks are there, of which four run the page. Meshes are made on all, and so before."""
    block = block.replace('init_device_mesh("cpu", (4,))', "__import__('tensors').mesh_of((4,))")
    return block.replace('DeviceMesh("cpu", ', "__import__('tensors').mesh_among(")


def test_page(ranks):
    assert ranks.run(_page)[0] == [1, 1, 1, 1, 1, 1, 1, 1, 5]
