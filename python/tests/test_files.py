"""Files: .npy and .safetensors."""

import errno
import json
import os
import struct
import subprocess
import sys

import numpy as np
import pytest
from conftest import LAYOUTS, TYPES, bfloat16, integers

import sectile


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("end", ["npy", "safetensors"])
def test_there_and_back(world, tmp_path, dtype, end):
    if (end, dtype) in (("npy", bfloat16), ("safetensors", "c16")):
        with pytest.raises(sectile.BadArgumentError, match="no type"):
            sectile.save(tmp_path / f"x.{end}", world.array((2, 2), dtype))
        return
    for i, layout in enumerate(LAYOUTS):
        x = integers((7, 9), dtype, i)
        sectile.save(tmp_path / f"x.{end}", world.from_numpy(x, layout))
        a = sectile.load(world, tmp_path / f"x.{end}", layout)
        assert a.dtype == x.dtype and (a.to_numpy() == x).all()
    sectile.save(tmp_path / f"x.{end}", a[2:, :3].T)
    assert (sectile.load(world, tmp_path / f"x.{end}").to_numpy() == x[2:, :3].T).all()
    sectile.save(tmp_path / f"x.{end}", world.array((0, 5), dtype))
    assert sectile.load(world, tmp_path / f"x.{end}").shape == (0, 5)


WITHOUT_ML_DTYPES = """
import os, sys
sys.modules["ml_dtypes"] = None
import sectile

with sectile.run(2) as world:
    for dtype, end in zip(("f4", "f8", "c8", "c16", "f2", "f4"), ("npy",) * 5 + ("safetensors",)):
        a = world.array((3, 4), dtype)
        a[:] = 5
        path = os.path.join(sys.argv[1], "x." + end)
        sectile.save(path, a)
        b = sectile.load(world, path)
        assert b.dtype == a.dtype and (b.to_numpy() == 5).all()
    try:
        world.array((3, 4), "bf16")
    except sectile.BadArgumentError as problem:
        print(problem)
"""


def test_without_ml_dtypes(tmp_path):
    command = [sys.executable, "-c", WITHOUT_ML_DTYPES, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "") and "ml_dtypes" in done.stdout


def test_npy_of_numpy(world, tmp_path):
    x = integers((7, 9), "f8", 1)
    np.save(tmp_path / "x.npy", np.asfortranarray(x))
    a = sectile.load(world, tmp_path / "x.npy", "2d")
    assert (a.to_numpy() == x).all()
    sectile.save(tmp_path / "y.npy", a)
    assert (np.load(tmp_path / "y.npy") == x).all()


