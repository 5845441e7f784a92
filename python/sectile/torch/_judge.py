"""Which of two ways to compute the same takes less time: the library's, or torch's.

The first calls alike take both ways by turns, and are timed. All ranks compare the same times, and so decide
alike: from then on, all calls alike take that way.
"""

from __future__ import annotations

import math
import struct
import time
from typing import Callable, Hashable, TypeVar

import torch

from .._processes import ProcessWorld
from ._recent import Recent

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
_TIMES = struct.Struct("=dd")
_MOST = 4096


class _Trial:
    """The calls so far, the shortest times of both ways, and the way that was chosen."""

    def __init__(self) -> None:
        self.calls = 0
        self.seconds = [math.inf, math.inf]
        self.chosen: int | None = None

    def way(self) -> int:
        turn = self.calls - len(_WARM)
        return _WARM[self.calls] if turn < 0 else (_OURS, _TORCHS)[turn % 2]

    def note(self, way: int, seconds: float) -> None:
        if self.calls >= len(_WARM):
            self.seconds[way] = min(self.seconds[way], seconds)
        self.calls += 1

    def compare(self, world: ProcessWorld) -> None:
        """Chooses a way by the times of the slowest rank, after a turn of both. Collective."""
        turns, half = divmod(self.calls - len(_WARM), 2)
        if turns < 1 or half:
            return
        everyone = [_TIMES.unpack(each) for each in world._gather(_TIMES.pack(*self.seconds))]
        ours, torchs = map(max, zip(*everyone))
        if turns >= _TURNS or not ours / _CLEARLY < torchs < ours * _CLEARLY:
            self.chosen = _TORCHS if torchs < ours * _LESS else _OURS


def quicker(
    world: ProcessWorld,
    key: Hashable,
    ours: Callable[[], T],
    torchs: Callable[[], T],
    timed: bool = True,
) -> tuple[T, str | None]:
    """Computes something by the library, or by torch, whichever takes less time. Returns it, and why the
    library has not computed it, if so.

    ``ours`` and ``torchs`` return the same up to rounding; both are collective over the world. ``key``
    stands for calls alike, such as an operation and the specs of its tensors; all ranks pass equal ones.
    Collective. After ``torch.use_deterministic_algorithms(True)`` it is always ``ours``, and so it is as long as
    no way is chosen if this call is not to be ``timed``.
    """
    if torch.are_deterministic_algorithms_enabled():
        return ours(), None
    trials: Recent[_Trial] = world.__dict__.setdefault("_trials", Recent(_MOST))
    trial = trials.get(key, _Trial)
    if trial.chosen is None and timed:
        return _timed(world, trial, ours, torchs)
    return (torchs(), "torch is faster") if trial.chosen == _TORCHS else (ours(), None)


def _timed(
    world: ProcessWorld, trial: _Trial, ours: Callable[[], T], torchs: Callable[[], T]
) -> tuple[T, str | None]:
    way = trial.way()
    world._agree("trial")  # so that all begin together
    start = time.perf_counter()
    result = ours() if way == _OURS else torchs()
    trial.note(way, time.perf_counter() - start)
    trial.compare(world)
    return result, None if way == _OURS else "torch is timed"
