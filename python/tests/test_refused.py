"""Calls that one rank cannot make: they fail on all ranks, and the world works on."""

import numpy as np
import pytest
from test_bootstrap import on_ranks

import sectile

RANKS = 3


def of_closed_world():
    """Returns a matrix whose world is closed."""
    with sectile.World.from_bootstrap(0, 1, lambda mine: [mine]) as world:
        return world.array((8, 8))


# What all ranks but one call, and what that one calls in its place.
CALLS = {
    "type": (lambda w, a, p: w.array((3, 3)), lambda w, a, p: w.array((3, 3), "f3")),
    "layout": (lambda w, a, p: w.array((3, 3)), lambda w, a, p: w.array((3, 3), "f8", "zz")),
    "no shape": (lambda w, a, p: w.array((3, 3)), lambda w, a, p: w.array()),
    "from_numpy": (lambda w, a, p: w.from_numpy(np.eye(3)), lambda w, a, p: w.from_numpy(5)),
    "wrap": (lambda w, a, p: w.wrap(np.eye(3)), lambda w, a, p: w.wrap(None)),
    "stay": (lambda w, a, p: sectile.matmul(a, a), lambda w, a, p: sectile.matmul(a, a, stay="q")),
    "alpha": (
        lambda w, a, p: sectile.matmul(a, a),
        lambda w, a, p: sectile.matmul(b=a, a=a, alpha="x"),
    ),
    "no b": (lambda w, a, p: sectile.matmul(a, a), lambda w, a, p: sectile.matmul(a, None)),
    "shapes": (lambda w, a, p: a @ a, lambda w, a, p: a @ a[:2, :]),
    "array": (lambda w, a, p: a @ np.eye(8), lambda w, a, p: a @ np.ones(8)),
    "list": (lambda w, a, p: a @ a, lambda w, a, p: a @ [[1]]),
    "sum": (lambda w, a, p: a + a, lambda w, a, p: a + a[:2, :]),
    "sum of arrays": (lambda w, a, p: a + np.eye(8), lambda w, a, p: a + np.ones(8)),
    "in place": (lambda w, a, p: a.copy().__iadd__(1), lambda w, a, p: a.copy().__iadd__(1j)),
    "closed sum": (lambda w, a, p: a + a, lambda w, a, p: of_closed_world() + a),
    "astype": (lambda w, a, p: a.astype("f4"), lambda w, a, p: a.astype("f3")),
    "full": (lambda w, a, p: w.full((3, 3), 1), lambda w, a, p: w.full((3, 3), "x")),
    "closed": (
        lambda w, a, p: sectile.matmul(a, a),
        lambda w, a, p: sectile.matmul(of_closed_world(), a),
    ),
    "barrier": (lambda w, a, p: w.barrier(), lambda w, a, p: w.barrier(3)),
    "collect": (lambda w, a, p: w.collect(), lambda w, a, p: w.collect(3)),
    "copy": (lambda w, a, p: sectile.copy(a, "col"), lambda w, a, p: sectile.copy(a, "zz")),
    "set": (lambda w, a, p: a.__setitem__(..., np.eye(8)), lambda w, a, p: a.__setitem__(3, a)),
    "fill": (lambda w, a, p: a.__setitem__(..., 1), lambda w, a, p: a.__setitem__(..., 1j)),
    "load": (
        lambda w, a, p: sectile.load(w, p / "a.npy"),
        lambda w, a, p: sectile.load(w, p / "b.npy"),
    ),
    "load to": (
        lambda w, a, p: sectile.load(w, p / "a.npy"),
        lambda w, a, p: sectile.load(w, p / "a.npy", layout="zz"),
    ),
    "save": (
        lambda w, a, p: sectile.save(p / "c.npy", a),
        lambda w, a, p: sectile.save(p / "none" / "c.npy", a),
    ),
    "asarray": (lambda w, a, p: a.__array__(), lambda w, a, p: a.__array__(copy=False)),
    "save as": (lambda w, a, p: sectile.save(p / "c.npy", a), lambda w, a, p: sectile.save(5, a)),
}


def tried(call, *arguments):
    """Returns what a call raises: its class, and its text."""
    try:
        call(*arguments)
    except Exception as problem:
        return type(problem), str(problem)
    return None