def write(path, header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def test_safetensors_of_others(world, tmp_path):
    """Several tensors, with metadata, and data that are not aligned."""
    x, y = integers((3, 5), "f4", 1), integers((4, 2), "f2", 2)
    header = {
        "__metadata__": {"format": "pt"},
        "x": {"dtype": "F32", "shape": [3, 5], "data_offsets": [0, 60]},
        "y": {"dtype": "F16", "shape": [4, 2], "data_offsets": [60, 76]},
        "v": {"dtype": "F32", "shape": [3], "data_offsets": [76, 88]},
        "short": {"dtype": "F32", "shape": [3, 5], "data_offsets": [91, 147]},
        "i": {"dtype": "I8", "shape": [1, 3], "data_offsets": [88, 91]},
    }
    path = tmp_path / "several.safetensors"
    for spaces in range(4):
        write(path, json.dumps(header).encode() + b" " * spaces, x.tobytes() + y.tobytes() + bytes(71))
        assert (sectile.load(world, path, "col", tensor="x").to_numpy() == x).all()
        assert (sectile.load(world, path, "col", tensor="y").to_numpy() == y).all()
    for tensor, match in [
        (None, "several tensors: tensor must be one of 'x', 'y'"),
        ("z", "must be one of"),
        ("v", "not a matrix"),
        ("i", "I8"),
        ("short", "'short' has 56 bytes, but its shape takes 60"),
    ]:
        with pytest.raises(sectile.BadArgumentError, match=match):
            sectile.load(world, path, tensor=tensor)
    write(path, {f"\n{i}": header["x"] for i in range(100)}, x.tobytes())
    with pytest.raises(sectile.BadArgumentError) as caught:
        sectile.load(world, path)
    assert "'\\n9' or 90 more" in str(caught.value) and str(caught.value).isprintable()
    write(path, {"x": {**header["x"], "dtype": "F\x1b\u202e"}}, x.tobytes())
    with pytest.raises(sectile.BadArgumentError, match="not a matrix") as caught:
        sectile.load(world, path)
    assert str(caught.value).isprintable()
    write(path, b"{}", b"")
    with pytest.raises(sectile.BadArgumentError, match="has no tensor"):
        sectile.load(world, path)


def test_the_name_of_a_link_says_the_format(world, tmp_path):
    link, other = tmp_path / "link.safetensors", tmp_path / "other"
    link.symlink_to("blob")
    a = world.from_numpy(integers((3, 4), "f8", 1))
    for _ in range(2):
        sectile.save(link, a)
        assert link.is_symlink() and (sectile.load(world, link).to_numpy() == a.to_numpy()).all()
    other.symlink_to("link.safetensors")
    with pytest.raises(sectile.BadArgumentError, match="neither"):
        sectile.save(other, a)


def test_files_of_the_package_safetensors(world, tmp_path):
    theirs = pytest.importorskip("safetensors.numpy")
    x = integers((7, 9), "f4", 1)
    theirs.save_file({"x": x}, str(tmp_path / "x.safetensors"))
    assert (sectile.load(world, tmp_path / "x.safetensors").to_numpy() == x).all()
    sectile.save(tmp_path / "y.safetensors", world.from_numpy(x, "2d"), tensor="w")
    assert (theirs.load_file(str(tmp_path / "y.safetensors"))["w"] == x).all()


def heads(**change):
    entry = {"dtype": "F32", "shape": [2, 4], "data_offsets": [0, 32], **change}
    return {"x": {key: value for key, value in entry.items() if value is not None}}


@pytest.mark.parametrize(
    "header",
    [
        heads(data_offsets=[-32, 0]),
        heads(data_offsets=[32, 64]),
        heads(data_offsets=[32, 0], shape=[-2, 4]),
        heads(data_offsets=["0", "32"]),
        heads(data_offsets=[0.0, 32.0]),
        heads(data_offsets=[0, 32, 64]),
        heads(data_offsets=7),
        heads(data_offsets=None),
        heads(shape=[1 << 62, 1 << 62]),
        heads(shape=[2, "4"]),
        heads(shape=[-2, -4]),
        heads(shape=[True, 8]),
        heads(data_offsets=[False, 32]),
        heads(data_offsets=[4, 32], shape=[1, 7]),
        heads(data_offsets=[0, 28], shape=[1, 7]),
        {**heads(), "y": {"dtype": "F32", "shape": [1, 7], "data_offsets": [4, 32]}},
        {**heads(), "y": {"dtype": "F32", "shape": [1, 1]}},
        heads(shape=None),
        heads(dtype=None),
        heads(dtype=[]),
        {"x": 5},
        [],
        b"[" * 100000,
        b"\xff",
    ],
    ids=lambda header: str(header)[:80],
)
def test_hostile_safetensors(world, tmp_path, header):
    """Of several tensors the first is named, which by itself is a matrix."""
    write(tmp_path / "x.safetensors", header, b"a" * 32)
    tensor = "x" if len(header) == 2 else None
    with pytest.raises(sectile.BadArgumentError, match="x.safetensors: "):
        sectile.load(world, tmp_path / "x.safetensors", tensor=tensor)


@pytest.mark.parametrize("name", ["x", "shape", "__metadata__", "a\nb\0"])
def test_a_header_that_has_a_name_twice(world, tmp_path, name):
    """Other programs might take the first of two tensors, so that none is taken."""
    entry = '"dtype": "F32", "shape": [2, 4], "data_offsets": [0, 32]'
    twice = json.dumps(name)
    if name == "shape":
        text = '{"x": {%s, "shape": [4, 2]}}' % entry
    else:
        text = "{%s: {%s}, %s: {%s}}" % (twice, entry, twice, entry)
    write(tmp_path / "x.safetensors", text.encode(), b"a" * 32)
    for tensor in (None, name):
        with pytest.raises(sectile.BadArgumentError) as caught:
            sectile.load(world, tmp_path / "x.safetensors", tensor=None if "\0" in name else tensor)
        assert f"x.safetensors: the header has {name!r} twice" in str(caught.value)
        assert str(caught.value).isprintable()


@pytest.mark.parametrize("end", ["npy", "safetensors", "txt"])
def test_errors_show_any_path_in_one_line(world, tmp_path, end):
    path = tmp_path / f"a\nb\x1b[31m.{end}"
    path.write_bytes(b"garbage")
    with pytest.raises(sectile.BadArgumentError, match=r"a\\nb\\x1b\[31m.* ") as caught:
        sectile.load(world, path)
    assert str(caught.value).isprintable()


def test_random_safetensors(world, tmp_path):
    """Whatever the bytes of a file are, it has a matrix within it, or is refused by its name."""
    random = np.random.default_rng(1)
    path = tmp_path / "x.safetensors"
    good = json.dumps({"__metadata__": {"a": "b"}, **heads()}).encode()
    pieces = [b"-1", b"1e99", b"[]", b"{}", b"null", b'"F64"', b'"shape"', b"%d" % (1 << 62)]
    pieces += [b"\0", b'"\\ud800"', b",", b"2", b"\xff", b""]
    loaded = 0
    for _ in range(500):
        header = bytearray(good)
        for _ in range(random.integers(3)):
            at = int(random.integers(len(header)))
            piece = pieces[random.integers(len(pieces))]
            header[at : at + int(random.integers(4))] = piece
        length = len(header) if random.integers(8) else int(random.integers(1 << 62))
        data = b"a" * int(random.integers(24, 40) if random.integers(4) == 0 else 32)
        path.write_bytes(struct.pack("<Q", length) + header + data)
        try:
            a = sectile.load(world, path)
        except sectile.BadArgumentError as problem:
            assert "x.safetensors: " in str(problem)
        else:
            assert a.to_numpy().nbytes <= len(data)
            loaded += 1
    assert loaded > 10


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 5)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1 << 62, 2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999, 2)}",
        "{'descr': 'O', 'fortran_order': False, 'shape': (2, 2)}",
        "{'descr': 5, 'fortran_order': False, 'shape': (2, 2)}",
        "{'descr': '>f8', 'fortran_order': False, 'shape': (2, 2)}",
        "'",
    ],
)
def test_hostile_npy(world, tmp_path, text):
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()
    (tmp_path / "x.npy").write_bytes(head + b"a" * 32)
    with pytest.raises(sectile.BadArgumentError, match="x.npy: "):
        sectile.load(world, tmp_path / "x.npy")


