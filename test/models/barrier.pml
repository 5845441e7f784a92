/* barrier.pml - the barrier of src/fabric/barrier.c: ranks call, leave early, and may be killed.
 *
 * Each rank makes CALLS calls of one of two kinds, or leaves before. With KILLED=1 in the environment,
 * ranks are processes: one may end at any moment without leaving, and a sleeping rank watches for that;
 * nothing is freed. Otherwise ranks are threads, and the last to leave frees the barrier. With LIMITED=1, waiting is
limited: a sleeping rank may break the barrier at any time, also while the rank that it waits for arrives.
 *
 * Shown: nobody waits forever; all ranks get the same answer to a call; a call succeeds only if all
 * ranks have made it, alike; whoever gets the other answer finds a cause; nobody touches the barrier
 * after it is freed.
 *
 * BUG=N in the environment plants a bug: 1 a leaver wakes nobody; 2 the answer is read from the bit BROKEN alone; 3 the new
 * generation is stored, whether or not the barrier has been broken meanwhile; 4 a rank is asleep
 * before it counts as a sleeper; 5 the barrier is freed by whoever leaves first.
 *
 * What no longer matters is set to one value: fewer states to tell apart. */
#define RANKS 3
#define CALLS 2
#define NOBODY 255

/* The word of the generation: its lowest bit is BROKEN, and NEXT starts another one. */
#define BROKEN 1
#define NEXT 2

byte generation, sleepers, retired;
bool has_cause;
byte arrived, arrived_to_close; /* one word in the code: all, and those of the second kind of call */
byte users = RANKS;
byte asleep, asleep_till_retired; /* a bit for each rank */
bool freed;
byte killed = NOBODY, dead = NOBODY;

/* What is shown. */
mtype = { NONE, MET, FAILED };
mtype answer[CALLS] = NONE;
byte entered[CALLS], entered_to_close[CALLS];

/* Each statement is one instruction of the processor, or a system call. */
inline wake_sleepers() {
    if
    :: atomic { sleepers > 0 -> assert(!freed) }
       asleep = 0
    :: atomic { sleepers == 0 -> assert(!freed) }
    fi
}

inline break_barrier() {
    atomic { assert(!freed); has_cause = true }
    generation = generation | BROKEN;
    if
    :: bug != 1 -> wake_sleepers()
    :: else
    fi
}

inline sleep_until_changed() {
    do
    :: generation != seen -> break
    :: generation == seen ->
        /* the kernel compares once more, and puts the thread to sleep, in one step */
        asleep = asleep | ((generation == seen) << me);
        if
        :: !(asleep & 1 << me)
        :: watches && dead != NOBODY -> /* a second later */
            asleep = asleep & ~(1 << me);
            if
            :: generation == seen -> break_barrier()
            :: else
            fi
        :: limited -> /* the limit is over */
            asleep = asleep & ~(1 << me);
            if
            :: generation == seen -> break_barrier()
            :: else
            fi
        fi
    od
}

inline count_and_sleep() {
    if
    :: bug != 4 -> sleepers++; sleep_until_changed()
    :: bug == 4 -> sleep_until_changed(); sleepers++
    fi;
    atomic { assert(!freed); sleepers-- }
}

inline arrive() {
    atomic {
        arrived++;
        arrived_to_close = arrived_to_close + to_close;
        place = arrived;
        alike = (arrived == RANKS && (arrived_to_close == 0 || arrived_to_close == RANKS));
        to_close = 0
    }
}

inline start_generation() {
    atomic { arrived = 0; arrived_to_close = 0 }
    atomic {
        met = (bug == 3 || generation == seen);
        generation = (met -> seen + NEXT : generation)
    }
    if
    :: met -> wake_sleepers()
    :: else
    fi
}

/* Sets `met`. */
inline wait() {
    atomic { assert(!freed); seen = generation; met = false }
    if
    :: seen & BROKEN
    :: else ->
        arrive();
        if
        :: atomic { place < RANKS -> place = 0 }
            count_and_sleep();
            met = (bug == 2 -> !(generation & BROKEN) : generation != (seen | BROKEN))
        :: place == RANKS && !alike -> break_barrier()
        :: place == RANKS && alike -> start_generation()
        fi
    fi
}

inline check_answer() {
    atomic {
        assert(answer[n] == NONE || answer[n] == (met -> MET : FAILED));
        assert(!met || entered[n] == RANKS);
        assert(!met || entered_to_close[n] == 0 || entered_to_close[n] == RANKS);
        answer[n] = (met -> MET : FAILED);
        entered[n] = (met -> RANKS : 0);
        entered_to_close[n] = (met -> entered_to_close[n] : 0);
        assert(met || has_cause);
        n++;
        place = 0;
        seen = 0;
        to_close = 0;
        alike = false
    }
}

inline forget_calls() {
    generation = 0;
    has_cause = false;
    for (n : 0 .. CALLS - 1) {
        answer[n] = NONE;
        entered[n] = 0;
        entered_to_close[n] = 0
    }
    n = 0
}

/* As threads leave: nobody touches another's memory once it has retired. */
inline retire_and_free() {
    atomic { assert(!freed); retired++; place = retired }
    if
    :: atomic { place == RANKS -> asleep_till_retired = 0; place = 0; forget_calls() }
    :: atomic { place < RANKS -> place = 0 }
    fi;
    do
    :: atomic { retired == RANKS -> assert(!freed); seen = 0 }
       break
    :: atomic { retired < RANKS -> assert(!freed); seen = retired }
       asleep_till_retired = asleep_till_retired | ((retired == seen) << me);
       !(asleep_till_retired & 1 << me)
    od;
    atomic { assert(!freed); users--; freed = (users == 0 || bug == 5) }
}

proctype rank(byte me, bug; bool watches, limited) {
    byte n, place, seen, to_close;
    bool met = true, alike;
    {
        do
        :: n == CALLS || !met -> break
        :: n < CALLS && met -> break /* leaves early */
        :: atomic {
               n < CALLS && met ->
               if /* both kinds are treated alike, so that rank 0 need not try the second */
               :: true
               :: me != 0 -> to_close = 1
               fi;
               entered[n] = entered[n] + (answer[n] != FAILED);
               entered_to_close[n] = entered_to_close[n] + (answer[n] != FAILED && to_close)
           }
           wait();
           check_answer()
        od;
        atomic { n = 0; met = false }
        break_barrier();
        if
        :: !watches -> retire_and_free()
        :: else
        fi
    } unless { killed == me };
    if
    :: atomic {
           killed == me ->
           dead = me;
           n = 0;
           place = 0;
           seen = 0;
           to_close = 0;
           met = false;
           alike = false
       }
    :: else
    fi
}

proctype killer(bool watches) {
    if
    :: true
    :: watches -> killed = 0
    fi
}

init {
    byte bug;
    bool watches, limited;
    atomic {
        c_code {
            Pinit->bug = atoi(getenv("BUG"));
            Pinit->watches = atoi(getenv("KILLED"));
            Pinit->limited = atoi(getenv("LIMITED"));
        }
        run rank(0, bug, watches, limited);
        run rank(1, bug, watches, limited);
        run rank(2, bug, watches, limited);
        run killer(watches)
    }
}
