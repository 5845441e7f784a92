"""The logger "sectile" gets what the library logs."""

import logging

import numpy as np
import pytest

import sectile


def products():
    with sectile.run(2) as world:
        a = world.from_numpy(np.ones((40, 30)), "row")
        b = world.from_numpy(np.ones((30, 20)), "col")
        for _ in range(2):
            sectile.matmul(a, b, layout="row", stay="c")


def said(caplog, begin):
    """The levels and ranks of the records that begin so."""
    records = [record for record in caplog.records if record.name == "sectile"]
    return [(each.levelno, each.args[0]) for each in records if each.args[1].startswith(begin)]


@pytest.mark.parametrize(
    ("level", "ranks"), [(logging.WARNING, ()), (logging.INFO, (0,)), (logging.DEBUG, (0, 1))]
)
def test_levels(caplog, level, ranks):
    caplog.set_level(level, "sectile")
    products()
    info = [(logging.INFO, rank) for rank in ranks]
    assert sorted(said(caplog, f"sectile {sectile.__version__}: engine threads, 2 ranks")) == info
    assert sorted(said(caplog, "plan for 40x20x30 f64, A row, B col, C row: C stays")) == info
    assert "rank 0: sectile" in caplog.text or not ranks


def test_off_again(caplog):
    """The level counts that the logger has when a world is made."""
    with caplog.at_level(logging.INFO, "sectile"):
        products()
    caplog.clear()
    products()
    assert not caplog.records
