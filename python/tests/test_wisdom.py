"""Products that are measured, and what was found."""

import numpy as np
import pytest

import sectile

TURNS = 24  # the most calls that are measured


def measured_product(world):
    a = world.from_numpy(np.ones((24, 48)), "row")
    b = world.from_numpy(np.ones((48, 36)), "col")
    out = world.zeros((24, 36), layout="cyclic:5x7")
    for _ in range(TURNS + 1):
        sectile.matmul(a, b, out, effort="measure")
        assert (out.to_numpy() == 48).all()
    return out


def test_measured_once():
    with sectile.run(3) as world:
        assert world.wisdom == "sectile wisdom 1\n"
        measured_product(world)
        wisdom = world.wisdom
        assert len(wisdom.splitlines()) == 2
        measured_product(world)
        assert world.wisdom == wisdom
    with sectile.run(3) as other:
        other.add_wisdom(wisdom)
        assert other.wisdom == wisdom
        measured_product(other)
        assert other.wisdom == wisdom


def test_refused():
    with sectile.run(2) as world:
        for foreign in "foreign", "sectile wisdom 1\nforeign\n", "":
            with pytest.raises(sectile.BadArgumentError, match="wisdom: "):
                world.add_wisdom(foreign)
        with pytest.raises(TypeError, match="wisdom"):
            world.add_wisdom(None)
        with pytest.raises(sectile.BadArgumentError, match="effort"):
            sectile.matmul(world.ones((2, 2)), world.ones((2, 2)), effort="most")
        assert world.wisdom == "sectile wisdom 1\n"
