/* incoming.c - the references to each object, whether they hold or not, in the order of where they
 * come from. */
#include "read/snapshot/snapshot_impl.h"

bool incoming_make(LmpSnapshot *s) {
    SnapMemory *own = &snap_own(s)->memory;
    const LmpHeapGraph *g = &s->g;
    s->in_at = snapmem_take(own, (size_t)g->objects + 2, sizeof *s->in_at);
    s->in = snapmem_rough(own, g->edges, sizeof *s->in);
    s->in_from = snapmem_rough(own, g->edges, sizeof *s->in_from);
    if (!s->in_at || !s->in || !s->in_from) return false;
    uint32_t *counts =
        s->in_at + 2; /* two ahead: filling moves each to its end, the next's begin */
    for (uint32_t e = 0; e < g->edges; e++)
        counts[g->edge_to[e]]++;
    for (uint32_t i = 2; i <= g->objects; i++)
        s->in_at[i] += s->in_at[i - 1];
    for (uint32_t i = 0; i < g->objects; i++)
        for (uint32_t e = g->edge_at[i]; e < g->edge_at[i + 1]; e++) {
            uint32_t k = s->in_at[g->edge_to[e] + 1]++;
            s->in[k] = e;
            s->in_from[k] = i;
        }
    return true;
}
