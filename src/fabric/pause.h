/* pause.h - the processor's hint for a spinning loop. */
#ifndef SCT_FABRIC_PAUSE_H
#define SCT_FABRIC_PAUSE_H

static inline void sct_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb");
#endif
}

#endif
