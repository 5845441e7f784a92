# output.sh - what happens when results cannot be written, or the user ends the program (47, 48).
. "${0%/*}/support.inc"

{ npy '<f8' False '(40, 1)'; doubles $(seq 1 40); } >column.npy
{ npy '<f8' False '(1, 40)'; doubles $(seq 1 40); } >row.npy

closed_stdout() {
    "$SECTILE" plan --json >&- 2>err
    [ $? -eq 1 ] || fail 'plan with stdout closed'
    says err 'standard output'
    "$SECTILE" --help >&- 2>err
    [ $? -eq 1 ] || fail 'help with stdout closed'
    "$SECTILE" multiply column.npy row.npy -o whole.npy >&- 2>err
    [ $? -eq 1 ] || fail 'multiply with stdout closed'
    exits 0 "$SECTILE" multiply column.npy row.npy -o expected.npy
    same whole.npy expected.npy
}

full_stdout() {
    [ -w /dev/full ] || return
    "$SECTILE" run --shape 10x10x10 --json >/dev/full 2>err
    [ $? -eq 1 ] || fail 'run with stdout full'
    says err 'No space left'
}

# A limit on the size of files stands for a full disk; the output is 12928 bytes.
full_disk() {
    (ulimit -f 8 && exec "$SECTILE" multiply column.npy row.npy -o limited.npy) >out 2>err
    [ $? -eq 1 ] || fail 'multiply beyond the limit of file sizes'
    says err 'cannot be written'
    [ -e limited.npy ] && fail 'a partial file'
    echo old >kept.npy
    cp kept.npy before
    (ulimit -f 8 && exec "$SECTILE" multiply column.npy row.npy -o kept.npy) >out 2>err
    same kept.npy before
    (ulimit -f 8 && exec "$SECTILE" multiply column.npy row.npy -o -) >out 2>err && fail 'a partial output'
    says err "standard output: it cannot be kept in a temporary file in ${TMPDIR:-/tmp}: File too large"
    "$SECTILE" multiply column.npy row.npy -o - |
        (ulimit -f 8 && exec "$SECTILE" multiply - column.npy -o limited.npy) >out 2>err && fail 'a part of a pipe'
    says err "standard input: it cannot be kept in a temporary file in ${TMPDIR:-/tmp}: File too large"
}

full_small_disk() {
    mkdir small
    mount -t tmpfs -o size=8k none small 2>/dev/null || return
    exits 1 "$SECTILE" multiply column.npy row.npy -o small/c.npy
    says err 'No space left'
    ln -s c.svg small/link.svg
    exits 1 "$SECTILE" plan --picture --svg small/link.svg --shape 64x64x64 --a cyclic:1x1
    says err 'No space left'
    [ "$(ls -A small)" = link.svg ] || fail "left on the full disk: $(ls -A small)"
    echo old >small/old.svg
    exits 1 "$SECTILE" plan --picture --svg small/old.svg --shape 64x64x64 --a cyclic:1x1
    [ "$(cat small/old.svg)" = old ] || fail 'a picture is lost on the full disk'
    rm small/link.svg
    [ "$(ls -A small)" = old.svg ] || fail "left on the full disk: $(ls -A small)"
    umount small
}

odd_outputs() {
    exits 1 "$SECTILE" multiply column.npy row.npy -o /dev/null
    says err 'not a regular file'
    [ -c /dev/null ] || fail '/dev/null was replaced'
    # What /dev/stdout leads to has no name, so that the link itself would be replaced.
    ln -s /proc/self/fd/1 link.npy
    "$SECTILE" multiply column.npy row.npy -o link.npy 2>err | cat >out
    says err 'not a regular file'
    [ -L link.npy ] || fail 'a link to a pipe was replaced'
    # as cp, which does not write through a link that leads nowhere
    ln -s nowhere.npy dangling.npy
    exits 1 "$SECTILE" multiply column.npy row.npy -o dangling.npy
    says err 'it is a link to a file that does not exist'
    [ -L dangling.npy ] && [ ! -e nowhere.npy ] || fail 'a link that leads nowhere was used'
    exits 1 "$SECTILE" multiply column.npy row.npy -o "$(printf '%300s' x)"
    exits 1 "$SECTILE" plan --picture --svg "$(printf '%5000s' x)"
    # The file could have this name, but the temporary one beside it is longer.
    long=$(printf '%2043s' '' | sed 's| |./|g')
    exits 1 "$SECTILE" multiply column.npy row.npy -o "${long}c.npy"
    exits 1 "$SECTILE" plan --picture --svg "${long}p.svg"
    [ -e c.npy ] || [ -e p.svg ] && fail 'a file of a name that is too long'
    # With the header that the tool writes, which is longer, the file would have 2^63 bytes.
    printf '\223NUMPY\001\000\126\000%-85s\n' \
        "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 1152921504606846963), }" >long.npy
    exits 1 "$SECTILE" copy long.npy -o longer.npy
    says err 'too large'
}

