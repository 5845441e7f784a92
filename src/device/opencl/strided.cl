/* strided.cl - copies, transposes, additions and scalings of strided blocks, for one element type.
 *
 * An element consists of PARTS numbers of the type REAL: two for complex types, otherwise one.
 * Offsets, lengths and leading dimensions count elements; only those of `add` count numbers. A work
 * item handles one element of a line. */

kernel void copy(global const REAL *from, ulong from_at, ulong from_ld, global REAL *to, ulong to_at,
                 ulong to_ld, ulong lines, ulong count, int conjugate) {
    ulong at = get_global_id(0), line = get_global_id(1);
    if (at >= count)
        return;
    global const REAL *x = from + (from_at + line * from_ld + at) * PARTS;
    global REAL *y = to + (to_at + line * to_ld + at) * PARTS;
    y[0] = x[0];
    if (PARTS == 2)
        y[PARTS - 1] = conjugate ? -x[PARTS - 1] : x[PARTS - 1];
}

/* The work items go along the lines of the target. */
kernel void transpose(global const REAL *from, ulong from_at, ulong from_ld, global REAL *to,
                      ulong to_at, ulong to_ld, ulong lines, ulong count, int conjugate) {
    ulong line = get_global_id(0), at = get_global_id(1);
    if (line >= lines)
        return;
    global const REAL *x = from + (from_at + line * from_ld + at) * PARTS;
    global REAL *y = to + (to_at + at * to_ld + line) * PARTS;
    y[0] = x[0];
    if (PARTS == 2)
        y[PARTS - 1] = conjugate ? -x[PARTS - 1] : x[PARTS - 1];
}

kernel void add(global const REAL *from, ulong from_at, ulong from_ld, global REAL *to, ulong to_at,
                ulong to_ld, ulong lines, ulong count) {
    ulong at = get_global_id(0), line = get_global_id(1);
    if (at < count)
        to[to_at + line * to_ld + at] += from[from_at + line * from_ld + at];
}

kernel void scale(global REAL *to, ulong to_at, ulong to_ld, ulong lines, ulong count, REAL re,
                  REAL im, int zero) {
    ulong at = get_global_id(0), line = get_global_id(1);
    if (at >= count)
        return;
    global REAL *x = to + (to_at + line * to_ld + at) * PARTS;
    REAL x_re = zero ? 0 : x[0], x_im = zero ? 0 : x[PARTS - 1];
    x[0] = PARTS == 2 ? re * x_re - im * x_im : re * x_re;
    if (PARTS == 2)
        x[PARTS - 1] = re * x_im + im * x_re;
}
