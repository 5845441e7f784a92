# install.sh - an installation in a separate folder can be used through pkg-config and CMake, shared and
# static, with each MPI, also where a package left out some libraries; the installed documents have their
# pictures and pages. The build fails where it shall require what is not there.
set -eu
cd "$(dirname "$0")"

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
prefix=$temp/moved
lib=$prefix/$SECTILE_LIBDIR
cc=${CC:-cc}
cmake=${CMAKE:-cmake}

fail() {
    echo "failed: $*" >&2
    exit 1
}

# The installation can be moved.
$cmake --install "$SECTILE_BUILD" --prefix "$temp/first" >/dev/null
mv "$temp/first" "$prefix"

export PKG_CONFIG_PATH="$lib/pkgconfig"
version=$(pkg-config --modversion sectile)

# expect_user PROGRAM: it runs and prints the version.
expect_user() {
    said=$("$1") || fail "$1 ends with $?"
    [ "$said" = "$version" ] || fail "$1 says '$said', pkg-config '$version'"
}

# shellcheck disable=SC2046
{
    $cc -std=c11 user.c -o "$temp/shared" $(pkg-config --cflags --libs sectile) "-Wl,-rpath,$lib"
    $cc -std=c11 user.c -o "$temp/static" $(pkg-config --cflags sectile) \
        $(pkg-config --static --libs sectile | sed 's/-lsectile/-l:libsectile.a/')
}
expect_user "$temp/shared"
expect_user "$temp/static"
readelf -d "$temp/static" | grep -q libsectile && fail 'the static program needs the shared library'

# build_users FOLDER: builds all programs there whose libraries are found.
build_users() {
    $cmake -S . -B "$1" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" >"$temp/log" &&
        $cmake --build "$1" >>"$temp/log" || fail "$(cat "$temp/log")"
}
build_users "$temp/build"
expect_user "$temp/build/with_sectile"
expect_user "$temp/build/with_sectile_static"

# An MPI program that runs without mpiexec is a job of one rank. Root may run it, too.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for kind in $SECTILE_MPIS; do
    name=sectile_mpi_$kind
    # shellcheck disable=SC2046
    mpicc.$kind -std=c11 user_mpi.c -o "$temp/mpi" $(pkg-config --cflags --libs "$name") \
        "-Wl,-rpath,$lib"
    expect_user "$temp/mpi"
    expect_user "$temp/build/with_$name"
    expect_user "$temp/build/with_${name}_static"
    env -u LD_LIBRARY_PATH LD_PRELOAD="$lib/libsectile_scalapack_$kind.so" true ||
        fail "libsectile_scalapack_$kind cannot be preloaded"
done

for kind in $SECTILE_MPIS; do
    # Worlds use only the communicator that they are given.
    ! nm -D --undefined-only "$lib/libsectile_mpi_$kind.so" | grep -q ompi_mpi_comm_world ||
        fail "libsectile_mpi_$kind uses MPI_COMM_WORLD"
done

soname=$(readelf -d "$lib/libsectile.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
case $version in
0.*) [ "$soname" = "libsectile.so.${version%.*}" ] ;;
*) [ "$soname" = "libsectile.so.${version%%.*}" ] ;;
esac || fail "the SONAME is '$soname'"

[ -x "$prefix/bin/sectile" ] || fail 'there is no command-line tool'
"$prefix/bin/sectile" --help >/dev/null || fail 'the command-line tool does not run'
[ -z "$SECTILE_MPIS" ] || "$prefix/bin/sectile" run --engine mpi --shape 9x9x9 >/dev/null ||
    fail 'the command-line tool finds no module of an MPI'
if [ -e "$lib/libsectile_opencl.so" ]; then
    OCL_ICD_VENDORS=$temp "$prefix/bin/sectile" run --engine opencl 2>&1 >/dev/null |
        grep -q 'OpenCL has no device here' || fail 'the command-line tool does not find the engine opencl'
fi

# README.md is not checked, since it describes the source tree, nor are links to headers, machines,
# sources and Python examples.
documents=$prefix/$SECTILE_DOCDIR
lacking=$(find "$documents" -name '*.md' ! -path "$documents/README.md" | while read -r page; do
    grep -o '\]([^)]*)' "$page" | sed 's/^](//; s/[#)].*//; /:/d; /^$/d' |
        grep -v '^\.\./\(include\|machines\|python\|src\)' | while read -r link; do
        [ -e "${page%/*}/$link" ] || echo "${page##*/}: $link"
    done
done)
[ -z "$lacking" ] || fail "the installed documents lack pictures or pages:" "$lacking"
empty=$(find "$prefix" -type d -empty)
[ -z "$empty" ] || fail "empty folders are installed:" "$empty"

# Packages may leave out the static libraries, and those of an MPI.
rm -f "$lib"/libsectile*.a "$lib"/libsectile_*_mpich.so*
build_users "$temp/fewer"
expect_user "$temp/fewer/with_sectile"
[ ! -e "$temp/fewer/with_sectile_static" ] || fail 'a static library that is gone is found'

# The build of a package says what is lacking: here an MPI, and a toolkit of CUDA that is not too old.
cuda=$temp/cuda
mkdir -p "$cuda/bin" "$cuda/include" "$cuda/lib64"
printf '#!/bin/sh\necho "Cuda compilation tools, release 11.8, V11.8.89"\n' >"$cuda/bin/nvcc"
chmod +x "$cuda/bin/nvcc"
touch "$cuda/include/cuda_runtime.h" "$cuda/lib64/libcudart.so" "$cuda/lib64/libcublas.so"
! $cmake -S ../.. -B "$temp/lacking" -DSECTILE_MPI=lacking -DCUDAToolkit_ROOT="$cuda" \
    -DSECTILE_REQUIRE_ALL=ON >"$temp/log" 2>&1 ||
    fail 'an MPI that is required is left out'
grep -q 'Not found: .*CUDA 12.8 or later, lacking' "$temp/log" || fail "$(cat "$temp/log")"
