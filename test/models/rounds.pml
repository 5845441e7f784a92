/* rounds.pml - accumulates in rounds (`ordered`), by services: src/exec/contributions.c on
 * src/fabric/service/, and the collective calls of src/fabric/processes/collective.c by messages.
 *
 * Each rank has one or two slices of C, each with or without a part for each owner. A part is a short
 * piece, which travels in its request, and a long one, whose data follow. A service has one reply, so
 * that a second request waits in the wire. A rank serves only while it waits, which is harder than with
 * a thread. With LEAVES one rank may leave before any turn; with FAILS the service of one may fail at
 * any moment. The program leaves out turns in which no rank adds, and the meeting after them; it meets
 * before a round rather than after its last turn. Here there are more meetings, in the same order.
 *
 * Shown: nobody waits forever; each owner adds in the order (round, turn), where one rank adds at a
 * time; each piece is added once.
 *
 * BUG plants one: 1 ranks do not meet after each turn; 2 a rank goes on without a reply; 3 a rank that
 * waits for a reply does not serve; 4 all ranks send to the same owner in a turn; 5 (with FAILS) a
 * failed service tells nobody; 6 (with FAILS) the end of a connection goes unnoticed. */
#ifndef BUG
#define BUG 0
#endif
#ifdef LEAVES
#define MAY_LEAVE(rank) ((rank) == 0)
#else
#define MAY_LEAVE(rank) false
#endif
#ifdef FAILS
#define MAY_FAIL(rank) ((rank) == failing)
#define ROUNDS 1 /* in which all ranks do the same, so that any may be the one that fails */
#else
#define MAY_FAIL(rank) false
#define ROUNDS 2
#endif
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
byte failing = 0; /* whose service may fail, once */
bool ends; /* a service has failed: sums no longer matter */

/* What is shown. */
byte round[RANKS], turn[RANKS]; /* of a rank: in which it may add next */
byte to_add[9]; /* pieces sent and not added yet */

inline add(from) {
    assert(ends || to_add[PAIR(from, me)] > 0);
    to_add[PAIR(from, me)] = (ends -> 0 : to_add[PAIR(from, me)] - 1);
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
    receives_from[me] = NOBODY;
    if
    :: data[PAIR(me, AFTER(me, 1))] -> data[PAIR(me, AFTER(me, 1))] = false
    :: true
    fi;
    if
    :: data[PAIR(me, AFTER(me, 2))] -> data[PAIR(me, AFTER(me, 2))] = false
    :: true
    fi;
    is_end[PAIR(me, AFTER(me, 1))] = (!told[me] && BUG != 5);
    is_end[PAIR(me, AFTER(me, 2))] = (!told[me] && BUG != 5);
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
    :: atomic { SERVES(may) && receives_from[me] == r && !data[PAIR(r, me)] && closed[r] && BUG != 6 -> fail() }
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
    :: atomic { SERVES(may) && MAY_FAIL(me) -> failing = NOBODY; fail() }
    fi
}

inline send_part() {
    atomic {
        if
        :: owner == me -> to_add[PAIR(me, me)] = 2; add(me); add(me) /* in place */
        :: owner != me && failed[me] -> works = false
        :: owner != me && !failed[me] ->
            to_add[PAIR(me, owner)] = to_add[PAIR(me, owner)] + 2;
            is_short[PAIR(me, owner)] = true;
            is_long[PAIR(me, owner)] = true;
            data[PAIR(me, owner)] = true;
            lacks = (BUG == 2 -> 0 : 2)
        fi
    }
}

inline await_replies() {
    do
    :: lacks == 0 -> assert(ends || to_add[PAIR(me, owner)] == 0); break
    :: atomic { lacks > 0 && failed[me] -> works = false; lacks = 0 }
    :: atomic { lacks > 0 && replied_short[PAIR(owner, me)] -> replied_short[PAIR(owner, me)] = false; lacks-- }
    :: atomic { lacks > 0 && replied_long[PAIR(owner, me)] -> replied_long[PAIR(owner, me)] = false; lacks-- }
    :: serve(AFTER(me, 1), lacks > 0 && BUG != 3)
    :: serve(AFTER(me, 2), lacks > 0 && BUG != 3)
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
    leaves[PAIR(me, r)] = leaves_now;
    meets[PAIR(me, r)] = meets[PAIR(me, r)] + !leaves_now
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

#define GOES_ON (round[me] < ROUNDS && works && together)

proctype rank(byte me) {
    byte owner, lacks, heard;
    bool works = true, together = true;
    do
    :: !GOES_ON -> break
    :: GOES_ON && MAY_LEAVE(me) -> break
    :: GOES_ON ->
        owner = (BUG == 4 -> turn[me] : AFTER(me, turn[me]));
        if
        :: me != 1 || round[me] == 0 -> send_part(); await_replies()
        :: true /* no slice, or no part of it for this owner */
        fi;
        atomic { /* has no more to add in this turn */
            turn[me] = AFTER(turn[me], 1);
            round[me] = round[me] + (turn[me] == 0)
        }
        if
        :: BUG != 1 -> meet(false)
        :: else
        fi
    od;
    round[me] = ROUNDS; /* adds no more */
    meet(true);
    atomic {
        closed[me] = true;
        forget(AFTER(me, 1));
        forget(AFTER(me, 2))
    }
}

init {
    atomic { run rank(0); run rank(1); run rank(2) }
}
