"""Operators of matrices, against NumPy's."""

import itertools
import operator
import re

import numpy as np
import pytest
from conftest import LAYOUTS, TYPES, integers
from test_bootstrap import on_ranks

import sectile

OPERATORS = {
    "+": (operator.add, operator.iadd),
    "-": (operator.sub, operator.isub),
    "*": (operator.mul, operator.imul),
    "/": (operator.truediv, operator.itruediv),
}
SHAPE = (7, 9)


def alike(matrix, array):
    """The same elements, of the same type; complex quotients may be rounded in several ways."""
    got = matrix.to_numpy()
    same = np.allclose(got, array, 1e-6, 0) if array.dtype.kind == "c" else (got == array).all()
    return got.dtype == array.dtype and bool(same)


def operands(dtype, other=None):
    """Two arrays; the second has no zeros."""
    y = integers(SHAPE, other or dtype, 2)
    return integers(SHAPE, dtype, 1), y + (y == 0).astype(y.dtype)


@pytest.mark.parametrize("sign", OPERATORS)
def test_all_layouts(world, sign):
    """Of other layouts the right operand is copied to the left one's; views and transposes are, too."""
    new, in_place = OPERATORS[sign]
    x, y = operands("f8")
    for left, right in itertools.product(LAYOUTS, LAYOUTS):
        a, b = world.from_numpy(x, left), world.from_numpy(y, right)
        c = new(a, b)
        assert alike(c, new(x, y)) and c.layout == a.layout
        kept = a
        a = in_place(a, b)
        assert a is kept and alike(a, new(x, y)) and alike(b, y)
    x = x + 3
    a, b = world.from_numpy(x, "2d"), world.from_numpy(y.T, "cyclic:2x2")
    assert alike(new(a, b.T), new(x, y))
    assert alike(new(b.T, a), new(y, x)) and new(b.T, a).layout == a.layout
    assert alike(new(a[1:5, 2:], b.T[1:5, 2:]), new(x[1:5, 2:], y[1:5, 2:]))
    square, x = world.from_numpy(x[:, :7], "2d"), x[:, :7]
    assert alike(new(square, square.T), new(x, x.T)) and alike(in_place(square, square.T), new(x, x.T))


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_all_types(world, dtype):
    for other, (new, in_place) in itertools.product(TYPES, OPERATORS.values()):
        x, y = operands(dtype, other)
        a, b = world.from_numpy(x, "row"), world.from_numpy(y, "col")
        if {x.dtype.name, y.dtype.name} == {"float16", "bfloat16"}:
            for use in (new, in_place, operator.matmul):
                with pytest.raises(sectile.BadTypeError, match="no common type"):
                    use(a, b)
            continue
        assert alike(new(a, b), new(x, y))
        if np.can_cast(np.result_type(x, y), x.dtype, "same_kind"):
            assert alike(in_place(a, b), new(x, y).astype(dtype))
        else:
            with pytest.raises(sectile.BadTypeError, match="cannot go into a matrix of"):
                in_place(a, b)
            assert alike(a, x)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_numbers(world, dtype):
    """They do not change the type, unless they are complex."""
    x, _ = operands(dtype)
    a = world.from_numpy(x, "cyclic:2x3*2")
    for number in (2, 0.5, True, np.float64(4), np.float32(-2), np.int8(3), np.array(2.0)):
        value = x.dtype.type(number)
        assert alike(a * number, x * value) and alike(number * a, x * value)
        assert alike(number - a, value - x) and alike(a / number, x / value)
        b = sectile.copy(a)
        b -= number
        assert alike(b, x - value)
    assert alike(-a, -x)
    assert alike(a * 2j, x * np.complex64(2j)) and alike(np.complex64(2j) + a, np.complex64(2j) + x)
    assert alike(2 / (a * a + 2), x.dtype.type(2) / (x * x + x.dtype.type(2)))


def test_arrays(world):
    """Those of NumPy are operands, as if each rank had them."""
    x, y = operands("f4")
    a = world.from_numpy(x, "2d")
    for z in (y, np.asfortranarray(y), y.astype("f8"), y.astype(int), y.astype(bool), y[::-1, ::-1]):
        for new, in_place in OPERATORS.values():
            assert alike(new(a, z), new(x, z)) or new is operator.sub and z.dtype == bool
            assert alike(in_place(sectile.copy(a), z), new(x.astype("f8"), z).astype("f4"))
        assert alike(z + a, z + x) and alike(z * a, z * x)
    assert alike(a @ y.T, x @ y.T) and alike(y.T @ a, y.T @ x)
    assert alike(a.T @ y.astype(int), x.T @ y.astype(int))
    assert alike(a @ world.from_numpy(y.astype("f8").T), x @ y.astype("f8").T)
    assert alike(np.zeros((0, 7), "f4") @ a, np.zeros((0, 9), "f4"))


