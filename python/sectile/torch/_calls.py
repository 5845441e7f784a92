"""What has become of the calls of products."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple


class Calls(NamedTuple):
    """What has become of the calls of products since the count began."""

    served: int  #: computed by the library
    local: int  #: computed by torch on local tensors, or slices of them, as nothing had to move
    passed_on: dict[str, int]  #: left to DTensor, by reason


_counts: Counter[str] = Counter()
_passed_on: Counter[str] = Counter()


def count(served: int = 0, local: int = 0, passed_on: str | None = None) -> None:
    _counts["served"] += served
    _counts["local"] += local
    if passed_on is not None:
        _passed_on[passed_on] += 1


def calls() -> Calls:
    """Returns what has become of the calls since the count began.

    >>> sectile.torch.reset_calls()
    >>> a = distribute_tensor(torch.ones(4, 4, dtype=torch.int64), mesh, [Replicate()])
    >>> with sectile.torch.enable():
    ...     b = a @ a
    >>> sectile.torch.calls()
    Calls(served=0, local=0, passed_on={'elements of type torch.int64': 1})
    """
    return Calls(_counts["served"], _counts["local"], dict(_passed_on))


def reset_calls() -> None:
    """Begins the count again."""
    _counts.clear()
    _passed_on.clear()