def test_files_of_other_kinds(world, tmp_path):
    (tmp_path / "empty.npy").write_bytes(b"")
    (tmp_path / "zip.npy").write_bytes(b"PK\x03\x04 and no more")
    with open(tmp_path / "several.npy", "wb") as file:
        np.savez(file, x=np.ones((2, 2)))
    for name in ("empty", "zip", "several"):
        with pytest.raises(sectile.BadArgumentError, match=f"{name}.npy: "):
            sectile.load(world, tmp_path / f"{name}.npy")


def test_npy_that_is_not_aligned(world, tmp_path):
    x = integers((3, 4), "f8", 1)
    for text in ("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)}\n", ""):
        text = text or "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4)} \n"
        head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()
        data = x if "False" in text else x.T
        (tmp_path / "x.npy").write_bytes(head + data.tobytes())
        assert (sectile.load(world, tmp_path / "x.npy", "col").to_numpy() == x).all()


@pytest.mark.parametrize("end", ["npy", "safetensors"])
def test_a_disk_that_is_full(world, tmp_path, end, monkeypatch):
    def fail(file, offset, size):
        assert os.fstat(file).st_size == offset and size == 72
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "posix_fallocate", fail)
    path = tmp_path / f"x.{end}"
    with pytest.raises(OSError, match="full") as caught:
        sectile.save(path, world.from_numpy(np.eye(3)))
    assert caught.value.filename == str(path)
    assert not list(tmp_path.iterdir())