# A picture takes the place of an older one; what is no file, or errors are printed to, stays where it is.
pictures() {
    echo old >older.svg
    ln older.svg kept.svg
    ln -s older.svg link.svg
    chmod 640 older.svg
    exits 0 "$SECTILE" plan --picture --svg link.svg
    [ "$(cat kept.svg)" = old ] || fail 'a picture is written over an older one'
    says older.svg '<svg'
    [ -L link.svg ] || fail 'a link is replaced by a picture'
    [ "$(stat -c %a older.svg)" = 640 ] || fail "the mode of a picture becomes $(stat -c %a older.svg)"
    : >printed
    ln printed still
    "$SECTILE" plan --picture --svg /dev/stderr 2>>printed >out || fail "--svg /dev/stderr: $(cat printed)"
    says still '<svg'
    "$SECTILE" plan --picture --svg /dev/stderr 2>&1 >out | cat >piped
    says piped '<svg'
    # It would be mixed with the text of the verb.
    exits 1 "$SECTILE" plan --picture --svg /dev/stdout
    says err '/dev/stdout: cannot be written: it is the standard output, which has the text of the verb'
    [ ! -s out ] || fail 'something is printed although the picture is refused'
    exits 1 "$SECTILE" run --shape 9x9x9 --trace out
    "$SECTILE" plan --svg /dev/stdout 2>err | cat >piped
    says err '/dev/stdout: cannot be written: it is'
    "$SECTILE" plan --svg /dev/null >/dev/null || fail 'nothing is mixed in /dev/null'
    exits 1 env TMPDIR=nowhere "$SECTILE" plan --picture --svg new.svg
    says err 'sectile: new.svg: it cannot be kept in a temporary file in nowhere: No such file or directory'
    exits 1 "$SECTILE" plan --picture --svg .
    says err '.: cannot be written: Is a directory'
}

# mode OLD NEW OWNER: what becomes of a file with this mode and owner that is replaced.
mode() {
    exits 0 "$SECTILE" copy column.npy -o replaced.npy
    chown "$3" replaced.npy
    chmod "$1" replaced.npy
    exits 0 "$SECTILE" copy column.npy -o replaced.npy
    [ "$(stat -c '%a %u:%g' replaced.npy)" = "$2 $3" ] ||
        fail "$1 of $3 became $(stat -c '%a of %u:%g' replaced.npy), not $2"
}

# A replaced file keeps its owner and group, and its mode without the bits that make programs run as them.
modes() {
    me=$(id -u):$(id -g)
    mode 640 640 "$me"
    mode 6755 755 "$me"
    [ "$(id -u)" != 0 ] || mode 664 664 65534:65533
}

# A file that may not be written is not replaced, even where its folder may be.
# A name that was meant for another file.
other_kind() {
    { npy '<f8' False '(1, 1)'; doubles 7; } >one.npy
    echo 'int main;' >notes.c
    cp notes.c kept
    for words in 'copy one.npy' 'multiply one.npy one.npy'; do
        # shellcheck disable=SC2086
        exits 2 "$SECTILE" $words -o notes.c
        one_line err
        says err '-o notes.c would replace a file that is no .npy file; --force allows that'
        same notes.c kept
    done
    exits 0 "$SECTILE" copy one.npy -o notes.c --force
    same notes.c one.npy
    exits 0 "$SECTILE" copy one.npy -o notes.c
    : >empty
    exits 0 "$SECTILE" copy one.npy -o empty
    same empty one.npy
}

protected() {
    echo old >kept_old.npy
    chmod 444 kept_old.npy
    bounded=
    [ "$(id -u)" != 0 ] || bounded='setpriv --bounding-set=-dac_override' # or root may write it
    $bounded true 2>/dev/null || return
    # shellcheck disable=SC2086
    exits 1 $bounded "$SECTILE" copy column.npy -o kept_old.npy
    says err 'kept_old.npy: cannot be written: Permission denied'
    [ "$(cat kept_old.npy)" = old ] || fail 'a file that may not be written is replaced'
}

# interrupted SIGNAL CODE: in the middle of a product that would last for hours.
interrupted() {
    "$SECTILE" multiply tall.npy wide.npy -o late.npy --ranks 2 --per-node 1 $late,delay_us=1000000 \
        --a cyclic:1x1 --b cyclic:1x1 --slice tile --stay c >out 2>err &
    child=$!
    tries=0
    until writes $child late.npy || [ $tries -eq 100 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    writes $child late.npy || fail 'no temporary file seen'
    kill -s "$1" $child
    wait $child
    code=$?
    [ $code -eq "$2" ] || fail "exit $code after $1, not $2"
    [ -e late.npy ] && fail "a partial file after $1"
}

signals() {
    exits 0 "$SECTILE" multiply column.npy row.npy -o tall.npy
    cp tall.npy wide.npy
    interrupted INT 130
    interrupted TERM 143
    interrupted KILL 137
    left_by_kill
}

closed_stdout
full_stdout
full_disk
full_small_disk
odd_outputs
pictures
modes
other_kind
protected
signals
no_leftovers
finish
