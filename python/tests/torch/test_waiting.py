"""Waits for other ranks: the timeout of the process group, ranks that do not serve products, Ctrl-C."""

import contextlib
import datetime
import functools
import os
import pathlib
import signal
import threading
import time

import processes
import pytest
import sectile.torch
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Shard

SECONDS = 3


def _begin(rank, path, seconds=SECONDS):
    """Returns a tensor of two ranks, whose process group has this timeout."""
    limit = datetime.timedelta(seconds=seconds)
    where = f"file://{path}/group"
    dist.init_process_group("gloo", init_method=where, rank=rank, world_size=2, timeout=limit)
    return DTensor.from_local(torch.ones(4, 8), init_device_mesh("cpu", (2,)), [Shard(0)])


def _end(results, said):
    """Without the end of the process group, which would wait for the other rank."""
    results.put((dist.get_rank(), said))
    results.close()
    results.join_thread()
    os._exit(0)


def _said(call):
    try:
        call()
    except (RuntimeError, KeyboardInterrupt) as problem:
        return str(problem) or type(problem).__name__
    return None


def _on_one_rank_only(before, rank, path, results):
    """Rank 1 does not serve a product. If there were some before, it has disabled them."""
    a = _begin(rank, path)
    if before:
        with sectile.torch.enable():
            a @ a
    with sectile.torch.enable() if rank == 0 else contextlib.nullcontext():
        start = time.monotonic()
        said = _said(lambda: a @ a)
        _end(results, (said, time.monotonic() - start))


@pytest.mark.parametrize("before", [False, True])
def test_enabled_on_one_rank_only(tmp_path, before):
    """The error says so, when the time is over or the other has failed."""
    said, seconds = processes.run(functools.partial(_on_one_rank_only, before), tmp_path)[0]
    assert said.endswith(": sectile.torch is not enabled on rank 1")
    assert seconds < 20 * SECONDS


def _late(rank, path, results):
    """Rank 1 serves products, but does not come to the second one."""
    a = _begin(rank, path)
    with sectile.torch.enable():
        a @ a
        if rank == 1:
            time.sleep(3 * SECONDS)
        _end(results, _said(lambda: a @ a))


def test_a_rank_that_is_late(tmp_path):
    found = processes.run(_late, tmp_path)
    assert found[0].startswith(f"rank 1 did not respond for {SECONDS} s") and "enabled" not in found[0]


def _interrupted(before, rank, path, results):
    """Ctrl-C while rank 0 waits for the other: to make a world, or to multiply."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    over = pathlib.Path(path) / "over"
    a = _begin(rank, path, seconds=100)
    if before:
        sectile.torch.matmul(a, a)
    if rank == 1:
        while not over.exists():
            time.sleep(0.01)
        _end(results, None)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    said = _said(lambda: sectile.torch.matmul(a, a))
    over.touch()
    _end(results, said)


@pytest.mark.parametrize("before", [False, True])
def test_an_interrupt_ends_a_wait(tmp_path, before):
    assert processes.run(functools.partial(_interrupted, before), tmp_path)[0] == "KeyboardInterrupt"
