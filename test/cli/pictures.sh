# pictures.sh - the pictures of the documents are those that the commands beside them make.
. "${0%/*}/support.inc"

root=$(cd "$tests/../.." && pwd)
mkdir made
exits 0 "$root/scripts/pictures.sh" "$SECTILE" made
(cd made && ls) >made.names
(cd "$root/docs/pictures" && ls) >kept.names
same made.names kept.names
[ -s kept.names ] || fail 'there are no pictures'
while read -r name; do
    same "$root/docs/pictures/$name" "made/$name"
    grep -q "](\(docs/\)\{0,1\}pictures/$name)" "$root"/docs/*.md "$root/README.md" || fail "no document shows $name"
done <kept.names
finish
