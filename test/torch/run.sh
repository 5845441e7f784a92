#!/bin/sh
# run.sh - the tests of the Python package with PyTorch, which need a virtual environment of some 5 GB.
# It is made in build/ at the first run. VENV names another.
set -eu
cd "$(dirname "$0")/../.."
VENV=${VENV:-$PWD/build/torch-venv}
export VENV

[ -x "$VENV/bin/pip" ] || python3 -m venv "$VENV"
"$VENV/bin/python" -c 'import torch, numpy, pytest, mypy, cffi' 2>/dev/null ||
    "$VENV/bin/pip" install -q torch numpy pytest mypy cffi
"$VENV/bin/pip" install -q --no-deps .
"$VENV/bin/mypy" --strict --follow-imports silent --cache-dir "$VENV/mypy" python/sectile/torch
cd python/tests/torch
exec "$VENV/bin/pytest" -q -p no:cacheprovider "$@"
