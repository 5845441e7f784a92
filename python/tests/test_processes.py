"""Programs of their own: ranks that are processes, and ends of processes."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

LAUNCH = os.environ.get("SECTILE")

# Ranks that meet by files: python -c MEET... FOLDER RANK.
MEET = """
import os, pathlib, signal, sys, time
import numpy as np
import sectile

folder, rank, calls = pathlib.Path(sys.argv[1]), int(sys.argv[2]), 0

def allgather(mine):
    global calls
    calls += 1
    part = folder / f"part{rank}"
    part.write_bytes(mine)
    part.rename(folder / f"{calls}.{rank}")
    names = [folder / f"{calls}.{each}" for each in range(2)]
    while not all(name.exists() for name in names):
        time.sleep(0.01)
    return [name.read_bytes() for name in names]

world = sectile.World.from_bootstrap(rank, 2, allgather, **OPTIONS)
"""


def meet(**options):
    return MEET.replace("**OPTIONS", f"**{options}")


def start(program, *arguments):
    command = [sys.executable, "-c", textwrap.dedent(program), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def said_by(process):
    """Returns the exit status of a program, and what it has printed."""
    try:
        said, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, said


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), signal.SIGKILL)", "sys.exit()"])
def test_a_rank_that_is_gone(tmp_path, end):
    """It is killed, or ends without closing its world."""
    program = meet() + textwrap.dedent("""
        x = world.from_numpy(np.ones((8, 8)))
        if rank == 1:
            eval(sys.argv[3])
        try:
            x @ x @ x
        except sectile.FailedError as problem:
            print(problem)
        del x
        world.close()
        print("closed")
    """)
    ranks = [start(program, str(tmp_path), str(rank), end) for rank in range(2)]
    said_by(ranks[1])
    status, said = said_by(ranks[0])
    assert status == 0 and "rank 1" in said and said.endswith("closed\n"), said


@pytest.mark.parametrize("ranks_per_node", [0, 1])
def test_a_rank_that_is_stopped(tmp_path, ranks_per_node):
    """The others wait for it as long as they may."""
    program = meet(wait_seconds=0.5, ranks_per_node=ranks_per_node) + textwrap.dedent("""
        x = world.from_numpy(np.ones((8, 8)))
        if rank == 1:
            os.kill(os.getpid(), signal.SIGSTOP)
        try:
            x @ x
        except sectile.FailedError as problem:
            print(problem)
    """)
    ranks = [start(program, str(tmp_path), str(rank)) for rank in range(2)]
    status, said = said_by(ranks[0])
    ranks[1].kill()
    ranks[1].communicate()
    assert status == 0 and said.startswith("rank 1 did not respond for 1 s"), said


@pytest.mark.parametrize("ranks_per_node", [0, 1])
def test_an_interrupt_ends_waiting(tmp_path, ranks_per_node):
    """It is raised at once where the rank waits, and the other rank is told."""
    program = meet(ranks_per_node=ranks_per_node) + textwrap.dedent("""
        if rank == 1:
            while not (folder / "go").exists():
                time.sleep(0.01)
            try:
                world.barrier()
            except sectile.FailedError as problem:
                print(problem)
            sys.exit()
        print("waits", flush=True)
        try:
            world.barrier()
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        try:
            world.barrier()
        except sectile.FailedError as problem:
            print(problem)
    """)
    ranks = [start(program, str(tmp_path), str(rank)) for rank in range(2)]
    assert ranks[0].stdout.readline() == "waits\n"
    time.sleep(1)  # until it does
    ranks[0].send_signal(signal.SIGINT)
    assert ranks[0].stdout.readline() == "interrupted\n"
    (tmp_path / "go").touch()
    # Lines that have been read ahead are not those of communicate.
    assert ranks[0].stdout.read() == "rank 0 was interrupted\n"
    assert said_by(ranks[0]) == (0, "")
    status, said = said_by(ranks[1])
    assert status == 0 and "rank 0 was interrupted" in said, said


def test_a_world_that_nobody_closes_ends_with_its_process(tmp_path):
    program = meet() + textwrap.dedent("""
        if rank == 1:
            a = world.array((4, 4))
            world = a = None
            sys.exit()
        try:
            world.array((4, 4))
            world.barrier()
        except sectile.Error:
            print("failed")
    """)
    ranks = [start(program, str(tmp_path), str(rank)) for rank in range(2)]
    assert said_by(ranks[1]) == (0, "")
    assert said_by(ranks[0]) == (0, "failed\n")


def test_arguments_that_tell_no_world(tmp_path):
    """The other ranks of the only world are told of them."""
    program = meet() + textwrap.dedent("""
        a = world.from_numpy(np.eye(8))
        sectile.save(folder / "a.npy", a)
        with sectile.World.from_bootstrap(0, 1, lambda mine: [mine]) as other:
            closed = other.array((8, 8))
        for good, bad in [
            (lambda: sectile.copy(a), lambda: sectile.copy(None)),
            (lambda: sectile.matmul(a, a), lambda: sectile.matmul(3, 4)),
            (lambda: sectile.save(folder / "a.npy", a), lambda: sectile.save("a.npy", closed)),
            (lambda: sectile.load(world, folder / "a.npy"), lambda: sectile.load(None, "a.npy")),
        ]:
            try:
                bad() if rank == 1 else good()
            except sectile.BadArgumentError as problem:
                print(problem)
        assert (a @ a).to_numpy().trace() == 8
        world.close()
    """)
    ranks = [start(program, str(tmp_path), str(rank)) for rank in range(2)]
    status, own = said_by(ranks[1])
    told = "".join(f"rank 1: {line}\n" for line in own.splitlines())
    assert (status, len(own.splitlines())) == (0, 4), own
    assert said_by(ranks[0]) == (0, told)


def test_the_process_ends_while_another_thread_computes():
    program = """
        import threading, time
        import numpy as np
        import sectile

        world = sectile.run(2, blas_threads=1)
        a = world.from_numpy(np.ones((3000, 3000)))
        def compute():
            while True:
                a @ a
        threading.Thread(target=compute, daemon=True).start()
        time.sleep(0.3)
    """
    for _ in range(2):
        assert said_by(start(program)) == (0, "")


@pytest.mark.skipif(not LAUNCH, reason="SECTILE does not name the command")
def test_sectile_launch():
    """Worlds are made on all processes, or on none."""
    program = """
        import os
        import numpy as np
        import sectile

        rank = os.environ["SECTILE_RANK"]
        try:
            sectile.World.from_launch(engine=5 if rank == "1" else "processes")
        except sectile.BadArgumentError as problem:
            os.write(1, f"{problem}\\n".encode())
        with sectile.World.from_launch() as world:
            a = world.wrap(np.full((1, 2), world.rank + 1.0), "row", shape=(2, 2))
            os.write(1, f"{world.size} {a.to_numpy().tolist()}\\n".encode())
            del a
    """
    command = [LAUNCH, "launch", "-n", "2", sys.executable, "-c", textwrap.dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    refused = "engine: an int is not a text"
    said = [refused, f"rank 1: {refused}", *["2 [[1.0, 1.0], [2.0, 2.0]]"] * 2]
    assert sorted(done.stdout.splitlines()) == sorted(said), done.stderr


LAUNCHED = """
    import os
    import sys
    import numpy as np
    import sectile

    with sectile.World.from_launch() as world:
        a = world.wrap(np.full((1, 2), world.rank + 1.0), "row", shape=(world.size, 2))
        os.write(1, f"{world.size} {a.to_numpy().tolist()}\\n".encode())
        del a
