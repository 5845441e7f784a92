# debian.sh - the Debian packages: dpkg-buildpackage makes them, what is in them works where it is unpacked,
# lintian finds no errors, and autopkgtest installs and tests them in a Debian of their own.
set -eu
. scripts/packages/common.sh
lacks 'the packages' dpkg-buildpackage dh && exit

unpack_source
cp "$dist/sectile-$version.tar.gz" "$out/sectile_$version.orig.tar.gz"
cp -R packaging/debian "$out/sectile-$version/debian"
logged build sh -c "cd '$out/sectile-$version' && dpkg-buildpackage -us -uc"
for package in "$out"/*.deb; do
    dpkg-deb -x "$package" "$out/unpacked"
done
use "$out/unpacked/usr"

if ! lacks 'a check by lintian' lintian; then
    logged lintian lintian --fail-on error --info "$out"/*.changes
    echo "debian: lintian: no errors, $(grep -c '^W:' "$log" || true) warnings"
fi

lacks 'a test of the installed packages' autopkgtest mmdebstrap && exit
make_debian "$out/debian.tar"
set -- "$out"/*.deb "$out"/*.dsc --
if [ "$(id -u)" = 0 ]; then
    mkdir "$out/debian"
    tar -xf "$out/debian.tar" -C "$out/debian"
    # What is mounted is gone when the tests end.
    logged autopkgtest unshare --mount sh -c 'mount -t proc proc "$0/proc" && mount -t sysfs sysfs "$0/sys" &&
        exec autopkgtest -U --no-built-binaries "$@" chroot "$0"' "$out/debian" "$@"
else
    logged autopkgtest autopkgtest -U --no-built-binaries "$@" unshare --tarball "$out/debian.tar"
fi
grep -aE '^[a-z]+ +(PASS|FAIL|SKIP)' "$log"
