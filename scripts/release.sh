#!/bin/sh
# release.sh - makes the release of the commit that is checked out, in build/dist: the source tarball, the
# recipes of packaging/ with its version and checksum filled in, and SHA256SUMS. The same commit gives the
# same bytes anywhere: the tarball has the time of the commit, and no user, group or umask.
set -eu
cd "$(dirname "$0")/.."

part() {
    sed -n "s/#define SCT_VERSION_$1 //p" include/sectile/sectile_version.h
}
version=$(part MAJOR).$(part MINOR).$(part PATCH)
name=sectile-$version
dist=build/dist
# The version stands in these files, too.
for place in 'CHANGELOG.md ## [@]' 'CITATION.cff version: @' 'codemeta.json "version": "@"' \
    'packaging/debian/changelog sectile (@-'; do
    grep -qF "$(echo "${place#* }" | sed "s/@/$version/")" "${place%% *}" || {
        echo "release.sh: ${place%% *} does not have the version $version" >&2
        exit 1
    }
done
if ! git diff --quiet HEAD; then
    echo 'release.sh: there are changes that are not committed; they are not in the release' >&2
fi

rm -rf $dist
mkdir -p $dist
git -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD | gzip -n -9 >"$dist/$name.tar.gz"
sum=$(sha256sum "$dist/$name.tar.gz" | sed 's/ .*//')
date=$(TZ=UTC LC_ALL=C git log -1 --date=format-local:'%a %b %d %Y' --format=%cd)
for recipe in packaging/*.in packaging/*/*.in; do
    [ -e "$recipe" ] || continue
    file=$dist/${recipe##*/}
    sed "s/@VERSION@/$version/g; s/@SHA256@/$sum/g; s/@DATE@/$date/g" "$recipe" >"${file%.in}"
done
(cd $dist && sha256sum -- * >SHA256SUMS)
cat $dist/SHA256SUMS
