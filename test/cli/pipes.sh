# pipes.sh - matrices from the standard input, to the standard output, from .npz archives and from texts of
# Matrix Market; and archives and texts that are refused.
. "${0%/*}/support.inc"

{ npy '<f8' False '(2, 3)'; doubles 1 2 3 4 5 6; } >a.npy
{ npy '<f8' True '(2, 3)'; doubles 1 4 2 5 3 6; } >a_fortran.npy
{ npy '<f8' False '(3, 1)'; doubles 1 0 -1; } >b.npy
{ npy '<f8' False '(2, 1)'; doubles -2 -2; } >product.npy

# piped EXPECTED FROM COMMAND...
piped() {
    expected=$1
    from=$2
    shift 2
    cat "$from" | "$@" >out 2>err || fail "exit $?: $*: $(cat err)"
    same out "$expected"
    [ -s err ] && fail "something beside the matrix: $(cat err)"
}

standard_streams() {
    piped a.npy a.npy "$SECTILE" copy - -o -
    piped product.npy a.npy "$SECTILE" multiply - b.npy -o - --ranks 3
    piped product.npy b.npy "$SECTILE" multiply a.npy - -o -
    "$SECTILE" copy - -o c.npy <a.npy >out || fail 'from a file'
    same c.npy a.npy
    exits 1 "$SECTILE" copy - -o c.npy </dev/null
    says err 'sectile: standard input: it is not a .npy file: it is empty'
    exits 1 "$SECTILE" copy - -o c.npy <.
    says err 'sectile: standard input: Is a directory'
    head -c 150 a.npy | "$SECTILE" copy - -o - >out 2>err && fail 'a part was copied'
    says err 'sectile: standard input: it is cut short'
    [ -s out ] && fail 'output in spite of an error'
    "$SECTILE" copy a.npy -o - >&- 2>err && fail 'with stdout closed'
    says err 'sectile: standard output: cannot be written'
    "$SECTILE" copy - -o a_copy.npy <&- 2>err && fail 'with stdin closed'
    TMPDIR=$work/nowhere "$SECTILE" copy - -o c.npy <a.npy 2>err && fail 'without room for a pipe'
    says err "sectile: standard input: it cannot be kept in a temporary file in $work/nowhere: No such file"
    TMPDIR=$work/nowhere "$SECTILE" copy a.npy -o - >out 2>err && fail 'without room for the output'
    says err "sectile: standard output: it cannot be kept in a temporary file in $work/nowhere: No such file"
    cp a.npy kept.npy
    "$SECTILE" copy - -o kept.npy --op T <kept.npy 2>err && fail 'an input was replaced'
    says err '-o kept.npy would replace the input standard input'
    exits 2 "$SECTILE" launch -n 2 "$SECTILE" copy - -o c.npy
    says err '- needs ranks that are threads'
    exits 2 "$SECTILE" launch -n 2 "$SECTILE" copy a.npy -o -
    says err '-o - needs ranks that are threads'
}

# What never ends is not kept: only as much is read as the first bytes announce.
# shellcheck disable=SC2016
endless() {
    # endless_refused TEXT COMMAND: what the command prints first, and then more than a file may have
    endless_refused() {
        (ulimit -f 4096 && { eval "$2"; exec cat /dev/zero; } | timeout 20 "$SECTILE" copy - -o none.npy) \
            >out 2>err && fail "endless: $2"
        one_line err
        says err "sectile: standard input: $1"
    }
    endless_refused 'it is not a .npy file' 'yes | head -n 1000'
    endless_refused 'it is too long: more than the 176 bytes that its header says' 'cat a.npy'
    endless_refused 'it is too long: more than the 1048704 bytes that its header says' \
        'npy "<f8" False "(256, 512)"; head -c 1048576 /dev/zero'
    endless_refused 'it is too long: a text of a 2 x 3 matrix may have at most 131840 bytes where it comes from a pipe' \
        'market "real general" 2 3 1 4 2 5 3 6'
    endless_refused 'its header, comments included, is not in the first 131072 bytes' \
        'echo "%%MatrixMarket matrix array real general"; yes "% a comment" | head -n 20000; echo 1 1; echo 1'
    # The number of columns is cut.
    endless_refused 'its header, comments included, is not in the first 131072 bytes' \
        'printf "%%%%MatrixMarket matrix array real general\n%%%131024s\n1 3456789\n" x'
    endless_refused 'line 1: there should be "array"' 'echo "%%MatrixMarket matrix"; yes "% a comment" | head -n 20000'
    endless_refused 'it is a .npz archive, which is read from a file only' 'printf "PK\003\004"'
    endless_refused 'its shape is too large' 'npy "<f8" False "(999999999999, 999999999999)"'
    (npy '<f8' False '(256, 512)'; head -c 1048576 /dev/zero) >large.npy
    piped large.npy large.npy "$SECTILE" copy - -o -
}

