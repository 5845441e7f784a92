# examples.sh - the examples of the Python package run, and write the pictures that they promise.
set -eu
cd "$(dirname "$0")/../../python/examples"

[ -x "$VENV/bin/pytest" ] || {
    echo 'skipped: the package is not installed'
    exit 77
}
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
for example in *.py; do
    mkdir "$temp/${example%.py}"
    (cd "$temp/${example%.py}" && "$VENV/bin/python" "$OLDPWD/$example")
    for picture in $(sed -n 's/.*"\([a-z_]*\.svg\)".*/\1/p' "$example"); do
        grep -q '</svg>' "$temp/${example%.py}/$picture" || {
            echo "failed: $example wrote no $picture" >&2
            exit 1
        }
    done
done
