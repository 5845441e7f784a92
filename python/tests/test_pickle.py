"""What can be copied and pickled is the same afterwards; the rest says what to do instead."""

import copy
import gc
import pickle

import numpy as np
import pytest
from conftest import LAYOUTS

import sectile

HOW = [copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))]
SHAPES = {"shape": (8, 8, 8), "ranks": 4}


@pytest.fixture(scope="module")
def objects(world):
    plan = sectile.plan("row", "row", "row", **SHAPES)
    products = sectile.Products("Y = X[4,4] * W[4,4]")
    choice = products.choose(4)
    return {
        "to_numpy": [world.array((4, 4)), world.array((4, 4))[1:].T],
        "each process makes its own": [world],
        "plan again": [plan],
        "its layouts": [plan.problem],
        "another of its text": [products],
        "its layouts and work": [choice],
        "another of its choice": [choice.group(world)],
        "its cost": [sectile.simulate("row", "row", "row", machine="cluster", **SHAPES)],
    }


@pytest.mark.parametrize("how", HOW)
def test_what_cannot_be_copied(objects, how, monkeypatch):
    later = []
    monkeypatch.setattr("sys.unraisablehook", later.append)
    for instead, those in objects.items():
        for each in those:
            with pytest.raises(sectile.BadTypeError, match=instead):
                how(each)
    gc.collect()
    assert not later


def test_a_world_that_is_not_made_says_nothing_later(monkeypatch):
    later = []
    monkeypatch.setattr("sys.unraisablehook", later.append)
    with pytest.raises(TypeError):
        sectile.World()
    gc.collect()
    assert not later


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("text", LAYOUTS)
def test_layouts(how, text):
    layout = sectile.Layout(text, (12, 10), 8)
    made = how(layout)
    assert made == layout and made.order == layout.order and made.tiled == layout.tiled
    owners = [[each.owner(*at) for at in np.ndindex(each.shape)] for each in (layout, made)]
    assert owners[0] == owners[1]


@pytest.mark.parametrize("how", HOW)
def test_machines_and_choices(how):
    machine = how(sectile.Machine("h100x8"))
    assert str(machine) == str(sectile.Machine("h100x8")) and machine.ranks == 8
    choice = sectile.choose((512, 512, 512), 4)[0]
    made = how(choice)
    assert (made.a, made.b, made.c, made.options) == (choice.a, choice.b, choice.c, choice.options)
    assert made.plan(1).hash == choice.plan(1).hash
