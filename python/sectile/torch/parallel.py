"""Styles of tensor parallelism, with the signatures of ``torch.distributed.tensor.parallel``.

Where torch's styles gather an activation before a linear layer, or add up its results behind it, these
leave the activation sharded: the product reads what it needs of other ranks while it computes, and adds
what it computes to the shards of the result.
"""

from __future__ import annotations

from typing import Any, cast

from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Shard
from torch.distributed.tensor.parallel import style as torch_style
from torch.distributed.tensor.parallel.style import ParallelStyle

from ._layer import Grouping, Layer, pass_on_embedding
from ._library import refuse_export

__all__ = [
    "ColwiseParallel",
    "PrepareModuleInput",
    "PrepareModuleInputOutput",
    "PrepareModuleOutput",
    "RowwiseParallel",
    "SequenceParallel",
    "convert",
    "tp_plan",
]


def _refuse_export(*_: Any) -> None:
    refuse_export("a style", "export the model before parallelize_module")


def _as_they_are(layouts: Any, desired: Any, module: Any, inputs: Any, mesh: Any) -> Any:
    x = inputs[0]
    if isinstance(x, DTensor):
        return x
    # Torch would add two numbers here, which torch.compile(dynamic=True) takes for symbols.
    positive = [Shard(x.ndim - 1) if how == Shard(-1) else how for how in layouts]
    return DTensor.from_local(x, mesh, positive, run_check=False)


class _Serving(ParallelStyle):
    """A style of torch, but for the products of linear layers."""

    output_layouts: Any
    desired_input_layouts: Any

    def _apply(self, module: nn.Module, device_mesh: DeviceMesh) -> nn.Module:
        module.register_forward_pre_hook(_refuse_export)
        serves = type(module) is nn.Linear
        if serves:
            self._prepare_input_fn = _as_they_are
        applied: nn.Module = super()._apply(module, device_mesh)  # type: ignore[safe-super]
        if serves:
            layer = Layer(cast(nn.Linear, module), self.output_layouts, self.desired_input_layouts)
            vars(module)["forward"] = layer
        pass_on_embedding(module)
        return applied


class ColwiseParallel(_Serving, torch_style.ColwiseParallel):
    """Cuts the weight of a linear layer by its outputs. The input stays as it is."""


class RowwiseParallel(_Serving, torch_style.RowwiseParallel):
    """Cuts the weight of a linear layer by its inputs. Results are added up where the output has them."""


class PrepareModuleInput(torch_style.PrepareModuleInput):
    """Makes DTensors of the inputs of a module, which stay sharded for the linear layers in it."""

    def _apply(self, module: nn.Module, device_mesh: DeviceMesh) -> nn.Module:
        module.register_forward_pre_hook(_refuse_export)
        layouts = [*(self.input_layouts or ()), *self.input_kwarg_layouts.values()]
        if sum(layout is not None for layout in layouts) == 1:  # which its linear layers take
            module.register_forward_pre_hook(Grouping())
        return super()._apply(module, device_mesh)

    def _prepare_input_arg(self, given: Any, mesh: Any, layout: Any, desired: Any) -> Any:
        return super()._prepare_input_arg(
            given, mesh, layout, desired if self.use_local_output else None
        )


class PrepareModuleInputOutput(torch_style.PrepareModuleInputOutput):
    """`PrepareModuleInput` and `PrepareModuleOutput` together."""

    def __init__(self, **layouts: Any):
        super().__init__(**layouts)
        self.prepare_module_input = convert(self.prepare_module_input)


# These have no products.
SequenceParallel = torch_style.SequenceParallel
PrepareModuleOutput = torch_style.PrepareModuleOutput

_OURS: dict[type, type] = {
    torch_style.ColwiseParallel: ColwiseParallel,
    torch_style.RowwiseParallel: RowwiseParallel,
    torch_style.PrepareModuleInput: PrepareModuleInput,
    torch_style.PrepareModuleInputOutput: PrepareModuleInputOutput,
}


def convert(plan: Any) -> Any:
    """Makes the styles of a plan from those of torch: one, or a dict as ``parallelize_module`` takes it.

    Styles of other classes stay as they are.

    >>> from torch.distributed.tensor import parallel
    >>> plan = {"w1": parallel.ColwiseParallel(), "w2": parallel.RowwiseParallel()}
    >>> type(sectile.torch.parallel.convert(plan)["w1"])
    <class 'sectile.torch.parallel.ColwiseParallel'>
    """
    if isinstance(plan, dict):
        return {name: convert(style) for name, style in plan.items()}
    if type(plan) not in _OURS:
        return plan
    kind: Any = _OURS[type(plan)]
    style = kind.__new__(kind)
    vars(style).update(vars(plan))
    if isinstance(style, PrepareModuleInputOutput):
        style.prepare_module_input = convert(style.prepare_module_input)
    return style


def tp_plan(model: Any) -> dict[str, str]:
    """Returns the rules of a plan for a model of transformers, for ``DistributedConfig(tp_plan=...)``.

    They take the place of rules that the model has, so that its hidden states stay cut along the sequence.
    The model may be on the device ``meta``.
    """
    from . import _transformers

    return _transformers.tp_plan(model)
