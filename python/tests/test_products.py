"""Groups of products: symbols and texts, layouts, and runs that equal NumPy's exactly."""

import gc

import numpy as np
import pytest
from conftest import LAYOUTS, TYPES, integers
from test_bootstrap import on_ranks

import sectile

MLP = "Y = X[m,h] * V[h,f]; Z = Y * W[f,h]; Z ~ X"
SIZES = {"m": 24, "h": 10, "f": 36}


def mlp(backward=False):
    group = sectile.Products(MLP, **SIZES)
    if backward:
        group.backward()
    return group


def arrays_for(group, dtype="f8"):
    return {name: integers(group[name].shape, dtype, i) for i, name in enumerate(group.given)}


def expected(x):
    """The MLP and its gradients, by NumPy."""
    wide = {name: each.astype("c16" if each.dtype.kind == "c" else "f8") for name, each in x.items()}
    y = wide["X"] @ wide["V"]
    found = {"Z": y @ wide["W"]}
    if "dZ" in wide:
        dy = wide["dZ"] @ wide["W"].T
        found |= {"dW": y.T @ wide["dZ"], "dV": wide["X"].T @ dy, "dX": dy @ wide["V"].T}
    return found


def same(results, by_numpy):
    assert results.keys() == by_numpy.keys()
    for name, each in results.items():
        assert (np.asarray(each) == by_numpy[name].astype(each.dtype)).all(), name


# ---- Symbols ----


def test_symbols_and_texts_make_the_same_group():
    group = sectile.Products(**SIZES)
    x = group.matrix("X", ("m", "h"))
    v, w = group.matrix("V", ("h", "f")), group.matrix("W", ("f", "h"))
    group["Y"] = x @ v
    group["Z"] = group["Y"] @ w
    group.equal(group["Z"], "X")
    assert str(group) == str(mlp())
    group.backward()
    assert str(group) == str(mlp(backward=True))
    assert group.given == ["X", "V", "W", "dZ"] and group.results == ["Z", "dW", "dV", "dX"]
    assert group["dV"].T.shape == (36, 10)
    assert group.names[:5] == ["X", "V", "W", "Y", "Z"]


def test_products_without_names():
    group = sectile.Products()
    a, b, c = (group.matrix(name, (4, 4)) for name in "ABC")
    ab = a @ b.T
    assert group.results == []
    group["D"] = ab @ c
    group["E"] = ab.T @ c
    group["F"] = (a.T @ b).T @ c
    text = "P1 = A[4,4] * B[4,4]'; D = P1 * C[4,4]; E = P1' * C; P2 = B' * A; F = P2 * C"
    assert str(group) == text


def test_sums():
    group = sectile.Products()
    a, b = group.matrix("A", (6, 4)), group.matrix("B", (6, 5))
    group["C"] = a.T @ b
    group["C"] += a.T @ b
    d = group.matrix("D", (4, 6))
    d += a.T @ b @ b.T
    assert str(group).startswith("C = A[6,4]' * B[6,5]; C += A' * B; P1 = A' * B; D += P1 * B'")
    x = {"A": integers((6, 4), "f8", 1), "B": integers((6, 5), "f8", 2), "D": np.ones((4, 6))}
    with sectile.run(2) as world:
        found = group.choose(2).run(world, x)
    same(found, {"C": 2 * x["A"].T @ x["B"], "D": 1 + x["A"].T @ x["B"] @ x["B"].T})


