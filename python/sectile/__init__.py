"""Sectile multiplies distributed matrices, in any layout, without redistributing them first.

>>> with sectile.run(4) as world:
...     a = world.from_numpy(np.ones((100, 80)), "row*2")
...     b = world.from_numpy(np.ones((80, 60)), "cyclic:8x8")
...     c = a @ b
...     c.layout, float(c.to_numpy().sum())
(<sectile.Layout col of 100 x 60>, 480000.0)

docs/python.md of the repository is a tour.
"""

from ._blas import blas_threads, set_blas_threads
from ._choose import Choice, Choices, choose, lower_bound
from ._chosen import ProductsChoice, Style, Work
from ._errors import (
    AliasedError,
    BadArgumentError,
    BadIndexError,
    BadTypeError,
    DisagreeError,
    Error,
    FailedError,
    NoEngineError,
    NoMemoryError,
    TooLargeError,
    UnreachableError,
    WorkspaceError,
)
from ._files import load, save
from ._group import Group
from ._layout import Layout, Part
from ._machine import Machine, machines
from ._matrix import Matrix
from ._plan import Cost, Plan, Step, plan
from ._product import copy, matmul
from ._products import Products
from ._simulate import Forecast, Use, simulate
from ._symbols import Product, Symbol
from ._threads import run
from ._version import version as _version
from ._world import Traffic, World

__version__ = _version()

__all__ = [
    "AliasedError",
    "BadArgumentError",
    "BadIndexError",
    "BadTypeError",
    "Choice",
    "Choices",
    "Cost",
    "DisagreeError",
    "Error",
    "FailedError",
    "Forecast",
    "Group",
    "Layout",
    "Machine",
    "Matrix",
    "NoEngineError",
    "NoMemoryError",
    "Part",
    "Plan",
    "Product",
    "Products",
    "ProductsChoice",
    "Step",
    "Style",
    "Symbol",
    "TooLargeError",
    "Traffic",
    "UnreachableError",
    "Use",
    "Work",
    "WorkspaceError",
    "World",
    "__version__",
    "blas_threads",
    "choose",
    "copy",
    "load",
    "lower_bound",
    "machines",
    "matmul",
    "plan",
    "run",
    "save",
    "set_blas_threads",
    "simulate",
]
