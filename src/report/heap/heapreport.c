/* heapreport.c - the table of reports of a snapshot. */
#include "report/heap/heapreport.h"

#include <string.h>

#include "report/heap/heapreport_impl.h"

#define ROW(ID, name, help) [HEAP_REPORT_##ID] = {#name, help, heap_##name},
const HeapReportKind heapreport_kinds[HEAP_REPORT_KINDS] = {HEAP_REPORTS(ROW)};
#undef ROW

const HeapReportKind *heapreport_find(const char *name) {
    for (size_t i = 0; i < HEAP_REPORT_KINDS; i++)
        if (strcmp(heapreport_kinds[i].name, name) == 0) return &heapreport_kinds[i];
    return NULL;
}

const char *heapreport_lacks(const HeapReportKind *kind, const HeapReport *report) {
    const LmpSnapshot *s = report->s;
    if (s->g.objects < 2) return "the snapshot has no objects";
    bool words = kind == &heapreport_kinds[HEAP_REPORT_SUMMARY] ||
                 kind == &heapreport_kinds[HEAP_REPORT_JSON];
    if (words && report->redact)
        return "its sentences name keys and contents: nothing to hide them";
    if (!report->address) return NULL;
    if (kind != &heapreport_kinds[HEAP_REPORT_DOT]) return "only dot is about one object";
    uint32_t object = snapshot_at(s, report->address);
    if (object == LMP_HEAP_NONE) return "there is no object at this address";
    if (snapshot_garbage(s, object)) return "nothing holds this object: it waits for the collector";
    return NULL;
}
