/* convert.cl - converts f16 and bf16 to f32 and back: to nearest, ties to even. */

kernel void widen_f16(global const ushort *from, ulong from_at, ulong from_ld, global float *to,
                      ulong to_at, ulong to_ld, ulong lines, ulong count) {
    ulong at = get_global_id(0), line = get_global_id(1);
    if (at < count)
        to[to_at + line * to_ld + at] =
            vload_half(from_at + line * from_ld + at, (global const half *)from);
}

kernel void narrow_f16(global const float *from, ulong from_at, ulong from_ld, global ushort *to,
                       ulong to_at, ulong to_ld, ulong lines, ulong count) {
    ulong at = get_global_id(0), line = get_global_id(1);
    if (at < count)
        vstore_half_rte(from[from_at + line * from_ld + at], to_at + line * to_ld + at,
                        (global half *)to);
}

kernel void widen_bf16(global const ushort *from, ulong from_at, ulong from_ld, global float *to,
                       ulong to_at, ulong to_ld, ulong lines, ulong count) {
    ulong at = get_global_id(0), line = get_global_id(1);
    if (at < count)
        to[to_at + line * to_ld + at] =
            as_float((uint)from[from_at + line * from_ld + at] << 16);
}

kernel void narrow_bf16(global const float *from, ulong from_at, ulong from_ld, global ushort *to,
                        ulong to_at, ulong to_ld, ulong lines, ulong count) {
    ulong at = get_global_id(0), line = get_global_id(1);
    if (at >= count)
        return;
    uint bits = as_uint(from[from_at + line * from_ld + at]);
    uint rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    uint nan = bits >> 16 | 0x40;
    to[to_at + line * to_ld + at] = (bits & 0x7fffffff) > 0x7f800000 ? nan : rounded;
}
