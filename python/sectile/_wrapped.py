"""Matrices in memory of the caller, described as the library takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._array import shared
from ._errors import BadArgumentError, BadTypeError, kind_of
from ._layout import AnyLayout, Shape, find_shape
from ._memory import Array, check_part, cut, stored_order
from ._storage import Storage
from ._types import type_name, type_number

if TYPE_CHECKING:
    from ._world import World


def describe(
    world: World, data: Any, layout: AnyLayout, shape: Shape | None, dtype: Any
) -> Storage:
    """Describes the matrix that `World.wrap` makes; not collective."""
    if shape is None:
        whole = shared(data)
        found = world.layout(stored_as(layout, whole), find_shape(whole.shape))
        arrays = [cut(whole, found, rank) for rank in world.ranks]
        dtype = whole.dtype if dtype is None else dtype
    else:
        arrays = _parts(world, data)
        first = next((x for own in arrays for x in own if x.size > 0), None)
        found = world.layout(stored_as(layout, first), shape)
        for rank, own in zip(world.ranks, arrays):
            check_part(own, found, rank)
    storage = Storage(world, _type_of(arrays, dtype), found, arrays)
    # What several ranks write at once has no defined contents.
    if shape is None and found.replicas > 1 and len(world.ranks) > 1:
        storage.writable = False
    return storage


def _parts(world: World, data: Any) -> list[list[Array]]:
    """What is given for each rank of this process, as a list of arrays."""
    try:
        parts = [data] if world.is_process else list(data)
    except TypeError:
        raise BadTypeError(f"{kind_of(data)} is not a list with the part of each rank") from None
    if len(parts) != len(world.ranks):
        raise BadArgumentError(f"{len(parts)} parts are given for {len(world.ranks)} ranks")
    return [[shared(x) for x in p] if isinstance(p, list) else [shared(p)] for p in parts]


def stored_as(layout: AnyLayout, array: Array | None) -> AnyLayout:
    """The layout in the storage order of an array, if the text leaves that open."""
    if array is None or not isinstance(layout, str) or layout.endswith("/f"):
        return layout
    return layout + "/f" if stored_order(array) == "F" else layout


def _type_of(arrays: list[list[Array]], dtype: Any) -> int:
    """The one type of all arrays, which `dtype` must be, if it is given; empty arrays are of any."""
    types = {type_number(x.dtype) for own in arrays for x in own if x.size > 0 or dtype is None}
    if dtype is not None or not types:
        types.add(type_number(dtype))
    if len(types) > 1:
        several = ", ".join(type_name(number) for number in sorted(types))
        raise BadArgumentError(f"the parts, and dtype if it is given, are of several types: {several}")
    return types.pop()
