"""Matrices: contents, views, memory that is shared."""

import gc
import itertools

import numpy as np
import pytest
from conftest import LAYOUTS, TYPES, integers

import sectile


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_there_and_back(world, dtype, layout):
    for x in (integers((7, 9), dtype, 1), np.asfortranarray(integers((9, 7), dtype, 2))):
        a = world.from_numpy(x, layout)
        assert a.dtype == x.dtype and a.shape == x.shape
        assert (a.to_numpy() == x).all()
        assert (np.asarray(a) == x).all()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_local_parts(world, layout):
    x = integers((7, 9), "f8", 1)
    a = world.from_numpy(x, layout)
    found = world.layout(layout, (7, 9))
    for rank, part in enumerate(a.local):
        if found.tiled:
            tiles = found.tiles(rank)
            assert len(part) == len(tiles)
            for tile, (rows, cols) in zip(part, tiles):
                assert (tile == x[slice(*rows), slice(*cols)]).all()
        elif np.size(part) > 0:
            rows, cols = ([i for r in side for i in range(*r)] for side in found.part(rank))
            assert (part == x[np.ix_(rows, cols)]).all()
            assert part.flags.f_contiguous if found.order == "F" else part.flags.c_contiguous


def test_layouts_with_an_owner_for_each_tile(world):
    tiled = [layout for layout in LAYOUTS if world.layout(layout, (7, 9)).tiled]
    assert tiled == ["cuts:1,3x4@0,2,1,1,3,0"]
    assert world.layout("cuts:1x4@0,1,2,3*1/f", (7, 9)).tiled
    assert not world.layout("cuts:-x4@0x1,0@2x2/f", (7, 9)).tiled


def test_local_parts_are_the_memory(world):
    a = world.from_numpy(np.zeros((8, 8)), "2d")
    for rank, part in enumerate(a.local):
        part[:] = rank
    assert a.to_numpy()[::4, ::4].tolist() == [[0, 1], [2, 3]]


def test_local_parts_outlive_everything():
    with sectile.run(2) as world:
        part = world.from_numpy(np.full((1000, 1000), 7.0)).local[1]
    del world
    gc.collect()
    assert (part == 7).all()


def test_views_are_as_in_numpy(world):
    x = integers((7, 9), "c16", 1)
    a = world.from_numpy(x, "cyclic:2x2")
    ranges = [slice(None), slice(2, 5), slice(-3, None), slice(4, 2), slice(0, 100)]
    for rows, cols in itertools.product(ranges, ranges):
        assert (a[rows, cols].to_numpy() == x[rows, cols]).all()
        assert (a.T[rows, cols].to_numpy() == x.T[rows, cols]).all()
        assert (a[rows].H[cols].to_numpy() == x[rows].conj().T[cols]).all()
        assert (a[1:, 2:][rows, cols].to_numpy() == x[1:, 2:][rows, cols]).all()
    assert (a[...].to_numpy() == x).all() and (a[..., 1:].T.T.to_numpy() == x[:, 1:]).all()
    assert (a.H.H.to_numpy() == x).all()


@pytest.mark.parametrize("index", [3, (1, 2), (slice(None, None, 2),), (slice(0, 1),) * 3])
def test_views_that_there_are_not(world, index):
    with pytest.raises(IndexError):
        world.array((4, 4))[index]


def test_assignment(world):
    x, y = integers((7, 9), "f8", 1), integers((3, 4), "f8", 2)
    for layout in LAYOUTS:
        a = world.from_numpy(x, layout)
        a[2:5, 1:5] = y
        a.T[5:9, 0:3] = world.from_numpy(y.T, "col")
        want = x.copy()
        want[2:5, 1:5] = y
        want[0:3, 5:9] = y
        assert (a.to_numpy() == want).all()
        a[1:], want[1:] = a[:-1], want[:-1].copy()  # parts that overlap
        assert (a.to_numpy() == want).all()
    a[:] = x[::1, ::-1]  # a stride that the library cannot read
    assert (a.to_numpy() == x[:, ::-1]).all()


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_a_number_is_assigned_to_all_elements(world, dtype):
    for layout in LAYOUTS:
        a = world.array((7, 9), dtype, layout)
        a[:] = np.nan
        a[...] = 3
        a[2:5, 1:5] = np.float32(-2)
        a.T[5:9, 0:3] = True
        a[:0] = 5
        want = np.full((7, 9), 3, dtype)
        want[2:5, 1:5] = -2
        want[0:3, 5:9] = 1
        assert (a.to_numpy() == want).all()


