"""Products of sharded layers as operators of torch.

A graph has an operator for each product, and the operator finds the layer when it runs: a ticket, a tensor that
the layer owns, has the layer's number. So one graph serves all layers of the same shape. In the backward pass,
the operator adds to memory that no graph has. The gradient of the ticket stands for that sum, so that no
compiler leaves it out.
"""

from __future__ import annotations

import itertools
import weakref
from typing import Any, Protocol

import torch

from ._library import define, differentiate


class Sharded(Protocol):
    """A layer of which ranks have shards."""

    def forward(self, x: torch.Tensor) -> torch.Tensor: ...

    def backward(
        self, grad: torch.Tensor, x: torch.Tensor, of_x: bool, of_weight: bool
    ) -> torch.Tensor | None: ...


_layers: weakref.WeakValueDictionary[int, Sharded] = weakref.WeakValueDictionary()
_numbers = itertools.count()


def ticket_of(layer: Sharded) -> torch.Tensor:
    """Makes the ticket of a layer, which is known as long as it exists."""
    number = next(_numbers)
    _layers[number] = layer
    return torch.tensor(float(number), dtype=torch.float64, requires_grad=True)


def _layer_of(ticket: torch.Tensor) -> Sharded:
    return _layers[int(ticket.item())]


def _linear(x: torch.Tensor, ticket: torch.Tensor, rows: int) -> torch.Tensor:
    return _layer_of(ticket).forward(x)


def _fake_linear(x: torch.Tensor, ticket: torch.Tensor, rows: int) -> torch.Tensor:
    return x.new_empty((*x.shape[:-1], rows))


def _gradients(
    grad: torch.Tensor, x: torch.Tensor, ticket: torch.Tensor, of_x: bool, of_weight: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    found = _layer_of(ticket).backward(grad, x, of_x, of_weight)
    return x.new_empty(0) if found is None else found, torch.zeros_like(ticket)


def _fake_gradients(
    grad: torch.Tensor, x: torch.Tensor, ticket: torch.Tensor, of_x: bool, of_weight: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    return x.new_empty(x.shape if of_x else 0), torch.empty_like(ticket)


#: ``x @ weight.T`` by the layer of a ticket, whose weight has so many rows.
linear = define("sharded_linear(Tensor x, Tensor ticket, SymInt rows) -> Tensor", _linear, _fake_linear)

_backward = define(
    "sharded_gradients(Tensor grad, Tensor x, Tensor ticket, bool of_x, bool of_weight) -> (Tensor, Tensor)",
    _gradients,
    _fake_gradients,
)


def _save(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
    x, ticket, _ = inputs
    ctx.save_for_backward(x, ticket)


def _differentiate(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    x, ticket = ctx.saved_tensors
    of_x, of_weight, _ = ctx.needs_input_grad
    found, of_ticket = _backward(grad, x, ticket, of_x, of_weight)
    return found if of_x else None, of_ticket if of_weight else None, None


differentiate(linear, _differentiate, _save)