@pytest.mark.parametrize("culprit", [0, 2])
@pytest.mark.parametrize("name", CALLS)
def test_a_refused_call(tmp_path, name, culprit):
    np.save(tmp_path / "a.npy", np.eye(5))
    good, bad = CALLS[name]
    if name == "save" and culprit != 0:
        pytest.skip("only rank 0 opens the file")

    def work(world):
        a = world.from_numpy(np.eye(8))
        problem = tried(bad if world.rank == culprit else good, world, a, tmp_path)
        assert (sectile.matmul(a, a, alpha=2).to_numpy() == 2 * np.eye(8)).all()
        return problem

    problems = on_ranks(RANKS, work)
    _, own = problems.pop(culprit)
    assert not own.startswith("rank ")
    assert all(issubclass(kind, sectile.Error) for kind, _ in problems)
    assert {told for _, told in problems} == {f"rank {culprit}: {own}"}


def test_the_kind_of_a_refusal():
    """All ranks raise exceptions of one kind; those of Python are told by the nearest one."""
    kinds = [
        (MemoryError(), sectile.NoMemoryError),
        (FileNotFoundError(2, "none"), sectile.FailedError),
        (TypeError("no"), sectile.BadArgumentError),
        (UnicodeError("no"), sectile.BadArgumentError),
        (sectile.BadIndexError("no"), sectile.BadArgumentError),
        (sectile.WorkspaceError("no"), sectile.WorkspaceError),
        (sectile.DisagreeError("no"), sectile.DisagreeError),
        (sectile.AliasedError("no"), sectile.AliasedError),
    ]

    def work(world):
        told = []
        for problem, _ in kinds:
            if world.rank == 1:
                world._refuse(problem)
            else:
                told.append(tried(world.array, (2, 2)))
        return told

    for told in on_ranks(RANKS, work)[::2]:
        assert [kind for kind, _ in told] == [kind for _, kind in kinds]
        assert told[0][1] == "rank 1: MemoryError"


def test_refusals_of_ranks_without_a_world():
    """A world that this process directs, or that is closed, has nobody to tell."""
    with sectile.run(2) as world:
        a = world.from_numpy(np.eye(2))
        with pytest.raises(sectile.BadArgumentError, match="layout"):
            world.array((2, 2), "f8", "zz")
        with pytest.raises(sectile.BadTypeError, match='passed as layout="row"'):
            world.zeros((2, 2), "row")
        with pytest.raises(sectile.BadTypeError):
            sectile.matmul(None, None)
    with pytest.raises(sectile.BadArgumentError, match="closed"):
        a @ a

    def work(world):
        world.close()
        return tried(world.array, (2, 2), "f3")

    assert all("f3" in told for _, told in on_ranks(2, work))


def test_arrays_stored_by_rows_and_by_columns():
    """The ranks are told so, and not by layouts of which the program has said nothing."""
    x = np.ones((6, 4))
    orders = ["C", "F", "C"]

    def work(world):
        mine, part = np.copy(x, orders[world.rank]), np.copy(x[:2], orders[world.rank])
        assert (world.from_numpy(x).to_numpy() == 1).all()
        return [
            tried(world.from_numpy, mine),
            tried(world.wrap, mine),
            tried(lambda: world.wrap(part, "row", shape=(6, 4))),
        ]

    told = "rank 1 stores its part by columns, but rank 0 by rows: all must do it alike"
    assert on_ranks(RANKS, work) == [[(sectile.DisagreeError, told)] * 3] * RANKS
    orders[:] = "FCF"
    told = "rank 1 stores its part by rows, but rank 0 by columns: all must do it alike"
    assert on_ranks(RANKS, work) == [[(sectile.DisagreeError, told)] * 3] * RANKS


def test_ranks_that_agree_on_different_things():
    """All are told of what."""

    def work(world):
        problem = tried(world.barrier if world.rank == 1 else world.collect)
        world.barrier()
        return problem

    told = (sectile.DisagreeError, "rank 1 asks for call=barrier, but rank 0 for call=collect")
    assert on_ranks(RANKS, work) == [told] * RANKS


def test_arrays_in_use_on_one_rank():
    """Then no rank closes the world; later all do."""

    def work(world):
        a = world.from_numpy(np.eye(4))
        part = a.local if world.rank == 1 else None
        problem = tried(world.close)
        assert (a @ a).to_numpy().trace() == 4
        del part
        return problem

    assert [told for _, told in on_ranks(RANKS, work)] == [
        "rank 1: 1 arrays of .local are still in use",
        "1 arrays of .local are still in use",
        "rank 1: 1 arrays of .local are still in use",
    ]
