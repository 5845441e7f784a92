#!/bin/sh
# pictures.sh BINARY [FOLDER] - makes the pictures of the documents again, in docs/pictures/ or in
# FOLDER. What makes each of them stands above it in docs/: the lines
#     $ sectile plan ... --svg docs/pictures/NAME.svg
set -eu
binary=${1:?is to be the path of the binary}
docs=$(cd "$(dirname "$0")/../docs" && pwd)
folder=${2:-$docs/pictures}

sed -n 's|^\$ sectile plan \(.*\) --svg docs/pictures/\([a-z_]*\.svg\)$|\2 \1|p' "$docs"/*.md |
    while read -r name arguments; do
        # shellcheck disable=SC2086
        "$binary" plan $arguments --svg "$folder/$name" >/dev/null </dev/null
    done
