#!/bin/sh
# release.sh - makes the release of the commit that is checked out, in build/dist: the source tarball, the
# recipes of packaging/ with its version and checksum filled in, and SHA256SUMS. The same commit gives the
# same bytes anywhere: the tarball has the time of the commit, and no user or group.
set -eu
cd "$(dirname "$0")/.."

part() {
    sed -n "s/#define SCT_VERSION_$1 //p" include/sectile/sectile_version.h
}
version=$(part MAJOR).$(part MINOR).$(part PATCH)
name=sectile-$version
dist=build/dist
if ! git diff --quiet HEAD; then
    echo 'release.sh: there are changes that are not committed; they are not in the release' >&2
fi

rm -rf $dist
mkdir -p $dist
git archive --format=tar --prefix="$name/" HEAD | gzip -n -9 >"$dist/$name.tar.gz"
sum=$(sha256sum "$dist/$name.tar.gz" | sed 's/ .*//')
for recipe in packaging/*.in packaging/*/*.in; do
    [ -e "$recipe" ] || continue
    file=$dist/${recipe##*/}
    sed "s/@VERSION@/$version/g; s/@SHA256@/$sum/g" "$recipe" >"${file%.in}"
done
(cd $dist && sha256sum -- * >SHA256SUMS)
cat $dist/SHA256SUMS
