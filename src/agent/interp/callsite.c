/* callsite.c - filling the table of callsite.h. */
#include "agent/interp/callsite.h"

bool callsite_add(LmpCallsites *sites, uintptr_t key, int32_t distance, unsigned cls) {
    if (sites->used >= LMP_CALLSITES / 2) return false;
    uint32_t i = callsite_home(key);
    while (sites->slot[i].key && sites->slot[i].key != key)
        i = (i + 1) & (LMP_CALLSITES - 1);
    sites->used += !sites->slot[i].key;
    sites->slot[i] = (LmpCallsite){key, distance, (uint8_t)cls, -1};
    return true;
}
