/* rounds.pml - accumulates in rounds (`ordered`), by services: src/exec/contributions.c on
 * src/fabric/service/, and the collective calls of src/fabric/processes/collective.c by messages.
 *
 * Each rank has one or two slices of C, each with or without a part for each owner. A part is a short
 * piece, which travels in its request, and a long one, whose data follow. A service has one reply, so
 * that a second request waits in the wire. A rank serves only while it waits, which is harder than with
 * a thread. With LEAVES=1 in the environment one rank may leave before any turn; with FAILS=1 the service
 * of one may fail at any moment. The program leaves out turns in which no rank adds, and the meeting after them; it meets
 * before a round rather than after its last turn. Here there are more meetings, in the same order.
 *
 * Shown: nobody waits forever; each owner adds in the order (round, turn), where one rank adds at a
 * time; each piece is added once.
 *
 * BUG=N in the environment plants a bug: 1 ranks do not meet after each turn; 2 a rank goes on without a reply; 3 a rank that
 * waits for a reply does not serve; 4 all ranks send to the same owner in a turn; 5 (with FAILS) a
 * failed service tells nobody; 6 (with FAILS) the end of a connection goes unnoticed.
 *
 * What no longer matters is set to one value: fewer states to tell apart. */
#define RANKS 3
#define NOBODY 255
#define PAIR(from, to) ((from) * RANKS + (to))
#define AFTER(rank, distance) (((rank) + (distance)) % RANKS)
#define TIME(rank) (round[rank] * RANKS + turn[rank])

/* The wire: what is under way, by PAIR. Messages of one kind arrive in order. */
bool is_short[9], is_long[9], is_end[9]; /* requests */
bool data[9], replied_short[9], replied_long[9];
byte meets[9]; /* calls */
bool leaves[9];

/* The services. */
byte receives_from[RANKS] = NOBODY; /* whose data the reply waits for */
bool failed[RANKS], told[RANKS], closed[RANKS];
byte failing = NOBODY; /* whose service may fail, once */
bool ends; /* a service has failed: sums no longer matter */

/* What is shown. */
byte round[RANKS], turn[RANKS]; /* of a rank: in which it may add next */
byte to_add[9]; /* pieces sent and not added yet */

inline add(from) {
    assert(ends || to_add[PAIR(from, me)] > 0);
    to_add[PAIR(from, me)] = to_add[PAIR(from, me)] - !ends;
    assert(ends || TIME(AFTER(from, 1)) >= TIME(from) && TIME(AFTER(from, 2)) >= TIME(from));
    assert(ends || to_add[PAIR(AFTER(from, 1), me)] == 0 && to_add[PAIR(AFTER(from, 2), me)] == 0)
}

/* What is never looked at again makes no difference: fewer states. */
inline forget(r) {
    is_short[PAIR(r, me)] = false;
    is_long[PAIR(r, me)] = false;
    is_end[PAIR(r, me)] = false;
    data[PAIR(r, me)] = false;
    replied_short[PAIR(r, me)] = false;
    replied_long[PAIR(r, me)] = false;
    meets[PAIR(r, me)] = 0;
    leaves[PAIR(r, me)] = false;
    to_add[PAIR(r, me)] = 0;
    to_add[PAIR(me, r)] = 0
}

/* What has not been sent in full is dropped, and the others are told. */
inline fail() {
    failed[me] = true;
    ends = true;
    for (pair : 0 .. RANKS * RANKS - 1) {
        to_add[pair] = 0
    }
    pair = 0;
    receives_from[me] = NOBODY;
    if
    :: data[PAIR(me, AFTER(me, 1))] -> data[PAIR(me, AFTER(me, 1))] = false
    :: true
    fi;
    if
    :: data[PAIR(me, AFTER(me, 2))] -> data[PAIR(me, AFTER(me, 2))] = false
    :: true
    fi;
    is_end[PAIR(me, AFTER(me, 1))] = (!told[me] && bug != 5);
    is_end[PAIR(me, AFTER(me, 2))] = (!told[me] && bug != 5);
    told[me] = false;
    forget(AFTER(me, 1));
    forget(AFTER(me, 2))
}

#define SERVES(may) (may && !failed[me])
#define HAS_REPLY (receives_from[me] == NOBODY)

/* What one poll may find from another rank; blocks if there is nothing. */
inline serve(r, may) {
    if
    :: atomic {
           SERVES(may) && receives_from[me] == r && data[PAIR(r, me)] ->
           data[PAIR(r, me)] = false;
           add(r);
           replied_long[PAIR(me, r)] = true;
           receives_from[me] = NOBODY
       }
    :: atomic { SERVES(may) && receives_from[me] == r && !data[PAIR(r, me)] && closed[r] && bug != 6 -> fail() }
    :: atomic {
           SERVES(may) && HAS_REPLY && is_short[PAIR(r, me)] ->
           is_short[PAIR(r, me)] = false;
           add(r);
           replied_short[PAIR(me, r)] = true
       }
    :: atomic {
           SERVES(may) && HAS_REPLY && !is_short[PAIR(r, me)] && is_long[PAIR(r, me)] ->
           is_long[PAIR(r, me)] = false;
           receives_from[me] = r
       }
    :: atomic {
           SERVES(may) && HAS_REPLY && !is_short[PAIR(r, me)] && !is_long[PAIR(r, me)] && is_end[PAIR(r, me)] ->
           is_end[PAIR(r, me)] = false;
           told[me] = true;
           fail()
       }
    :: atomic { SERVES(may) && me == failing -> failing = NOBODY; fail() }
    fi
}

