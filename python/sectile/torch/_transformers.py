"""Plans of transformers for tensor parallelism (``tp_plan``), with hidden states cut along the sequence."""

from __future__ import annotations

from typing import Any, Iterator

from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import ParallelStyle, parallelize_module
from torch.utils._pytree import tree_map
from transformers.distributed.parallel_utils import ALL_PARALLEL_STYLES, replace_layer_number_by_wildcard
from transformers.distributed.tensor_parallel import TensorParallelLayer

from ._layer import Grouping
from .parallel import ColwiseParallel, RowwiseParallel, SequenceParallel


class _Group(ParallelStyle):
    """A module whose linear layers take its input."""

    def _apply(self, module: nn.Module, device_mesh: DeviceMesh) -> nn.Module:
        module.register_forward_pre_hook(Grouping())
        return module


class _Whole(ParallelStyle):
    """A module that takes whole tensors, and returns one that is the same on all ranks."""

    def _apply(self, module: nn.Module, device_mesh: DeviceMesh) -> nn.Module:
        def gather(_: Any, args: Any, kwargs: Any) -> Any:
            return tree_map(lambda x: x.full_tensor() if isinstance(x, DTensor) else x, (args, kwargs))

        def spread(_: Any, args: Any, found: Any) -> Any:
            first, *rest = found if isinstance(found, tuple) else (found,)
            whole = DTensor.from_local(first, device_mesh, [Replicate()], run_check=False)
            cut = whole.redistribute(placements=[Shard(1)])
            return (cut, *rest) if isinstance(found, tuple) else cut

        module.register_forward_pre_hook(gather, with_kwargs=True)
        module.register_forward_hook(spread)
        return module


class _Style(TensorParallelLayer):
    """A style of torch in the table of transformers. It cuts the parameters of a module, too."""

    def __init__(self, style: ParallelStyle):
        self._style = style

    def install_forward(self, module: nn.Module, mesh: DeviceMesh) -> nn.Module:
        # The parameters are on the device meta, or the same on all ranks.
        return parallelize_module(module, mesh, self._style, src_data_rank=None)


def _ours(name: str) -> str:
    return f"sectile_{name}"


_CUT: Any = {"output_layouts": Shard(1), "use_local_output": False}
# The first are by the names of styles of transformers, whose places they take.
_STYLES = {
    "colwise": ColwiseParallel(input_layouts=Shard(1)),
    "colwise_gather_output": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
    "rowwise": RowwiseParallel(**_CUT),
    "embedding_rowwise": RowwiseParallel(input_layouts=Replicate(), **_CUT),
    "embedding_colwise": ColwiseParallel(**_CUT),
    "sequence": SequenceParallel(),
    "group": _Group(),
    "whole": _Whole(),
}
for _name, _style in _STYLES.items():
    ALL_PARALLEL_STYLES.register(_ours(_name), _Style(_style))  # type: ignore[arg-type]
# Styles of transformers for what is between two linear layers, on local tensors.
_INNER = {"replicated_with_grad_allreduce"}


def _blocks(module: nn.Module, name: str = "") -> Iterator[tuple[str, nn.Module]]:
    """The modules that take the hidden states: the parts of layers, and those outside of layers."""
    for own, child in module.named_children():
        path = f"{name}.{own}" if name else own
        if isinstance(module, nn.ModuleList):
            yield from ((f"{path}.{part}", block) for part, block in child.named_children())
        elif any(True for _ in child.children()):
            yield from _blocks(child, path)
        else:
            yield path, child


def _rules(block: nn.Module, name: str, given: dict[str, str]) -> dict[str, str]:
    inner = {path: m for path, m in block.named_modules(prefix=name) if m._parameters}
    styles = {path: given.get(replace_layer_number_by_wildcard(path)) for path in inner}
    if not inner:
        return {}
    if inner == {name: block} and styles[name] is None and "Norm" in type(block).__name__:
        return {name: _ours("sequence")}
    if not all(style in _STYLES or style in _INNER for style in styles.values()):
        return {name: _ours("whole")}
    served = {path: _ours(style) for path, style in styles.items() if style in _STYLES}
    return {name: _ours("group"), **served}


def tp_plan(model: Any) -> dict[str, str]:
    given: dict[str, str] = model.tp_plan
    found: dict[str, str] = {}
    for name, block in _blocks(model):
        found |= _rules(block, name, given)
    return {replace_layer_number_by_wildcard(name): style for name, style in found.items()}
