#!/bin/sh
# coverage.sh [FOLDER] - builds with coverage counters in FOLDER (build/coverage) and runs the tests.
# Prints each line of src/, pictures/ and cli/ that no test reaches, then for each folder how many lines are reached, and
# how many branches are taken: of each condition, the ways in which it can come out.
# docs/results/coverage.md has the result.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-build/coverage}
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}

scripts/setup.sh test

# The exec functions and _exit are replaced, so that the counters are saved there, too. Saving them takes longer
# than most test processes run, hence the longer time limit of tests.
coverage_flags="-O0 --coverage -fprofile-update=atomic -Dexecv=__gcov_execv -Dexecvp=__gcov_execvp \
-Dexecl=__gcov_execl -D_exit=quick_exit -include $PWD/scripts/counted_exit.h"

build() {
    cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=gcc \
        -DSECTILE_TEST_TIMEOUT=1800 \
        -DCMAKE_C_FLAGS="$coverage_flags" &&
        cmake --build "$folder" --parallel "$jobs" --target tests sectile_cli
}

mkdir -p "$folder"
if ! build >"$folder/build.log" 2>&1; then
    cat "$folder/build.log"
    exit 1
fi
find "$folder" -name '*.gcda' -delete
passed=true
ctest --test-dir "$folder" --parallel "$jobs" --output-on-failure \
    -L '^(unit|rules|whole|fuzz|cli|mpi|processes|opencl|cuda|scalapack)$' || passed=false

# For each line, gcov prints how often it ran ("#####": never; "-": it has no code), its number and
# its text, then how often each of its branches was taken. A file that is compiled into several programs, or included,
# is printed several times. No test takes the branch on which an assertion fails.
report() {
    find "$folder" -name '*.gcda' | sort | xargs gcov -t -b 2>/dev/null | awk -F: -v root="$PWD/" '
/^branch / {
    if (place == "" || text[place] ~ /^ *assert\(/)
        next
    split($0, word, " +")
    branch = place ":" word[2]
    if (!(branch in taken)) {
        taken[branch] = 0
        branches[folder]++
    }
    if (!taken[branch] && word[4] + 0 > 0) {
        taken[branch] = 1
        branches_taken[folder]++
    }
    next
}

NF < 3 { next }

{
    count = $1
    number = $2 + 0
    gsub(/ /, "", count)
    place = ""
}

$3 == "Source" && number == 0 {
    file = index($4, root) == 1 ? substr($4, length(root) + 1) : ""
    if (file !~ /^(src|pictures|cli)\//)
        file = ""
    folder = file
    sub(/\/[^\/]*$/, "", folder)
    if (file != "" && !(file in last))
        files[++file_count] = file
    if (file != "" && !(folder in lines)) {
        folders[++folder_count] = folder
        lines[folder] = 0
    }
    next
}

number == 0 || file == "" || count == "-" { next }

{
    place = file ":" number
    if (!(place in ran)) {
        ran[place] = 0
        lines[folder]++
        last[file] = number > last[file] ? number : last[file]
        text[place] = $0
        sub(/^[^:]*:[^:]*:/, "", text[place])
    }
    if (!ran[place] && count !~ /^[#=]/) {
        ran[place] = 1
        lines_reached[folder]++
    }
}

function share(some, all) {
    return sprintf("%6.1f %%  %5d of %5d", (all > 0 ? 100 * some / all : 100), some, all)
}

END {
    for (i = 1; i <= file_count; i++)
        for (n = 1; n <= last[files[i]]; n++) {
            place = files[i] ":" n
            if (place in ran && !ran[place])
                print place ":" text[place]
        }
    print "\n         lines reached         branches taken"
    for (i = 1; i <= folder_count; i++) {
        f = folders[i]
        print share(lines_reached[f], lines[f]) share(branches_taken[f], branches[f]) "  " f | "sort -k 11"
        some_lines += lines_reached[f]
        all_lines += lines[f]
        some_branches += branches_taken[f]
        all_branches += branches[f]
    }
    close("sort -k 11")
    print share(some_lines, all_lines) share(some_branches, all_branches) "  total"
}'
}

report
$passed
