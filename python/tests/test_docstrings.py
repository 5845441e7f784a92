"""The examples in docstrings and in the tour run and print what they say."""

import doctest
import importlib
import pathlib
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


def test_there_are_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    modules = [importlib.import_module(name) for name in MODULES]
    assert sum(len(test.examples) > 0 for m in modules for test in finder.find(m)) >= 10


def test_tour():
    tour = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
    failed, tried = doctest.testfile(str(tour), module_relative=False)
    assert failed == 0 and tried > 20
