"""Worlds of the processes of a process group, which meet through torch's store."""

from __future__ import annotations

import contextlib
import math
import os
import time
import weakref
from typing import Any, Sequence

import torch.distributed as dist
from torch.distributed.distributed_c10d import _get_default_group, _get_default_store

from .._engine import ProcessOptions
from .._errors import BadArgumentError, BadTypeError, FailedError, kind_of
from .._processes import ProcessWorld, join


# How many seconds pass between two looks into the store.
_PAUSE, _LONGEST_PAUSE = 0.001, 0.1


class _Rendezvous:
    """An allgather of some ranks of the default process group by keys in its store.

    Ranks that make several worlds make them in one order, so that their numbers tell the keys apart.
    """

    def __init__(self, ranks: Sequence[int], number: int, seconds: float):
        self._store = _get_default_store()
        self._seconds = seconds
        self._prefix = f"sectile/{','.join(map(str, ranks))}/{number}"
        self._ranks = ranks
        self._rank = ranks.index(dist.get_rank())
        self._round = 0

    def _key(self, round: int, rank: int) -> str:
        return f"{self._prefix}/{round}/{rank}"

    def _taken(self, rank: int, end: float) -> bytes:
        """What a rank says in this round. The store itself would wait without seeing Ctrl-C."""
        key, pause = self._key(self._round, rank), _PAUSE
        while not self._store.check([key]):
            if time.monotonic() > end:
                raise FailedError(f"rank {self._ranks[rank]} did not respond for {self._seconds:g} s")
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        return self._store.get(key)[1:]

    def __call__(self, mine: bytes) -> list[bytes]:
        self._round += 1
        end = time.monotonic() + self._seconds
        # The store cannot hold an empty value.
        self._store.set(self._key(self._round, self._rank), b"." + mine)  # type: ignore[arg-type]
        everyone = [self._taken(rank, end) for rank in range(len(self._ranks))]
        if self._round > 1:  # which all ranks have read before they came to this round
            self._store.delete_key(self._key(self._round - 1, self._rank))
        return everyone


# For each default process group, the number of worlds that its ranks have made.
_made: weakref.WeakKeyDictionary[Any, dict[tuple[int, ...], int]] = weakref.WeakKeyDictionary()


def _timeout(group: Any) -> float | None:
    """How many seconds the operations of a process group may take; None: PyTorch does not say."""
    found = []
    for device in getattr(group, "_device_types", ()):
        with contextlib.suppress(AttributeError, RuntimeError):  # a backend that is not there
            found.append(group._get_backend(device).options._timeout.total_seconds())
    return min(found, default=None)


def _limit(options: ProcessOptions) -> float:
    """How many seconds a rank may be late, as the library reads it."""
    if options.wait_seconds is not None:
        return options.wait_seconds
    with contextlib.suppress(ValueError):  # the library refuses the text
        return float(os.environ.get("SECTILE_WAIT_SECONDS", math.inf))
    return math.inf


def world_of_ranks(
    ranks: Sequence[int], options: ProcessOptions, group: Any = None
) -> ProcessWorld:
    """Makes a world of these ranks of the default process group. Collective over them.

    It takes the limit on waiting from a group, by default that one.
    """
    timeout = _timeout(group or _get_default_group())
    if timeout is not None:
        options.limit(timeout)
    numbers = _made.setdefault(_get_default_group(), {})
    number = numbers[tuple(ranks)] = numbers.get(tuple(ranks), 0) + 1
    rendezvous = _Rendezvous(ranks, number, _limit(options))
    return join(ranks.index(dist.get_rank()), len(ranks), rendezvous, options)


def check_group() -> None:
    """Fails unless there is a default process group."""
    if not dist.is_initialized():
        raise BadArgumentError("torch.distributed has no process group: call init_process_group")


def world_of_group(group: Any, options: ProcessOptions) -> ProcessWorld:
    check_group()
    try:
        ranks = dist.get_process_group_ranks(group)
    except (KeyError, TypeError, ValueError):
        raise BadTypeError(f"group: {kind_of(group)} is not a process group") from None
    if dist.get_rank() not in ranks:
        raise BadArgumentError("group: this process is not in the process group")
    return world_of_ranks(ranks, options, group)


# ---- Where products are served ----

_SERVES = "sectile/serves"


def announce(serves: bool) -> None:
    """Leaves in the store whether this rank serves products."""
    with contextlib.suppress(RuntimeError):  # the store may have ended with another rank
        _get_default_store().set(f"{_SERVES}/{dist.get_rank()}", str(int(serves)))


def not_serving(ranks: Sequence[int]) -> list[int]:
    """The ranks that have not announced that they serve products."""
    store = _get_default_store()

    def serves(rank: int) -> bool:
        key = f"{_SERVES}/{rank}"
        return store.check([key]) and store.get(key) == b"1"

    try:
        return [rank for rank in ranks if not serves(rank)]
    except RuntimeError:  # as above
        return []
