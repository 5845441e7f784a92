#!/bin/sh
# packages.sh [FAMILY...] - builds packages from the tarball of release.sh, in build/packages, and uses what is
# in them. The families are the scripts in scripts/packages/; each says what it needs, and is left out,
# as a whole or in part, where this machine lacks it. All are built by default.
set -eu
cd "$(dirname "$0")/.."

scripts/release.sh
[ $# -gt 0 ] || set -- debian rpm container nix homebrew conda spack
for family; do
    sh "scripts/packages/$family.sh"
done
