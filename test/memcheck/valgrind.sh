#!/bin/sh
# valgrind.sh - runs $PROGRAM under valgrind, which must find no use of an uninitialized value. Exits 77
# if there is no valgrind.
set -eu

if ! command -v valgrind >/dev/null; then
    echo "no valgrind"
    exit 77
fi
# Valgrind does not support AVX-512.
OPENBLAS_CORETYPE=Haswell OPENBLAS_NUM_THREADS=1 \
    valgrind --quiet --error-exitcode=1 --track-origins=yes --fair-sched=yes "$PROGRAM"
