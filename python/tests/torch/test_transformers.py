"""Language models of transformers, spread over ranks, give what they give on one."""

import language_models
import pytest
import sectile.torch
import sectile.torch.parallel as ours
import torch
import torch.distributed as dist
from tensors import mesh_of
from torch.distributed.tensor import DTensor
from torch.distributed.tensor import parallel as theirs
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.parallel import parallelize_module
from transformers.distributed import DistributedConfig


def _full(tensor):
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def _step(model, tokens):
    """The loss, the logits and the gradients of a step, and how many collectives torch made for it.

    What it counts them by hides from layers that their inputs are the same: no products are joined.
    """
    model.zero_grad()
    with CommDebugMode() as made:
        found = model(input_ids=tokens, labels=tokens, use_cache=False)
        found.loss.backward()
    grads = {name: _full(p.grad).detach() for name, p in model.named_parameters()}
    by_torch = made.get_total_counts() - made.get_comm_counts()[torch.ops.sectile.product]
    return {"loss": found.loss.detach(), "logits": found.logits.detach(), **grads}, by_torch


def _compare(found, expected):
    """Sums have some hundred terms at most, of different signs, and go through two layers."""
    assert found.keys() == expected.keys()
    for name, wanted in expected.items():
        bound = 64 * torch.finfo(wanted.dtype).eps * wanted.abs().max()
        error = (found[name] - wanted).abs().max()
        assert error <= bound, f"{name}: {error} > {bound}"


def _converted(kind, size, batch, length):
    mesh = mesh_of((size,))
    if mesh.get_coordinate() is None:
        return None
    tokens = language_models.tokens(batch, length)
    plan = language_models.sequence_parallel(theirs, kind)
    whole, _ = _step(language_models.model(kind), tokens)
    expected, by_torch = _step(parallelize_module(language_models.model(kind), mesh, plan), tokens)
    _compare(expected, whole)
    model = parallelize_module(language_models.model(kind), mesh, ours.convert(plan))
    sectile.torch.reset_calls()
    for _ in range(2):
        found, made = _step(model, tokens)
        _compare(found, whole)
    return sectile.torch.calls(), made, by_torch


def _products(kind):
    """Those of the linear layers: the rest of Mixtral, its experts, is the same on all ranks."""
    return language_models.LAYERS * (4 if kind == "Mixtral" else 7) + 1


def _collectives(kind, experts):
    """Torch's own: those of the embedding, and of the experts of each layer."""
    return 2 + (experts * language_models.LAYERS if kind == "Mixtral" else 0)


@pytest.mark.parametrize("size, batch, length", [(2, 3, 24), (4, 1, 24), (3, 1, 10)])
@pytest.mark.parametrize("kind", language_models.KINDS)
def test_converted_plan(ranks, kind, size, batch, length):
    for calls, made, by_torch in filter(None, ranks.run(_converted, kind, size, batch, length)):
        assert calls == (2 * _products(kind), 0, {"an embedding": 2})
        assert made == _collectives(kind, experts=2) < by_torch


def _loaded(kind, directory, batch, length):
    whole = language_models.model(kind)
    if dist.get_rank() == 0:
        whole.save_pretrained(directory)
    dist.barrier()
    tokens = language_models.tokens(batch, length)
    expected, _ = _step(whole, tokens)
    config = DistributedConfig(tp_size=dist.get_world_size(), tp_plan=ours.tp_plan(whole))
    model = type(whole).from_pretrained(directory, distributed_config=config)
    sectile.torch.reset_calls()
    for _ in range(2):
        found, made = _step(model, tokens)
        _compare(found, expected)
    return sectile.torch.calls(), made


@pytest.mark.parametrize("kind", language_models.KINDS)
def test_plan_of_transformers(ranks, kind, tmp_path):
    for calls, made in ranks.run(_loaded, kind, tmp_path, 2, 24):
        assert calls == (2 * _products(kind), 0, {"an embedding": 2})
        assert made == _collectives(kind, experts=5)  # which are cut, too
