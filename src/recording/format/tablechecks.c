/* tablechecks.c - compares counters, and their sums with those of all records; counts lost rows by
 * a field that is never zero in a row that a program has made. */
#include "recording/format/tablechecks.h"

#include <string.h>

#include "shared/counters.h"

/* ---- one moment ------------------------------------------------------------------------------ */

bool tablechecks_consistent(const LmpCounters *before, const LmpCounters *after,
                            const LmpTables *t) {
    LmpClassTotal total[LMP_CLASSES];
    uint64_t live_bytes = 0, live_blocks = 0, reallocs = 0;
    if (memcmp(before, after, sizeof *before) != 0) return false;
    counters_read(before, total);
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++) {
        live_bytes += total[cls].live_bytes;
        live_blocks += total[cls].live_blocks;
        reallocs += total[cls].reallocs;
    }
    if (live_bytes != before->live_bytes) return false;
    const LmpTablesUsed *used = tables_used(t);
    if (used->lines != LMP_LINES_EXACT || used->sample > 0) return true;
    for (uint32_t i = 1; i < tables_records(t); i++) {
        const LmpRecord *r = &t->record[i];
        if (r->use.cls < 1 || r->use.cls >= LMP_C_COUNTED) continue;
        live_bytes -= r->use.bytes - r->use.free_bytes;
        live_blocks -= r->use.allocs - r->use.frees;
        reallocs -= r->use.reallocs;
    }
    return live_bytes == 0 && live_blocks == 0 && reallocs == 0;
}

/* ---- lost rows ------------------------------------------------------------------------------- */

uint64_t tablechecks_lost_rows(const LmpTables *t) {
    uint64_t n = 0;
    for (uint32_t i = 1; i < tables_functions(t); i++)
        n += t->function[i].kind == 0;
    for (uint32_t i = 1; i < tables_sites(t); i++)
        n += t->site[i].function == 0;
    for (uint32_t i = 1; i < tables_records(t); i++)
        n += t->record[i].site == 0;
    for (uint32_t i = 1; i < tables_nodes(t); i++)
        n += t->node[i].site == 0;
    return n;
}

/* Texts are at least one byte and the NUL after it; all bytes of one that is not there are 0. */
static void name_text(char *text, uint32_t at) {
    if (at > 0 && at < LMP_TEXT_MAX - 1 && !text[at] && !text[at + 1]) text[at] = '?';
}

void tablechecks_name_lost(const RecMemory *m, const uint32_t have[REC_GROUPS]) {
    const LmpFunction *f = (const void *)rec_at(m, LMP_FUNCTIONS_AT);
    char *text = rec_at(m, LMP_TEXT_AT);
    uint32_t g = 0;
    while (rec_groups[g].at != LMP_FUNCTIONS_AT || rec_groups[g].section != REC_ROWS)
        g++;
    for (uint32_t i = 1; i < have[g] && i < LMP_FUNCTIONS_MAX; i++) {
        name_text(text, f[i].source);
        name_text(text, f[i].short_src);
        name_text(text, f[i].name);
    }
}
