"""What test/gpu/torch has the ranks do on a GPU that they share: each function is a step of its table, and
returns what is found on one rank.

On stand-ins, tensors are on the processor, and what only a GPU does is left out.
"""

import contextlib
import itertools
import random
import statistics
import time

import layers
import sectile.torch
import sectile.torch.parallel as ours
import torch
import torch.distributed as dist
from sectile.torch import _device
from tensors import PLACEMENTS, equal, exact, integers, spread
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard as torchs_fully_shard
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
from torch.distributed.tensor import parallel as theirs
from torch.distributed.tensor.parallel import parallelize_module

TYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
_meshes = {}


class _Kind:
    """Of the devices: "cuda", or "cpu" where stand-ins take its place."""

    name = "cuda"


def begin(stand_ins):
    """Prepares a rank; says what it computes on. Ranks have begun with deterministic algorithms, so that the library
    computes whatever it can."""
    if stand_ins:
        import stand_in

        stand_in.install()
        _Kind.name = "cpu"
        return "stand-ins"
    torch.cuda.set_device(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.ones(1, device="cuda").item()
    return f"{torch.cuda.get_device_name()}, torch {torch.__version__}"


def _mesh():
    """Of all ranks."""
    key = _Kind.name, dist.get_world_size()
    if key not in _meshes:
        _meshes[key] = init_device_mesh(_Kind.name, (dist.get_world_size(),))
    return _meshes[key]


def _wait():
    if _Kind.name == "cuda":
        torch.cuda.synchronize()


def _whole(shape, dtype, seed, stored="C"):
    return integers(shape, dtype, seed, stored).to(_Kind.name)


def _summed(tensor):
    """A tensor whose parts of a sum have been added up, by way of the host."""
    if not any(isinstance(how, Partial) for how in tensor.placements):
        return tensor
    local = exact(tensor.to_local()).cpu()
    for dim, how in enumerate(tensor.placements):
        if isinstance(how, Partial):
            dist.all_reduce(local, group=tensor.device_mesh.get_group(dim))
    placements = [Replicate() if isinstance(how, Partial) else how for how in tensor.placements]
    return DTensor.from_local(
        local.to(_Kind.name), tensor.device_mesh, placements, run_check=False, shape=tensor.shape, stride=tensor.stride()
    )


def _close(found, expected, tolerance):
    """The largest difference of what this rank has of a tensor, of the largest element, if that is too much."""
    if isinstance(found, DTensor):
        found = _summed(found)
        expected = spread(expected, found.device_mesh, found.placements).to_local()
        found = found.to_local()
    scale = max(float(expected.abs().max()), 1e-30) if expected.numel() else 1
    apart = float((found - expected).abs().max()) / scale if expected.numel() else 0
    return None if apart <= tolerance else apart


# ---- Products ----


def _wrong(a_how, b_how, result, dtype, shape, stored):
    """What is wrong with a product and its gradients."""
    (m, n, k), mesh = shape, _mesh()
    whole_a, whole_b = _whole((m, k), dtype, 1, stored), _whole((k, n), dtype, 2)
    a = spread(whole_a, mesh, a_how, 10).requires_grad_()
    b = spread(whole_b, mesh, b_how, 20).requires_grad_()
    c = sectile.torch.matmul(a, b, out_placements=result)
    x, y = exact(whole_a), exact(whole_b)
    if not equal(_summed(c.detach()), x @ y):
        return "the product"
    if stored != "C":  # torch itself then moves gradients, by collectives
        return None
    how = [Replicate() if isinstance(how, Partial) else how for how in c.placements]
    g = _whole((m, n), dtype, 3)
    c.backward(spread(g, mesh, how))
    for name, found, expected in (("a", a.grad, exact(g) @ y.mT), ("b", b.grad, x.mT @ exact(g))):
        if not equal(_summed(found), expected):
            return f"the gradient of {name}"
    return None


def products(count, large):
    """Products of all placements, drawn; those that are wrong."""
    draw = random.Random(dist.get_world_size())
    ways = list(itertools.product(PLACEMENTS, PLACEMENTS, PLACEMENTS))
    wrong = []
    for number in range(count):
        a, b, result = draw.choice(ways)
        shape = tuple(draw.choice([1, 7, 64, 96, large]) for _ in range(3))
        case = [a], [b], [result], TYPES[number % len(TYPES)], shape, draw.choice(["C", "C", "F"])
        why = _wrong(*case)
        wrong += [f"{why} of {case}"] if why else []
    return wrong


def enabled():
    """Products of DTensors that have to move, after `enable`; what became of them."""
    mesh = _mesh()
    whole_a, whole_b = _whole((512, 512), torch.float32, 1), _whole((512, 512), torch.float32, 2)
    a, b = spread(whole_a, mesh, [Shard(1)]), spread(whole_b, mesh, [Shard(1)])
    with sectile.torch.enable():
        sectile.torch.reset_calls()
        c = a @ b
    calls = sectile.torch.calls()
    right = equal(_summed(c), exact(whole_a) @ exact(whole_b))
    return [] if right and calls.served == 1 else [f"right: {right}, {calls}"]


def moves():
    """Copies to other placements; those that are wrong."""
    mesh, wrong = _mesh(), []
    for number, (how, to) in enumerate(itertools.product(PLACEMENTS, [Shard(0), Shard(1), Replicate()])):
        dtype = TYPES[number % len(TYPES)]
        whole = _whole((37, 50), dtype, number)
        found = sectile.torch.redistribute(spread(whole, mesh, [how], 5), mesh, [to])
        wrong += [] if equal(found, exact(whole)) else [f"{how} to {to} of {dtype}"]
    return wrong


def in_place():
    """A product of tensors in memory of the library."""
    mesh = _mesh()
    wholes = _whole((96, 128), torch.float32, 1), _whole((128, 64), torch.float32, 2)
    operands = []
    for whole in wholes:
        made = sectile.torch.zeros(*whole.shape, device_mesh=mesh, placements=[Shard(0)])
        made._local_tensor.copy_(spread(whole, mesh, [Shard(0)])._local_tensor)
        operands.append(made)
    c = sectile.torch.matmul(*operands, out_placements=[Shard(1)])
    return [] if equal(c, exact(wholes[0]) @ exact(wholes[1])) else ["the product"]


# ---- Models ----


def _compared(model, x, expected, tolerance):
    """What differs in a step of a model from the output and the gradients that are expected."""
    y = model(x)
    y.backward(DTensor.from_local(torch.ones_like(y.to_local()), y.device_mesh, y.placements, run_check=False)
               if isinstance(y, DTensor) else torch.ones_like(y))
    found = [y.detach(), x.grad, *(p.grad for p in model.parameters())]
    apart = (_close(one, other, tolerance) for one, other in zip(found, expected))
    return [f"tensor {number} of {len(found)}: {how}" for number, how in enumerate(apart) if how is not None]


def _expected(model, x):
    """The output and the gradients of a step that is not distributed."""
    x = x.detach().requires_grad_()
    y = model(x)
    y.backward(torch.ones_like(y))
    return [y.detach(), x.grad, *(p.grad.clone() for p in model.parameters())]


def _layer(dtype, hidden, heads):
    torch.manual_seed(1)
    return layers.Layer(hidden, 4 * hidden, heads).to(_Kind.name, dtype)


def styled(dtype, hidden, tokens, tolerance, by_torch=False):
    """A decoder layer with tensor parallelism, activations cut along the sequence, against one rank's own."""
    mesh = _mesh()
    torch.manual_seed(2)
    x = torch.randn(2, tokens, hidden).to(_Kind.name, dtype)
    expected = _expected(_layer(dtype, hidden, 8), x)
    plan = layers.sequence_parallel(theirs if by_torch else ours)
    model = parallelize_module(_layer(dtype, hidden, 8), mesh, plan)
    given = spread(x, mesh, [Shard(1)]).detach().requires_grad_()
    sectile.torch.reset_calls()
    wrong = _compared(model, given, expected, tolerance)
    calls = sectile.torch.calls()
    torchs = {"torch is timed", "torch is faster"}
    if not by_torch and not set(calls.passed_on) <= torchs:
        wrong.append(f"{calls}")
    return wrong


def _stack(hidden, norms):
    torch.manual_seed(4)
    blocks = (
        nn.Sequential(*[nn.LayerNorm(hidden)] * norms, nn.Linear(hidden, 2 * hidden, bias=norms), nn.GELU(), nn.Linear(2 * hidden, hidden, bias=norms))
        for _ in range(2)
    )
    return nn.Sequential(*blocks).to(_Kind.name)


def sharded(hidden, norms, tolerance, by_torch=False):
    """Fully sharded blocks against one rank's own, with the rows of all. Norms and biases are torch's, who moves them by
    collectives."""
    mesh, rank, size = _mesh(), dist.get_rank(), dist.get_world_size()
    torch.manual_seed(5)
    rows = torch.randn(8 * size, hidden).to(_Kind.name)
    y, grad, *grads = _expected(_stack(hidden, norms), rows)
    own = slice(8 * rank, 8 * rank + 8)
    expected = [y[own], grad[own], *(grad / size for grad in grads)]
    model = _stack(hidden, norms)
    shard = torchs_fully_shard if by_torch else sectile.torch.fully_shard
    for block in model:
        shard(block, mesh=mesh)
    shard(model, mesh=mesh)
    sectile.torch.reset_calls()
    wrong = _compared(model, rows[own].clone().requires_grad_(), expected, tolerance)
    served = sectile.torch.calls().served
    return wrong + ([] if by_torch or served == 4 else [f"{served} products are served"])


def compiled(backend):
    """A program with products, compiled."""
    mesh = _mesh()
    whole_a, whole_b = _whole((64, 96), torch.float32, 1), _whole((96, 64), torch.float32, 2)
    a, b = spread(whole_a, mesh, [Shard(1)]), spread(whole_b, mesh, [Shard(1)])

    def program(a, b):
        return torch.relu(sectile.torch.matmul(a, b, out_placements=[Shard(0)])) * 2

    torch._dynamo.reset()
    c = torch.compile(program, backend=backend, fullgraph=True)(a, b)
    return [] if equal(c, torch.relu(exact(whole_a) @ exact(whole_b)) * 2) else ["the result"]


# ---- The order of streams ----


@contextlib.contextmanager
def _unordered(wrongly):
    """With `wrongly`, the library does not wait for torch's stream."""
    device = _device.DEVICES["cuda"]
    if wrongly:
        device.settle = lambda: None
    yield
    vars(device).pop("settle", None)


def order(wrongly, aside):
    """Whether a product has what torch's current stream, perhaps not the default one, writes late."""
    mesh = _mesh()
    whole_a, whole_b = _whole((256, 256), torch.float32, 1), _whole((256, 256), torch.float32, 2)
    late, b = spread(whole_a, mesh, [Shard(0)]).to_local().clone(), spread(whole_b, mesh, [Shard(0)])
    a = DTensor.from_local(torch.zeros_like(late), mesh, [Shard(0)], run_check=False)
    sectile.torch.matmul(a, b, out_placements=[Shard(1)])  # plans
    torch.cuda.synchronize()
    stream = torch.cuda.Stream() if aside else torch.cuda.current_stream()
    with torch.cuda.stream(stream), _unordered(wrongly):
        torch.cuda._sleep(400_000_000)
        a.to_local().copy_(late)
        c = sectile.torch.matmul(a, b, out_placements=[Shard(1)])
        found = c.to_local() + 0  # on torch's stream, behind the product
    torch.cuda.synchronize()
    right = torch.equal(exact(found), spread(exact(whole_a) @ exact(whole_b), mesh, [Shard(1)]).to_local())
    return ["right"] if right else []


# ---- Times ----


def _seconds(function):
    """From when all ranks begin until a rank has its result."""
    _wait()
    dist.barrier()
    start = time.perf_counter()
    function()
    _wait()
    return time.perf_counter() - start


def _slowest(seconds):
    everyone = [None] * dist.get_world_size()
    dist.all_gather_object(everyone, seconds)
    return max(everyone)


def rates(dtype, shape, turns, tf32=False):
    """The times of a product by the library, of as many calls of torch.mm at once that have a part each, and of one
    call on the whole: medians of turns of each."""
    m, n, k = shape
    mesh, rank, size = _mesh(), dist.get_rank(), dist.get_world_size()
    torch.use_deterministic_algorithms(False)  # with which torch fills results first
    if _Kind.name == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = tf32

    def made(rows, cols):
        return torch.randn(rows, cols, device=_Kind.name, dtype=dtype)

    def placed(rows, cols):
        return DTensor.from_local(made(rows // size, cols), mesh, [Shard(0)], run_check=False)

    a, b = placed(m, k), placed(k, n)
    whole_a, whole_b = (made(m, k), made(k, n)) if rank == 0 else (None, None)
    part_b = whole_b if rank == 0 else made(k, n)
    ways = {
        "sectile": lambda: sectile.torch.matmul(a, b, out_placements=[Shard(0)]),
        "parts": lambda: torch.mm(a.to_local(), part_b),
        "one": lambda: torch.mm(whole_a, whole_b) if rank == 0 else None,
    }
    found = {name: [] for name in ways}
    for turn in range(turns + 2):
        for name, way in ways.items():
            seconds = _slowest(_seconds(way))
            if turn >= 2:
                found[name].append(seconds)
    if _Kind.name == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = False
        del a, b, whole_a, whole_b, part_b
        torch.cuda.empty_cache()
    return {name: statistics.median(times) for name, times in found.items()}


def call_time(calls):
    """The host's time of a call, when the GPU has next to nothing to do: of products for which data moves, and of
    torch.mm."""
    mesh = _mesh()
    a, b = (spread(_whole((64, 64), torch.float32, seed), mesh, [Shard(0)]) for seed in (1, 2))
    x = _whole((64, 64), torch.float32, 1)
    torch.use_deterministic_algorithms(False)
    found = {}
    for name, way in (
        ("sectile", lambda: sectile.torch.matmul(a, b, out_placements=[Shard(0)])),
        ("torch.mm", lambda: torch.mm(x, x)),
    ):
        for _ in range(5):
            way()
        found[name] = _slowest(_seconds(lambda: [way() for _ in range(calls)])) / calls
    return found
