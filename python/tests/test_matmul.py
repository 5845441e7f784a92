"""Products, against NumPy's, exact on small integers."""

import itertools

import numpy as np
import pytest
from conftest import LAYOUTS, TYPES, exact, integers

import sectile

M, N, K = 7, 9, 6


def fits(layout, shape):
    """True for layouts whose cuts lie within the shape."""
    try:
        sectile.Layout(layout, shape, 4)
    except sectile.BadArgumentError:
        return False
    return True


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_all_pairs_of_layouts(world, dtype):
    x, y = integers((M, K), dtype, 1), integers((K, N), dtype, 2)
    want = exact(x, y)
    results = itertools.cycle(LAYOUTS)
    for a, b in itertools.product(LAYOUTS, LAYOUTS):
        c = next(results)
        got = sectile.matmul(world.from_numpy(x, a), world.from_numpy(y, b), layout=c)
        assert (got.to_numpy() == want.astype(dtype)).all(), (a, b, c)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("left", ["T", "H", None])
@pytest.mark.parametrize("right", ["T", "H", None])
@pytest.mark.parametrize("out", ["T", "H", None])
def test_transposes(world, dtype, left, right, out):
    if out == "T" and dtype in ("c8", "c16") and "H" in (left, right):
        pytest.skip("conjugates that are not transposed")
    if out == "H" and dtype in ("c8", "c16") and "T" in (left, right):
        pytest.skip("conjugates that are not transposed")

    def turned(x, how):
        return x if how is None else x.T if how == "T" else x.conj().T

    def stored(shape, how):
        return shape if how is None else shape[::-1]

    x = integers(stored((M, K), left), dtype, 3)
    y = integers(stored((K, N), right), dtype, 4)
    z = integers(stored((M, N), out), dtype, 5)
    a, b, c = world.from_numpy(x, "row"), world.from_numpy(y, "2d"), world.from_numpy(z, "col")
    alpha, beta = (2 - 1j, 1j) if np.dtype(dtype).kind == "c" else (2, -1)
    want = alpha * exact(turned(x, left), turned(y, right)) + beta * turned(z, out).astype("c16")
    want = want if np.dtype(dtype).kind == "c" else want.real
    into = getattr(c, out) if out else c
    result = sectile.matmul(
        getattr(a, left) if left else a, getattr(b, right) if right else b, into, alpha, beta
    )
    assert result is into
    assert (into.to_numpy() == want.astype(dtype)).all()
    assert (c.to_numpy() == turned(want, out).astype(dtype)).all()


def test_views(world):
    x, y, z = integers((11, 10), "f8", 1), integers((12, 13), "f8", 2), np.zeros((9, 9))
    for la, lb, lc in itertools.product(LAYOUTS[:8], LAYOUTS[2:9:3], LAYOUTS[1:10:4]):
        a, b, c = world.from_numpy(x, la), world.from_numpy(y, lb), world.from_numpy(z, lc)
        sectile.matmul(a[2:7, 1:9], b.T[3:11, 4:8], out=c[1:6, 5:9])
        want = z.copy()
        want[1:6, 5:9] = x[2:7, 1:9] @ y.T[3:11, 4:8]
        assert (c.to_numpy() == want).all(), (la, lb, lc)


def test_operator_chooses_the_layout(any_world):
    for m, n, k in itertools.product([0, 1, 5, 64], repeat=3):
        x, y = integers((m, k), "f8", m), integers((k, n), "f8", n)
        c = any_world.from_numpy(x, "row") @ any_world.from_numpy(y, "col")
        assert c.shape == (m, n)
        assert (c.to_numpy() == x @ y).all()


def test_operator_keeps_what_is_in_place(world):
    a, b = world.array((1024, 1024), "f8", "row"), world.array((1024, 1024), "f8", "col*4")
    assert str((a @ b).layout) == "row"
    a, b = world.array((1024, 1024), "f8", "row*4"), world.array((1024, 1024), "f8", "col")
    assert str((a @ b).layout) == "col"
    cyclic = "cyclic:8x8@2x2"
    a, b = world.array((1024, 1024), "f8", cyclic), world.array((1024, 1024), "f8", cyclic)
    assert str((a @ b).layout) in (cyclic, "2d")


@pytest.mark.parametrize("half", TYPES[4:], ids=str)
def test_half_types_give_single_precision(world, half):
    x, y = integers((M, K), half, 1), integers((K, N), half, 2)
    c = sectile.matmul(world.from_numpy(x), world.from_numpy(y), dtype="f4")
    assert c.dtype == np.float32 and (c.to_numpy() == exact(x, y)).all()


def test_options(world):
    x, y = integers((40, 30), "f8", 1), integers((30, 50), "f8", 2)
    a, b = world.from_numpy(x, "row"), world.from_numpy(y, "row")
    for options in [
        {"stay": "a"},
        {"stay": "b"},
        {"stay": "c"},
        {"work": "2d:2x1*2"},
        {"stay": "a", "work": world.layout("col", (40, 30))},
        {"slicing": "tile"},
        {"fetch": "tile"},
        {"order": "greedy"},
        {"order": "cost", "transfers_in_group": 2, "machine": "cluster"},
        {"workspace": 1 << 20, "ordered": True, "sync": True},
        {"prefetch": 1, "products_in_flight": 2, "accumulates_in_flight": 2},
        {"start": "alike", "machine": sectile.Machine("node")},
        {"decisions": sectile.plan(a, b, world.array((40, 50))).decisions},
    ]:
        assert (sectile.matmul(a, b, **options).to_numpy() == x @ y).all(), options


def test_results_of_replicas(world):
    x, y = integers((8, 8), "f8", 1), integers((8, 8), "f8", 2)
    a, b = world.from_numpy(x, "row"), world.from_numpy(y, "row")
    partial = sectile.matmul(a, b, layout="row*2", result="partial").local
    assert (np.vstack(partial[:2]) + np.vstack(partial[2:]) == x @ y).all()
    everywhere = sectile.matmul(a, b, layout="row*2").local
    assert (np.vstack(everywhere[:2]) == x @ y).all()
    assert (np.vstack(everywhere[2:]) == x @ y).all()


def test_many_small_products(world):
    """More matrices come and go than are left to be freed at a time."""
    a = world.from_numpy(np.eye(4), "2d")
    for _ in range(300):
        a = a @ a
    assert (a.to_numpy() == np.eye(4)).all()


def test_workspace_of_far_ranks():
    with sectile.run(4, ranks_per_node=1) as world:
        x, y = integers((60, 50), "f8", 1), integers((50, 70), "f8", 2)
        a, b = world.from_numpy(x, "row"), world.from_numpy(y, "row")
        assert ((a @ b).to_numpy() == x @ y).all()
        assert world.traffic(3).bytes_got > 0
        with pytest.raises(sectile.WorkspaceError, match="bytes"):
            sectile.matmul(a, b, workspace=8)
        assert (sectile.matmul(a, b, workspace="none").to_numpy() == x @ y).all()


def test_workspace_without_limit():
    def planned(**options):
        return sectile.plan(
            "2d", "2d", "2d", shape=(10**6,) * 3, ranks=64, ranks_per_node=1, **options
        )

    parts = 3 * 8 * 10**12 // 64
    assert planned().cost.workspace <= parts < planned(workspace="none").cost.workspace
    with pytest.raises(sectile.BadTypeError):
        planned(workspace="nine")
    assert sectile.choose((512, 512, 512), 4, workspace="none")[0].options["workspace"] == "none"
