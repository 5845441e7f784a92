"""Processes of a benchmark with PyTorch: those that a launcher has started, or new ones on this host."""

import os
import socket
import time


def timed(work, dist, torch):
    """The time of the slowest process, in milliseconds."""
    dist.barrier()
    start = time.perf_counter()
    work()
    taken = torch.tensor([time.perf_counter() - start], dtype=torch.float64)
    dist.all_reduce(taken, dist.ReduceOp.MAX)
    return taken.item() * 1e3


def _started():
    """The rank of this process and the number of processes, if it is one of several."""
    for rank, size in (("SECTILE_RANK", "SECTILE_RANKS"), ("RANK", "WORLD_SIZE")):
        if rank in os.environ:
            return int(os.environ[rank]), int(os.environ[size])
    return None


def _run(rank, function, args):
    import torch
    import torch.distributed as dist

    import sectile

    torch.set_num_threads(1)
    sectile.set_blas_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=args.n)
    function(rank, args)
    dist.destroy_process_group()


def launch(function, args):
    """Calls ``function(rank, args)`` on `args.n` processes of one thread each, in a process group."""
    place = _started()
    if place:
        rank, args.n = place
        _run(rank, function, args)
        return
    import torch.multiprocessing

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free.getsockname()[1]))
    torch.multiprocessing.spawn(_run, args=(function, args), nprocs=args.n)
