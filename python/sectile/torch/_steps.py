"""When ranks wait for each other, so that they can read weights, and add to gradients, of others in
between: at the begin and the end of a forward pass, and of a backward pass."""

from __future__ import annotations

from typing import Any, Protocol

import torch
from torch import nn
from torch._compile import _disable_dynamo

from .._collective import telling
from .._processes import ProcessWorld
from ._choice import Choice, compare
from ._device import device_of
from ._versions import is_exporting
from ._workspace import Workspace


class Stepping(Protocol):
    """A layer that takes part."""

    steps: Steps
    touched: bool  #: This rank has added to the gradient of its weight.
    forward_way: Choice
    backward_way: Choice

    def begin_forward(self) -> None:
        """The last chance to change what others read. Collective where memory is made."""

    def begin_backward(self) -> None:
        """The last chance to change what others add to. Collective where memory is made."""

    def end_backward(self, touched: bool) -> None:
        """All sums are there, if any rank has touched the gradient."""


def in_backward() -> bool:
    return torch._C._current_graph_task_id() != -1


def workspace_of(world: ProcessWorld) -> Workspace:
    found = world.__dict__.setdefault("_workspace", Workspace(world))
    assert isinstance(found, Workspace)
    return found


#: Has a method of `Steps` tell other ranks why it fails.
_telling = telling(lambda given: next(iter(given))._world)


class Steps:
    """The passes of layers that are used together."""

    def __init__(self, world: ProcessWorld):
        self._world = world
        self._depth = 0  # of modules in modules
        self._pass = -1  # the backward pass that has begun
        self.workspace = workspace_of(world)
        self.layers: list[Stepping] = []

    def take(self, layers: list[Stepping]) -> None:
        """Has layers take part in these passes, and in no others."""
        self.layers = layers
        for layer in layers:
            layer.steps = self

    def enter(self) -> None:
        if in_backward():
            return  # computes again what it has computed in this step
        self._depth += 1
        if self._depth == 1:
            self._begin_forward()

    @_telling
    def _begin_forward(self) -> None:
        self.workspace.finish()  # what a pass has left that failed
        for layer in self.layers:
            layer.begin_forward()
        self._agree("forward")

    def leave(self) -> None:
        if in_backward() or is_exporting():
            return
        self._depth -= 1
        if self._depth == 0:
            self.workspace.finish()
            self._agree("forward ends")
            compare(self._world, [layer.forward_way for layer in self.layers])

    def backward(self) -> None:
        """What the first layer of a backward pass begins, and the pass ends."""
        task = torch._C._current_graph_task_id()
        if task == self._pass:
            return
        self._pass = task
        for layer in self.layers:
            layer.begin_backward()
        self._agree("backward")
        engine: Any = torch.autograd.Variable._execution_engine
        engine.queue_callback(self._end)

    def _agree(self, on: str) -> None:
        """Waits for other ranks, which may then use what torch has made here."""
        device_of(self._world).settle()
        self._world._agree(on)

    def _end(self) -> None:
        self._pass = -1
        self.workspace.finish()
        everyone = self._world._gather(bytes(layer.touched for layer in self.layers))
        for layer, *touched in zip(self.layers, *everyone):
            layer.end_backward(any(touched))
        compare(self._world, [layer.backward_way for layer in self.layers])


def bound(module: nn.Module, layer: Stepping) -> None:
    """Has the passes of a layer begin and end with those of a module. As torch's own hooks of sharded modules, these
    are not compiled."""
    module.register_forward_pre_hook(_disable_dynamo(lambda *_: layer.steps.enter()))
    module.register_forward_hook(_disable_dynamo(lambda *_: layer.steps.leave()), always_call=True)