def test_a_complex_number_is_assigned(world):
    a = world.array((3, 4), "c8", "2d")
    a.H[:] = 1 - 2j
    assert (a.to_numpy() == 1 + 2j).all()
    with pytest.raises(sectile.BadArgumentError, match="is complex"):
        world.array((3, 4))[:] = 1j


def test_arrays_of_other_types_are_assigned(world):
    a = world.array((7, 9), "f4", "2d")
    for dtype in ("i8", "u1", "?", ">i4", "f8", "f2"):
        x = integers((7, 9), "f8", 1).astype(dtype)
        a[:] = x
        assert (a.to_numpy() == x.astype("f4")).all(), dtype
    a[:2, :3] = [[1, 2, 3], [4, 5, 6]]
    assert (a[:2, :3].to_numpy() == [[1, 2, 3], [4, 5, 6]]).all()
    with pytest.raises(sectile.BadArgumentError):
        a[:] = np.ones((7, 9), "c8")


def test_copy(world):
    x = integers((7, 9), "c8", 1)
    for source, target in itertools.product(LAYOUTS, LAYOUTS):
        a = world.from_numpy(x, source)
        if "cuts" not in target:
            assert (sectile.copy(a.H[1:], target).to_numpy() == x.conj().T[1:]).all()
        b = sectile.copy(a, target, workspace=64)
        assert b.layout == world.layout(target, (7, 9)) and (b.to_numpy() == x).all()


# ---- Memory of the caller ----


