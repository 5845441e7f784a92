# %% [markdown]
# # Three matrices in three layouts
#
# A is cut by rows, B is dealt in small blocks as in ScaLAPACK, and C has a block for each rank of a
# grid. None of them moves to another layout. The picture shows what one rank reads instead.

# %%
import pathlib

import numpy as np

import sectile

world = sectile.run(4)
rng = np.random.default_rng(1)
x, y = rng.standard_normal((600, 400)), rng.standard_normal((400, 500))

# %%
a = world.from_numpy(x, "row")
b = world.from_numpy(y, "cyclic:50x50")
c = world.array((600, 500), "f8", "2d")
sectile.matmul(a, b, out=c)
print("largest difference from NumPy:", abs(c.to_numpy() - x @ y).max())

# %% [markdown]
# Each rank stores a part of each matrix, which is a NumPy array.

# %%
for rank in world.ranks:
    print(f"rank {rank}:", a.local[rank].shape, b.local[rank].shape, c.local[rank].shape)

# %% [markdown]
# What rank 3 does: its part of C is framed. The hatched slices of A and B are what it multiplies.
# It reads those of other ranks where they are, since threads share memory.

# %%
plan = sectile.plan(a, b, c, rank=3, stay="c")
print(plan)
print(plan.cost)
pathlib.Path("any_layouts.svg").write_text(plan.svg())
plan

# %% [markdown]
# Views and transposes take part without being copied, and so do arrays of yours.

# %%
own = np.zeros((300, 500))
part = world.wrap(own, "row")
sectile.matmul(a[100:400], b, out=part, alpha=2)
print("largest difference:", abs(own - 2 * x[100:400] @ y).max())
gram = sectile.matmul(a.T, a, layout="col")
print("largest difference:", abs(gram.to_numpy() - x.T @ x).max())

# %%
world.close()