# with_header FIFO NUMBER DESCR ORDER SHAPE: has a program at the other end that has written a header, and writes no more.
with_header() {
    mkfifo "$1"
    eval "exec $2<>$1"
    shift
    eval "shift; npy \"\$@\" >&$1"
}

# What the headers say is decided before any element comes, and a dry run reads none.
header_first() {
    with_header left 3 '<f8' False '(2000, 3000)'
    with_header right 4 '<f8' False '(3000, 10)'
    exits 0 timeout 20 "$SECTILE" multiply left right --dry-run
    says out 'C is 2000 x 10, k is 3000'
    npy '<f8' False '(2000, 3000)' >&3
    exits 0 timeout 20 "$SECTILE" copy - --dry-run --op T <left
    says out '3000 x 2000, f64'
    npy '<f8' False '(3, 1000000000000)' >&3
    exits 1 timeout 20 "$SECTILE" multiply a.npy left --dry-run -o none.npy
    says err 'sectile: none.npy: cannot be written: No space left on device'
    [ -s out ] && fail "a product without room was shown: $(cat out)"
    npy '<f8' False '(3, 1000000000000)' >&3
    exits 1 timeout 20 "$SECTILE" copy left --dry-run -o none.npy
    says err 'sectile: none.npy: cannot be written: No space left on device'
    npy '<f8' False '(2000, 3000)' >&3
    exits 1 timeout 20 "$SECTILE" multiply left b.npy -o none.npy
    says err 'op(A) must have as many columns as op(B) has rows'
    npy '<f8' False '(2000, 3000)' >&3
    exits 1 timeout 20 "$SECTILE" copy left -o none.npy --memory 1K
    says err 'no memory for the matrix of left, 2000 x 3000 elements of f64'
    npy '<c16' False '(2000, 3000)' >&3
    exits 1 timeout 20 "$SECTILE" copy left -o none.npy --type f64
    says err 'whose imaginary parts would be lost'
    echo 'no matrix' >kept.txt
    ln -s kept.txt kept
    npy '<f8' False '(2000, 3000)' >&3
    exits 2 timeout 20 "$SECTILE" copy left -o kept
    says err '-o kept would replace a file that is no .npy file'
    npy '<f8' False '(9, 2000, 3000)' >&3
    exits 2 timeout 20 "$SECTILE" copy left -o none.npy --b row/f
    says err "'row/f' is not allowed"
    npy '<f8' False '(1, 1000000000000)' >&3
    npy '<f8' False '(1000000000000, 1)' >&4
    exits 1 timeout 20 "$SECTILE" multiply left right -o none.npy --memory 1G
    says err "left: it cannot be kept in a temporary file in ${TMPDIR:-/tmp}: No space left on device"
    exec 3>&- 4>&-
    # Of a text, and of what is refused, no more than the start is read.
    for head in 'market "real general" 20000 20000' 'npy "<f8" False "(20000, 20000)"'; do
        { eval "$head" && trap '' PIPE && LC_ALL=C dd if=/dev/zero bs=4096 count=100000 2>written; } |
            exits 1 "$SECTILE" multiply - b.npy -o none.npy
        bytes=$(sed -n 's/ bytes.*//p' written)
        [ "$bytes" -lt 4000000 ] || fail "$bytes bytes were written in vain: $head"
    done
    [ -e none.npy ] && fail 'output in spite of an error'
}

