"""Worlds of the processes of a process group, which meet through torch's store."""

from __future__ import annotations

import contextlib
import weakref
from typing import Any, Sequence

import torch.distributed as dist
from torch.distributed.distributed_c10d import _get_default_group, _get_default_store

from .._engine import ProcessOptions
from .._errors import BadArgumentError, BadTypeError, kind_of
from .._processes import ProcessWorld, join


class _Meeting:
    """An allgather of some ranks of the default process group by keys in its store.

    Ranks that make several worlds make them in one order, so that their numbers tell the keys apart.
    """

    def __init__(self, ranks: Sequence[int], number: int):
        self._store = _get_default_store()
        self._prefix = f"sectile/{','.join(map(str, ranks))}/{number}"
        self._ranks = len(ranks)
        self._rank = ranks.index(dist.get_rank())
        self._round = 0

    def _key(self, round: int, rank: int) -> str:
        return f"{self._prefix}/{round}/{rank}"

    def __call__(self, mine: bytes) -> list[bytes]:
        self._round += 1
        # The store cannot hold an empty value.
        self._store.set(self._key(self._round, self._rank), b"." + mine)  # type: ignore[arg-type]
        everyone = [self._store.get(self._key(self._round, r))[1:] for r in range(self._ranks)]
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
    meeting = _Meeting(ranks, number)
    return join(ranks.index(dist.get_rank()), len(ranks), meeting, options)


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
