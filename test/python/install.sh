# install.sh - makes the wheel of the Python package, as a user does, and installs it with what its tests
# need into the virtual environment $VENV. The wheel carries the libraries, with those of the engines $ENGINES,
# and fits every Python from 3.9.
set -eu
cd "$(dirname "$0")/../.."

fail() {
    echo "failed: $*" >&2
    exit 1
}

python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || {
    echo 'skipped: there is no Python 3.9 with venv'
    exit 77
}
[ -x "$VENV/bin/pip" ] || python3 -m venv "$VENV"
# Python compiles what it imports, which is a small part of all this.
"$VENV/bin/pip" install -q --no-compile numpy pytest ml_dtypes mypy typing_extensions || {
    rm -rf "$VENV"
    echo 'skipped: pip cannot install what the tests need'
    exit 77
}
# Only the tests of MPI need mpi4py, which not every machine can install.
"$VENV/bin/pip" install -q --no-compile mpi4py || echo 'no mpi4py'

wheels=$VENV/wheels
rm -rf "$wheels"
# Other tests are of fully optimised code, and of kernels for all GPUs, for which compilers take much longer. The
# folder is one of its own, so that no later wheel has this code. Warnings are errors. The option has no short name
# before pip 23.1.
"$VENV/bin/pip" wheel -q --no-deps -w "$wheels" --config-settings=build-dir="$VENV/build" \
    --config-settings=cmake.define.CMAKE_C_FLAGS_RELEASE='-O1 -DNDEBUG' \
    --config-settings=cmake.define.SECTILE_WERROR=ON \
    --config-settings=cmake.define.SECTILE_CUDA_ARCHITECTURES=80 .
set -- "$wheels"/sectile-*.whl
[ $# = 1 ] || fail "several wheels: $*"
case $1 in *-cp39-abi3-*) ;; *) fail "$1 is not for every Python from 3.9" ;; esac
listed=$("$VENV/bin/python" -m zipfile -l "$1")
for file in libsectile.so.0. py.typed _native.abi3.so; do
    case $listed in *"sectile/$file"*) ;; *) fail "the wheel lacks $file" ;; esac
done
for engine in $ENGINES; do
    case $listed in *"sectile/libsectile_$engine.so.0."*) ;; *) fail "the wheel lacks the engine $engine" ;; esac
done
case $listed in *native.c*) fail 'the wheel carries a generated file' ;; esac
"$VENV/bin/pip" uninstall -q -y sectile 2>/dev/null || true
"$VENV/bin/pip" install -q "$1"
# The oldest cffi that the package allows, which Debian 12 has; newer Pythons do without.
"$VENV/bin/pip" install -q --only-binary :all: cffi==1.15.1 || echo 'a newer cffi'

# The engine for tests is found beside the others.
cp "$EMULATED" "$("$VENV/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/sectile/"

# It is the installed package that runs, without the source tree.
cd /
"$VENV/bin/python" -c 'import sectile; print("installed", sectile.__version__)'
