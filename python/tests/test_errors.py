"""Each failure is an exception of its own kind, with the library's reason."""

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
    with pytest.raises(TypeError):
        np.ones((2, 2)) @ world.array((2, 2))


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
    with pytest.raises(sectile.BadArgumentError, match="4096"):
        sectile.run(5000)


def test_world_goes_on_after_a_failure(world):
    a = world.from_numpy(np.eye(3))
    for _ in range(3):
        with pytest.raises(sectile.Error):
            sectile.matmul(a, a, out=a)
        assert ((a @ a).to_numpy() == np.eye(3)).all()
