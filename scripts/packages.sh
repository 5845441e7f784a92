#!/bin/sh
# packages.sh - builds the Debian packages from the tarball of release.sh, in build/packages: lintian finds no
# errors, and what is in the packages works in a folder of its own. Checks the other recipes as far as
# their tools are installed. Needs dpkg-dev, debhelper, lintian.
set -eu
cd "$(dirname "$0")/.."

scripts/release.sh
root=$PWD
dist=$root/build/dist
packages=$root/build/packages
tarball=$(echo "$dist"/sectile-*.tar.gz)
version=${tarball##*/sectile-}
version=${version%.tar.gz}
rm -rf "$packages"
mkdir -p "$packages/unpacked"

echo "== Debian (build/packages/debian.log)"
cp "$tarball" "$packages/sectile_$version.orig.tar.gz"
tar -xf "$tarball" -C "$packages"
cd "$packages/sectile-$version"
cp -R packaging/debian debian
if ! dpkg-buildpackage -us -uc >"$packages/debian.log" 2>&1; then
    tail -n 40 "$packages/debian.log"
    exit 1
fi
cd "$packages"
lintian --fail-on error --info ./*.changes >lintian.log 2>&1 || {
    grep '^[EW]:' lintian.log
    exit 1
}
echo "lintian: no errors, $(grep -c '^W:' lintian.log || true) warnings"

# The packages are used where they are unpacked.
for package in ./*.deb; do
    dpkg-deb -x "$package" unpacked
done
libraries=$(dirname "$(find "$PWD/unpacked" -name libsectile.so.0)")
PATH=$PWD/unpacked/usr/bin:$PATH
LD_LIBRARY_PATH=$libraries
PKG_CONFIG_PATH=$libraries/pkgconfig
export PATH LD_LIBRARY_PATH PKG_CONFIG_PATH
for test in "$root"/packaging/debian/tests/tool "$root"/packaging/debian/tests/library; do
    echo "== ${test##*/}"
    AUTOPKGTEST_TMP=$packages "$test"
done
unset LD_LIBRARY_PATH

# check TOOL COMMAND...: checks a recipe if its tool is installed.
check() {
    tool=$1
    shift
    if command -v "$tool" >/dev/null; then
        echo "== $*"
        "$@"
    else
        echo "== not checked, without $tool: $*"
    fi
}
cd "$dist"
check rpmspec sh -c 'rpmspec -P sectile.spec >/dev/null'
check python3 python3 -m py_compile package.py
check ruby ruby -c sectile.rb
check ruby ruby -ryaml -e 'YAML.load_file("recipe.yaml")'
check nix-instantiate nix-instantiate --parse default.nix
