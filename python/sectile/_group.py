"""Groups of products on a world: matrices in their layouts, and products that are planned once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from ._arguments import by_name
from ._collective import collective
from ._errors import BadArgumentError, BadTypeError, kind_of
from ._matrix import Matrix
from ._native import ffi, lib
from ._options import STAYS, Options, options_struct
from ._storage import Owned, Storage
from ._types import numpy_dtype
from ._uncopied import Uncopied
from ._world import World

if TYPE_CHECKING:
    from ._chosen import ProductsChoice

_HANDLES = ffi.typeof("sct_group *[]")
_CHOSEN = ("stay", "work", "workspace")


class _Jobs(Owned):
    """What the library has of a group: its matrices, and a job for each product."""

    __slots__ = ("_bytes",)
    drop = lib.team_group_drop
    is_large = True

    def __init__(self, world: World, size: int):
        super().__init__(world, _HANDLES)
        self._bytes = size

    @property
    def nbytes(self) -> int:
        return self._bytes


class Group(Uncopied):
    """The matrices of a group of products on a world; made by `ProductsChoice.group`.

    ``group["X"]`` is a matrix like any other of its ``world``, in the layout of the ``choice``. Fill
    those that are given, by assignment or by ``run``.

    >>> choice = sectile.Products("Y = X[6,4] * W[4,2]").choose(2)
    >>> with sectile.run(2) as world:
    ...     group = choice.group(world)
    ...     group["W"][:] = 1
    ...     for i in range(2):
    ...         results = group.run({"X": np.full((6, 4), i)})
    ...     results["Y"].to_numpy()[0]
    array([4., 4.])
    """

    _instead = "make another of its choice"

    @collective
    def __init__(self, world: World, choice: ProductsChoice, options: Options):
        if not isinstance(world, World):
            raise BadTypeError(f"world: {kind_of(world)} is not a world")
        if choice.ranks != world.size:
            raise BadArgumentError(
                f"the choice is for {choice.ranks} ranks, and the world has {world.size}"
            )
        for name in _CHOSEN:
            if name in options:
                raise BadArgumentError(f"{name} is chosen for each product")
        self.world, self.choice = world, choice
        number = choice._type
        kept = options_struct(options, (0, 0, 0), world.size)
        elements = sum(each.shape[0] * each.shape[1] for each in choice.layouts.values())
        self._jobs = _Jobs(world, elements * numpy_dtype(number).itemsize)
        given = _ChoiceStruct(choice)
        products = choice.products._products
        pointer = kept.struct if kept else ffi.NULL
        handles = self._jobs.handles
        self._jobs.make(lib.team_group_create, products, given.struct, number, pointer, handles)
        self._results = choice.products.results
        self._matrices: dict[str, Matrix] = {}
        for index, (name, layout) in enumerate(choice.layouts.items()):
            lent = [lib.sct_group_matrix(each, index) for each in handles]
            self._matrices[name] = Matrix(Storage(world, number, layout).lend(self._jobs, lent))

    def __getitem__(self, name: str) -> Matrix:
        """Returns a matrix, which the group keeps."""
        try:
            return self._matrices[name]
        except (KeyError, TypeError):
            raise BadArgumentError(f"there is no matrix {name}") from None

    @collective
    def run(self, arrays: Mapping[str, Any] | None = None) -> dict[str, Matrix]:
        """Computes all products, after copying arrays into matrices. Returns the results by name.

        Matrices that are given keep their elements from run to run. Collective.
        """
        given = by_name("arrays", arrays)
        matrices = [self[name] for name in given]
        for matrix, array in zip(matrices, given.values()):
            matrix[:] = array
        self.world._call(lib.team_group_run, self._jobs.handles)
        return {name: self[name] for name in self._results}

    def __repr__(self) -> str:
        return f"<sectile.Group of {len(self._matrices)} matrices on {self.world.size} ranks>"


class _ChoiceStruct:
    """An sct_products_choice, and what it points to."""

    def __init__(self, choice: ProductsChoice):
        layouts = [each._layout for each in choice.layouts.values()]
        self.layouts = ffi.new("sct_layout *[]", layouts)
        self.work = ffi.new("sct_products_work[]", len(choice.work))
        for made, work in zip(self.work, choice.work):
            made.stay, made.limit = STAYS.index(work.stay), work.limit
            made.layout = work.layout._layout if work.layout is not None else ffi.NULL
        self.struct: Any = ffi.new("sct_products_choice *")
        self.struct.matrices, self.struct.products = len(layouts), len(choice.work)
        self.struct.layout, self.struct.work = self.layouts, self.work