archives() {
    command -v python3 >python || return
    python3 - <<'END' || fail 'archives cannot be made'
import struct
import warnings
import zipfile
for name, method in ("stored", zipfile.ZIP_STORED), ("packed", zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(name + ".npz", "w", method) as archive:
        for member, file in ("a", "a.npy"), ("b", "b.npy"), ("f", "a_fortran.npy"):
            with archive.open(member + ".npy", "w", force_zip64=True) as out:
                out.write(open(file, "rb").read())
        archive.writestr("text", "no matrix")
with zipfile.ZipFile("other.npz", "w", zipfile.ZIP_BZIP2) as archive:
    archive.write("a.npy")
warnings.simplefilter("ignore")  # two members of one name
for name, members in ("twice", ["a.npy", "a.npy"]), ("both", ["a.npy", "a"]):
    with zipfile.ZipFile(name + ".npz", "w") as archive:
        for member, file in zip(members, ["b.npy", "a.npy"]):
            archive.writestr(member, open(file, "rb").read())
whole = open("stored.npz", "rb").read()
at = whole.index(b"PK\3\4", 1) - 1  # the last byte of the first member
open("changed.npz", "wb").write(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
whole = open("packed.npz", "rb").read()
at = whole.index(b"a.npy") + 80
open("damaged.npz", "wb").write(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:])
at = whole.index(b"PK\1\2") + 16  # the check sum in the directory
open("sum.npz", "wb").write(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
open("short.npz", "wb").write(whole[:-30])
named = open("packed.npz", "rb").read()
at = named.index(b"a.npy")  # the name before the first member
open("renamed.npz", "wb").write(named[:at] + b"b" + named[at + 1:])
at = named.index(b"PK\3\4") + 26  # the length of that name
open("longer.npz", "wb").write(named[:at] + b"\xff\x7f" + named[at + 2:])
with zipfile.ZipFile("many.npz", "w") as archive:
    for letter in "xyz":
        archive.writestr(letter * 100, "")
zipfile.ZipFile("memberless.npz", "w").close()

# As archives of more than 4 GiB are, with all numbers in 64 bits.
count, _, start = struct.unpack("<HII", whole[-12:-2])
directory, at = b"", start
for _ in range(count):
    packed, unpacked, name, extra = struct.unpack("<IIHH", whole[at + 20:at + 32])
    offset, = struct.unpack("<I", whole[at + 42:at + 46])
    numbers = struct.pack("<HHQQQ", 1, 24, unpacked, packed, offset)
    directory += whole[at:at + 20] + b"\xff" * 8 + struct.pack("<HH", name, len(numbers))
    directory += whole[at + 32:at + 42] + b"\xff" * 4 + whole[at + 46:at + 46 + name] + numbers
    at += 46 + name + extra
end = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(directory), start)
end += struct.pack("<4sIQI", b"PK\6\7", 0, start + len(directory), 1)
end += struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xffff, 0xffff, 0xffffffff, 0xffffffff, 0)
open("large.npz", "wb").write(whole[:start] + directory + end)
at = directory.index(b"\1\0\x18\0") + 2  # the length of the first entry's numbers
short = directory[:at] + b"\x04" + directory[at + 1:]
open("cut.npz", "wb").write(whole[:start] + short + end)
END
    for kind in stored packed large; do
        exits 0 "$SECTILE" multiply $kind.npz:a $kind.npz:b.npy -o c.npy --ranks 2
        same c.npy product.npy
        exits 0 "$SECTILE" copy $kind.npz:f -o c.npy
        same c.npy a.npy
        refused_input 'it is not a .npy file' $kind.npz:text
        refused_input "it has no member 'x'; it has: a.npy b.npy f.npy text" $kind.npz:x
        refused_input 'write :NAME after it, with one of its members: a.npy b.npy' $kind.npz
    done
    ln -s packed.npz packed.npy
    exits 2 "$SECTILE" copy packed.npz:a -o packed.npy
    says err 'would replace the input'
    refused_input 'packed by method 12' other.npz:a
    refused_input "it has no member 'a'; it has: $(printf '%100s' | tr ' ' x) ..." many.npz:a
    refused_input 'it is a .npz archive without members' memberless.npz:a
    grep -q yy err && fail 'names of members that are cut short'
    refused_input 'it is damaged: it cannot be unpacked' damaged.npz:a
    refused_input 'it is damaged: it cannot be unpacked' sum.npz:a
    refused_input 'it is damaged: its check sum is wrong' changed.npz:a
    exits 0 "$SECTILE" copy changed.npz:b -o c.npy
    exits 1 "$SECTILE" launch -n 2 "$SECTILE" copy changed.npz:a -o none.npy
    refused_input "it has 2 members 'a'" twice.npz:a
    exits 0 "$SECTILE" copy both.npz:a -o c.npy
    same c.npy a.npy
    exits 0 "$SECTILE" copy both.npz:a.npy -o c.npy
    same c.npy b.npy
    refused_input 'a damaged .npz archive' short.npz:a
    refused_input 'a damaged .npz archive' cut.npz:a
    refused_input 'its directory has another name for a member than the member itself' renamed.npz:a
    refused_input 'a damaged .npz archive' longer.npz:a
    exits 0 "$SECTILE" copy renamed.npz:b -o c.npy
    refused_input 'it is not a .npz archive' a.npy:a
    refused_input 'No such file' none.npz:a
    cp a.npy name:colon
    exits 0 "$SECTILE" copy name:colon -o c.npy
    same c.npy a.npy
}

