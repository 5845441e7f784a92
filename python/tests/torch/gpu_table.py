"""gpu_table.py [--stand-ins] - the steps of test/gpu/torch, as a table: what is reached, with the goal in parentheses.

A step that fails, or takes too long, is reported with what its ranks say, and the next one begins with new
processes. The environment: LIMIT is how many seconds all may take, RANKS the numbers of processes.
"""

import multiprocessing
import os
import sys
import time
import traceback

import gpu_steps
import processes
import torch
from ranks import Ranks

STAND_INS = "--stand-ins" in sys.argv[1:]
LIMIT = float(os.environ.get("LIMIT", 300))
RANKS = [int(each) for each in os.environ.get("RANKS", "2 4").split()]
_MOST_LINES = 30


class Table:
    def __init__(self):
        self.failed = False
        self._begun = time.monotonic()
        self._rows = []

    def left(self):
        return LIMIT - (time.monotonic() - self._begun)

    def row(self, name, result, seconds):
        self._rows.append(f"{name:<70} {result:<60} {seconds:5.1f}")
        print(self._rows[-1], flush=True)

    def explain(self, text):
        lines = text.rstrip().splitlines()
        for line in lines[-_MOST_LINES:]:
            print(f"    {line}", flush=True)

    def show(self):
        print("\n" + "\n".join(self._rows), flush=True)


class Group:
    """So many ranks, which are started anew after a failure."""

    def __init__(self, table, size):
        self._table, self._size, self._ranks = table, size, None
        self._context = processes.CONTEXT

    def _begin(self):
        self._ranks = Ranks(self._size, self._context)
        self._ranks.seconds = min(60, max(self._table.left(), 1))
        try:
            return self._ranks.run(gpu_steps.begin, STAND_INS)[0]
        except AssertionError as problem:
            self._ranks = None
            if self._context is not processes.CONTEXT:
                raise
            self._table.explain(f"{problem}\nprocesses are no longer forked")
            self._context = torch.multiprocessing.get_context("spawn")
            return self._begin()

    def run(self, name, judge, seconds, step, *arguments, matters=True):
        """A row of the table: what `judge` says of what the step returns on each rank. A step that does not matter may
        fail."""
        start = time.monotonic()
        full = f"{self._size} ranks: {name}"
        if self._table.left() < 5:
            self._table.row(full, "no time left", 0)
            self._table.failed |= matters
            return
        try:
            if self._ranks is None:
                print(f"    {self._size} ranks: {self._begin()}", flush=True)
            self._ranks.seconds = min(seconds, self._table.left())
            good, result, more = judge(self._ranks.run(step, *arguments))
        except Exception as problem:
            self._ranks = None
            good, result, more = False, "FAILED", str(problem) or traceback.format_exc()
        if not good and not matters:
            result = f"{result} (not needed)"
        self._table.row(full, result, time.monotonic() - start)
        if more:
            self._table.explain(more)
        self._table.failed |= matters and not good

    def end(self):
        if self._ranks is not None:
            try:
                self._ranks.close()
            except AssertionError as problem:
                self._table.row(f"{self._size} ranks: end", "FAILED", 0)
                self._table.explain(str(problem))
                self._table.failed = True


# ---- What is found ----


def nothing_wrong(found):
    wrong = [f"rank {rank}: {each}" for rank, all in enumerate(found) for each in all]
    return not wrong, "ok" if not wrong else f"FAILED: {len(wrong)} differ", "\n".join(wrong[:12])


def all_wrong(found):
    """For what is done wrongly on purpose, which at least one rank is to see."""
    seen = any(not each for each in found)
    return seen, "seen to fail, as it must" if seen else "right all the same: CUDA has waited", ""


def compared(goal, operations):
    def judge(found):
        times = found[0]
        ratio, limit = times["one"] / times["sectile"], times["one"] / times["parts"]
        rate = operations / times["sectile"] / 1e12
        text = f"{rate:.1f} TFLOP/s, {ratio:.3f} of one torch.mm ({goal}); torch.mm in parts {limit:.3f}"
        return True, text, "" if ratio >= goal else f"the goal is missed: {times}"

    return judge


