#!/bin/sh
# setup.sh build|test|ci|packages - installs, with apt-get, the missing packages that the build, the tests,
# CI or scripts/packages.sh need.
set -eu
cd "$(dirname "$0")/.."

missing=
# need PACKAGE COMMAND...: marks the package as missing if the command fails.
need() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}

need_to_build() {
    need gcc command -v cc
    need libc6-dev sh -c 'echo "#include <stdio.h>" | cc -E -'
    need cmake command -v cmake
    need ninja-build command -v ninja
    need pkg-config command -v pkg-config
    need libopenblas-dev pkg-config --exists openblas
    need libjansson-dev pkg-config --exists jansson
    need zlib1g-dev pkg-config --exists zlib
}

# need_mpi KIND PACKAGE HEADERS_PACKAGE
need_mpi() {
    need "$2" command -v "mpiexec.$1"
    need "$3" sh -c "echo '#include <mpi.h>' | mpicc.$1 -x c -E -"
}

need_to_test() {
    need_to_build
    need g++ command -v c++
    need lld command -v ld.lld
    need valgrind command -v valgrind
    need iproute2 command -v tc
    need spin command -v spin
    need_mpi openmpi openmpi-bin libopenmpi-dev
    need_mpi mpich mpich libmpich-dev
    need libscalapack-openmpi-dev dpkg -s libscalapack-openmpi-dev
    need libscalapack-mpich-dev dpkg -s libscalapack-mpich-dev
    need scalapack-mpi-test dpkg -s scalapack-mpi-test
    need ocl-icd-opencl-dev pkg-config --exists OpenCL
    need opencl-c-headers dpkg -s opencl-c-headers
    need libclblast-dev pkg-config --exists clblast
    need pocl-opencl-icd dpkg -s pocl-opencl-icd
    need python3-dev python3 -c "import os, sysconfig; os.stat(sysconfig.get_path('include') + '/Python.h')"
    need python3-jsonschema /usr/bin/python3 -c "import jsonschema"
    need python3-venv python3 -c "import ensurepip, venv"
}

case ${1:-} in
build) need_to_build ;;
test) need_to_test ;;
ci)
    need_to_test
    need clang-format command -v clang-format
    need fish command -v fish
    need mandoc command -v mandoc
    need zsh command -v zsh
    need abigail-tools command -v abidiff
    need cp2k command -v cp2k.psmp
    need gpaw dpkg -s gpaw
    need gpaw-data dpkg -s gpaw-data
    need nwchem-openmpi command -v nwchem.openmpi
    need clang command -v clang
    need clang-tidy command -v clang-tidy
    need cppcheck command -v cppcheck
    need gcc-s390x-linux-gnu command -v s390x-linux-gnu-gcc
    need libc6-dev-s390x-cross dpkg -s libc6-dev-s390x-cross
    need qemu-user command -v qemu-s390x
    ;;
packages)
    need_to_test
    for package in autopkgtest buildah cpio debhelper lintian mmdebstrap patchelf rpm rpmlint rubocop; do
        need $package dpkg -s $package
    done
    need dpkg-dev command -v dpkg-buildpackage
    need nix-bin command -v nix-build
    need ruby command -v ruby
    ;;
*)
    echo "usage: setup.sh build|test|ci|packages" >&2
    exit 2
    ;;
esac

[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null; then
    echo "Please install the equivalents of these Debian packages:$missing" >&2
    exit 1
fi

echo "Installing:$missing"
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
mkdir -p build
log=build/setup.log
# shellcheck disable=SC2086
if ! { $sudo apt-get update -q &&
    $sudo env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends $missing; } >$log 2>&1; then
    cat $log >&2
    exit 1
fi