# A member is unpacked once for the processes of a host, and only if the work is possible.
unpacked() {
    exits 0 "$SECTILE" launch -n 3 sh -c '
        [ "$SECTILE_RANK" = 0 ] || export TMPDIR=/nowhere; exec "$@"' sh \
        "$SECTILE" multiply packed.npz:a packed.npz:b -o c.npy
    same c.npy product.npy
    exits 1 env TMPDIR=/nowhere "$SECTILE" copy packed.npz:a -o c.npy
    says err 'sectile: packed.npz:a: it cannot be kept in a temporary file in /nowhere'
    exits 1 env TMPDIR=/nowhere "$SECTILE" multiply packed.npz:a packed.npz:a -o c.npy
    says err 'as many columns as op(B) has rows'
    exits 1 env TMPDIR=/nowhere "$SECTILE" copy packed.npz:a -o nowhere/c.npy
    says err 'nowhere/c.npy: cannot be written: No such file'
    exits 2 env TMPDIR=/nowhere "$SECTILE" copy packed.npz:a -o packed.npy
    says err 'would replace the input'
    exits 0 env TMPDIR=/nowhere "$SECTILE" multiply packed.npz:a packed.npz:b --dry-run
    says out 'C is 2 x 1, k is 3'
}

# Pipes by their names, as a shell makes of <(command); an output of another format is refused.
named_pipes() {
    mkfifo one two
    cat a.npy >one &
    cat b.npy >two &
    exits 0 timeout 20 "$SECTILE" multiply one two -o c.npy
    same c.npy product.npy
    exits 0 sh -c 'cat a.npy | "$0" copy /dev/fd/0 -o c.npy' "$SECTILE"
    same c.npy a.npy
    market 'real general' 2 3 1 4 2 5 3 6 >one &
    exits 0 timeout 20 "$SECTILE" copy one -o c.npy
    same c.npy a.npy
    exits 2 timeout 20 "$SECTILE" launch -n 2 "$SECTILE" copy one -o c.npy
    says err 'one needs ranks that are threads of one process: only one process can read it'
    for name in c.npz C.NPZ c.txt dir.npy/c.csv c.mtx c.safetensors c.npy.gz c.npz:a; do
        exits 2 "$SECTILE" copy a.npy -o $name
        one_line err
        says err "sectile: -o: '$name' is not allowed, as a "
        says err 'allowed: the name of a .npy file'
        [ -e $name ] && fail "$name was written"
    done
}

# await_line: until there is a line in the file err.
await_line() {
    for _ in $(seq 300); do
        [ -s err ] && return
        sleep 0.1
    done
    fail 'no word about a pipe that is silent'
}

# A pipe that nobody has opened, or that a program keeps silent, is mentioned once; then its matrix may still come.
silent_pipes() {
    cp ../a.npy ../b.npy ../product.npy .
    mkfifo first second
    timeout 40 "$SECTILE" multiply first second -o c.npy >out 2>err &
    cat a.npy >first
    await_line
    says err 'sectile: waiting for the header of second; each pipe needs a program of its own that writes to it'
    cat b.npy >second
    wait $! || fail "a late writer: $(cat err)"
    one_line err
    same c.npy product.npy
    : >err
    { await_line; cat a.npy; } | timeout 40 "$SECTILE" copy - -o c.npy >out 2>err || fail "late bytes: $(cat err)"
    one_line err
    says err 'sectile: waiting for the header of standard input;'
    same c.npy a.npy
}

# Another program may set a pipe not to block.
not_blocking() {
    command -v python3 >python || return
    (npy '<f8' False '(256, 512)'; head -c 1048576 /dev/zero) >large.npy
    { head -c 100 large.npy; sleep 0.3; tail -c +101 large.npy; } |
        timeout 20 python3 -c 'import os, sys
for fd in 0, 1:
    os.set_blocking(fd, False)
os.execv(sys.argv[1], sys.argv[1:])' "$SECTILE" copy - -o - 2>err | { sleep 0.3; cat >out; }
    [ -s err ] && fail "a pipe that does not block: $(cat err)"
    same out large.npy
}

# A pipe is refused for two matrices before it is opened, as nothing may be at its other end.
one_pipe() {
    mkfifo same
    ln -s same link
    for names in 'same same' 'same link' 'a.npy same -c same --beta 1'; do
        # shellcheck disable=SC2086
        exits 2 timeout 20 "$SECTILE" multiply $names -o none.npy
        one_line err
        says err ' are one pipe, which can be read only once'
    done
    exec 3<>same
    exits 2 timeout 20 "$SECTILE" multiply /dev/stdin - -o none.npy <&3
    says err 'sectile: /dev/stdin and - are one pipe, which can be read only once'
    exec 3>&-
    # A file can be read twice.
    exits 0 "$SECTILE" multiply /dev/stdin - --op NT -o c.npy <a.npy
}

