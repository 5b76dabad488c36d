/* snapshotreport.c - the table of reports of a snapshot, and the numbers that objects have in
 * several. */
#include "report/snapshot/snapshotreport.h"

#include <stdlib.h>
#include <string.h>

#include "base/rowindex.h"
#include "report/snapshot/snapshotreport_impl.h"

#define ROW(ID, name, help) [SNAPSHOT_REPORT_##ID] = {#name, help, snapshot_##name},
const SnapshotReportKind snapshotreport_kinds[SNAPSHOT_REPORT_KINDS] = {SNAPSHOT_REPORTS(ROW)};
#undef ROW

const SnapshotReportKind *snapshotreport_find(const char *name) {
    for (size_t i = 0; i < SNAPSHOT_REPORT_KINDS; i++)
        if (strcmp(snapshotreport_kinds[i].name, name) == 0) return &snapshotreport_kinds[i];
    return NULL;
}

const char *snapshotreport_lacks(const SnapshotReportKind *kind, const SnapshotReport *report) {
    const LmpSnapshot *s = report->s;
    if (s->g.objects < 2) return "the snapshot has no objects";
    bool words = kind == &snapshotreport_kinds[SNAPSHOT_REPORT_SUMMARY] ||
                 kind == &snapshotreport_kinds[SNAPSHOT_REPORT_JSON];
    if (words && report->redact)
        return "its sentences name keys and contents: nothing to hide them";
    if (!report->address) return NULL;
    if (kind != &snapshotreport_kinds[SNAPSHOT_REPORT_DOT]) return "only dot is about one object";
    uint32_t object = snapshot_at(s, report->address);
    if (object == LMP_OBJECT_NONE) return "there is no object at this address";
    if (snapshot_garbage(s, object)) return "nothing holds this object: it waits for the collector";
    return NULL;
}

/* ---- numbers of objects for other tools ------------------------------------------------------ */

/* Odd, below 2^32, and the same in each snapshot of a run as long as the object lives. They are
 * made of its address, type and birth, so that another object at its address has another one. */

/* Half of the number that an object would have if no other had it. */
static uint32_t wish(const LmpSnapshot *s, uint32_t i) {
    uint64_t h = rowindex_mix(rowindex_mix(0x6c6d70, s->g.addr[i]),
                              (uint64_t)s->g.birth[i] << 8 | s->g.kind[i]);
    if (s->g.kind[i] == LMP_OBJECT_LOT) h = rowindex_mix(1, s->g.lot_what[s->ordinal[i]]);
    return (uint32_t)(h >> 17) & 0x7fffffffu;
}

uint32_t *snapshotreport_ids(const LmpSnapshot *s) {
    LmpRowIndex taken;
    uint32_t *id = malloc(((size_t)s->g.objects + 1) * sizeof *id);
    if (!id || !rowindex_open(&taken, 1024)) {
        free(id);
        return NULL;
    }
    bool room = true;
    id[0] = OBJECT_ID_ROOT;
    rowindex_add(&taken, OBJECT_ID_ROOT / 2, 1);
    rowindex_add(&taken, OBJECT_ID_GARBAGE / 2, 1);
    for (uint32_t i = 1; i < s->g.objects && room; i++) {
        uint32_t half = wish(s, i), at = half;
        room = rowindex_room(&taken, 1);
        while (room && rowindex_next(&taken, half, &at)) /* another one has it */
            at = half = (half + 1) & 0x7fffffffu;
        if (room) rowindex_add(&taken, half, 1);
        id[i] = half * 2 + 1;
    }
    rowindex_close(&taken);
    if (room) return id;
    free(id);
    return NULL;
}
