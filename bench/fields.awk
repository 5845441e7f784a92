# fields.awk - reads fields of lines of JSON, such as those of `sectile bench --json`, and sorts numbers.

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

# Sorts the numbers list[1] to list[count].
function sort(list, count,    i, j, value) {
    for (i = 2; i <= count; i++) {
        value = list[i]
        for (j = i - 1; j > 0 && list[j] > value; j--)
            list[j + 1] = list[j]
        list[j + 1] = value
    }
}
