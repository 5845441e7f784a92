"""Calls that all ranks make together: if one rank cannot make a call, it fails on all of them."""

from __future__ import annotations

import contextlib
import functools
import struct
from typing import Any, Callable, Iterable, Sequence, TypeVar, cast

from ._errors import error, reason_of, status_of
from ._native import lib

Function = TypeVar("Function", bound=Callable[..., Any])
Made = TypeVar("Made")
Allgather = Callable[[bytes], Sequence[bytes]]

# What a rank says before there is a world: a status and a reason.
_SAID = struct.Struct("=i252s")


def mark_told(problem: BaseException) -> None:
    """Notes that all ranks know of a problem."""
    problem._told = True  # type: ignore[attr-defined]


def _world_among(values: Iterable[Any]) -> Any:
    """The first world that is open; if none is given that other ranks could know of, the only one of
    processes that there is."""
    from ._processes import only_world
    from ._world import World

    # Matrices and groups have one.
    all_worlds = (getattr(value, "world", value) for value in values)
    worlds = [world for world in all_worlds if isinstance(world, World)]
    first = next((world for world in worlds if not world._closed), None)
    return first or (only_world() if all(world.is_process for world in worlds) else None)


def telling(world_among: Callable[[Iterable[Any]], Any]) -> Callable[[Function], Function]:
    """Has a function report to other ranks why it fails; `world_among` finds the world in its arguments.

    The library reports what fails in its own calls. After its last call of the library, the
    function must do nothing that may fail on some ranks only.
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except Exception as problem:
                if not getattr(problem, "_told", False):
                    world = world_among((*args, *kwargs.values()))
                    if world is not None:
                        world._refuse(problem)
                raise

        return cast(Function, call)

    return decorate


collective = telling(_world_among)


def made_on_all(allgather: Allgather, make: Callable[[], Made]) -> Made:
    """Returns what a function makes, if it does so on all ranks; else fails on all of them.

    For ranks that have no world yet: they report to each other by an allgather of bytes.
    """
    try:
        made = make()
    except Exception as problem:
        with contextlib.suppress(Exception):
            allgather(_SAID.pack(status_of(problem), reason_of(problem)))
        raise
    for rank, said in enumerate(allgather(_SAID.pack(lib.SCT_OK, b""))):
        status, reason = _SAID.unpack(said)
        if status != lib.SCT_OK:
            told = reason.rstrip(b"\0").decode("utf-8", "replace")
            raise error(status, f"rank {rank}: {told}")
    return made
