"""Plans, simulations and choices, without data."""

import locale
import shutil
import subprocess
import xml.etree.ElementTree as xml
from typing import get_args, get_type_hints

import numpy as np
import pytest
from conftest import LAYOUTS, integers

import sectile
from sectile._options import _CHOICES, PlainOptions

SHAPE = (60, 48, 72)


def count(svg, name, kind):
    """Counts the elements of a name whose class has a word."""
    root = xml.fromstring(svg)
    elements = root.iter("{http://www.w3.org/2000/svg}" + name)
    return sum(kind in element.get("class", "").split() for element in elements)


def test_steps_are_the_product():
    """The steps of all ranks cover each element of m x n x k once."""
    seen = np.zeros(SHAPE, int)
    for rank in range(4):
        plan = sectile.plan("row", "cyclic:8x8", "2d", shape=SHAPE, ranks=4, rank=rank)
        steps = plan.steps()
        assert len(steps) == plan.cost.steps > 0
        for step in steps:
            rows, inner, cols = (
                [i for r in d for i in range(*r)] for d in (step.m, step.k, step.n)
            )
            seen[np.ix_(rows, cols, inner)] += 1
        assert plan.cost.flops == sum(2 * size(s.m) * size(s.k) * size(s.n) for s in steps)
    assert (seen == 1).all()
    plan.check()


def size(ranges):
    return sum(high - low for low, high in ranges)


def test_plan_of_matrices(world):
    a, b = world.array((60, 72), "f4", "row"), world.array((48, 72), "f4", "col")
    c = world.array((60, 48), "f4", "2d")
    plan = sectile.plan(a, b.T, c, rank=1, stay="b")
    same = sectile.plan(
        "row", "col", "2d", shape=SHAPE, ranks=4, rank=1, dtype="f4", op="NT", stay="b"
    )
    assert plan.hash == same.hash and plan.stay == "b" and plan.cost == same.cost
    assert "f32, op NT on 4 ranks" in repr(plan)
    part = sectile.plan(a[10:20], b.T, c[5:15])
    assert part.cost.flops < plan.cost.flops


def test_plan_agrees_with_traffic(world):
    for layout in LAYOUTS[:8]:
        a = world.from_numpy(integers((60, 72), "f8", 1), layout)
        b = world.from_numpy(integers((72, 48), "f8", 2), "row")
        c = world.array((60, 48), "f8", "col")
        before = [world.traffic(rank) for rank in world.ranks]
        sectile.matmul(a, b, out=c)
        for rank in world.ranks:
            cost, after = sectile.plan(a, b, c, rank=rank).cost, world.traffic(rank)
            for field in ("bytes_got", "bytes_in_place", "bytes_accumulated"):
                moved = getattr(after, field) - getattr(before[rank], field)
                assert moved == getattr(cost, field), (layout, rank, field)


def test_decisions_and_traffic():
    plan = sectile.plan("row", "row", "row", shape=SHAPE, ranks=4, rank=2)
    again = sectile.plan(
        "row", "row", "row", shape=SHAPE, ranks=4, rank=2, stay=plan.stay, decisions=plan.decisions
    )
    assert again.hash == plan.hash
    read, added = plan.traffic()
    assert len(read) == len(added) == 4 and read[2] == 0 and sum(read) > 0
    assert plan.work is None or sectile.Layout(plan.work, SHAPE[:2], 4)


def test_picture_of_a_plan():
    plan = sectile.plan("row", "col", "2d:2x2", shape=(8, 8, 8), ranks=4, stay="c")
    svg = plan.svg()
    assert svg == plan._repr_svg_()
    assert count(svg, "rect", "tile") == 4 + 4 + 4
    # The slices, and a sample in the legend.
    assert count(svg, "rect", "used") == plan.cost.steps + 1
    assert "8 x 8 x 8 f64" in svg and "rank 0" in svg


def test_plans_that_are_refused(world):
    for match, operands, more in [
        ("shape", ("row", "col", "2d"), {"ranks": 4}),
        ("ranks", ("row", "col", "2d"), {"shape": SHAPE}),
        ("op='X", ("row", "col", "2d"), {"shape": SHAPE, "ranks": 4, "op": "XX"}),
        ("is not", (world.array((2, 3)), world.array((2, 3)), world.array((2, 2))), {}),
        ("ranks: .2, 4", (world.array((2, 3)), "row", "row"), {"shape": (2, 2, 3), "ranks": 2}),
        ("transposed product", (*(world.array((2, 2)),) * 2, world.array((2, 2)).T), {}),
        ("rank", ("row", "col", "2d"), {"shape": SHAPE, "ranks": 4, "rank": 4}),
    ]:
        with pytest.raises(sectile.BadArgumentError, match=match):
            sectile.plan(*operands, **more)


