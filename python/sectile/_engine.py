"""What the library is told of the engine of a world."""

from __future__ import annotations

from typing import Any, Literal

from ._arguments import fill, one_of
from ._errors import encoded
from ._native import ffi

Path = Literal["auto", "service", "rma", "sockets", "nvshmem"]

# In the order of the library's enumerators.
_PATHS = ("auto", "service", "rma", "sockets", "nvshmem")


class WorldOptions:
    """An sct_world_options, and what it points to. The library knows the engines."""

    def __init__(
        self,
        engine: str | None,
        devices: str | None = None,
        ranks_per_node: int = 0,
        path: str = "auto",
    ):
        self._texts: list[Any] = []
        self.struct = ffi.new("sct_world_options *", {"size": ffi.sizeof("sct_world_options")})
        self.struct.engine = self._keep("engine", engine)
        self.struct.devices = self._keep("devices", devices)
        fill(self.struct, ranks_per_node=ranks_per_node)
        self.struct.path = one_of("path", path, _PATHS)

    def _keep(self, name: str, text: str | None) -> Any:
        if text is None:
            return ffi.NULL
        self._texts.append(ffi.new("char[]", encoded(name, text)))
        return self._texts[-1]