def test_what_is_no_group():
    group = sectile.Products("Y = X[4,5] * W[5,6]")
    other = sectile.Products("Y = X[4,5] * W[5,6]")
    x, w, y = (group[name] for name in "XWY")
    for call, said in (
        (lambda: group["Q"], "no matrix Q"),
        (lambda: group.matrix("X", (3, 3)), "a matrix X already"),
        (lambda: group.matrix("Q", (3, "h")), "no size h"),
        (lambda: group.matrix("Q", 3), "shape: must be two"),
        (lambda: group.__setitem__("Q", x @ x), "X"),
        (lambda: group.__setitem__("Y", x @ w), "Y"),
        (lambda: group.__setitem__("Q", x), "Q: a Symbol is no product"),
        (lambda: group.__setitem__("Q", other["X"] @ other["W"]), "Q: a Product is no product"),
        (lambda: x @ other["W"], "different groups"),
        (lambda: x.T.H, "X': a conjugate"),
        (lambda: group.equal("X", "Y"), "X"),
        (lambda: sectile.Products("Y = "), "line 1"),
        (lambda: sectile.Products("Y = X[4,5] * W[5,6]", m=3), "no matrix has the size m"),
        (lambda: group.choose(), "ranks: must be given"),
        (lambda: group.choose(2, layouts={"Q": "row"}), "no matrix Q"),
        (lambda: group.choose(2, layouts={"X": []}), "X may have none"),
        (lambda: group.choose(2, layouts=["row"]), "layouts: a list"),
        (lambda: group.choose(2, memory=10), "memory"),
        (lambda: group.choose(8, machine="pvc12"), "12"),
    ):
        with pytest.raises(sectile.Error, match=said):
            call()
    for call in (lambda: x @ np.eye(5), lambda: np.eye(4) @ x, lambda: x @ w @ 3, lambda: x + w):
        with pytest.raises(TypeError):
            call()
    assert y.shape == (4, 6) and str(group) == str(other)


# ---- Choices ----


def test_layouts_that_are_fixed():
    group = mlp(backward=True)
    fixed = {"V": "col", "W": ["2d:2x2", "2d:4x1"], "dV": sectile.Layout("row*2", (10, 36), 4)}
    choice = group.choose(4, machine="cluster", layouts=fixed)
    texts = {name: str(layout) for name, layout in choice.layouts.items()}
    assert texts["V"] == "col" and texts["dV"] == "row*2" and texts["W"] == texts["dW"]
    assert texts["W"] in fixed["W"] and texts["X"] == texts["Z"] == texts["dX"] == texts["dZ"]
    assert [work.product for work in choice.work][:3] == ["Y = X * V", "Z = Y * W", "dW = Y' * dZ"]
    assert choice.seconds == sum(work.seconds for work in choice.work) >= choice.bound > 0
    assert all(work.stay in "abc" and work.waits_for in (None, *group.names) for work in choice.work)


