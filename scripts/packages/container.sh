# container.sh - the container: buildah builds the Containerfile from the tarball, and the tool runs in it. The
# image it begins with is made here, from Debian's packages, so that no registry of images is needed, nor are
# privileges to start containers: commands run in a chroot.
set -eu
. scripts/packages/common.sh
lacks 'the container' buildah mmdebstrap && exit

# Images are kept apart from those of the user.
build() {
    buildah --root "$out/storage" --runroot "$out/run" "$@"
}
trap 'build rm --all >/dev/null' EXIT

make_debian "$out/debian.tar"
base=$(build from scratch)
logged base build add "$base" "$out/debian.tar" /
logged base build commit "$base" debian:12
unpack_source
logged build build build --isolation chroot --pull-never -f packaging/Containerfile -t sectile "$out/sectile-$version"

container=$(build from --pull-never sectile)
entry=$(build inspect --format '{{index .OCIv1.Config.Entrypoint 0}}' "$container")
logged tool build run --isolation chroot "$container" -- "$entry" run --check --shape 100x70x50 --a row --b col
printf '%%%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n' >"$out/A.mtx"
logged multiply build run --isolation chroot -v "$out:/data" "$container" -- "$entry" multiply A.mtx A.mtx -o C.npy
[ -s "$out/C.npy" ]
echo "container: the tool works in it"