def test_a_file_is_replaced_only_by_a_complete_one(world, tmp_path, monkeypatch):
    """The old one, its mode, links to it and maps of it outlive any failure."""
    path, link = tmp_path / "x.npy", tmp_path / "link.npy"
    x = integers((3, 3), "f8", 1)
    np.save(path, x)
    path.chmod(0o4640)
    link.symlink_to("x.npy")

    def fail(*ignored):
        raise OSError(errno.EIO, "damaged")

    with monkeypatch.context() as patch:
        patch.setattr("sectile._files.copy_into", fail)
        with pytest.raises(OSError, match=r"damaged: '.*link.npy'$"):
            sectile.save(link, world.from_numpy(np.eye(3)))
    assert (np.load(path) == x).all()
    a = world.wrap(np.load(path, mmap_mode="r"), "row")
    sectile.save(link, a)
    assert (a.to_numpy() == x).all() and (np.load(path) == x).all()
    assert link.is_symlink() and path.stat().st_mode & 0o7777 == 0o640
    os.mkfifo(tmp_path / "pipe.npy")
    with pytest.raises(sectile.BadArgumentError, match="regular"):
        sectile.save(tmp_path / "pipe.npy", a)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link.npy", "pipe.npy", "x.npy"]


@pytest.mark.parametrize("name, match", [("__metadata__", "__metadata__"), ("\udc80", "half")])
def test_names_of_no_tensor(world, tmp_path, name, match):
    with pytest.raises(sectile.BadArgumentError, match=match):
        sectile.save(tmp_path / "x.safetensors", world.array((2, 2)), tensor=name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("end", ["npy", "safetensors"])
def test_places_that_are_no_file(world, tmp_path, end):
    """Errors name what the caller has named."""
    folder, missing = tmp_path / f"folder.{end}", tmp_path / "none" / f"x.{end}"
    folder.mkdir()
    os.mkfifo(tmp_path / f"pipe.{end}")
    a = world.array((2, 2))
    for call in (lambda path: sectile.load(world, path), lambda path: sectile.save(path, a)):
        for path, kind in [(folder, IsADirectoryError), (missing, FileNotFoundError)]:
            with pytest.raises(kind) as caught:
                call(path)
            assert caught.value.filename == str(path)
        with pytest.raises(sectile.BadArgumentError, match=f"pipe.{end}: not a regular file"):
            call(tmp_path / f"pipe.{end}")


@pytest.mark.parametrize("name", ["☃" * 83, "a" * 251])
def test_long_names(world, tmp_path, name):
    sectile.save(tmp_path / f"{name}.npy", world.array((2, 2)))
    assert [each.name for each in tmp_path.iterdir()] == [f"{name}.npy"]


def test_what_cannot_be_loaded(world, tmp_path):
    def refused(name, kind=sectile.BadArgumentError, **more):
        with pytest.raises(kind, match=more.pop("match", None)):
            sectile.load(world, tmp_path / name, **more)

    np.save(tmp_path / "vector.npy", np.zeros(3))
    np.save(tmp_path / "integers.npy", np.zeros((3, 3), int))
    (tmp_path / "garbage.npy").write_bytes(b"garbage")
    (tmp_path / "empty.safetensors").write_bytes(b"")
    (tmp_path / "long.safetensors").write_bytes(struct.pack("<Q", 1 << 60))
    write(tmp_path / "text.safetensors", b"{not json")
    refused("vector.npy", match="1 dimensions")
    refused("integers.npy", match="int64")
    refused("garbage.npy", kind=ValueError)
    refused("none.npy", kind=FileNotFoundError)
    refused("integers.npy", match="tensor='x'", tensor="x")
    refused("x.txt", match="neither")
    head = b"\x93NUMPY\x02\x00" + struct.pack("<I", 20000) + b" " * 20000
    (tmp_path / "head.npy").write_bytes(head)
    refused("head.npy", match="^[^\n]*$")  # NumPy's advice leads nowhere here
    for name in ("empty", "long", "text"):
        refused(f"{name}.safetensors", match="not a .safetensors file")
