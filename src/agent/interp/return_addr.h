/* return_addr.h - a table that says of which class a block is by the return addresses above our own
 * frame: its caller's, and where that one serves many the caller's caller's, and so on, each at a
 * constant distance. owner.c and freed_class.c fill one each, at start. */
#ifndef LMP_RETURN_ADDR_H
#define LMP_RETURN_ADDR_H

#include "agent/interp/frames.h"
#include "agent/state/profile.h"

/* Our caller's stack pointer and return address: they tell which part of Lua is asking. */
typedef struct LmpCaller {
    const char *cfa;
    uintptr_t ret;
    LmpSavedRegs regs; /* NULL: not known */
} LmpCaller;

#define LMP_RETURN_ADDRS 2048u /* slots, a power of two; at most half are used */

typedef struct LmpReturnAddr {
    uintptr_t key;     /* a return address, or one mixed with its callers'; 0: free */
    int32_t distance;  /* bytes from cfa to the next return address; 0: none needed */
    uint8_t cls;       /* LmpClass when no further look is needed */
    int16_t at_thread; /* first level only: where saved_regs.h has the thread that the memory
                          is for, -1: not known */
} LmpReturnAddr;

typedef struct LmpReturnAddrs {
    LmpReturnAddr slot[LMP_RETURN_ADDRS];
    uint32_t used;
} LmpReturnAddrs;

static inline uintptr_t return_addr_pair(uintptr_t ret, uintptr_t next) {
    return next ^ (ret << 1);
}

static inline uint32_t return_addr_home(uintptr_t key) {
    return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 40) & (LMP_RETURN_ADDRS - 1);
}

static inline const LmpReturnAddr *return_addr_find(const LmpReturnAddrs *sites, uintptr_t key) {
    for (uint32_t i = return_addr_home(key);; i = (i + 1) & (LMP_RETURN_ADDRS - 1)) {
        const LmpReturnAddr *s = &sites->slot[i];
        if (LIKELY(s->key == key)) return s;
        if (!s->key) return NULL;
    }
}

/* Returns the class of the block that a raw request from `caller` is for; LMP_C_OTHER when unknown.
 * *asker: the row of the caller itself, NULL when unknown. Reads the interpreter's stack above our
 * own frame, hence without AddressSanitizer. */
__attribute__((no_sanitize("address"))) static inline unsigned
return_addr_class(const LmpReturnAddrs *sites, LmpCaller caller, const LmpReturnAddr **asker) {
    uintptr_t key = caller.ret;
    const LmpReturnAddr *s = return_addr_find(sites, key);
    *asker = s;
    while (s && s->distance) {
        const uintptr_t *next = (const void *)(caller.cfa + s->distance);
        key = return_addr_pair(key, cpu_address(*next));
        s = return_addr_find(sites, key);
    }
    return s ? s->cls : LMP_C_OTHER;
}

#endif
