# headers.sh - each public header compiles by itself, as C11 and as C++17, without a warning;
# sectile_mpi.h with each installed MPI.
set -eu
cd "$(dirname "$0")/../.."

# compile HEADER COMMAND...
compile() {
    header=$1
    shift
    # A file must declare something; sectile_version.h does not.
    printf '#include <sectile/%s>\ntypedef int declared;\n' "$header" | "$@" -Wall -Wextra -pedantic -Werror -Iinclude -fsyntax-only -
}

# both HEADER [FLAG...]
both() {
    header=$1
    shift
    compile "$header" "${CC:-cc}" -std=c11 -x c "$@"
    compile "$header" "${CXX:-c++}" -std=c++17 -x c++ "$@"
}

for header in include/sectile/*.h; do
    [ "${header##*/}" = sectile_mpi.h ] || both "${header##*/}"
done
for mpicc in mpicc.openmpi mpicc.mpich; do
    command -v $mpicc >/dev/null || continue
    # shellcheck disable=SC2046
    both sectile_mpi.h $($mpicc -show | tr ' ' '\n' | sed -n 's/^-I/-isystem/p')
done
