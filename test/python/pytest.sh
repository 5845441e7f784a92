# pytest.sh - the tests of the Python package, with its doctests; and its types, checked by mypy. Those
# of its part for torch are in test/torch/.
set -eu
cd "$(dirname "$0")/../../python"

[ -x "$VENV/bin/pytest" ] || {
    echo 'skipped: the package is not installed'
    exit 77
}
"$VENV/bin/mypy" --strict --cache-dir "$VENV/mypy" --exclude sectile/torch sectile
cd tests
exec "$VENV/bin/pytest" -q -p no:cacheprovider --ignore=torch
