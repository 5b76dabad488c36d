/* before.c - one pass over the collector's lists; each block goes the way of one that was just
 * made, with the record of "(before)" and its class. */
#include "agent/hook/before.h"

#include "agent/charge/sites.h"
#include "agent/charge/tree.h"
#include "agent/hook/odd.h"
#include "agent/objects/offsets.h"
#include "agent/objects/size.h"

typedef struct Before {
    LmpProfile *p;
    uint64_t bytes;
    uint32_t site; /* 0: lines are not kept */
    uint32_t context[LMP_C_COUNTED];
} Before;

static uint32_t context_of(Before *b, unsigned cls) {
    LmpProfile *p = b->p;
    if (!b->site || !p->exact) return 0;
    if (!b->context[cls]) {
        uint32_t record = sites_record(p, b->site, cls, 0);
        b->context[cls] = p->tree ? tree_outside_path(p, record) : record;
    }
    return b->context[cls];
}

static bool enter(void *of, uintptr_t at, uint64_t size, unsigned cls) {
    Before *b = of;
    odd_made(b->p, (void *)at, size, ODD_CONTEXT(context_of(b, cls), cls)); /* NOLINT */
    b->bytes += size;
    return true;
}

uint64_t before_enter(LmpProfile *p) {
    Before b = {.p = p};
    if (offsets_known() != LMP_OK) return 0;
    if (p->lines) b.site = sites_before(p);
    object_size_blocks(p->main, enter, &b);
    return b.bytes;
}
