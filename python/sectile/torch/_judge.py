"""Which of two ways to compute the same takes less time: the library's, or torch's.

The first calls alike take both ways by turns, and are timed. All ranks compare the same times, and so decide
alike: from then on, all calls alike take that way.
"""

from __future__ import annotations

import math
import struct
import time
from typing import Callable, Hashable, Sequence, TypeVar

import torch

from .._processes import ProcessWorld
from ._device import Device, device_of
from ._recent import Recent
from ._sizes import compare

T = TypeVar("T")

_OURS, _TORCHS = 0, 1
# Each way is warmed up: the library makes a plan in its first call, and a job in the second if the product
# is small; torch connects the ranks in the first.
_WARM = (_OURS, _OURS, _TORCHS)
# Then both are timed, until one has taken this many times as long as the other, or so often.
_CLEARLY = 1.5
_TURNS = 3
# Torch's way is taken if it takes less than this part of our time.
_LESS = 0.97
_MOST = 4096


class Trial:
    """The calls so far, the shortest times of both ways, and the way that was chosen."""

    def __init__(self) -> None:
        self._calls = 0
        self._seconds = [math.inf, math.inf]
        self._chosen: int | None = None

    @property
    def over(self) -> bool:
        return self._chosen is not None

    def _way(self) -> int:
        turn = self._calls - len(_WARM)
        early = _WARM[self._calls] if turn < 0 else (_OURS, _TORCHS)[turn % 2]
        return early if self._chosen is None else self._chosen

    def why_not(self) -> str | None:
        """Why torch is to compute the next call; None if the library is."""
        if self._way() == _OURS:
            return None
        return "torch is faster" if self.over else "torch is timed"

    def note(self, seconds: float) -> None:
        """Notes how long the slowest rank has taken for a call. Chooses a way after a turn of both."""
        turns, half = divmod(self._calls - len(_WARM), 2)
        if turns >= 0:
            way = self._way()
            self._seconds[way] = min(self._seconds[way], seconds)
        self._calls += 1
        ours, torchs = self._seconds
        clear = not ours / _CLEARLY < torchs < ours * _CLEARLY
        if turns >= 0 and half and (turns + 1 >= _TURNS or clear):
            self._chosen = _TORCHS if torchs < ours * _LESS else _OURS


def now(device: Device) -> float:
    """The time when all that torch has been given is done."""
    device.settle()
    return time.perf_counter()


def of_slowest(world: ProcessWorld, seconds: Sequence[float]) -> list[float]:
    """The times of the slowest ranks. Collective."""
    times = struct.Struct(f"={len(seconds)}d")
    everyone = world._gather(times.pack(*seconds))
    return [max(each) for each in zip(*map(times.unpack, everyone))]


def quicker(
    world: ProcessWorld,
    key: Hashable,
    sizes: Callable[[], str],
    ours: Callable[[], T],
    torchs: Callable[[], T],
    check: Callable[[], None] = lambda: None,
    timed: bool = True,
) -> tuple[T, str | None]:
    """Computes something by the library, or by torch, whichever takes less time. Returns it, and why the
    library has not computed it, if so.

    ``ours`` and ``torchs`` return the same up to rounding; both are collective over the world. ``key``
    stands for calls alike, such as an operation and the specs of its tensors; all ranks pass equal ones, or
    fail if their ``sizes`` differ. ``check`` fails if this rank has what torch cannot compute.
    Collective. After ``torch.use_deterministic_algorithms(True)`` it is always ``ours``, and so it is as long as
    no way is chosen if this call is not to be ``timed``.
    """
    trials: Recent[tuple[Trial, str]] = world.__dict__.setdefault("_trials", Recent(_MOST))
    trial, brought = trials.get(key, lambda: (Trial(), sizes()))
    fixed = torch.are_deterministic_algorithms_enabled() or not (timed or trial.over)
    why = None if fixed else trial.why_not()
    if why is not None:
        _check(world, check)
    if fixed or trial.over:
        compare(world, brought)
        return (ours() if why is None else torchs()), why
    device = device_of(world)
    device.settle()
    compare(world, brought)  # all begin together
    start = now(device)
    result = ours() if why is None else torchs()
    trial.note(*of_slowest(world, [now(device) - start]))
    return result, why


def _check(world: ProcessWorld, check: Callable[[], None]) -> None:
    """Fails on all ranks if a check fails on one. The others compare sizes next."""
    try:
        check()
    except Exception as problem:
        world._refuse(problem)
        raise
