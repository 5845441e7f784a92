"""What has become of the calls of products."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple


class Calls(NamedTuple):
    """What has become of the calls of products, and of `redistribute`, since the count began."""

    served: int  #: computed by the library
    local: int  #: left to DTensor, as nothing had to move: torch multiplies local tensors, or slices of them
    passed_on: dict[str, int]  #: also left to DTensor, by reason


_counts: Counter[str] = Counter()
_passed_on: Counter[str] = Counter()


def count(served: int = 0, local: int = 0, passed_on: str | None = None) -> None:
    _counts["served"] += served
    _counts["local"] += local
    if passed_on is not None:
        _passed_on[passed_on] += 1


def counter(passed_on: str | None) -> tuple[Counter[str], str]:
    """Where calls are counted that are passed on for this reason, or, without one, are local."""
    return (_counts, "local") if passed_on is None else (_passed_on, passed_on)


def calls() -> Calls:
    """Returns what has become of the calls since the count began.

    >>> sectile.torch.reset_calls()
    >>> a = distribute_tensor(torch.ones(4, 4), mesh, [Replicate()])
    >>> with sectile.torch.enable():
    ...     b = torch.mv(a, (a @ a)[0])
    >>> sectile.torch.calls()
    Calls(served=0, local=1, passed_on={'operation aten.mv.default': 1})
    """
    return Calls(_counts["served"], _counts["local"], dict(_passed_on))


def reset_calls() -> None:
    """Begins the count again."""
    _counts.clear()
    _passed_on.clear()