def test_the_result_of_an_array_is_distributed():
    """Although the array is taken from one rank."""
    with sectile.run(4, ranks_per_node=1) as world:
        a = world.ones((1, 2))
        for c in (np.ones((1000, 1)) @ a, (a.T @ np.ones((1, 1000))).T, a + np.ones((1, 2))):
            assert c.layout.ranks == 4


def test_views_are_changed_in_place(world):
    for layout in LAYOUTS:
        x, y = operands("f8")
        a, b = world.from_numpy(x, layout), world.from_numpy(y, "2d")
        a[1:3] += b[2:4]
        x[1:3] += y[2:4]
        a[:, 2:5] *= 3
        x[:, 2:5] *= 3
        a[1:] -= a[:-1]
        x[1:] -= x[:-1].copy()
        a[:] /= 2
        x[:] /= 2
        turned = a.T
        turned += b.T
        x += y
        assert (a.to_numpy() == x).all()
        a += a
        assert (a.to_numpy() == 2 * x).all()
        a[:] = world.from_numpy(y, layout)
        assert (a.to_numpy() == y).all()
    c = world.ones((4, 6)) * 1j
    turned = c.H
    turned *= 2j
    assert (c.to_numpy() == 1j * -2j).all()


def test_targets_that_are_refused(world):
    x = np.zeros((4, 4))
    x.flags.writeable = False
    fixed = world.wrap(x)
    with pytest.raises(sectile.BadArgumentError, match="read-only"):
        fixed += 1
    integer = world.ones((4, 4))
    with pytest.raises(sectile.BadTypeError, match="complex128 cannot go into a matrix of float64"):
        integer *= 1j


@pytest.mark.parametrize(
    "other, match",
    [
        (np.ones(9), "2 dimensions, not 1: x\\[:, None\\] makes a column"),
        (np.ones((9, 7)), r"\(7, 9\) and \(9, 7\) are different shapes"),
        (np.full(SHAPE, "x"), "elements of type <U|no common type"),
        (np.ma.masked_equal(np.ones(SHAPE), 1), "mask"),
        ([1], "a list is neither a matrix, an array nor a number"),
        (10**400, "too large"),
        (None, "None is neither"),
    ],
    ids=str,
)
def test_operands_that_are_none(world, other, match):
    a = world.ones(SHAPE)
    for new, in_place in OPERATORS.values():
        for use in (lambda: new(a, other), lambda: new(other, a), lambda: in_place(a, other)):
            with pytest.raises(sectile.BadArgumentError, match=match):
                use()
    assert (a.to_numpy() == 1).all()


def test_worlds(world):
    with sectile.run(4) as other:
        for sign in OPERATORS:
            with pytest.raises(sectile.BadArgumentError, match="different worlds"):
                OPERATORS[sign][0](world.ones((2, 2)), other.ones((2, 2)))
        old = other.ones((2, 2))
    for use in (lambda: old + 1, lambda: operator.iadd(old, 1), lambda: -old, lambda: old @ np.eye(2)):
        with pytest.raises(sectile.BadArgumentError, match="closed"):
            use()


def test_comparisons(world):
    """Never are they answered by identity."""
    a, b = world.ones((2, 2)), world.ones((2, 2))
    for compare in (operator.eq, operator.ne):
        for other in (a, b, None, 1, np.ones((2, 2))):
            with pytest.raises(TypeError, match="np.array_equal"):
                compare(a, other)
    with pytest.raises(TypeError, match="np.array_equal"):
        np.ones((2, 2)) == a  # noqa: B015
    assert np.array_equal(a, b) and not np.array_equal(a, 2 * b)
    with pytest.raises(TypeError):
        hash(a)
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(a)
    with pytest.raises(TypeError):
        a < b  # noqa: B015


def test_attributes_are_as_in_numpy(world):
    x = integers(SHAPE, "c8", 1)
    a = world.from_numpy(x, "row*2")
    for ours, theirs in ((a, x), (a.T, x.T), (a[2:4], x[2:4]), (a[:0], x[:0])):
        assert (len(ours), ours.size, ours.nbytes) == (len(theirs), theirs.size, theirs.nbytes)
        assert alike(ours.copy(), theirs)
    assert a.copy("col").layout == world.layout("col", SHAPE)


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_astype(world):
    for layout, (dtype, other) in zip(itertools.cycle(LAYOUTS), itertools.product(TYPES, TYPES)):
        x = integers(SHAPE, dtype, 1)
        a = world.from_numpy(x, layout)
        made = a.astype(other)
        assert alike(made, x.astype(other)) and made is not a and made.layout == a.layout
        assert alike(a[2:, 1:4].T.astype(other), x[2:, 1:4].T.astype(other))
    assert a.astype(a.dtype, copy=False) is a and a.astype("f4", copy=False) is not a