"""


@pytest.mark.parametrize("ranks", [1, 2])
def test_torchrun(tmp_path, monkeypatch, ranks):
    """Ranks that only know who they are meet without a launcher's help."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MASTER_ADDR", "localhost")
    monkeypatch.setenv("MASTER_PORT", str(10000 + os.getpid() % 20000))
    monkeypatch.setenv("WORLD_SIZE", str(ranks))
    processes = []
    for rank in range(ranks):
        monkeypatch.setenv("RANK", str(rank))
        processes.append(start(LAUNCHED))
    expected = f"{ranks} {[[rank + 1.0] * 2 for rank in range(ranks)]}\n"
    assert [said_by(process) for process in processes] == [(0, expected)] * ranks


def test_a_rank_that_does_not_come(tmp_path, monkeypatch):
    for name, value in {
        "HOME": str(tmp_path),
        "MASTER_ADDR": "localhost",
        "RANK": "1",
        "WORLD_SIZE": "2",
        "SECTILE_START_SECONDS": "6",
    }.items():
        monkeypatch.setenv(name, value)
    _, said = said_by(start(LAUNCHED))
    assert "sectile: warning: rank 1 has not reached rank 0 at localhost:29501 within 5 s" in said
    assert "FailedError: rank 1 has not reached rank 0 at localhost:29501 within 6 s" in said
    monkeypatch.delenv("MASTER_ADDR")
    _, said = said_by(start(LAUNCHED))
    assert "BadArgumentError: MASTER_ADDR: '' is not the host" in said


def test_a_process_that_was_not_launched():
    _, said = said_by(start("import sectile; sectile.World.from_launch()"))
    assert "NoEngineError: this process was not started by sectile launch" in said
