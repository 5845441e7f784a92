"""The options of the engine of a world, for the library."""

from __future__ import annotations

import math
import os
from functools import cached_property
from typing import Any, Literal

from . import _log
from ._arguments import fill, one_of
from ._errors import BadArgumentError, BadTypeError, check, encoded, kind_of
from ._interruption import Interruption
from ._native import ffi

Path = Literal["auto", "service", "rma", "sockets", "nvshmem"]

# In the order of the library's enumerators.
_PATHS = ("auto", "service", "rma", "sockets", "nvshmem")

# Of the engines that the library knows.
_OPTIONS = {
    "threads": "sct_threads_options",
    "processes": "sct_processes_options",
    "mpi": "sct_processes_options",
    "opencl": "sct_opencl_options",
    "cuda": "sct_cuda_options",
}

_MOST_SECONDS = 2**31 - 1


class WorldOptions:
    """What a caller asks of a world. The library knows the engines."""

    def __init__(
        self,
        engine: str | None,
        devices: str | None = None,
        ranks_per_node: int = 0,
        path: str = "auto",
        math: int = 0,
    ):
        self._engine, self._devices, self._math = engine, devices, math
        self._ranks_per_node, self._path = ranks_per_node, path
        self._texts: list[Any] = []
        _log.start()

    @cached_property
    def struct(self) -> Any:
        """An sct_world_options, which lives as long as this. Fails if it cannot have what is asked."""
        struct = ffi.new("sct_world_options *", {"size": ffi.sizeof("sct_world_options")})
        struct.engine = self._keep("engine", self._engine)
        self._own = self._engine_options()
        struct.engine_options = self._own
        struct.path = one_of("path", self._path, _PATHS)
        return struct

    def _engine_options(self) -> Any:
        """The options of the engine, which all begin with the ranks per node."""
        name = _OPTIONS.get(self._engine or "threads", "sct_other_options")
        own = ffi.new(f"{name} *", {"size": ffi.sizeof(name)})
        fill(own, ranks_per_node=self._ranks_per_node)
        devices = self._keep("devices", self._devices)
        if self._devices is not None:
            if not hasattr(own, "devices"):
                raise BadArgumentError(f"devices: the engine {self._engine or 'threads'} has none")
            own.devices = devices
        if self._math:
            fill(own, math=self._math)
        return own

    def _keep(self, name: str, text: str | None) -> Any:
        if text is None:
            return ffi.NULL
        self._texts.append(ffi.new("char[]", encoded(name, text)))
        return self._texts[-1]


class ProcessOptions(WorldOptions):
    """The same of a world of which this process is one rank."""

    def __init__(self, *engine: Any, wait_seconds: float | None = None):
        super().__init__(*engine)
        self.wait_seconds = wait_seconds
        self.interruption = Interruption()

    def limit(self, seconds: float) -> None:
        """Sets a limit on waiting, unless the caller or the environment has set one."""
        if self.wait_seconds is None and "SECTILE_WAIT_SECONDS" not in os.environ and seconds > 0:
            self.wait_seconds = min(seconds, _MOST_SECONDS)

    @cached_property
    def struct(self) -> Any:
        struct = super().struct
        if self.wait_seconds is not None:
            fill(struct, wait_seconds=_whole_seconds(self.wait_seconds))
        self.interruption.fill(struct)
        return struct

    def check(self, status: int) -> None:
        """Raises the exception of making the world, if that has failed."""
        problem = self.interruption.take()
        if problem is not None:
            raise problem
        check(status)


def _whole_seconds(seconds: Any) -> int:
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise BadTypeError(f"wait_seconds: {kind_of(seconds)} is not a number")
    if not 0 < seconds < math.inf:
        raise BadArgumentError(f"wait_seconds: {seconds} is not a time above 0")
    return math.ceil(seconds)
