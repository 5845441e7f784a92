"""Layers whose weights arrive in panels, as from other hosts: here ranks read nothing of each other in place."""

import pytest
import sectile.torch
import torch
from ranks import Ranks
from sectile.torch import _device, _fully_shard, _shards
from sectile.torch._sharded_layer import ShardedLayer
from sectile.torch._workspace import Workspace
from tensors import mesh_of
from test_fully_shard import _model, _rows, _same, _shard, _step
from torch.distributed.fsdp import fully_shard as theirs
from torch.utils.checkpoint import checkpoint

_fully_shard.LEAST = 1  # else these weights are left to torch
_BYTES = 5 * 24 * 8  # of a panel: a few rows


def _part():
    """Has this rank and others send each other small panels."""
    in_place = _shards.Shards._in_place

    def own(shards, tile, rows):
        is_own = shards._tiles[tile][0] == shards._workspace._world.ranks.start
        return in_place(shards, tile, rows) if is_own else None

    _shards.Shards._in_place = own
    _device.DEVICES["cpu"].panel = _BYTES


@pytest.fixture(scope="module")
def ranks():
    """Others than those of other tests."""
    started = Ranks(3)
    started.run(_part)
    yield started
    started.close()


class _Watch:
    """Counts the panels that are fetched, and those on their way to a rank when a matrix is first asked for."""

    def __init__(self, patch):
        self.fetched, self.ahead = 0, []
        get, follower = _shards.Shards.get, Workspace._follower

        def counted(shards, *given):
            self.fetched += 1
            return get(shards, *given)

        def looked(workspace, *given):
            self.ahead.append(len(workspace._coming))
            return follower(workspace, *given)

        patch.setattr(_shards.Shards, "get", counted)
        patch.setattr(Workspace, "_follower", looked)


def _far_panels(model):
    found = (getattr(vars(m).get("forward"), "__self__", None) for m in model.modules())
    served = [layer for layer in found if isinstance(layer, ShardedLayer)]
    return sum(panel.memory is None for layer in served for panel in layer._shards.reads)


def _train(shape, again):
    mesh = mesh_of(shape, ("shard",))
    if mesh.get_coordinate() is None:
        return None
    models = [_shard(_model(), shard, mesh) for shard in (theirs, sectile.torch.fully_shard)]
    if again:
        for layer in [layer for model in models for layer in model]:
            layer.forward = _checkpointed(layer.forward)
    optimizers = [torch.optim.SGD(model.parameters(), lr=0.01) for model in models]
    for _ in range(3):
        x = _rows(mesh)
        with pytest.MonkeyPatch.context() as patch:
            watch = _Watch(patch)
            _same(*(_step(model, x) for model in models))
        for optimizer in optimizers:
            optimizer.step()
    return watch.fetched, watch.ahead, _far_panels(models[1])


def _checkpointed(forward):
    return lambda x: checkpoint(forward, x, use_reentrant=False)


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("shape", [(2,), (3,)])
def test_training(ranks, shape, again):
    """No panel is fetched twice in a pass, and only the first layer of a pass waits for its first one."""
    passes = 3 if again else 2
    for fetched, ahead, far in filter(None, ranks.run(_train, shape, again)):
        assert fetched == passes * far > 0
        assert len(ahead) == passes * 14
        assert sum(count == 0 for count in ahead) == 2


def _fail():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return
    model, x = _shard(_model(), sectile.torch.fully_shard, mesh), _rows(mesh)
    _step(model, x)
    hook = model[1].mlp.register_forward_pre_hook(lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model(x)
    hook.remove()
    next_one = model[1].mlp.w1
    with torch.no_grad():
        next_one.weight.mul_(2)
    _same([next_one(x)], [x @ (2 * _model()[1].mlp.w1.weight.T)])


def test_weights_that_change_after_a_pass_has_failed(ranks):
    """Panels that were on their way then are not taken for new ones."""
    ranks.run(_fail)


def _owners():
    """Of the first panels from afar of each layer: the ranks that store them."""
    model = _shard(_model(), sectile.torch.fully_shard, mesh_of((3,)))
    found = [getattr(vars(m).get("forward"), "__self__", None) for m in model.modules()]
    shards = [layer._shards for layer in found if isinstance(layer, ShardedLayer)]
    far = ([p.tile for p in each.reads if p.memory is None] for each in shards)
    return [[each._tiles[tile][0] for tile in tiles[:4]] for each, tiles in zip(shards, far)]


def test_ranks_are_read_by_turns(ranks):
    """So that none has to send to all others at a time, while the rest has nothing to send."""
    for rank, layers in enumerate(ranks.run(_owners)):
        others = [(rank + 1) % 3, (rank + 2) % 3]
        assert layers and all(owners == others * 2 for owners in layers)
