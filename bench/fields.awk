# fields.awk - reads fields of lines of JSON, such as those of `sectile bench --json`.

# The value of a field of the current line; "" if there is none.
function field(key,    start, rest) {
    start = index($0, "\"" key "\":")
    if (start == 0)
        return ""
    rest = substr($0, start + length(key) + 3)
    if (rest ~ /^"/) {
        rest = substr(rest, 2)
        return substr(rest, 1, index(rest, "\"") - 1)
    }
    sub(/[,}].*/, "", rest)
    return rest
}
