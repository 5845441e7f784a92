# spack.sh - the recipe of Spack: for each choice of variants CMake takes all its arguments, with stub_spack.py
# for Spack; and what it builds by default works.
set -eu
. scripts/packages/common.sh
lacks 'the recipe' python3 cmake ninja && exit

unpack_source
source=$out/sectile-$version
for variants in +mpi~opencl~cuda ~mpi~opencl~cuda +mpi+opencl~cuda; do
    build=$out/build$variants
    PYTHONDONTWRITEBYTECODE=1 python3 scripts/packages/stub_spack.py "$dist/package.py" "$variants" "$out/prefix" \
        >"$out/arguments"
    logged "configure$variants" xargs -d '\n' -a "$out/arguments" cmake -S "$source" -B "$build" -G Ninja
    ! grep -A 9 'not used by the project' "$log" || exit 1
done
logged build cmake --build "$out/build+mpi~opencl~cuda"
logged install cmake --install "$out/build+mpi~opencl~cuda"
use "$out/prefix"