def test_a_limit_of_memory():
    group = sectile.Products(MLP, m=2048, h=1024, f=4096)
    free = group.choose(machine="h100x8", dtype="f4")
    assert free.ranks == 8 and all(work.limit == 0 for work in free.work)
    tight = group.choose(machine="h100x8", dtype="f4", memory=free.memory * 3 // 4)
    assert tight.memory <= free.memory * 3 // 4
    assert all(0 < work.workspace <= work.limit for work in tight.work)


def test_styles():
    group = sectile.Products(MLP, m=2048, h=1024, f=4096)
    choice = group.choose(machine="h100x8", dtype="f4")
    assert {"Megatron-LM", "fully sharded (FSDP)"} <= {each.name for each in choice.styles()}
    assert all(each.seconds > 0 and each.memory > 0 for each in choice.styles())
    assert sectile.Products("Y = X[8,8]' * X").choose(2).styles() == []


def test_what_a_notebook_shows():
    choice = mlp().choose(4)
    shown = choice._repr_html_()
    assert shown.count("<table>") == 2 and shown.count("<tr>") == 1 + 5 + 1 + 2
    assert f"<td>{choice.layouts['V']}</td>" in shown and "<td>Z = Y * W</td>" in shown
    assert repr(choice).startswith("<sectile.ProductsChoice for 2 products on 4 ranks: ")


# ---- Runs ----


@pytest.mark.parametrize("dtype", TYPES)
def test_runs_equal_numpy(any_world, dtype):
    group = mlp(backward=True)
    choice = group.choose(any_world.size, dtype=dtype, machine="cluster")
    x = arrays_for(group, dtype)
    same(choice.run(any_world, x), expected(x))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_of_all_kinds(world, layout):
    group = mlp(backward=True)
    x = arrays_for(group)
    for fixed in ({"X": layout}, {"V": layout, "dW": layout}, {"Y": layout, "dV": layout}):
        choice = group.choose(4, machine="cluster", layouts=fixed)
        same(choice.run(world, x, order="greedy"), expected(x))


def test_conjugates(world):
    group = sectile.Products()
    a, b = group.matrix("A", (7, 9)), group.matrix("B", (7, 5))
    group["G"] = a.H @ b @ b.H
    x = {"A": integers((7, 9), "c16", 1), "B": integers((7, 5), "c16", 2)}
    found = group.choose(4, dtype="c16").run(world, x)
    same(found, {"G": x["A"].conj().T @ x["B"] @ x["B"].conj().T})


def test_runs_again(world):
    """Matrices that are given stay, and those of the group are like others."""
    choice = mlp().choose(4)
    group = choice.group(world)
    x = arrays_for(mlp())
    same(group.run(x), expected(x))
    x["X"] = integers((24, 10), "f8", 9)
    same(group.run({"X": x["X"]}), expected(x))
    group["V"][:] = x["V"] = 2 * x["V"]
    assert (group["Y"] @ group["W"]).shape == (24, 10)
    same(group.run(), expected(x))
    assert group["X"].layout == choice.layouts["X"] and group["X"].local[0].base is not None


def test_groups_that_cannot_be_made(world):
    choice = mlp().choose(4)
    group = choice.group(world)
    for call, said in (
        (lambda: choice.run(world, {}), "X, V, W must be given"),
        (lambda: choice.run(world, 5), "arrays: an int"),
        (lambda: choice.run(None, arrays_for(mlp())), "world: None"),
        (lambda: mlp().choose(2).group(world), "for 2 ranks, and the world has 4"),
        (lambda: choice.group(world, stay="a"), "stay is chosen"),
        (lambda: choice.group(world, order="best"), "order='best'"),
        (lambda: choice.group(world, pace=3), "no option 'pace'"),
        (lambda: group["Q"], "no matrix Q"),
        (lambda: group[3], "no matrix 3"),
        (lambda: group.run({"X": np.eye(3)}), "3 x 3"),
    ):
        with pytest.raises(sectile.Error, match=said):
            call()


# ---- What is freed, and when ----


def test_groups_are_freed():
    with sectile.run(3) as world:
        group = mlp().choose(3).group(world)
        assert world._live == 1
        z, part = group["Z"], group["X"].local[0]
        del group
        gc.collect()
        assert world._live == 1
        part[:] = 1
        assert z.shape == (24, 10)
    del z
    gc.collect()
    assert world._live == 1 and (part == 1).all()
    del part
    gc.collect()
    assert world._live == 0


def test_ranks_that_are_processes():
    """All ranks free a group together, when none refers to it."""

    def work(world):
        choice = mlp(backward=True).choose(world.size)
        x = arrays_for(mlp(backward=True))
        same(choice.run(world, x), expected(x))
        group = choice.group(world)
        part = group["X"].local
        existing = len(world._existing)
        if world.rank == 1:
            del group
        world.collect()
        assert len(world._existing) <= existing
        kept = len(world._existing)
        with pytest.raises(sectile.BadArgumentError, match="rank|arrays"):
            world.close()
        del part
        group = None
        gc.collect()
        world.barrier()
        world.collect()
        return kept, len(world._existing)

    results = on_ranks(3, work)
    assert len(set(results)) == 1 and results[0][0] > results[0][1], results


@pytest.mark.parametrize("culprit", [0, 2])
def test_a_rank_that_cannot(culprit):
    """The others learn why."""
    choice = mlp().choose(3)
    x = arrays_for(mlp())

    def work(world):
        group = choice.group(world)
        said = []
        for good, bad in (
            (lambda: group.run(x), lambda: group.run({"Q": 3})),
            (lambda: choice.group(world), lambda: choice.group(world, stay="a")),
            (lambda: choice.run(world, x), lambda: choice.run(world, {})),
        ):
            with pytest.raises(sectile.Error) as problem:
                bad() if world.rank == culprit else good()
            said.append(str(problem.value))
        same(group.run(x), expected(x))
        return said

    results = on_ranks(3, work)
    own = results.pop(culprit)
    assert results == [[f"rank {culprit}: {each}" for each in own]] * 2, results
