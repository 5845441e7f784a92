# completion.sh - shells complete verbs, flags and their values by the scripts that the tool prints; each
# flag in the help of a verb is in each script; colours; and the examples in the help of each verb work.
. "${0%/*}/support.inc"

verbs=$("$SECTILE" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\)  .*/\1/p')
[ "$(echo $verbs | wc -w)" -ge 9 ] || fail "verbs: $verbs"

# flags VERB: those in its help, without their letters and values.
flags() {
    "$SECTILE" help "$1" --all | sed -n '/^Flags/,/^$/s/^  \(-[a-z], \)*\(--*[a-z][a-z-]*\).*/\2/p'
}

# has NAME PART TEXT FLAG: the part of a script has the text.
has() {
    case $2 in
    *"$3"*) ;;
    *) fail "$1 lacks $verb $4" ;;
    esac
}

all_flags() {
    for verb in $verbs; do
        in_bash=$(sed -n "s/^        $verb) words=\"/ /p" bash)
        # without letters: '(-n --ranks)'{-n,--ranks}'[ is like '--ranks[
        in_zsh=$(sed -n "/^    $verb) _arguments/,/;;/p" zsh | sed "s/'(.*)'{.*,\(--.*\)}'/'\1/")
        in_fish=$(sed -n "s/.*_from $verb' -[ls] /: /p" fish)
        for flag in $(flags "$verb"); do
            name=${flag#-}
            has bash "$in_bash" " $flag " "$flag"
            has zsh "$in_zsh" "
        '$flag[" "$flag"
            has fish "$in_fish" ": ${name#-} " "$flag"
        done
    done
}

# completes_to WORDS COMMAND...: what bash proposes for the last word of the command.
completes_to() {
    wanted=$1
    shift
    said=$(bash -c '. ./bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sectile; echo ${COMPREPLY[@]}' - "$@")
    [ "$said" = "$wanted" ] || fail "bash completes $* to: $said"
}

in_bash() {
    command -v bash >/dev/null || return
    completes_to 'multiply machine' sectile m
    completes_to 'launch layouts' sectile help la
    completes_to '' sectile help he
    completes_to '' sectile help -
    completes_to 'help' sectile he
    completes_to '--help --version' sectile --
    touch node.json
    completes_to 'node' sectile plan --machine no
    completes_to 'node.json' sectile plan --machine node.
    rm node.json
    completes_to '--check' sectile run --ch
    completes_to '' sectile multiply --op ''
    completes_to '' sectile copy --memory z
    completes_to 'zsh' sectile copy -o zs
    completes_to 'f32 f64 cf32 cf64 f16' sectile copy --type ''
    completes_to 'auto a b c' sectile run --stay ''
    completes_to 'slice' sectile plan --fetch s
    completes_to 'zsh' sectile copy zs
    completes_to 'pvc12' sectile plan --machine pv
    completes_to 'pvc12' sectile plan --machine = pv
    completes_to 'auto a b c' sectile run --stay =
    completes_to 'node' sectile machine no
    completes_to '--measure' sectile machine --me
    completes_to 'zsh' sectile plan --machine zs
    completes_to 'row col 2d cyclic:64x64' sectile multiply --a ''
    completes_to 'cyclic:64x64' sectile run --work cy
}

in_other_shells() {
    ! command -v zsh >/dev/null || in_zsh
    command -v fish >/dev/null || return
    HOME=$work fish -c 'source ./fish; complete -C "sectile run --sta"' >out 2>err
    says out '--stay'
    HOME=$work fish -c 'source ./fish; complete -C "sectile run --stay "' >out 2>err
    says out 'auto'
    for line in 'plan --machine ' 'machine ' 'run -n 4 --machine '; do
        HOME=$work fish -c "source ./fish; complete -C 'sectile $line'" >out 2>err
        says out pvc12
        says out zsh
    done
    HOME=$work fish -c 'source ./fish; complete -C "sectile multiply --a "' >out 2>err
    says out cyclic:64x64
    HOME=$work fish -c 'source ./fish; complete -C "sectile help l"' >out 2>err
    says out layouts
    says fish 'op of A, then of B: N none'
}

# proposes_in_zsh LINE WORD...: what zsh shows when the line is completed on a terminal has these words.
proposes_in_zsh() {
    exits 0 zsh -f ./proposals "$@"
}

in_zsh() {
    mkdir functions
    cp zsh functions/_sectile
    cat >proposals <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1= fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -D; echo rea""dy'
zpty -r -m shell text '*ready*'
zpty -w -n shell "$1"$'\t\t'
text=
for ((i = 0; i < 200; i++)); do
    while zpty -r -t shell part; do text+=$part; done
    for word in "${@:2}"; do
        [[ $text == *$word* ]] || { sleep 0.1; continue 2; }
    done
    exit 0
done
print -r -- "zsh completes $1 to: $text" >&2
exit 1
END
    proposes_in_zsh 'sectile m' multiply machine
    proposes_in_zsh 'sectile help ' 'explains how layouts' launch
    proposes_in_zsh 'sectile run --stay ' auto
    proposes_in_zsh 'sectile plan --machine ' pvc12 cluster proposals
    proposes_in_zsh 'sectile machine ' pvc12 proposals
    proposes_in_zsh 'sectile multiply -n 2 --a ' row cyclic:64x64
    says zsh 'op of A, then of B: N none'
}

for shell in bash zsh fish; do
    exits 0 "$SECTILE" --completion $shell
    mv out $shell
done
exits 2 "$SECTILE" --completion csh
says err "'csh' is not allowed; allowed: bash, zsh or fish"
exits 2 "$SECTILE" --completion
all_flags
in_bash
in_other_shells

colours() {
    esc=$(printf '\033')
    exits 1 "$SECTILE" copy none.npy -o x.npy --color always
    says err "$esc[1;31msectile:$esc[0m none.npy"
    for how in auto never; do
        exits 1 "$SECTILE" copy none.npy -o x.npy --color $how
        says err 'sectile: none.npy'
    done
    command -v script >/dev/null || return
    # On a terminal.
    TERM=xterm script -qec "'$SECTILE' copy none.npy -o x.npy" /dev/null >out </dev/null
    says out "$esc[1;31msectile:"
    NO_COLOR=1 TERM=xterm script -qec "'$SECTILE' copy none.npy -o x.npy" /dev/null >out </dev/null
    says out 'sectile: none.npy'
}

topics() {
    exits 0 "$SECTILE" help layouts
    says out 'cyclic:MBxNB'
    # The examples are layouts of an 8 x 8 matrix on 4 ranks.
    sed -n '/Examples/,/^$/s/^    \([^ ]*\) .*/\1/p' out >examples
    [ "$(wc -l <examples)" -ge 5 ] || fail "few layouts: $(cat examples)"
    while read -r layout; do
        exits 0 "$SECTILE" plan --shape 8x8x8 --ranks 4 --a "$layout"
    done <examples
}

examples() {
    mkdir bin
    ln -s "$SECTILE" bin/sectile
    PATH=$work/bin:$PATH
    { npy '<f8' False '(3, 2)'; doubles 1 2 3 4 5 6; } >A.npy
    { npy '<f8' False '(3, 1)'; doubles 1 0 -1; } >B.npy
    for verb in $verbs; do
        example=$("$SECTILE" help "$verb" | sed -n '/^Example:/{n;s/^  //;p;}')
        # Two of these measure for up to a minute; small products show the same.
        case $verb in
        bench) example="$example --shapes 32x32x32 --pairs 1 --repeat 1 --ranks 1" ;;
        launch) example="$example --shape 100x100x100" ;;
        machine) example="$example --ranks 2 --repeat 1 --size 48" ;;
        esac
        case $example in
        "sectile $verb "*) exits 0 $example ;;
        *) fail "the example of $verb is: $example" ;;
        esac
    done
}

colours
topics
examples
finish
