# conda.sh - the recipe of conda: rattler-build, which pip installs, checks it, builds the package, and runs its
# test on the package installed. conda_build.py says what takes the place of conda's packages.
set -eu
. scripts/packages/common.sh
lacks 'the package' python3 cmake ninja patchelf && exit
if ! python3 -m venv "$out/venv" || ! "$out/venv/bin/pip" install -q py-rattler-build; then
    echo 'conda: the package: left out, without py-rattler-build'
    exit
fi
mkdir "$out/recipe"
cp "$dist/recipe.yaml" "$dist/sectile-$version.tar.gz" "$out/recipe"
logged build "$out/venv/bin/python" scripts/packages/conda_build.py "$out/recipe/recipe.yaml" "$out/built"
tail -n 2 "$log"