def called(goal):
    def judge(found):
        text = ", ".join(f"{name} {seconds * 1e6:.0f} us" for name, seconds in found[0].items())
        return True, f"{text} ({goal} us)", ""

    return judge


# ---- The steps ----


def correctness(group):
    small = STAND_INS
    count, large = (12, 64) if small else (48, 512)
    group.run(f"{count} products of drawn placements, with gradients", nothing_wrong, 60, gpu_steps.products, count, large)
    group.run("products after enable()", nothing_wrong, 20, gpu_steps.enabled)
    group.run("redistribute", nothing_wrong, 20, gpu_steps.moves)
    group.run("empty(): memory of the library", nothing_wrong, 20, gpu_steps.in_place)
    hidden, tokens = (32, 16) if small else (1024, 512)
    for dtype, tolerance in ((torch.float32, 1e-3), (torch.bfloat16, 0.1)):
        name = f"Llama layer, tensor parallelism, {str(dtype)[6:]}"
        group.run(name, nothing_wrong, 30, gpu_steps.styled, dtype, hidden, tokens, tolerance)
    hidden = 264 if small else 1024
    group.run("fully_shard, weights alone", nothing_wrong, 30, gpu_steps.sharded, hidden, False, 1e-3)
    group.run("compiled, aot_eager", nothing_wrong, 45, gpu_steps.compiled, "aot_eager")
    if not small:
        for aside in (False, True):
            where = "a side stream" if aside else "the default stream"
            group.run(f"order of {where}", order_kept, 20, gpu_steps.order, False, aside)
        group.run("streams ordered wrongly on purpose", order_broken, 20, gpu_steps.order, True, False, matters=False)


def order_kept(found):
    right = all(each == ["right"] for each in found)
    return right, "ok" if right else "FAILED: a product came too early", ""


def order_broken(found):
    return all_wrong(found)


def times(group):
    turns, cube, wide = (1, (64, 64, 64), (32, 96, 64)) if STAND_INS else (7, (8192,) * 3, (2048, 28672, 8192))
    for dtype in (torch.bfloat16, torch.float32):
        for shape in (cube, wide):
            m, n, k = shape
            judge = compared(0.93, 2 * m * n * k)
            group.run(f"{str(dtype)[6:]} {m}x{n}x{k}", judge, 40, gpu_steps.rates, dtype, shape, turns)
    if not STAND_INS:
        m, n, k = cube
        group.run(f"float32 as TF32 {m}x{n}x{k}", compared(0.93, 2 * m * n * k), 40, gpu_steps.rates, torch.float32, cube, turns, True)
    group.run("a call of a small product", called(30), 30, gpu_steps.call_time, 20 if STAND_INS else 200)


def of_torch(group):
    """What torch needs collectives on GPUs for, which gloo may not have."""
    hidden, tokens = (32, 16) if STAND_INS else (1024, 512)
    group.run("torch's own styles", nothing_wrong, 30, gpu_steps.styled, torch.float32, hidden, tokens, 1e-3, True, matters=False)
    hidden = 264 if STAND_INS else 1024
    group.run("fully_shard, norms and biases by torch", nothing_wrong, 30, gpu_steps.sharded, hidden, True, 1e-3, matters=False)
    group.run("torch's own fully_shard", nothing_wrong, 30, gpu_steps.sharded, hidden, True, 1e-3, True, matters=False)
    group.run("compiled, inductor", nothing_wrong, 60, gpu_steps.compiled, "inductor", matters=False)


def main():
    processes.CONTEXT.set_forkserver_preload(["sectile.torch"])
    table = Table()
    groups = [Group(table, size) for size in RANKS]
    for part in (correctness, times, of_torch):
        for group in groups:
            part(group)
            group.end()
            group._ranks = None
    table.show()
    return int(table.failed)


if __name__ == "__main__":
    sys.exit(main())
