# progress.sh - on a terminal, multiply and copy show how far they are, in one line that is gone in the
# end; elsewhere they show nothing. Skipped without Python, which makes the terminal.
. "${0%/*}/support.inc"

command -v python3 >python || exit 77
{ npy '<f8' False '(40, 1000)'; head -c 320000 /dev/zero; } >a.npy
{ npy '<f8' False '(1000, 40)'; head -c 320000 /dev/zero; } >b.npy

cat >terminal.py <<'END'
import os, pty, re, sys

shown = b""
def read(fd):
    global shown
    data = os.read(fd, 1024)
    shown += data
    return data

out = os.dup(1)
os.dup2(os.open("terminal", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
code = pty.spawn(sys.argv[1:], read, lambda fd: b"")
screen, at, lines = "", 0, []
for sign in shown.decode():  # what is on the screen in the end
    if sign == "\n":
        lines.append(screen.rstrip())
        screen, at = "", 0
    elif sign == "\r":
        at = 0
    else:
        screen = screen[:at] + sign + screen[at + 1:]
        at += 1
with open("shown", "w") as file:
    file.write(shown.decode().replace("\r", "\n"))
with open("screen", "w") as file:
    file.write("".join(line + "\n" for line in lines + [screen.rstrip()] if line))
sys.exit(os.waitstatus_to_exitcode(code))
END

export TERM=xterm

# on_terminal LINES COMMAND...: so many lines are left.
on_terminal() {
    lines=$1
    shift
    python3 terminal.py "$@" </dev/null >out 2>err || fail "exit $?: $*: $(cat err shown)"
    [ "$(wc -l <screen)" -eq "$lines" ] || fail "not $lines lines are left: $(cat screen)"
}

# Transfers between nodes are delayed, so that there is time to see them.
slow="--per-node 1 --ranks 2 --memory 200K $late,delay_us=20000"

# shellcheck disable=SC2086
multiplies() {
    on_terminal 2 "$SECTILE" multiply a.npy b.npy -o c.npy $slow
    says screen 'c.npy: 40 x 40, f64, k 1000, 2 ranks, in '
    grep -q '^c.npy: ' screen || fail "not cleared: $(cat screen)"
    grep -q 'wrote' screen || fail "no times: $(cat screen)"
    grep -Eq '^\[#* *\] +[0-9]+ % of .*B: reading a.npy, piece [0-9]+ of [0-9]+ *$' shown ||
        fail "reading is not shown: $(cat shown)"
    # it is that of all pieces
    grep -Eq '^\[#* *\] +([5-9][0-9]|100) % of .*B: reading a.npy, piece' shown ||
        fail "reading is not shown to the end: $(cat shown)"
    "$SECTILE" multiply a.npy b.npy -o d.npy $slow >out 2>err || fail "$(cat err)"
    [ -s err ] && fail "shown without a terminal: $(cat err)"
    same c.npy d.npy
    TERM=dumb on_terminal 2 "$SECTILE" multiply a.npy b.npy -o c.npy $slow
    grep -q 'reading' shown && fail "drawn on a terminal that cannot draw: $(cat shown)"
    on_terminal 2 "$SECTILE" multiply a.npy b.npy -o c.npy --per-node 1 --ranks 2 $late,delay_us=300000 --a col
    grep -Eq '^multiplying, [0-9]+ s *$' shown || fail "multiplying is not shown: $(cat shown)"
}

# After Ctrl-C the prompt begins a new line.
interrupted() {
    python3 terminal.py timeout --foreground -s INT 2 "$SECTILE" multiply a.npy b.npy -o e.npy --per-node 1 \
        --ranks 2 --memory 20K $late,delay_us=200000 </dev/null >out 2>err && fail 'not interrupted'
    [ ! -s shown ] || [ "$(tail -c 1 shown | wc -l)" -eq 1 ] || fail "the line of progress is not ended: $(cat shown)"
    [ ! -e e.npy ] || fail 'an unfinished file'
}

processes() {
    on_terminal 2 "$SECTILE" launch -n 2 "$SECTILE" multiply a.npy b.npy -o c.npy --per-node 1 --memory 200K \
        --engine processes
}

pipes() {
    mkfifo pipe
    { head -c 200000 a.npy; sleep 0.5; tail -c +200001 a.npy; } >pipe &
    on_terminal 2 "$SECTILE" copy pipe -o c.npy
    wait
    same c.npy a.npy
    says screen 'c.npy (replaced): 40 x 1000, f64, in C order, '
    # The time runs while nothing comes; names are printable.
    odd=$(printf 'p\302\233i\033pe')
    mv pipe "$odd"
    { sleep 3; exec >"$odd"; head -c 100 a.npy; sleep 1.2; tail -c +101 a.npy; } &
    on_terminal 2 "$SECTILE" copy "$odd" -o c.npy
    wait
    same c.npy a.npy
    grep -q '^waiting for p.*, [0-9] s' shown || fail "the wait for a writer is not shown: $(cat shown)"
    grep -q '^reading p.*, 100 bytes, 1 s' shown || fail "what waits is not shown: $(cat shown)"
    grep -q "$(printf '\302\233')" shown && fail "a raw name: $(cat shown)"
}

# Binary data is for files and pipes.
to_terminal() {
    for words in 'copy a.npy' 'multiply a.npy b.npy'; do
        # shellcheck disable=SC2086
        python3 terminal.py "$SECTILE" $words -o - </dev/null >out 2>err
        [ $? -eq 2 ] || fail "$words -o - to a terminal"
        says screen ' -o - would write binary data to a terminal; give the name of a file'
        grep -q NUMPY screen && fail "binary data on a terminal: $words"
    done
    # shellcheck disable=SC2016
    on_terminal 0 sh -c '"$0" copy a.npy -o - >to_file.npy && "$0" copy a.npy -o - | cat >to_pipe.npy' "$SECTILE"
    same to_file.npy a.npy
    same to_pipe.npy a.npy
}

multiplies
interrupted
to_terminal
processes
pipes
no_leftovers
finish
