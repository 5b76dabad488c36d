/* heap_page.c - the page for a browser that treemap and icicle are drawn in: page.html, which needs
 * nothing else, with the tree in it as arrays. */
#include <string.h>

#include "base/format.h"
#include "report/heap/heapreport_impl.h"
#include "report/texttable.h"

static void put_text(FILE *out, const char *key, const char *text) {
    fprintf(out, "\"%s\":\"", key);
    heaptext_json(out, text, strlen(text));
    fputs("\",", out);
}

static void put_head(const HeapPage *page, const HeapReport *report, FILE *out) {
    const LmpSnapshot *s = report->s;
    char program[300], lua[64];
    put_text(out, "view", page->view);
    put_text(out, "program", heaptext_program(report, program, sizeof program));
    put_text(out, "lua", format_text(lua, sizeof lua, s->info.lua, 0));
    fprintf(out, "\"number\":%u,\"pid\":%u,\"at\":%llu,\"live\":%llu,\"garbage\":%llu,\n",
            s->info.number, s->info.pid, (unsigned long long)(s->info.clock / 1000000),
            (unsigned long long)s->info.live_bytes, (unsigned long long)s->garbage_bytes);
    fputs("\"kinds\":[", out);
    for (unsigned k = 0; k < LMP_KINDS; k++)
        fprintf(out, "%s\"%s\"", k ? "," : "", kind_info[k].name);
    fputs("],\n\"rows\":[", out);
}

/* parent, kind, with all below, own, objects, name, line */
static void put_row(const HeapPageRow *row, uint32_t i, FILE *out) {
    fprintf(out, "%s[%u,%u,%llu,%llu,%u,\"", i ? ",\n" : "\n", row->parent, row->kind,
            (unsigned long long)row->all, (unsigned long long)row->size, row->objects);
    heaptext_json(out, row->name, strlen(row->name));
    fputs("\",\"", out);
    heaptext_json(out, row->site, strlen(row->site));
    fputs("\"]", out);
}

void page_write(const HeapPage *page, const HeapReport *report, FILE *out) {
    fputs(heappage_head, out);
    fputc('{', out);
    put_head(page, report, out);
    for (uint32_t i = 0; i < page->rows && !ferror(out); i++)
        put_row(&page->row[i], i, out);
    fputs("]}", out);
    fputs(heappage_tail, out);
}
