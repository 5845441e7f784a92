"""The layout of a result that the caller leaves open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._errors import Error
from ._layout import Layout
from ._plan import Plan
from ._problem import Problem

if TYPE_CHECKING:
    from ._matrix import Matrix

# Flops per second of a rank, and bytes in memory that it shares and between nodes. Only their
# ratios matter, and those are alike on many machines.
_FLOPS, _NEAR, _FAR = 50e9, 10e9, 0.2e9
# The ranks whose plans are looked at.
_SAMPLE = 16


def _candidates(a: Matrix, b: Matrix) -> list[str]:
    """The plain layouts, and those of a and b, if these have one replica on several ranks."""
    like = [str(x.layout) for x in (a, b) if x.layout.replicas == 1 < x.layout.ranks and x._is_whole]
    return list(dict.fromkeys(["row", "col", "2d"] + like))


def _seconds(a: Matrix, b: Matrix, c: Layout) -> float:
    """Estimates the time of the slowest rank."""
    shape = (a.shape[0], b.shape[1], a.shape[1])
    problem = Problem((a, b, c), shape)
    ranks = range(0, problem.ranks, -(-problem.ranks // _SAMPLE))
    costs = [Plan(problem, rank, {}).cost for rank in ranks]
    moving = _NEAR if problem.struct.ranks_per_node >= problem.ranks else _FAR
    return max(
        cost.flops / _FLOPS
        + (cost.bytes_in_place + cost.bytes_gathered + cost.bytes_scattered) / _NEAR
        + (cost.bytes_got + cost.bytes_accumulated) / moving
        for cost in costs
    )


def choose_result(a: Matrix, b: Matrix) -> Layout:
    """Chooses the layout of a @ b with the least estimated time: row, col, 2d, or as a or b."""
    shape = (a.shape[0], b.shape[1])
    times: dict[Layout, float] = {}
    for text in _candidates(a, b):
        try:
            layout = a.world.layout(text, shape)
            times[layout] = _seconds(a, b, layout)
        except Error:  # the cuts of a layout may lie outside of this shape
            if text in ("row", "col", "2d"):
                raise
    return min(times, key=lambda layout: times[layout])
