"""torch_layers.py [-n PROCESSES] [--way WAY] [--hidden N] [--ffn N] [--tokens N] [--batch N] [--layers N]
[--pairs COUNT] [--compile] - layers of a language model, by Sectile and by torch's own way.

Ways: `styles` cuts the layers by torch.distributed.tensor.parallel, with activations cut along the sequence;
`fully_shard` gives each process a batch of its own. A step by Sectile and one by torch follow each other COUNT
times. Printed are the medians of torch's time over Sectile's, and of both times in milliseconds. The times
are those of the slowest process.

Processes that `sectile launch` or torchrun started are the ranks themselves, also on several hosts:
MASTER_ADDR names the host of rank 0, MASTER_PORT a port there.
"""

import argparse
import copy
import pathlib
import statistics
import sys

from torch_ranks import launch, timed

sys.path.append(str(pathlib.Path(__file__).parents[1] / "python" / "tests" / "torch"))

# Turns before those that count: in the first ones, layers choose between both ways, and those of styles then for their gradients.
_WARM = {"styles": 18, "fully_shard": 9}


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=2, help="processes")
    parser.add_argument("--way", choices=("styles", "fully_shard"), default="styles")
    parser.add_argument("--hidden", type=int, default=1024)
    parser.add_argument("--ffn", type=int, default=4096)
    parser.add_argument("--tokens", type=int, default=1024)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=7, help="turns")
    parser.add_argument("--compile", action="store_true", help="both, by torch.compile")
    return parser.parse_args()


def whole_model(args):
    import layers
    import torch

    torch.manual_seed(0)
    heads = max(args.n, min(16, args.hidden // 16))
    each = (layers.Layer(args.hidden, args.ffn, heads=heads) for _ in range(args.layers))
    return torch.nn.Sequential(*each)


def with_styles(whole, mesh, args):
    """The model by torch and by Sectile, and its input."""
    import layers
    import torch
    from torch.distributed.tensor import Shard, distribute_tensor
    from torch.distributed.tensor import parallel as theirs

    import sectile.torch.parallel as ours

    plan = {
        f"{number}.{name}": style
        for number in range(args.layers)
        for name, style in layers.sequence_parallel(theirs).items()
    }
    x = distribute_tensor(torch.randn(args.batch, args.tokens, args.hidden), mesh, [Shard(1)])
    by_torch = theirs.parallelize_module(copy.deepcopy(whole), mesh, plan)
    return by_torch, theirs.parallelize_module(whole, mesh, ours.convert(plan)), x


def with_fully_shard(whole, mesh, args):
    import torch
    import torch.distributed.fsdp as theirs

    import sectile.torch

    def shard(model, fully_shard):
        for layer in model:
            fully_shard(layer, mesh=mesh)
        return fully_shard(model, mesh=mesh)

    x = torch.randn(args.batch, args.tokens, args.hidden)
    by_torch = shard(copy.deepcopy(whole), theirs.fully_shard)
    return by_torch, shard(whole, sectile.torch.fully_shard), x


def times_of(model, x, dist, torch):
    """The times of a step forward and of a whole step."""
    x = x.detach().requires_grad_(True)
    found = []
    forward = timed(lambda: found.append(model(x)), dist, torch)
    return forward, forward + timed(lambda: found.pop().sum().backward(), dist, torch)


def compare(rank, args):
    import torch
    import torch.distributed as dist
    from torch.distributed.tensor import init_device_mesh

    mesh = init_device_mesh("cpu", (args.n,))
    make = {"styles": with_styles, "fully_shard": with_fully_shard}[args.way]
    theirs, ours, x = make(whole_model(args), mesh, args)
    if args.compile:
        theirs, ours = torch.compile(theirs), torch.compile(ours)
    turns = []
    for _ in range(_WARM[args.way] + args.pairs):
        theirs.zero_grad()
        ours.zero_grad()
        turns.append((*times_of(theirs, x, dist, torch), *times_of(ours, x, dist, torch)))
    turns = turns[_WARM[args.way] :]
    if rank == 0:
        torchs, sectiles = (statistics.median(turn[i] for turn in turns) for i in (1, 3))
        forward, both = (statistics.median(turn[i] / turn[i + 2] for turn in turns) for i in (0, 1))
        print(
            f"{args.way}, {args.n} processes, {args.layers} x {args.hidden}, {args.ffn}, "
            f"{args.batch} x {args.tokens} tokens: torch/sectile {forward:.2f} forward, {both:.2f} both; "
            f"torch {torchs:.1f} ms, sectile {sectiles:.1f} ms",
            flush=True,
        )


if __name__ == "__main__":
    launch(compare, parse())
