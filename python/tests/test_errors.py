"""Each failure is an exception of its own kind, with the library's reason."""

import gc
import weakref

import numpy as np
import pytest

import sectile


def test_kinds():
    builtin = [
        (sectile.BadArgumentError, ValueError),
        (sectile.TooLargeError, OverflowError),
        (sectile.NoMemoryError, MemoryError),
        (sectile.WorkspaceError, MemoryError),
        (sectile.DisagreeError, ValueError),
        (sectile.AliasedError, ValueError),
        (sectile.NoEngineError, RuntimeError),
        (sectile.FailedError, RuntimeError),
        (sectile.UnreachableError, sectile.Error),
    ]
    assert all(
        issubclass(kind, (sectile.Error)) and issubclass(kind, base) for kind, base in builtin
    )


def test_bad_argument(world):
    with pytest.raises(sectile.BadArgumentError, match="rwo"):
        world.array((2, 2), layout="rwo")
    with pytest.raises(sectile.BadArgumentError, match="cannot be multiplied"):
        world.array((2, 3)) @ world.array((2, 3))
    with pytest.raises(sectile.BadArgumentError, match="m differs: 2 in op.A., 3 in C"):
        sectile.matmul(world.array((2, 3)), world.array((3, 2)), out=world.array((3, 3)))
    with pytest.raises(sectile.BadArgumentError, match="no out"):
        sectile.matmul(world.array((2, 2)), world.array((2, 2)), beta=1)
    with pytest.raises(sectile.BadArgumentError, match="complex"):
        sectile.matmul(world.array((2, 2)), world.array((2, 2)), alpha=1j)
    with pytest.raises(sectile.BadArgumentError, match="stay='d'"):
        sectile.matmul(world.array((2, 2)), world.array((2, 2)), stay="d")
    with pytest.raises(TypeError, match="no option 'stays'"):
        sectile.matmul(world.array((2, 2)), world.array((2, 2)), stays="a")
    with pytest.raises(sectile.BadArgumentError, match="cf64|f32"):
        sectile.matmul(world.array((2, 2), "f4"), world.array((2, 2), "c16"))
    with pytest.raises(sectile.BadArgumentError, match="not transposed"):
        world.array((2, 2), "c8").T.H
    with pytest.raises(TypeError):
        world.array((2, 2)) @ 3
    with pytest.raises(TypeError, match="left operand: a list is not a matrix of a world"):
        [[1.0]] @ world.array((1, 1))
    with pytest.raises(TypeError, match="right operand: a list is not a matrix of a world"):
        world.array((1, 1)) @ [[1.0]]
    with pytest.raises(sectile.BadArgumentError, match="2 dimensions, not 0$"):
        world.array((2, 2)) @ np.array(2.0)
    for use in (lambda: world.array((2, 2)) @ np.ones(2), lambda: np.ones(2) @ world.array((2, 2))):
        with pytest.raises(sectile.BadArgumentError, match="2 dimensions, not 1: .* column"):
            use()
    with pytest.raises(sectile.BadArgumentError, match="2 dimensions, not 1"):
        world.from_numpy(np.ones(3), "row")
    with pytest.raises(sectile.BadArgumentError, match=r"must be \(m, n, k\)"):
        sectile.plan("row", "col", "2d", shape=(2, 2), ranks=1)


def test_aliased(world):
    a = world.array((8, 8))
    with pytest.raises(sectile.AliasedError, match="share"):
        sectile.matmul(a, a, out=a)
    sectile.matmul(a[:4, :4], a[:4, :4], out=a[4:, 4:])


def test_too_large(world):
    with pytest.raises(sectile.TooLargeError):
        world.array((1 << 40, 1 << 40))
    with pytest.raises(sectile.NoMemoryError):
        world.array((1 << 30, 1 << 24))


def test_worlds(world):
    with sectile.run(2) as other:
        with pytest.raises(sectile.BadArgumentError, match="different worlds"):
            world.array((2, 2)) @ other.array((2, 2))
        a = other.array((2, 2))
    with pytest.raises(sectile.BadArgumentError, match="closed"):
        a.to_numpy()
    with pytest.raises(sectile.BadArgumentError, match="at least 1"):
        sectile.run(0)
    with pytest.raises(sectile.BadArgumentError, match="100000 ranks are too many for threads"):
        sectile.run(100000)
    with pytest.raises(sectile.BadArgumentError, match="4096"):
        sectile.run(5000)


def test_world_goes_on_after_a_failure(world):
    a = world.from_numpy(np.eye(3))
    for _ in range(3):
        with pytest.raises(sectile.Error):
            sectile.matmul(a, a, out=a)
        assert ((a @ a).to_numpy() == np.eye(3)).all()


def test_what_is_no_matrix(world, tmp_path):
    a, x = world.array((2, 2)), np.eye(2)
    for use in (
        lambda: sectile.matmul(x, a),
        lambda: sectile.matmul(a, x),
        lambda: sectile.matmul(a, a, out=x),
        lambda: sectile.save(tmp_path / "x.npy", x),
        lambda: sectile.copy(x),
    ):
        with pytest.raises(TypeError, match="ndarray is not a matrix.*from_numpy or world.wrap"):
            use()


def test_what_is_no_layout_and_no_number(world):
    a = world.array((2, 2))
    for layout in (None, 5):
        for make in (lambda x: world.array((2, 2), layout=x), lambda x: world.from_numpy(a, x)):
            with pytest.raises(TypeError, match="neither a text nor a Layout"):
                make(layout)
    for value in ("x", np.array(2.0), None):
        with pytest.raises(TypeError, match="alpha: .* is not a number"):
            sectile.matmul(a, a, alpha=value)
        with pytest.raises(TypeError, match="beta: .* is not a number"):
            sectile.matmul(a, a, out=world.array((2, 2)), beta=value)
    two = sectile.matmul(world.from_numpy(np.eye(2)), world.from_numpy(np.eye(2)), alpha=np.int8(2))
    assert two.to_numpy().trace() == 4


def test_texts_with_a_nul(world):
    for use in (
        lambda: world.array((2, 2), layout="row\0x"),
        lambda: sectile.Machine("node\0x"),
        lambda: sectile.Machine.parse("{}\0"),
        lambda: sectile.matmul(world.array((2, 2)), world.array((2, 2)), decisions="\0"),
        lambda: sectile.World.from_bootstrap(0, 1, lambda mine: [mine], engine="threads\0"),
    ):
        with pytest.raises(sectile.BadArgumentError, match="NUL"):
            use()


def test_numbers_out_of_range(world):
    for option in ({"workspace": -1}, {"workspace": 1 << 64}, {"prefetch": 1 << 31}):
        with pytest.raises(sectile.BadArgumentError, match=f"{next(iter(option))}=.*range"):
            sectile.matmul(world.array((2, 2)), world.array((2, 2)), **option)
    with pytest.raises(sectile.BadArgumentError, match="True"):
        sectile.run(True)


def test_public_names():
    assert not {"ffi", "lib"} & set(dir(sectile))


def test_a_failed_call_keeps_nothing():
    """What was given is freed when the exception is gone, without garbage collection."""
    x = np.ones((2, 3))
    gone = weakref.ref(x)
    with sectile.run(2) as world:
        a = world.array((3, 3))
        gc.disable()
        try:
            a[:] = x
        except sectile.BadArgumentError:
            del x
        finally:
            gc.enable()
        assert gone() is None
