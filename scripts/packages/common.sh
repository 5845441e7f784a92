# common.sh - what the scripts of this folder share. They are run at the top of the source tree, after
# release.sh. Sets root, dist, version, and out: the folder of this family, which is made anew.
root=$PWD
dist=$root/build/dist
version=$(sed -n 's/^Version: *//p' "$dist/sectile.spec")
family=$(basename "$0" .sh)
out=$root/build/packages/$family
rm -rf "$out"
mkdir -p "$out"
echo "== $family (build/packages/$family)"

# lacks WHAT TOOL...: true, and says so, if this machine lacks one of the tools that WHAT needs.
lacks() {
    what=$1
    shift
    for tool; do
        command -v "$tool" >/dev/null || {
            echo "$family: $what: left out, without $tool"
            return 0
        }
    done
    return 1
}

# logged NAME COMMAND...: runs it, with what it says in NAME.log; prints the end of that if it fails.
logged() {
    log=$out/$1.log
    shift
    "$@" >"$log" 2>&1 || {
        tail -n 40 "$log"
        echo "$family: failed: ${log#"$root/"}"
        exit 1
    }
}

# unpack_source: unpacks the tarball there, in sectile-VERSION.
unpack_source() {
    tar -xf "$dist/sectile-$version.tar.gz" -C "$out"
}

# use PREFIX: what is installed there passes the tests of the Debian packages.
use() {
    libraries=$(dirname "$(find "$1" -name "libsectile.so.$version")")
    for test in tool library; do
        PATH=$1/bin:$PATH LD_LIBRARY_PATH=$libraries PKG_CONFIG_PATH=$libraries/pkgconfig \
            AUTOPKGTEST_TMP=$out logged "$test" sh "packaging/debian/tests/$test"
    done
    echo "$family: the tool and the library work"
}

# make_debian FILE: makes a small Debian, as a tarball.
make_debian() {
    logged mmdebstrap mmdebstrap --variant=minbase bookworm "$1"
}
