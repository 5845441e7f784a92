#!/bin/sh
# format.sh - checks the formatting of all C files; `format.sh fix` corrects it. Exit code 77 means
# that clang-format is not installed.
set -eu
cd "$(dirname "$0")/.."

command -v clang-format >/dev/null || exit 77
case ${1:-check} in
check) mode='--dry-run -Werror' ;;
fix) mode=-i ;;
*)
    echo "format.sh: $1: must be check or fix" >&2
    exit 2
    ;;
esac
# shellcheck disable=SC2086
find include src pictures cli bench examples python scripts test -name '*.[ch]' 2>/dev/null | sort | xargs clang-format $mode