# refused_input TEXT FILE
refused_input() {
    exits 1 "$SECTILE" copy "$2" -o none.npy
    one_line err
    says err "$1"
    [ -e none.npy ] && fail "output in spite of: $1"
}

# market FIELD-AND-SYMMETRY NUMBER...: a text, with comments and odd spaces.
market() {
    printf '%%%%MatrixMarket matrix array %s\n%% about it\n\n' "$1"
    shift
    printf '%s %s\n' "$1" "$2"
    shift 2
    printf ' %s\r\n' "$@"
}

# read_as EXPECTED FIELD-AND-SYMMETRY NUMBER...
read_as() {
    expected=$1
    shift
    market "$@" >x.mtx
    exits 0 "$SECTILE" copy x.mtx -o c.npy --b row/f
    same c.npy "$expected"
}

texts() {
    read_as a_fortran.npy 'real general' 2 3 1 4e0 2 5 .3e1 6
    read_as a_fortran.npy 'Integer General' 2 3 1 4 2 5 3 6
    { npy '<f8' True '(2, 2)'; doubles 1 2 2 3; } >symmetric.npy
    read_as symmetric.npy 'real symmetric' 2 2 1 2 3
    { npy '<f8' True '(2, 2)'; doubles 0 2 -2 0; } >skew.npy
    read_as skew.npy 'real skew-symmetric' 2 2 2
    { npy '<c16' True '(2, 2)'; doubles 1 0 2 3 2 -3 4 0; } >hermitian.npy
    read_as hermitian.npy 'complex hermitian' 2 2 '1 0' '2 3' '4 0'
    npy '<f8' True '(0, 9)' >empty.npy
    read_as empty.npy 'real general' 0 9
    market 'real general' 2 3 1 4 2 5 3 6 >x.mtx
    piped product.npy x.mtx "$SECTILE" multiply - b.npy -o -
}

# text_refused TEXT FIELD-AND-SYMMETRY NUMBER...
text_refused() {
    text=$1
    shift
    market "$@" >x.mtx
    refused_input "$text" x.mtx
}

refused_texts() {
    text_refused 'line 1: there should be real, integer or complex' 'pattern general' 1 1
    text_refused 'only square' 'real symmetric' 2 3 1 2 3
    text_refused 'cut short' 'real general' 4294967296 4294967296 1
    text_refused 'cut short' 'real general' 30 40 1
    text_refused 'more numbers: it is cut short' 'real general' 2 2 100000000000 2 3
    text_refused 'the numbers of rows and columns' 'real general' -1 1 1
    text_refused 'the numbers of rows and columns' 'real general' 1 99999999999999999999 1
    text_refused "line 5: 'x' is not a number" 'real general' 1 1 x
    text_refused "line 5: '0x10' is not a number" 'real general' 1 1 0x10
    text_refused "'1e999' is too large" 'real general' 1 1 1e999
    text_refused "'1.5' is not a whole number" 'integer general' 1 1 1.5
    text_refused 'something after the last element' 'real general' 1 1 1 2
    printf '%%%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n' >x.mtx
    refused_input 'a sparse matrix' x.mtx
}

# with_fault FAULT COMMAND...: copies a matrix from a pipe, or an archive, with a call that fails.
with_fault() {
    fault=$1
    shift
    cat a.npy | LD_PRELOAD="$FAULTS/test_faults.so" FAULT="$fault" "$@" >out 2>err
}

# A file system without unnamed files, and one that no longer tells about a file.
faults() {
    [ -n "${FAULTS:-}" ] || return
    mkdir spool
    TMPDIR=spool with_fault 'unnamed 1+' "$SECTILE" copy - -o - || fail "without unnamed files: $(cat err)"
    same out a.npy
    [ -z "$(ls -A spool)" ] || fail "left in the folder for temporary files: $(ls -A spool)"
    TMPDIR=$(printf '%4085s' | tr ' ' /) with_fault 'unnamed 1+' "$SECTILE" copy - -o c.npy &&
        fail 'a temporary file with too long a name'
    says err 'standard input: it cannot be kept in a temporary file in ////'
    says err ': File name too long'
    with_fault 'fstat 1' "$SECTILE" copy - -o c.npy && fail 'no size of what came from a pipe'
    says err 'standard input: Input/output error'
}

beside silent_pipes
standard_streams
not_blocking
endless
header_first
faults
archives
[ ! -e packed.npz ] || unpacked
texts
named_pipes
one_pipe
refused_texts
no_leftovers
finish