def test_matrices_of_one_number(world):
    for layout, dtype in zip(itertools.cycle(LAYOUTS), TYPES):
        assert alike(world.zeros(SHAPE, dtype, layout), np.zeros(SHAPE, dtype))
        assert alike(world.ones(SHAPE, dtype, layout), np.ones(SHAPE, dtype))
        assert alike(world.full(SHAPE, -3, dtype, layout), np.full(SHAPE, -3, dtype))
    assert alike(world.zeros((0, 3)), np.zeros((0, 3)))
    assert alike(world.full((2, 3), 2j), np.full((2, 3), 2j))
    assert world.full((2, 3), 2).dtype == np.float64
    assert np.isnan(world.full((2, 3), np.nan).to_numpy()).all()
    with pytest.raises(sectile.BadArgumentError, match="is complex"):
        world.full((2, 3), 2j, "f8")


def test_each_rank_by_itself():
    """Ranks that are processes compute their parts, and all have the arrays."""
    x, y = operands("f8")

    def work(world):
        a, b = world.from_numpy(x, "row"), world.from_numpy(y, "2d*3")
        done = [a + b, b * a, a - y, 1 / (b + 0), -a[1:].T, world.full(SHAPE, 5), b.astype("f4")]
        a *= y
        a[2:] += b[2:]
        x2 = x * y
        x2[2:] += y[2:]
        expected = [x + y, y * x, x - y, 1 / y, -x[1:].T, np.full(SHAPE, 5.0), y.astype("f4")]
        product = alike(a @ y.T, x2 @ y.T) and alike(y.T @ a, y.T @ x2)
        return product and alike(a, x2) and all(map(alike, done, expected))

    for engine in ("threads", "emulated"):
        assert on_ranks(3, work, engine) == [True] * 3


def test_on_devices():
    """NumPy computes on the host, and the result is on the devices."""
    x, y = operands("f4")
    with sectile.run(3, engine="emulated") as world:
        a, b = world.from_numpy(x, "cyclic:2x2"), world.from_numpy(y, "row")
        assert alike(2 - a / b, 2 - x / y) and alike(a @ y.T, x @ y.T)
        a += b
        a[1:] *= world.wrap(y, "2d:3x1")[1:]
        x += y
        x[1:] *= y[1:]
        assert alike(a, x) and alike(a.astype("f8"), x.astype("f8"))
        with pytest.raises(sectile.BadArgumentError, match="lies on devices"):
            (a + b).local


def test_a_failure_of_one_rank():
    """All learn of it, and the world works on."""

    def work(world):
        a = world.zeros((6, 6))
        with np.errstate(divide="raise" if world.rank == 1 else "ignore"):
            try:
                1 / a
            except Exception as problem:
                assert (a + 1).to_numpy().sum() == 36
                return type(problem).__name__, str(problem)[:8]

    assert on_ranks(3, work) == [
        ("FailedError", "rank 1: "),
        ("FloatingPointError", "divide b"),
        ("FailedError", "rank 1: "),
    ]


def cells(html):
    """The lines of a table, as lists of texts."""
    return [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", line) for line in html.split("<tr>")[1:]]


def test_a_notebook_shows_owners(world):
    a = world.array((5, 8), "f4", "cuts:1,3x4@0,2,1,1,3,0")
    shown = a._repr_html_()
    assert cells(shown) == [
        ["", "0:4", "4:8"],
        ["0:1", "0", "2"],
        ["1:3", "1", "1"],
        ["3:5", "3", "0"],
    ]
    assert "matrix of 5 x 8 f32, layout cuts:1,3x4@0,2,1,1,3,0" in shown
    colours = re.findall("#[0-9a-f]{6}", shown)
    assert len(set(colours)) == 4 and colours[2] == colours[3]
    assert cells(a[2:, 1:5].T._repr_html_()) == [
        ["", "0:1", "1:3"],
        ["0:3", "1", "3"],
        ["3:4", "1", "0"],
    ]
    assert cells(world.array((2, 2), layout="row*2")._repr_html_())[1] == ["0:1", "0, 2"]
    large = cells(world.array((90, 70), layout="cyclic:1x7@1x4")._repr_html_())
    assert len(large) == 10 and large[-1] == ["…"] and large[0][-1] == "…" and large[8][0] == "7:8"
    assert large[1] == ["0:1", "0", "1", "2", "3", "0", "1", "2", "3"]
    assert cells(world.array((0, 0))._repr_html_()) == [[""]]
    with sectile.run(12) as many:
        row = cells(many.array((1, 1), layout="row*12")._repr_html_())[1]
        assert row == ["0:1", "0, 1, 2, 3, 4, 5, 6, 7, …"]
