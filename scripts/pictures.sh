#!/bin/sh
# pictures.sh BINARY [FOLDER] - draws the pictures of the documents again, in docs/pictures/ or in FOLDER,
# by the commands in docs/*.md and README.md:
#     $ sectile plan ... --svg docs/pictures/NAME.svg
set -eu
binary=${1:?must be the path of the sectile binary}
docs=$(cd "$(dirname "$0")/../docs" && pwd)
folder=${2:-$docs/pictures}

sed -n 's|^\$ sectile plan \(.*\) --svg docs/pictures/\([a-z_]*\.svg\)$|\2 \1|p' "$docs"/*.md "$docs"/../README.md |
    while read -r name arguments; do
        # shellcheck disable=SC2086
        "$binary" plan $arguments --svg "$folder/$name" >/dev/null </dev/null
    done
