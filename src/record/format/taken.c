/* taken.c - compares the counters before and after, and where lines are exact also their sums with
 * those of all records. */
#include "record/format/taken.h"

#include <string.h>

#include "shared/counters.h"

bool taken_still(const LmpCounters *before, const LmpCounters *after, const LmpTables *t) {
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
        reallocs -= r->reallocs;
    }
    return live_bytes == 0 && live_blocks == 0 && reallocs == 0;
}
