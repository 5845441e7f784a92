"""dtensor.py [-n PROCESSES] [-m MxNxK] [--pairs COUNT] [--type TYPE] [--only PAIR]... - products of
DTensors, with sectile.torch and without.

Each pair of placements is multiplied to the same placements of the result in turns: by Sectile, and by
DTensor with a redistribution of the result where it needs one. Times are those of the slowest process,
medians of COUNT turns, in milliseconds; a ratio is the median of the ratios of the turns. `moved` are the
bytes, in 10^6, that Sectile moves between processes for one product, of the one that moves most. The first
line is the local product that has its part of the work: torch.mm on each process at once.

Processes that `sectile launch` or torchrun started are the ranks themselves, also on several hosts:
MASTER_ADDR names the host of rank 0, MASTER_PORT a port there.
"""

import argparse
import itertools
import statistics

from torch_ranks import launch, timed


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=2, help="processes")
    parser.add_argument("-m", "--shape", default="1024x6144x1536", help="m x n x k")
    parser.add_argument("--pairs", type=int, default=7, help="turns")
    parser.add_argument("--type", default="float32")
    parser.add_argument("--only", action="append", help="pairs such as 'S(0) x R'; may be repeated")
    return parser.parse_args()


def bytes_moved(world, work, dist, torch):
    before = world.traffic(world.rank)
    work()
    after = world.traffic(world.rank)
    most = torch.tensor([sum(after[:2]) - sum(before[:2])])
    dist.all_reduce(most, dist.ReduceOp.MAX)
    return most.item()


def short(placement):
    return {"Shard": f"S({getattr(placement, 'dim', '')})", "Replicate": "R", "Partial": "P"}[
        type(placement).__name__
    ]


def compare(rank, args):
    import torch
    import torch.distributed as dist
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor, init_device_mesh

    import sectile.torch
    from sectile.torch._site import site_of, world_of

    mesh = init_device_mesh("cpu", (args.n,))
    m, n, k = map(int, args.shape.split("x"))
    dtype = getattr(torch, args.type)
    whole_a, whole_b = torch.randn(m, k, dtype=dtype), torch.randn(k, n, dtype=dtype)
    part = whole_a[: -(-m // args.n)]
    local = [timed(lambda: torch.mm(part, whole_b), dist, torch) for _ in range(args.pairs + 1)][1:]
    if rank == 0:
        print(f"{args.n} processes, {m} x {n} x {k} {args.type}: local {statistics.median(local):.1f} ms")
        print("pair        result  sectile  dtensor  dtensor/sectile  sectile/local  moved")
    places = [Shard(0), Shard(1), Replicate()]
    for in_a, in_b, out in itertools.product(places, places, places):
        pair = f"{short(in_a)} x {short(in_b)}"
        if args.only and pair not in args.only:
            continue
        a = distribute_tensor(whole_a, mesh, [in_a])
        b = distribute_tensor(whole_b, mesh, [in_b])

        def ours():
            sectile.torch.matmul(a, b, out_placements=[out])

        def theirs():
            torch.mm(a, b).redistribute(mesh, [out])

        turns = []
        for turn in range(args.pairs + 1):
            both = timed(ours, dist, torch), timed(theirs, dist, torch)
            alone = timed(lambda: torch.mm(part, whole_b), dist, torch)
            turns.append((*both, alone))
        turns = turns[1:]
        moved = bytes_moved(world_of(site_of(mesh)), ours, dist, torch) / 1e6
        if rank == 0:
            x, y, _ = (statistics.median(t) for t in zip(*turns))
            gain = statistics.median(t[1] / t[0] for t in turns)
            over = statistics.median(t[0] / t[2] for t in turns)
            print(f"{pair:11} {short(out):6} {x:8.1f} {y:8.1f} {gain:16.2f} {over:14.2f} {moved:6.1f}", flush=True)


if __name__ == "__main__":
    launch(compare, parse())
