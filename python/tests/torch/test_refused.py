"""Calls that fail: on all ranks, and without harm to the next ones."""

import os
import sys

import processes
import pytest
import sectile
import sectile.torch
import tensors
import torch
import torch.distributed as dist
from tensors import mesh_of
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard

CULPRIT = 1


def _tried(call):
    try:
        call()
    except Exception as problem:
        return str(problem)
    return None


def _ones(mesh, *shape):
    return tensors.spread(torch.ones(shape), mesh, [Shard(0)])


def _empty(mesh, **how):
    return sectile.torch.empty(6, 4, device_mesh=mesh, placements=[Shard(0)], **how)


def _calls(mesh, a, batch, none):
    """What all ranks but one call, and what that one calls in its place."""
    matmul, share, zeros = sectile.torch.matmul, sectile.torch.share_, sectile.torch.zeros
    how = {"device_mesh": mesh, "placements": [Shard(0)]}
    return [
        (lambda: matmul(a, a), lambda: matmul(a, a, [Shard(5)])),
        (lambda: matmul(a, a), lambda: matmul(a, None)),
        (lambda: matmul(a, a), lambda: matmul(a=5, b=a)),
        (lambda: matmul(a, a, [Replicate()]), lambda: matmul(a, a, 5)),
        (lambda: matmul(batch, batch), lambda: matmul(batch, a)),
        (lambda: matmul(none, none), lambda: matmul(none, a)),
        (lambda: _empty(mesh), lambda: sectile.torch.empty("x", **how)),
        (lambda: _empty(mesh), lambda: _empty(mesh, dtype=5)),
        (lambda: _empty(mesh), lambda: _empty(mesh, requires_grad=1)),
        (lambda: zeros(6, **how), lambda: zeros(6, dtype=torch.int64, requires_grad=True, **how)),
        (lambda: share([a]), lambda: share([a, 5])),
        (lambda: share(a), lambda: share({"name": a})),
    ]


def _refused():
    mesh = mesh_of((3,))
    if mesh.get_coordinate() is None:
        return None
    a, batch, none = _ones(mesh, 9, 9), _ones(mesh, 3, 9, 9), _ones(mesh, 0, 0)
    found = []
    for i, (good, bad) in enumerate(_calls(mesh, a, batch, none)):
        for _ in range(i % 3):  # so that plans and jobs are kept
            assert good() is not None
        found.append(_tried(bad if dist.get_rank() == CULPRIT else good))
        assert torch.equal(sectile.torch.matmul(a, a).full_tensor(), torch.full((9, 9), 9.0))
    return found


def test_a_rank_that_refuses(ranks):
    first, culprit, last = ranks.run(_refused)[:3]
    assert first == last == [f"rank {CULPRIT}: {each}" for each in culprit]


def _fails_elsewhere():
    """One rank has no memory in the middle of a call, or at its end."""
    mesh = mesh_of((3,))
    if mesh.get_coordinate() is None:
        return None
    copies = tensors.spread(torch.ones(9, 9), mesh, [Replicate()])
    a, halves = _ones(mesh, 9, 9), tensors.spread(torch.ones(9, 9).half(), mesh, [Shard(1)])
    matmul, package = sectile.torch.matmul, sectile.torch
    none, partial = _ones(mesh, 9, 0), [Partial()]
    short, short_copies = a.bfloat16(), copies.bfloat16()
    places = [
        (package._product, "multiply_into", lambda: matmul(copies, a)),
        (package._product, "filled", lambda: matmul(none, none.t())),
        (package._product, "filled", lambda: matmul(halves, halves, partial)),
        (torch, "matmul", lambda: matmul(short, short_copies)),
        (package._placed, "DTensor", lambda: _empty(mesh)),
        (torch.Tensor, "copy_", lambda: package.share_(copies)),
    ]

    def fail(*ignored, **how):
        raise MemoryError("none left")

    found = []
    for place, name, call in places * 2:
        with pytest.MonkeyPatch.context() as patch:
            if dist.get_rank() == CULPRIT:
                patch.setattr(place, name, fail)
            found.append(_tried(call))
        assert matmul(copies, a).full_tensor().sum() == 729
        call()
    return found


def test_a_rank_that_has_no_memory(ranks):
    first, culprit, last = ranks.run(_fails_elsewhere)[:3]
    assert culprit == ["none left"] * 12
    assert first == last == ["rank 1: none left"] * 12


def _world_of_one_kind():
    """Makes a world of all ranks, of which one asks for what does not exist; and then without that."""
    said = _tried(lambda: sectile.World.from_torch(engine=5 if dist.get_rank() == CULPRIT else "processes"))
    with sectile.World.from_torch() as world:
        return said, world.size


def test_a_world_that_one_rank_refuses(ranks):
    found = ranks.run(_world_of_one_kind)
    said, size = found.pop(CULPRIT)
    assert (said, size) == ("engine: an int is not a text", ranks.size)
    assert found == [(f"rank {CULPRIT}: {said}", size)] * (size - 1)


def _differing():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return None
    a, b = _ones(mesh, 8, 8), _ones(mesh, 8, 12)
    found = []
    for times in range(3):
        for _ in range(times):
            assert sectile.torch.matmul(a, a).full_tensor().sum() == 512
        how = [Shard(dist.get_rank())]
        found.append(_tried(lambda how=how: sectile.torch.matmul(a, a, how)))
        assert sectile.torch.matmul(a, b).full_tensor().sum() == 768
        with sectile.torch.enable():
            found.append(_tried(lambda: a @ (a if dist.get_rank() == 0 else b)))
            assert torch.equal((a @ a).full_tensor(), torch.full((8, 8), 8.0))
    return found


def test_ranks_that_differ(ranks):
    """Both are told, and go on."""
    found = ranks.run(_differing)[:2]
    assert found[0] == found[1]
    assert all("rank 1" in each and "rank 0" in each for each in found[0])


def _started(rank, path):
    """Begins a process group of two, and returns a tensor."""
    dist.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=2)
    mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (2,))
    return DTensor.from_local(torch.ones(4, 8), mesh, [Shard(0)])


def _again(rank, path, results):
    said = []
    for turn in range(2):
        a = _started(rank, f"{path}/{turn}")
        with sectile.torch.enable():
            said += [float((a @ a).to_local().sum()) for _ in range(3)]
        dist.barrier()
        dist.destroy_process_group()
        said.append(_tried(lambda a=a: sectile.torch.matmul(a, a)))
    results.put((rank, said))


def _leave(rank, path, results):
    a = _started(rank, f"{path}/0")
    for _ in range(3):
        sectile.torch.matmul(a, a)
    if rank == 1:
        results.put((rank, None))
        sys.exit()
    results.put((rank, _tried(lambda: sectile.torch.matmul(a, a))))
    results.close()
    results.join_thread()
    os._exit(0)  # gloo would wait for the other rank


def test_a_process_group_after_another(tmp_path):
    found = processes.run(_again, tmp_path)
    none = "torch.distributed has no process group: call init_process_group"
    assert found[0] == found[1] == [256.0, 256.0, 256.0, none] * 2


def test_a_rank_that_ends_with_products_kept(tmp_path):
    """The other is told who has left."""
    assert processes.run(_leave, tmp_path)[0] == "rank 1 has left"