def test_simulation():
    forecast = sectile.simulate("row", "row", "row", shape=(512, 512, 512), machine="node")
    assert forecast.problem.ranks == 2 and forecast.critical_rank in (0, 1)
    assert forecast.cost.flops == 2 * 512**3
    assert 2 * 512**3 / 2 / sectile.Machine("node").peak() <= forecast.seconds < 1
    svg = forecast.svg()
    xml.fromstring(svg)
    assert svg == forecast._repr_svg_() and "node:" in svg and "% of the peak" in repr(forecast)
    greedy = sectile.simulate(
        "row", "row", "row", shape=(512,) * 3, ranks=4, machine="cluster", order="greedy"
    )
    assert greedy.bytes_moved > 0 and greedy.mean.moving > 0
    with pytest.raises(sectile.BadArgumentError, match="ranks"):
        sectile.simulate("row", "row", "row", shape=SHAPE, ranks=3, machine="node")


@pytest.fixture
def decimal_comma(tmp_path, monkeypatch):
    """The locale of the process has a decimal comma."""
    if not shutil.which("localedef"):
        pytest.skip("there is no localedef")
    source = 'LC_NUMERIC\ndecimal_point ","\nthousands_sep ""\ngrouping -1\nEND LC_NUMERIC\n'
    # It fails, since the other categories have no source.
    subprocess.run(["localedef", "-c", tmp_path / "comma"], input=source.encode(), capture_output=True)
    monkeypatch.setenv("LOCPATH", str(tmp_path))
    locale.setlocale(locale.LC_NUMERIC, "comma")
    yield
    locale.setlocale(locale.LC_NUMERIC, "C")


def test_locale(decimal_comma):
    """Pictures and machines are written and read with a decimal point in every locale."""
    assert locale.localeconv()["decimal_point"] == ","
    plan = sectile.plan("row", "col", "2d:2x2", shape=(9, 9, 9), ranks=4)
    forecast = sectile.simulate("row", "row", "row", shape=(999,) * 3, machine="node")
    machine = sectile.Machine("cluster")
    before = plan.svg(), forecast.svg(), str(machine)
    locale.setlocale(locale.LC_NUMERIC, "C")
    assert before == (plan.svg(), forecast.svg(), str(machine))


def test_choices():
    choices = sectile.choose((512, 512, 512), 4, machine="cluster", b="col*2", most=3)
    assert 1 <= len(choices) <= 3 and all(str(choice.b) == "col*2" for choice in choices)
    best = choices[0]
    plan = best.plan(rank=3)
    assert plan.cost.steps <= best.steps and plan.stay == best.stay
    xml.fromstring(best._repr_svg_())
    lines = xml.fromstring(choices._repr_html_()).findall("tr")
    assert len(lines) == 1 + len(choices)
    shown = [cell.text for cell in lines[1]]
    work = f"work {best.work}" if best.work else f"stay {best.stay}"
    assert shown[:5] == [str(best.a), str(best.b), str(best.c), work, best.order]
    assert float(shown[6]) == pytest.approx(best.bytes / 1e6, rel=1e-3)
    assert str(best.c) in repr(best)
    with sectile.run(4) as world:
        a, b = integers((512, 512), "f8", 1), integers((512, 512), "f8", 2)
        c = sectile.matmul(
            world.from_numpy(a, best.a), world.from_numpy(b, best.b), layout=best.c, **best.options
        )
        assert (c.to_numpy() == a @ b).all()
    with pytest.raises(sectile.WorkspaceError):
        sectile.choose((512, 512, 512), 4, memory=1000)
    with pytest.raises(sectile.BadArgumentError, match="aim"):
        sectile.choose((8, 8, 8), 4, aim="none")


def test_machines(tmp_path):
    node = sectile.Machine("node")
    (tmp_path / "mine.json").write_text(str(node))
    mine = sectile.Machine(tmp_path / "mine.json")
    assert mine.ranks == node.ranks == 2 and mine.peak("f4") == node.peak("f4") > 0
    assert sectile.Machine.parse(str(node)).about == node.about and "node" in repr(node)
    with pytest.raises(sectile.BadArgumentError, match="nonesuch"):
        sectile.Machine("nonesuch")
    with pytest.raises(IsADirectoryError):
        sectile.Machine(tmp_path)
    with pytest.raises(sectile.BadArgumentError, match="my text"):
        sectile.Machine.parse("{", "my text")


def test_options_have_the_names_of_the_library():
    """The types of keyword arguments list what the library lists."""
    literals = {
        name: get_args(hint) for name, hint in get_type_hints(PlainOptions).items() if get_args(hint)
    }
    for name, (_, choices) in _CHOICES.items():
        assert literals[name] == choices