inline send_part() {
    atomic {
        if
        :: owner == me -> to_add[PAIR(me, me)] = (ends -> 0 : 2); add(me); add(me) /* in place */
        :: owner != me && failed[me] -> works = false
        :: owner != me && !failed[me] ->
            to_add[PAIR(me, owner)] = (ends -> 0 : to_add[PAIR(me, owner)] + 2);
            is_short[PAIR(me, owner)] = !failed[owner];
            is_long[PAIR(me, owner)] = !failed[owner];
            data[PAIR(me, owner)] = !failed[owner];
            lacks = (bug == 2 -> 0 : 2)
        fi
    }
}

inline await_replies() {
    do
    :: lacks == 0 -> assert(ends || to_add[PAIR(me, owner)] == 0); break
    :: atomic { lacks > 0 && failed[me] -> works = false; lacks = 0 }
    :: atomic { lacks > 0 && replied_short[PAIR(owner, me)] -> replied_short[PAIR(owner, me)] = false; lacks-- }
    :: atomic { lacks > 0 && replied_long[PAIR(owner, me)] -> replied_long[PAIR(owner, me)] = false; lacks-- }
    :: serve(AFTER(me, 1), lacks > 0 && bug != 3)
    :: serve(AFTER(me, 2), lacks > 0 && bug != 3)
    od
}

/* Hears the call of a rank, which is the same as one's own or not. */
inline hear(r, step, leaves_now) {
    atomic {
        heard == step && !failed[me] && (meets[PAIR(r, me)] > 0 || leaves[PAIR(r, me)]) ->
        together = together && (leaves_now == (meets[PAIR(r, me)] == 0));
        meets[PAIR(r, me)] = meets[PAIR(r, me)] - (meets[PAIR(r, me)] > 0);
        heard++
    }
}

inline tell(r, leaves_now) {
    leaves[PAIR(me, r)] = (leaves_now && !failed[r]);
    meets[PAIR(me, r)] = meets[PAIR(me, r)] + (!leaves_now && !failed[r])
}

/* An allgather of calls: with three ranks, each sends its own to both others. */
inline meet(leaves_now) {
    atomic {
        heard = (failed[me] || !together -> 2 : 0);
        together = together && !failed[me];
        if
        :: heard == 0 -> tell(AFTER(me, 1), leaves_now); tell(AFTER(me, 2), leaves_now)
        :: else
        fi
    }
    do
    :: heard == 2 -> break
    :: atomic { heard < 2 && failed[me] -> together = false; heard = 2 }
    :: hear(AFTER(me, 1), 0, leaves_now)
    :: hear(AFTER(me, 2), 1, leaves_now)
    :: serve(AFTER(me, 1), heard < 2)
    :: serve(AFTER(me, 2), heard < 2)
    od
}

#define GOES_ON (round[me] < rounds && works && together)

proctype rank(byte me, bug, rounds, leaving) {
    byte owner, lacks, heard, pair;
    bool works = true, together = true;
    do
    :: !GOES_ON -> break
    :: GOES_ON && me == leaving -> break
    :: GOES_ON ->
        owner = (bug == 4 -> turn[me] : AFTER(me, turn[me]));
        if
        :: me != 1 || round[me] == 0 -> send_part(); await_replies()
        :: true /* no slice, or no part of it for this owner */
        fi;
        atomic { /* has no more to add in this turn */
            turn[me] = AFTER(turn[me], 1);
            round[me] = round[me] + (turn[me] == 0)
        }
        if
        :: bug != 1 -> meet(false)
        :: else
        fi
    od;
    atomic { /* adds no more */
        round[me] = rounds;
        turn[me] = 0;
        owner = 0;
        works = true
    }
    meet(true);
    atomic {
        closed[me] = true;
        heard = 0;
        together = true;
        forget(AFTER(me, 1));
        forget(AFTER(me, 2))
    }
}

init {
    byte bug, rounds, leaving;
    atomic {
        c_code {
            Pinit->bug = atoi(getenv("BUG"));
            Pinit->leaving = atoi(getenv("LEAVES")) ? 0 : NOBODY;
            now.failing = atoi(getenv("FAILS")) ? 0 : NOBODY;
        }
        /* With one round all ranks do the same, so that any may be the one that fails. */
        rounds = (failing == NOBODY -> 2 : 1);
        run rank(0, bug, rounds, leaving);
        run rank(1, bug, rounds, leaving);
        run rank(2, bug, rounds, leaving)
    }
}
