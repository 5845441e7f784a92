# water.py - GPAW: the energy of 18 water molecules in a periodic box after three steps, in a basis of 414
# atomic orbitals, whose matrices are distributed by ScaLAPACK. Low accuracy saves time, and leaves the same
# products.
import numpy as np
from ase.build import molecule
from gpaw import GPAW
from gpaw.mpi import world

water = molecule("H2O")
water.set_cell([3.2] * 3)
water.center()
water = water.repeat((3, 3, 2))
water.pbc = True
water.positions += np.random.RandomState(1).normal(scale=0.05, size=water.positions.shape)
water.calc = GPAW(
    mode="lcao",
    basis="dzp",
    h=0.3,
    xc="LDA",
    txt=None,
    symmetry="off",
    maxiter=3,
    convergence={"energy": 1e9, "density": 1e9, "eigenstates": 1e9},
    parallel={"sl_default": (1, world.size, 64)},
)
energy = water.get_potential_energy(force_consistent=True)
if world.rank == 0:
    print("energy: %.10f" % energy)
