"""Which way a layer takes in passes of one kind, if ranks do not meet between its products: the library's, or torch's.

The first passes are timed. When one ends, ranks compare how long each layer has taken them, so that all choose alike.
A rank may have skipped a layer, and may have other numbers of rows than others, and in each pass.
"""

from __future__ import annotations

import contextlib
from typing import Iterator, Sequence

import torch

from .._processes import ProcessWorld
from ._device import Device
from ._judge import Trial, now, of_slowest


class Choice:
    def __init__(self, device: Device) -> None:
        self._device = device
        self._trial = Trial()
        self._seconds = 0.0
        self._rows = 0

    def why_not(self) -> str | None:
        """Why torch is to multiply in this pass; None if the library is. After
        ``torch.use_deterministic_algorithms(True)`` it always is."""
        return None if torch.are_deterministic_algorithms_enabled() else self._trial.why_not()

    @contextlib.contextmanager
    def taking(self, rows: int) -> Iterator[None]:
        """Notes how long the block takes for so many rows."""
        if self.made:
            yield
            return
        start = now(self._device)
        yield
        self._seconds += now(self._device) - start
        self._rows += rows

    @property
    def made(self) -> bool:
        return self._trial.over

    def take(self) -> float:
        """The time for a row in the pass that ends; 0 if there was none."""
        found = self._seconds / max(self._rows, 1)
        self._seconds, self._rows = 0.0, 0
        return found

    def note(self, seconds: float) -> None:
        """Notes the time of the slowest rank for a row."""
        if seconds > 0:
            self._trial.note(seconds)


def compare(world: ProcessWorld, choices: Sequence[Choice]) -> None:
    """Has layers choose, where they have not yet, by what the pass that ends has taken. Collective."""
    open_ones = [choice for choice in choices if not choice.made]
    if not open_ones or torch.are_deterministic_algorithms_enabled():
        return
    times = of_slowest(world, [choice.take() for choice in open_ones])
    for choice, seconds in zip(open_ones, times):
        choice.note(seconds)
