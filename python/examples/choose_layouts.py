# %% [markdown]
# # Layouts for a product on a cluster
#
# Nothing here needs the cluster, or matrices: plans are made and simulated on a described machine.

# %%
import pathlib

import sectile

shape, ranks = (8192, 8192, 8192), 8
print(sectile.Machine("cluster"))

# %% [markdown]
# How far are layouts that one might think of from the least bytes that any can move?

# %%
bound, regime = sectile.lower_bound(shape, ranks, dtype="f4")
print(f"some rank must move {bound / 1e6:.0f} MB ({regime})")
for layouts in (("row", "row", "row"), ("2d", "2d", "2d"), ("row", "col", "2d")):
    forecast = sectile.simulate(*layouts, shape=shape, ranks=ranks, machine="cluster", dtype="f4")
    print(*layouts, f"{forecast.seconds:.2f} s, {forecast.bytes_moved / 1e6 / ranks:.0f} MB each")

# %% [markdown]
# Which are the best, if A comes by rows?

# %%
choices = sectile.choose(shape, ranks, machine="cluster", dtype="f4", a="row", most=3)
for choice in choices:
    print(choice)

# %% [markdown]
# What the ranks do meanwhile: products, and transfers that overlap with them.

# %%
best = choices[0]
forecast = sectile.simulate(
    best.a, best.b, best.c,
    shape=shape, ranks=ranks, machine="cluster", dtype="f4", **best.options,
)
print(forecast)
pathlib.Path("timeline.svg").write_text(forecast.svg())
forecast

# %% [markdown]
# And what rank 5 uses of each matrix.

# %%
plan = best.plan(rank=5)
pathlib.Path("plan.svg").write_text(plan.svg())
plan
