# headers.sh - each public header compiles alone, as C11 and as C++17, without a warning.
set -eu
cd "$(dirname "$0")/../.."

# compile HEADER COMMAND...
compile() {
    header=$1
    shift
    echo "#include <sectile/$header>" | "$@" -Wall -Wextra -pedantic -Werror -Iinclude -fsyntax-only -
}

for header in include/sectile/*.h; do
    header=${header##*/}
    compile "$header" "${CC:-cc}" -std=c11 -x c
    compile "$header" "${CXX:-c++}" -std=c++17 -x c++
done
