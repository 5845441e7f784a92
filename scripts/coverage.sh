#!/bin/sh
# coverage.sh [FOLDER] - builds with coverage counters in FOLDER (build/coverage) and runs the tests.
# Prints each line of src/, pictures/ and cli/ that no test reaches, then for each file how many lines are
# reached.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-build/coverage}
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}

scripts/setup.sh test

# execv and _exit are replaced, so that the counters are saved there, too. Saving them takes longer
# than most test processes run, hence the longer time limit of tests.
coverage_flags="-O0 --coverage -fprofile-update=atomic -Dexecv=__gcov_execv -D_exit=quick_exit \
-include $PWD/scripts/counted_exit.h"

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
    -L '^(unit|rules|whole|fuzz|cli|mpi)$' || passed=false

# For each line, gcov prints how often it ran ("#####": never; "-": it has no code), its number and
# its text. A file that is compiled into several programs, or included, is printed several times.
find "$folder" -name '*.gcda' | sort | xargs gcov -t 2>/dev/null | awk -F: -v root="$PWD/" '
{
    count = $1
    number = $2 + 0
    gsub(/ /, "", count)
}

$3 == "Source" && number == 0 {
    file = index($4, root) == 1 ? substr($4, length(root) + 1) : ""
    if (file !~ /^(src|pictures|cli)\//)
        file = ""
    else if (!(file in lines)) {
        files[++file_count] = file
        lines[file] = reached[file] = 0
    }
    next
}

number == 0 || file == "" || count == "-" { next }

{
    place = file ":" number
    if (!(place in ran)) {
        ran[place] = 0
        lines[file]++
        last[file] = number > last[file] ? number : last[file]
        text[place] = $0
        sub(/^[^:]*:[^:]*:/, "", text[place])
    }
    if (!ran[place] && count !~ /^[#=]/) {
        ran[place] = 1
        reached[file]++
    }
}

function print_share(name, some, all) {
    printf "%6.1f %%  %5d of %5d  %s\n", (all > 0 ? 100 * some / all : 100), some, all, name
}

END {
    for (i = 1; i <= file_count; i++)
        for (n = 1; n <= last[files[i]]; n++) {
            place = files[i] ":" n
            if (place in ran && !ran[place])
                print place ":" text[place]
        }
    print ""
    for (i = 1; i <= file_count; i++) {
        print_share(files[i], reached[files[i]], lines[files[i]])
        some += reached[files[i]]
        all += lines[files[i]]
    }
    print_share("total", some, all)
}'
$passed
