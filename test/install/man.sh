# man.sh - each public function has a man page, which shows that of the group in which its header declares it,
# with the prototypes of all in its synopsis.
set -eu
cd "$(dirname "$0")/../.."

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
man=$temp/man3
mkdir "$man"
scripts/man3.sh "$man"
pages=$(find "$man" -name 'sectile_*.3' | wc -l)
[ "$pages" -ge 12 ] || { echo "failed: only $pages man pages" >&2; exit 1; }

# The page of each, such as sct_run, is that of its group, which declares it.
sed -n 's/@@SECTILE_[0-9].*//p' src/symbols/*.txt | while read -r name; do
    page=$(sed -n 's/^\.so man3\///p' "$man/$name.3" 2>/dev/null || :)
    [ -n "$page" ] && sed '1,/SYNOPSIS/d; /DESCRIPTION/,$d' "$man/$page" | grep -qw "$name" || echo "$name"
done >"$temp/lacking"
[ ! -s "$temp/lacking" ] || { echo "failed: no man page has:" $(cat "$temp/lacking") >&2; exit 1; }
grep -q '^#define SCT_HERE' "$man/sectile_tiles.3" || { echo 'failed: no page has SCT_HERE' >&2; exit 1; }
# Comments are text: no line of code begins with a capital.
awk '/^\.nf/ { code = 1 } /^\.fi/ { code = 0 } code && /^[A-Z]/ { print FILENAME ": " $0 }' "$man"/*.3 >"$temp/mixed"
[ ! -s "$temp/mixed" ] || { echo "failed: text among code: $(cat "$temp/mixed")" >&2; exit 1; }
if command -v mandoc >/dev/null; then
    (cd "$temp" && mandoc -T lint -W error man3/*.3) || { echo 'failed: mandoc finds errors' >&2; exit 1; }
fi
