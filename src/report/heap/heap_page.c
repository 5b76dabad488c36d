/* heap_page.c - the page for a browser that treemap and icicle are drawn in (heap.html), with the
 * tree in it as arrays. */
#include "base/format.h"
#include "report/heap/heapreport_impl.h"
#include "report/webpage.h"

typedef struct Drawn {
    const HeapPage *page;
    const HeapReport *report;
} Drawn;

static void put_head(Json *json, const Drawn *d) {
    const LmpSnapshot *s = d->report->s;
    char program[300], lua[64];
    json_text(json, "view", d->page->view);
    json_text(json, "program", heaptext_program(d->report, program, sizeof program));
    json_text(json, "lua", format_text(lua, sizeof lua, s->info.lua, 0));
    json_count(json, "number", s->info.number);
    json_count(json, "pid", s->info.pid);
    json_count(json, "at", s->info.clock / 1000000);
    json_count(json, "live", s->info.live_bytes);
    json_count(json, "garbage", s->garbage_bytes);
    json_line(json);
    json_begin(json, "kinds", '[');
    for (unsigned k = 0; k < LMP_KINDS; k++)
        json_text(json, NULL, kind_info[k].name);
    json_end(json, ']');
}

/* parent, kind, with all below, own, objects, name, line */
static void put_row(Json *json, const HeapPageRow *row) {
    json_line(json);
    json_begin(json, NULL, '[');
    json_count(json, NULL, row->parent);
    json_count(json, NULL, row->kind);
    json_count(json, NULL, row->all);
    json_count(json, NULL, row->size);
    json_count(json, NULL, row->objects);
    json_text(json, NULL, row->name);
    json_text(json, NULL, row->site);
    json_end(json, ']');
}

static LmpErr put_data(Json *json, const void *of) {
    const Drawn *d = of;
    put_head(json, d);
    json_line(json);
    json_begin(json, "rows", '[');
    for (uint32_t i = 0; i < d->page->rows && !ferror(json->out); i++)
        put_row(json, &d->page->row[i]);
    json_end(json, ']');
    return LMP_OK;
}

LmpErr page_write(const HeapPage *page, const HeapReport *report, FILE *out) {
    const Drawn drawn = {page, report};
    return webpage_write(&heap_page, JSON_IN_SCRIPT, put_data, &drawn, out);
}
