/* return_addr.c - filling the table of return_addr.h. */
#include "agent/interp/return_addr.h"

bool return_addr_add(LmpReturnAddrs *sites, uintptr_t key, int32_t distance, unsigned cls) {
    if (sites->used >= LMP_RETURN_ADDRS / 2) return false;
    uint32_t i = return_addr_home(key);
    while (sites->slot[i].key && sites->slot[i].key != key)
        i = (i + 1) & (LMP_RETURN_ADDRS - 1);
    sites->used += !sites->slot[i].key;
    sites->slot[i] = (LmpReturnAddr){key, distance, (uint8_t)cls, -1};
    return true;
}
