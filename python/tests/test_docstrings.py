"""The examples in docstrings run and print what they say."""

import doctest
import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import sectile

MODULES = ["sectile"] + [
    f"sectile.{module.name}"
    for module in pkgutil.iter_modules(sectile.__path__)
    if module.name not in ("_native", "torch")  # which has tests of its own
]
NAMES = {"sectile": sectile, "np": np}


@pytest.mark.parametrize("name", MODULES)
def test_module(name):
    failed, _ = doctest.testmod(importlib.import_module(name), extraglobs=NAMES)
    assert failed == 0


def _described(kind):
    """The public attributes of a class that ours define, with their descriptions."""
    ours = {name for each in kind.__mro__ if "sectile" in each.__module__ for name in vars(each)}
    for name in sorted(ours - {"ndim", "is_process"}):
        if not name.startswith("_"):
            yield name, inspect.getdoc(inspect.getattr_static(kind, name))


def test_public_names_are_described():
    public = [getattr(sectile, name) for name in sectile.__all__ if name != "__version__"]
    assert [each for each in public if not inspect.getdoc(each)] == []
    classes = [each for each in public if inspect.isclass(each)]
    missing = [(c, name) for c in classes for name, said in _described(c) if not said]
    assert missing == []


def test_attributes_are_described(world):
    """Those that are no properties, in the description of the class."""
    layouts, more = ("row", "row", "row"), {"shape": (8, 8, 8), "ranks": 2}
    for each in (
        world,
        world.layout("row", (4, 4)),
        sectile.Machine("node"),
        sectile.plan(*layouts, **more),
        sectile.simulate(*layouts, machine="node", **more),
        sectile.choose((8, 8, 8), 2)[0],
    ):
        said = inspect.getdoc(type(each))
        names = [name for name in vars(each) if not name.startswith("_")]
        properties = dict(_described(type(each)))
        assert [n for n in names if n not in properties and f"``{n}``" not in said] == []


def test_there_are_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    modules = [importlib.import_module(name) for name in MODULES]
    assert sum(len(test.examples) > 0 for m in modules for test in finder.find(m)) >= 19
