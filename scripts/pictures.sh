#!/bin/sh
# pictures.sh BINARY [FOLDER] - draws the pictures of the documents again, in docs/pictures/ or in FOLDER,
# by the commands in docs/*.md and README.md:
#     $ sectile plan|choose ... --svg docs/pictures/NAME.svg
set -eu
binary=${1:?must be the path of the sectile binary}
docs=$(cd "$(dirname "$0")/../docs" && pwd)
folder=${2:-$docs/pictures}

sed -n 's/^\$ sectile \(plan\|choose\) \(.*\) --svg docs\/pictures\/\([a-z_]*\.svg\)$/\3 \1 \2/p' "$docs"/*.md "$docs"/../README.md |
    while read -r name arguments; do
        # Arguments are quoted as for a shell.
        eval "\"\$binary\" $arguments --svg \"\$folder/\$name\"" >/dev/null </dev/null
    done