@pytest.mark.parametrize(
    "layout", ["row", "col", "2d", "cuts:2x5@1,0x0,1", "cuts:1,3x4@0,2,1,1,3,0"]
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_wrap_makes_no_copy(world, layout, order):
    big = np.zeros((9, 12), order=order)
    x = big[1:8, 2:11]  # has a leading dimension
    a = world.wrap(x, layout)
    x[:] = integers((7, 9), "f8", 1)
    assert (a.to_numpy() == x).all()
    a[:] = np.ones((7, 9))
    assert big.sum() == 63
    for part in a.local:
        for piece in part if isinstance(part, list) else [part]:
            assert piece.size == 0 or np.shares_memory(piece, x)


def test_wrap_parts(world):
    parts = [np.full((2, 6), rank, "f4") for rank in range(4)]
    a = world.wrap(parts, "row", shape=(8, 6))
    assert a.to_numpy()[:, 0].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    tiles = [
        [np.full((2, 2), 1.0), np.full((3, 3), 2.0)],
        [],
        [],
        [np.ones((2, 3)), np.ones((3, 2))],
    ]
    a = world.wrap(tiles, "cuts:2x2@0,3,3,0", shape=(5, 5))
    assert a.to_numpy().sum() == 4 + 18 + 12
    uneven = [np.ones((2, 3)), np.ones((2, 3)), np.ones((1, 3)), np.empty((0, 3))]
    assert world.wrap(uneven, "row", shape=(5, 3)).to_numpy().sum() == 15


def test_wrap_keeps_the_memory(world):
    a = world.wrap(np.ones((500, 500)), "row")
    gc.collect()
    assert (a.to_numpy() == 1).all()


def test_what_cannot_be_wrapped(world):
    def refused(match, data, layout="row", **more):
        with pytest.raises(sectile.BadArgumentError, match=match):
            world.wrap(data, layout, **more)

    x = np.zeros((8, 8))
    refused("not one block", x, "cyclic:1x1")
    refused("strides", x[:, ::2])
    refused("strides", x[::-1])
    refused("dimensions", np.zeros(3))
    refused("int64", np.zeros((2, 2), int))
    refused("list is not an array", [[1.0]])
    refused("column by column", np.zeros((8, 8)), "row/f")
    refused("3 parts", [x] * 3, shape=(32, 8))
    refused("part of rank 1 is 2 x 8", [np.zeros((2, 8)), x, x, x], shape=(8, 8))
    refused("several types: f32, f64", [x, x, x, x.astype("f4")], shape=(32, 8))
    refused("several types: f32, f64", x, dtype="f4")
    refused("several types: f32, f64", [x] * 4, shape=(32, 8), dtype="f4")
    refused("0 x 0, not an empty list", [x, [], [], []], "row@1", shape=(8, 8))


def test_shapes_cannot_be_changed(world):
    a = world.array((4, 4))
    for each in (a, a.T, a.layout):
        with pytest.raises(AttributeError):
            each.shape = (8, 8)
        assert each.shape == (4, 4)


def test_a_part_without_elements_has_any_type(world):
    parts = [np.ones((2, 3), "f4"), np.empty((0, 0)), np.empty((0, 0)), np.empty((0, 0))]
    a = world.wrap(parts, "row@1", shape=(2, 3), dtype="f4")
    assert a.dtype == np.float32 and a.to_numpy().sum() == 6


def test_targets_that_are_refused(world):
    x = np.zeros((4, 4))
    shared = world.wrap(x, "row*2")
    with pytest.raises(sectile.BadArgumentError, match="shared by replicas"):
        shared[:] = x
    x.flags.writeable = False
    with pytest.raises(sectile.BadArgumentError, match="read-only"):
        sectile.matmul(shared, shared, out=world.wrap(x))


def test_repr(world):
    a = world.array((3, 4), "f4", "row*2")
    assert repr(a) == "<sectile matrix of 3 x 4 f32, layout row*2>"
    assert repr(a[1:].T) == "<sectile view of 4 x 2 f32, layout row*2>"
    assert repr(world) == "<sectile.World of 4 ranks>"
    assert repr(a.layout) == "<sectile.Layout row*2 of 3 x 4>"


def test_memory_that_is_read_only_stays_so(world):
    parts = [np.full((1, 2), float(rank)) for rank in range(4)]
    parts[2].flags.writeable = False
    a = world.wrap(parts, "row", shape=(4, 2))
    assert [part.flags.writeable for part in a.local] == [True, True, False, True]
    with pytest.raises(BufferError, match="read-only"):
        a.dlpack(2).__dlpack__()
    assert a.dlpack(2).__dlpack__(copy=True) and a.dlpack(1).__dlpack__()


def test_a_matrix_has_no_elements_to_iterate_over(world):
    a = world.from_numpy(np.eye(4))
    with pytest.raises(TypeError):
        iter(a)
    with pytest.raises(TypeError):
        1.0 in a  # noqa: B015


@pytest.mark.parametrize("shape", [(3, 4, 5), (3,), 3, (3.7, 4), ("3", "4"), None])
def test_shapes_that_are_none(world, shape):
    for make in (
        world.array,
        lambda shape: world.wrap([np.ones((1, 4))] * 4, shape=shape),
        lambda shape: sectile.Layout("row", shape, 4),
    ):
        if shape is None and make is not world.array:
            continue
        with pytest.raises(sectile.BadArgumentError, match="two whole numbers"):
            make(shape)


def test_numpy_numbers_are_a_shape(world):
    assert world.array((np.int64(3), np.uint8(4))).shape == (3, 4)


def test_masked_arrays(world):
    x = np.ma.masked_equal(np.eye(3), 0)
    a = world.array((3, 3))
    for use in (world.wrap, world.from_numpy, lambda x: a.__setitem__(slice(None), x)):
        with pytest.raises(sectile.BadArgumentError, match="mask"):
            use(x)


def test_arrays_that_are_not_aligned(world):
    x = integers((3, 4), "f8", 1)
    odd = np.frombuffer(b"-" + x.tobytes(), "u1")[1:].view("f8").reshape(3, 4)
    assert not odd.flags.aligned and (world.from_numpy(odd).to_numpy() == x).all()


def test_indices_that_are_no_ranges(world):
    a = world.array((3, 3))
    for index in (np.eye(3) > 0, [0, 1], (slice(None), np.array([0])), None, "x"):
        with pytest.raises(TypeError, match="ranges"):
            a[index]
    with pytest.raises(IndexError, match="steps of 2"):
        a[::2]
    assert a[..., :2].shape == (3, 2)
