"""The library's matrices behind a Python object, and when they are freed."""

from __future__ import annotations

import sys
import weakref
from typing import TYPE_CHECKING, Any, ClassVar, Iterable, Union

from ._errors import BadArgumentError, BadTypeError, check, kind_of
from ._layout import Layout
from ._memory import Array, describe, show
from ._native import ffi, lib
from ._types import numpy_dtype

if TYPE_CHECKING:
    from ._world import World

Local = Union[Array, list[Array]]

_HANDLES = ffi.typeof("sct_matrix *[]")
_LARGE = 1 << 20


def _describe_all(arrays: list[Array], order: str) -> Any:
    blocks = ffi.new("sct_block[]", max(len(arrays), 1))
    for i, array in enumerate(arrays):
        describe(blocks[i], array, order)
    return blocks


class Owned:
    """What the library has made on a world: the handle of each rank of this process.

    When the last reference goes, so does what it stands for: see World._drop.
    """

    __slots__ = ("world", "handles", "number", "_shown", "__weakref__")
    #: The function of calls.h that frees it.
    drop: ClassVar[Any]

    def __init__(self, world: World, kind: Any):
        self.number = 0  # until it is made
        self.world = world
        self.handles = ffi.new(kind, len(world.ranks))
        #: The arrays that show its memory.
        self._shown: list[weakref.ref[Any]] = []

    def make(self, function: Any, *arguments: Any) -> None:
        """Makes it by a function of calls.h that fills in the handles."""
        self.world._call(function, *arguments)
        self.world._adopt(self)

    @property
    def nbytes(self) -> int:
        """The bytes of its matrices, of one replica."""
        raise NotImplementedError

    @property
    def is_large(self) -> bool:
        """Whether it is to be freed at once, and not by the next call."""
        raise NotImplementedError

    def windows(self) -> int:
        """Counts the arrays that show the memory."""
        return sum(window() is not None for window in self._shown)

    def __del__(self) -> None:
        if self.number > 0 and not sys.is_finalizing():
            self.world._drop(self)


class Storage(Owned):
    """A matrix of a world."""

    __slots__ = ("layout", "type", "arrays", "writable", "owner", "_blocks")
    drop = lib.team_drop

    def __init__(
        self, world: World, number: int, layout: Layout, arrays: list[list[Array]] | None = None
    ):
        """Describes a matrix; `arrays` has the memory of each rank, to wrap."""
        super().__init__(world, _HANDLES)
        self.type = number
        self.layout = layout
        self.arrays = arrays  # kept alive
        self.writable = True
        #: What frees the matrix; None: itself.
        self.owner: Owned | None = None
        if arrays is not None:
            self.writable = all(array.flags.writeable for own in arrays for array in own)
            self._blocks = [_describe_all(own, layout.order) for own in arrays]

    def lend(self, owner: Owned, handles: Iterable[Any]) -> Storage:
        """Makes this the matrix with these handles, which another object frees."""
        self.owner, self._shown = owner, owner._shown
        for member, handle in enumerate(handles):
            self.handles[member] = handle
        return self

    def create(self) -> Storage:
        """Makes the matrix in memory of the library."""
        self.make(lib.team_matrix_create, self.type, self.layout._layout, self.handles)
        return self

    def wrap(self) -> Storage:
        """Makes the matrix of the arrays."""
        sizes = [len(own) for own in self.arrays or []]
        counts = ffi.new("int[]", sizes) if self.layout.tiled else ffi.NULL
        self.make(
            lib.team_matrix_wrap,
            self.type,
            self.layout._layout,
            counts,
            ffi.new("sct_block *[]", self._blocks),
            self.handles,
        )
        return self

    @property
    def nbytes(self) -> int:
        """The bytes of one replica."""
        rows, cols = self.layout.shape
        return rows * cols * numpy_dtype(self.type).itemsize

    @property
    def is_large(self) -> bool:
        """Whether it is to be freed at once, and not by the next call."""
        return self.arrays is not None or self.nbytes > _LARGE

    def handle(self, member: int = 0) -> Any:
        """The matrix of a rank of this process."""
        if (self.owner or self).number == 0:
            raise BadArgumentError("the world is closed")
        return self.handles[member]

    @property
    def on_host(self) -> bool:
        """Whether NumPy can read the memory."""
        return bool(lib.sct_matrix_space(self.handle()) == lib.SCT_SPACE_HOST)

    def blocks(self, member: int) -> Any:
        """Returns the memory of a rank of this process, as the library describes it."""
        matrix, count = self.handle(member), ffi.new("int *")
        check(lib.sct_matrix_blocks(matrix, 0, ffi.NULL, count))
        blocks = ffi.new("sct_block[]", count[0])
        check(lib.sct_matrix_blocks(matrix, count[0], blocks, count))
        return blocks

    def pieces(self, member: int) -> list[Array]:
        """Returns what a rank of this process stores: its part, or its tiles; nothing if it has none."""
        if not self.on_host:
            raise BadArgumentError(
                "the matrix lies on devices, which NumPy cannot read: copy it by to_numpy"
            )
        own = self.arrays[member] if self.arrays is not None else []
        read_only = not all(array.flags.writeable for array in own)
        shown = [show(block, self.type, self, read_only) for block in self.blocks(member)]
        self._shown[:] = [window for window in self._shown if window() is not None]
        self._shown += [weakref.ref(array.base) for array in shown if array.base is not None]
        return shown

    def local(self, member: int) -> Local:
        """Returns what a rank of this process stores: an array, or one for each tile."""
        shown = self.pieces(member)
        return shown[0] if shown and not self.layout.tiled else shown


def is_matrix(given: Any) -> bool:
    """Whether it is a matrix of a world."""
    return isinstance(getattr(given, "_storage", None), Storage)


def check_matrix(name: str, given: Any) -> None:
    """Fails unless it is a matrix."""
    if not is_matrix(given):
        raise BadTypeError(
            f"{name}: {kind_of(given)} is not a matrix of a world: "
            "make one by world.from_numpy or world.wrap"
        )
