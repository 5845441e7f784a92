#!/bin/sh
# run.sh - the tests of the Python package with PyTorch, in a virtual environment of some 4 GB. It is
# made in build/ at the first run. VENV names another. Arguments are pytest's. auditwheel finds that the
# wheel fits the systems that have its libraries, as docs/python.md says.
set -eu
cd "$(dirname "$0")/../.."
VENV=${VENV:-$PWD/build/torch-venv}
export VENV

PACKAGES='torch transformers accelerate numpy ml_dtypes pytest mypy cffi auditwheel'
IMPORTS='torch, transformers, accelerate, numpy, ml_dtypes, pytest, mypy, cffi, auditwheel'
SPACE=8 # GB of disk

fail() {
    echo "test/torch: $1" >&2
    exit 1
}

# Installs what the tests need, compiled, since each of many processes imports it. PyTorch needs no triton for
# what they do, but all libraries of CUDA.
install() {
    mkdir -p "$VENV"
    free=$(df -Pk "$VENV" | awk 'NR == 2 { print int($4 / 1000000) }')
    [ "$free" -ge $SPACE ] || fail "$VENV has $free GB of disk left; PyTorch needs $SPACE"
    python3 -m venv "$VENV"
    "$VENV/bin/pip" install -q uv || fail "the package index cannot be reached"
    echo 'triton; python_version < "3"' >"$VENV/without.txt"
    # shellcheck disable=SC2086
    "$VENV/bin/uv" pip install -q --no-cache --compile-bytecode --python "$VENV/bin/python" \
        --overrides "$VENV/without.txt" $PACKAGES || fail "PyTorch cannot be installed"
}

"$VENV/bin/python" -c "import $IMPORTS" 2>/dev/null || install
rm -rf "$VENV/wheels"
"$VENV/bin/pip" wheel -q --no-deps -w "$VENV/wheels" . || fail "the package cannot be built"
"$VENV/bin/pip" install -q --no-deps --force-reinstall "$VENV"/wheels/sectile-*.whl
shown=$("$VENV/bin/auditwheel" show "$VENV"/wheels/sectile-*.whl 2>/dev/null)
case $shown in *'platform tag: "linux_'*libjansson*) ;; *) fail "auditwheel: $shown" ;; esac
# The engine for CUDA on stand-ins, which a tensor of the processor may lie on.
if cmake --preset release >"$VENV/build.log" 2>&1 && cmake --build build/release -t help | grep -q '^test_cuda_emulated:'; then
    cmake --build build/release -t test_cuda_emulated >>"$VENV/build.log" 2>&1 || fail "see $VENV/build.log"
fi
"$VENV/bin/mypy" --strict --follow-imports silent --cache-dir "$VENV/mypy" python/sectile/torch
cd python/tests/torch
exec "$VENV/bin/pytest" -q -p no:cacheprovider "$@"
