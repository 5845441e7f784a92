# gpu_run.sh - the script for GPUs, test/gpu/run, on stand-ins: every step works, and one that fails is shown.
# EMULATED is the library of stand-ins, and PROGRAMS the folder of the programs that are linked to them.
top=$(cd "${0%/*}/../.." && pwd)
script=$top/test/gpu/run
. "${0%/*}/../cli/support.inc"

# What it calls. A build makes nothing, and puts there what is made already. Of the products that are timed, one is:
# the others have the same result.
mkdir tools
cat >tools/cmake <<END
#!/bin/sh
[ "\$1" = --build ] || exit 0
mkdir -p "\$2/cli" "\$2/test/gpu"
for name in contracts products accumulate; do
    ln -sf "$PROGRAMS/gpu_\$name" "\$2/test/gpu/\$name"
done
ln -sf "$work/tools/sectile" "\$2/cli/sectile"
END
cat >tools/sectile <<END
#!/bin/sh
export LD_PRELOAD=$EMULATED
case \$* in
*'--pairs 3'*) [ -s "$work/timed" ] || "$SECTILE" "\$@" >"$work/timed" && cat "$work/timed" ;;
*) exec "$SECTILE" "\$@" ;;
esac
END
cat >tools/compute-sanitizer <<END
#!/bin/sh
[ "\$1" = --tool ] && [ "\$3" = --error-exitcode ] && shift 4
exec "\$@"
END
chmod +x tools/*
# By default, the build folder is named from the top of the source tree.
SECTILE_BUILD=$(realpath --relative-to="$top" "$work/build")
PATH=$work/tools:$PATH
export PATH CUDA_VISIBLE_DEVICES=0 SECTILE_BUILD SIZE=512 PAIRS=3 MIB=1 TRIALS=4

exits 0 sh "$script"
for step in 'contracts of device and fabric' 'products of all types, 8 ranks' 'command line' \
    'compute-sanitizer, racecheck, products'; do
    grep -qE "^$step +ok " out || fail "$step: $(grep "$step" out)"
done
compared='[1-9][^ ]* GFLOP/s, [0-9.]+ .[0-9.]+ to [0-9.]+. of cuBLAS'
for rate in "f32, 1 x 128x2048x512 --math tf32 .0.98. +$compared" 'c .= t, 1 MiB, mailbox .0.8. +[0-9]'; do
    grep -qE "^$rate" out || fail "$rate: $(cat out)"
done
grep FAILED out && fail 'a step fails'

# Without a GPU, it says so.
exits 77 env CUDA_VISIBLE_DEVICES= sh "$script"
grep -q 'CUDA has no device here' out || fail "without a GPU: $(cat out)"

# A step that fails says why.
printf '#!/bin/sh\necho Not found: CUDA\nexit 1\n' >tools/cmake
exits 1 sh "$script"
for line in 'configure  *FAILED (1)' '    Not found: CUDA' "    ... is the end of $work/build/gpu.log"; do
    grep -q "^$line" out || fail "$line: $(cat out)"
done

# A step that does not end when its time is over is killed.
printf '#!/bin/sh\ntrap "" TERM\nwhile :; do sleep 1; done\n' >tools/cmake
exits 1 env LIMIT=1 timeout 60 sh "$script"
grep -q '^configure  *not done in 1 s' out || fail "an endless step: $(cat out)"
finish
