# doc_examples.sh - the code in README.md and docs/ works: each block of C is compiled, those with a main are
# linked and run, and the commands of the tool that need no other host, MPI or device are run. Each variable of
# the environment that the sources name is in docs/model.md.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
sectile=$SECTILE_BUILD/cli/sectile
[ -x "$sectile" ] || exit 77

fail() {
    echo "failed: $*" >&2
    exit 1
}

for variable in $(grep -rho '"SECTILE_[A-Z_]*[A-Z]"' src cli python/sectile | tr -d '"' | sort -u); do
    grep -q "^|.*\`$variable\`" docs/model.md || fail "docs/model.md does not name $variable"
done

# blocks LANGUAGE: writes each block of that language to a file of its own, named after its page and line.
blocks() {
    for page in README.md docs/*.md; do
        awk -v start="\`\`\`$1" -v out="$temp/$1-$(basename "$page" .md)-" '
            $0 == start { file = out NR; next }
            /^```/ { file = "" }
            file != "" { print >file }' "$page"
    done
}

# What a block that is a part of a program stands in.
cat >"$temp/before.h" <<'END'
#include <sectile/sectile.h>
#ifdef WITH_MPI
#include <sectile/sectile_mpi.h>
#include <sectile/sectile_scalapack.h>
#endif
int work(sct_world *world, void *arg);
END
cat >"$temp/work.c" <<'END'
#include <sectile/sectile.h>
int work(sct_world *world, void *arg);
int work(sct_world *world, void *arg) {
    (void)arg;
    return sct_world_barrier(world) != SCT_OK;
}
END

# What README.md leaves out, as "...".
cat >"$temp/left_out.c" <<'END'
    sct_layout *others, *results;
    sct_layout_create_row(800, 600, sct_world_size(world), &others);
    sct_layout_create_row(1000, 600, sct_world_size(world), &results);
    sct_matrix_create(world, SCT_F64, others, &b);
    sct_matrix_create(world, SCT_F64, results, &c);
END

# make_program BLOCK: a whole program, from a block with a main or from one that stands in a function.
make_program() {
    if grep -q 'int main(' "$1"; then
        grep -q 'sct_world \*world, void \*arg)' "$1" || cat "$temp/before.h"
        sed -e '/^ *\.\.\. /{r '"$temp/left_out.c" -e 'd}' "$1"
        return
    fi
    cat "$temp/before.h"
    echo '#ifndef WITH_MPI'
    echo 'typedef int MPI_Comm;'
    echo '#endif'
    echo 'void example(int argc, char **argv, MPI_Comm comm, const int *desc, void *a) {'
    grep -q '^sct_world \*world' "$1" || echo 'sct_world *world;'
    echo 'int level; sct_layout *layout; sct_matrix *matrix; (void)level; (void)layout; (void)matrix;'
    sed '/^ *\.\.\.$/d' "$1"
    echo '}'
}

blocks c
count=0
kind=$(echo "$SECTILE_MPIS" | sed 's/ .*//')
for block in "$temp"/c-*; do
    make_program "$block" >"$block.c"
    [ -n "$kind" ] || ! grep -q 'MPI\|scalapack' "$block" || continue
    set -- -std=c11 -Iinclude -Werror=implicit-function-declaration
    libraries="-L$SECTILE_BUILD/src -Wl,-rpath,$SECTILE_BUILD/src"
    if [ -n "$kind" ]; then
        compiler=mpicc.$kind
        set -- "$@" -DWITH_MPI
        libraries="$libraries -lsectile_mpi_$kind"
    else
        compiler=${CC:-cc}
    fi
    $compiler "$@" -c "$block.c" -o "$block.o" 2>"$temp/said" || fail "${block##*/}: $(cat "$temp/said")"
    count=$((count + 1))
    grep -q 'int main(' "$block" || continue
    if grep -q 'static int work' "$block"; then
        set --
    else
        $compiler "$@" -c "$temp/work.c" -o "$temp/work.o"
        set -- "$temp/work.o"
    fi
    # shellcheck disable=SC2086
    $compiler "$block.o" "$@" -o "$block.run" $libraries -lsectile -pthread 2>"$temp/said" ||
        fail "${block##*/}: $(cat "$temp/said")"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    if grep -q bootstrap "$block"; then
        set -- "$sectile" launch -n 2 "$block.run"
    else
        set -- "$block.run"
    fi
    "$@" >"$temp/said" 2>&1 || fail "${block##*/} ends with $?: $(cat "$temp/said")"
done
[ $count -ge 8 ] || [ -z "$kind" ] || fail "only $count blocks of C were found"

# The commands of the tool, on files that it has made.
blocks sh
mkdir "$temp/bin" "$temp/files"
ln -s "$sectile" "$temp/bin/sectile"
PATH=$temp/bin:$PATH
cd "$temp/files"
printf '%%%%MatrixMarket matrix array real general\n4 4\n%s' "$(seq 16)" >A.mtx
sectile copy A.mtx -o A.npy >/dev/null
cp A.npy B.npy
commands=0
cat "$temp"/sh-* | sed 's/ #.*//' | grep '^sectile ' |
    grep -v 'hosts\|program\|opencl\|measure\|here.json' >"$temp/commands"
while read -r command; do
    sh -c "$command" >"$temp/said" 2>&1 </dev/null || fail "$command: $(cat "$temp/said")"
    commands=$((commands + 1))
done <"$temp/commands"
[ $commands -ge 8 ] || fail "only $commands commands of the tool were found in $root"
