"""What is kept for the next product alike does not grow with the number of different products."""

import sectile.torch
import tensors
import torch
from sectile.torch import _dispatch, _jobs
from sectile.torch._site import site_of, world_of
from sectile.torch._recent import Recent
from tensors import mesh_of
from torch.distributed.tensor import Shard


def test_the_last_used_are_kept():
    dropped, made = [], []
    recent = Recent(3, dropped.append)

    def make(key):
        made.append(key)
        return key.upper()

    for key in "abcabdae":
        assert recent.get(key, lambda key=key: make(key)) == key.upper()
    assert (made, dropped) == (list("abcde"), list("CB"))
    assert len(recent) == 3 and [key in recent for key in "abcde"] == [1, 0, 0, 1, 1]
    recent.clear()
    assert len(recent) == 0 and dropped == list("CBADE")


def _products(shape, sizes, known, staged):
    """Multiplies matrices of these sizes; those that are known to have come, those whose matrices are kept,
    the number of decisions, and how many of all are usually kept."""
    mesh = mesh_of(shape)
    if mesh.get_coordinate() is None:
        return None
    world = world_of(site_of(mesh))
    kept = _jobs._Kept(world)
    before, world._products = world.__dict__.get("_products"), kept
    decisions, _dispatch._decisions = _dispatch._decisions, Recent(4)
    limits = kept.known.most, kept.staged.most, decisions.most
    kept.known.most, kept.staged.most = known, staged
    try:
        for size in sizes:
            whole = tensors.integers((size, size), torch.float32, size)
            a = tensors.spread(whole, mesh, [Shard(0)])
            with sectile.torch.enable():
                assert tensors.equal(a @ a, tensors.exact(whole) @ tensors.exact(whole))
        found = [[key[0].shape[0] for key in each._values] for each in (kept.known, kept.staged)]
        return *found, len(_dispatch._decisions), limits
    finally:
        kept.staged.clear()
        world._products, _dispatch._decisions = before, decisions


def test_products_are_bounded(ranks):
    limits = (256, 64, 4096)
    sizes = range(4, 16)
    found = ranks.run(_products, (2,), sizes, 5, 3)[0]
    assert found == ([11, 12, 13, 14, 15], [], 4, limits)
    thrice = [size for size in sizes for _ in range(3)]
    found = ranks.run(_products, (2,), thrice, 5, 3)[0]
    assert found == ([11, 12, 13, 14, 15], [13, 14, 15], 4, limits)


def test_a_product_whose_matrices_are_kept_stays_known(ranks):
    found = ranks.run(_products, (2,), [4, 4, 5, 6, 4], 1, 3)[0]
    assert found[:2] == ([6], [4])
