#!/bin/sh
# valgrind.sh - runs the program UNREAD under valgrind, which must find no use of a value that was
# never set. Exits 77 where there is no valgrind.
set -eu

if ! command -v valgrind >/dev/null; then
    echo "no valgrind"
    exit 77
fi
# Valgrind knows no AVX-512.
OPENBLAS_CORETYPE=Haswell OPENBLAS_NUM_THREADS=1 \
    valgrind --quiet --error-exitcode=1 --track-origins=yes --fair-sched=yes "$UNREAD"
