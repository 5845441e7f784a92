# rpm.sh - the RPMs: rpmbuild makes them, rpmlint finds no errors, and what is in them works where it is
# unpacked. Needs no distribution of RPMs: rpm.macros has the macros that another one may lack, and what the
# build depends on may come from elsewhere.
set -eu
. scripts/packages/common.sh
lacks 'the packages' rpmbuild rpm2cpio cpio && exit

logged build rpmbuild -ba --nodeps --load scripts/packages/rpm.macros --define "_topdir $out/rpmbuild" \
    --define "_sourcedir $dist" "$dist/sectile.spec"
for package in "$out"/rpmbuild/RPMS/*/*.rpm; do
    mkdir -p "$out/unpacked"
    rpm2cpio "$package" | (cd "$out/unpacked" && cpio -idm --quiet)
done
use "$out/unpacked/usr"

if ! lacks 'a check by rpmlint' rpmlint; then
    logged rpmlint rpmlint -c scripts/packages/rpmlint.toml "$dist/sectile.spec" "$out"/rpmbuild/*RPMS/*/*.rpm
    tail -n 1 "$out/rpmlint.log"
fi
