"""Which way is taken, by a clock that both ways set forward."""

import types
from collections import Counter

import pytest
import sectile.torch
import tensors
import torch
from sectile.torch import _judge
from sectile.torch._site import site_of, world_of
from tensors import mesh_of
from torch.distributed.tensor import Shard

KEYS = iter(range(1 << 30))


def _ways(ours, torchs, calls, deterministic=False):
    """The ways that calls take, of which each takes so many seconds on each rank; and the counts."""
    mesh = mesh_of((4,))
    if mesh.get_coordinate() is None:
        return None
    clock, rank = [0.0], mesh.get_rank()

    def way(name, seconds):
        clock[0] += seconds[rank]
        return name

    world, key = world_of(site_of(mesh)), next(KEYS)
    torch.use_deterministic_algorithms(deterministic)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_judge, "time", types.SimpleNamespace(perf_counter=lambda: clock[0]))
            taken = [
                _judge.quicker(world, key, lambda: way("o", ours), lambda: way("t", torchs))
                for _ in range(calls)
            ]
    finally:
        torch.use_deterministic_algorithms(True, warn_only=True)
    return "".join(name for name, _ in taken), Counter(why for _, why in taken)


@pytest.mark.parametrize(
    "ours, torchs, taken, timed, faster",
    [
        ([1, 1, 1, 1], [4, 4, 4, 4], "oot" "ot" "ooooooo", 2, 0),
        ([4, 4, 4, 4], [1, 1, 1, 1], "oot" "ot" "ttttttt", 2, 7),
        ([8, 8, 8, 8], [7, 7, 7, 7], "oot" "ototot" "ttt", 4, 3),
        ([7, 7, 7, 7], [8, 8, 8, 8], "oot" "ototot" "ooo", 4, 0),
        ([9, 1, 1, 1], [1, 1, 1, 2], "oot" "ot" "ttttttt", 2, 7),
        ([100] * 4, [98] * 4, "oot" "ototot" "ooo", 4, 0),
    ],
)
def test_the_quicker_way(ranks, ours, torchs, taken, timed, faster):
    """Both are tried, for longer if neither is clearly quicker; the slowest rank counts."""
    reasons = {None: 12 - timed - faster, "torch is timed": timed, "torch is faster": faster}
    for ways, whys in ranks.run(_ways, ours, torchs, 12)[:4]:
        assert ways == taken
        assert whys == Counter(reasons)


def test_nothing_is_timed_where_results_must_not_change(ranks):
    for ways, whys in ranks.run(_ways, [4] * 4, [1] * 4, 12, True)[:4]:
        assert ways == "o" * 12 and whys == {None: 12}


def _results():
    """Products that are computed in both ways."""
    mesh = mesh_of((2, 2))
    if mesh.get_coordinate() is None:
        return None
    whole = tensors.integers((12, 12), torch.float32, 5)
    a = tensors.spread(whole, mesh, [Shard(1), Shard(0)])
    expected = tensors.exact(whole) @ tensors.exact(whole)
    torch.use_deterministic_algorithms(False)
    sectile.torch.reset_calls()
    try:
        with sectile.torch.enable():
            right = [tensors.equal(a @ a, expected) for _ in range(12)]
            right += [tensors.equal(torch.addmm(a, a, a), expected + whole) for _ in range(12)]
    finally:
        torch.use_deterministic_algorithms(True, warn_only=True)
    calls = sectile.torch.calls()
    return all(right), calls.served + calls.local + sum(calls.passed_on.values()), calls.passed_on


def test_both_ways_give_the_same(ranks):
    for right, counted, passed_on in ranks.run(_results)[:4]:
        assert right and counted == 24 and passed_on["torch is timed"] >= 4
