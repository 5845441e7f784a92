#!/bin/sh
# docs.sh - builds the static site of the documentation in build/site: the guide, the reference of
# functions and of the tool, the measurements, and their pictures. Pages use no script, no font and no
# picture from elsewhere. Needs cmark-gfm and mandoc, and a built release preset for the tool's page.
set -eu
cd "$(dirname "$0")/.."

site=build/site
binary=build/release/cli/sectile
for tool in cmark-gfm mandoc; do
    command -v $tool >/dev/null || {
        echo "docs.sh: please install $tool" >&2
        exit 1
    }
done
rm -rf $site
mkdir -p $site/reference build/man3
scripts/man3.sh "$PWD/build/man3"

# page TITLE UP FILE: makes a page of the HTML on standard input; UP leads to the top of the site.
page() {
    cat >"$3" <<END
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>$1 - Sectile</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { max-width: 60em; margin: 2em auto; padding: 0 1em; font-family: serif; line-height: 1.5 }
pre, code { font-family: monospace; background: #f4f4f4 }
pre { padding: .6em; overflow-x: auto }
table { border-collapse: collapse } td, th { border: 1px solid #ccc; padding: .2em .5em; vertical-align: top }
img { max-width: 100% }
</style></head><body>
<nav><a href="$2README.html">Sectile</a> | <a href="$2docs/model.html">Guide</a> |
<a href="$2reference/index.html">Reference</a> | <a href="$2docs/results/README.html">Results</a></nav>
$(cat)
</body></html>
END
}

# Other pages are linked as pages; sources are named, as they are not part of the site.
git ls-files -- '*.md' | grep -v '^\.github/' | while read -r file; do
    folder=$(dirname "$file")
    mkdir -p "$site/$folder"
    up=$(dirname "$file" | sed 's/^\.$//; s/[^/][^/]*/../g; s/$/\//; s/^\/$//')
    title=$(sed -n 's/^# //p' "$file" | head -n 1)
    cmark-gfm -e table "$file" | sed 's/href="\([^":]*\)\.md\(#[^"]*\)\{0,1\}"/href="\1.html\2"/g' |
        awk -v folder="$folder" '{
            rest = $0
            line = ""
            while (match(rest, /<a href="[^":#][^":]*">[^<]*(<code>[^<]*<\/code>)?[^<]*<\/a>/)) {
                link = substr(rest, RSTART, RLENGTH)
                line = line substr(rest, 1, RSTART - 1)
                rest = substr(rest, RSTART + RLENGTH)
                if (link !~ /\.(html|svg)["#]/) {
                    sub(/^<a [^>]*>/, "", link)
                    sub(/<\/a>$/, "", link)
                }
                line = line link
            }
            print line rest
        }' | page "$title" "$up" "$site/${file%.md}.html"
done
cp -R docs/pictures $site/docs/
find docs -name '*.svg' | while read -r picture; do
    mkdir -p "$site/$(dirname "$picture")"
    cp "$picture" "$site/$picture"
done

[ ! -x $binary ] || sh scripts/man.sh $binary build/man3
for manual in build/man3/sectile*[!_].[13]; do
    name=${manual##*/}
    mandoc -T html -O fragment "$manual" | page "$name" ../ "$site/reference/$name.html"
done
{
    echo '<h1>Reference</h1><ul>'
    for manual in build/man3/sectile*[!_].[13]; do
        name=${manual##*/}
        echo "<li><a href=\"$name.html\">$name</a>: $(sed -n '/^.SH NAME/{n;s/.*\\- //p;}' "$manual" | sed 's/\\(aq/'"'"'/g; s/\\-/-/g')</li>"
    done
    echo '</ul>'
} | page Reference ../ $site/reference/index.html

# Each page that is linked is there, and nothing comes from elsewhere.
find $site -name '*.html' | while read -r file; do
    grep -o '\(href\|src\)="[^":]*"' "$file" | sed 's/^[a-z]*="//; s/[#"].*//' | sort -u | while read -r link; do
        [ -z "$link" ] || [ -e "$(dirname "$file")/$link" ] || echo "$file: $link"
    done
    ! grep -n '<script\|<link\|src="[a-z]*:' "$file"
done >build/site.log
if [ -s build/site.log ]; then
    cat build/site.log
    exit 1
fi
echo "$site: $(find $site -name '*.html' | wc -l) pages"
