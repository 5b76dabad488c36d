/* objectcell.c - names objects by the steps from their holders (snapshot_step), finds their code or
 * the line that made them, and draws what a page shows before anything is summed up. */
#include "snapshot/objectcell.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "read/snapshot/why.h"
#include "widget/describe.h"
#include "widget/tallycell.h"

OpenedSnapshot *objectcell_opened(const Model *model, Canvas *canvas, Rect rect) {
    if (!model->heap && canvas && rect.h > 0)
        canvas_text(canvas, rect.x + 1, rect.y, rect.w - 2, STYLE(TONE_MUTED),
                    "no snapshot is open yet");
    return model->heap;
}

bool objectcell_can(const Model *model, Canvas *canvas, Rect rect) {
    return objectcell_opened(model, canvas, rect) != NULL;
}

bool objectcell_wait(const OpenedSnapshot *heap, uint64_t *asked, uint64_t what, const char *words,
                     Ui *ui, Canvas *canvas, Rect rect) {
    uint64_t mark = heap->serial * 64 + what + 1;
    char count[LMP_NUM];
    if (heap->now.g.objects < OBJECTCELL_LARGE || (*asked == mark && !heap->stopped)) return false;
    format_count(count, snapshot_objects(&heap->now));
    canvas_printf(canvas, rect.x + 1, rect.y, rect.w - 2, STYLE(TONE_MUTED),
                  heap->stopped ? "Stopped summing up %s objects %s; any key begins again"
                                : "Summing up %s objects %s ...  esc stops it",
                  count, words);
    *asked = heap->stopped ? 0 : mark;
    ui->at_once = !heap->stopped;
    return true;
}

uint64_t objectcell_whole(const LmpSnapshot *s) {
    uint64_t all = s->reachable_bytes + s->garbage_bytes;
    return all > 0 ? all : 1;
}

double objectcell_share(const LmpSnapshot *s, uint64_t bytes) {
    return tallycell_share_of(bytes, objectcell_whole(s));
}

Tone objectcell_tone(const LmpSnapshot *s, uint32_t object) {
    return TONE_KIND(snapshot_kind(s, object));
}

static char *after_arrow(char *step) {
    static const char arrow[] = "▸";
    step += strspn(step, " ");
    if (strncmp(step, arrow, sizeof arrow - 1) == 0) step += sizeof arrow - 1;
    return step + strspn(step, " ");
}

const char *objectcell_label(const LmpSnapshot *s, uint32_t object, char *out, size_t size) {
    uint32_t edge = s->parent_edge[object];
    if (object == 0 || edge == LMP_OBJECT_NONE) return snapshot_name(s, object, out, size);
    snapshot_step(s, s->parent[object], edge, out, size);
    char *p = after_arrow(out);
    if (!*p) return snapshot_name(s, object, out, size);
    memmove(out, p, strlen(p) + 1);
    return out;
}

#define PATH_STEPS 64

const char *objectcell_path(const LmpSnapshot *s, uint32_t object, char *out, size_t size) {
    uint32_t step[PATH_STEPS], steps = 0, at = object;
    size_t used = 0;
    bool cut = false;
    out[0] = 0;
    for (; at != 0 && s->parent_edge[at] != LMP_OBJECT_NONE && !cut; at = s->parent[at]) {
        cut = steps == PATH_STEPS;
        if (!cut) step[steps++] = at;
    }
    if (steps == 0) return snapshot_name(s, object, out, size);
    if (cut) snprintf(out, size, "…");
    if (!cut && steps > 1)
        steps -= why_beginning(s, s->parent_edge[step[steps - 1]], s->parent_edge[step[steps - 2]],
                               out, size);
    used = strlen(out);
    while (steps-- > 0 && used + 1 < size) {
        uint32_t to = step[steps];
        snapshot_step(s, s->parent[to], s->parent_edge[to], out + used, size - used);
        used += strlen(out + used);
    }
    char *p = after_arrow(out); /* the first step needs no arrow before it */
    memmove(out, p, strlen(p) + 1);
    return out;
}

static bool place_of_code(const LmpSnapshot *s, uint32_t object, char *source, size_t size,
                          PanelPlace *out) {
    uint32_t proto = snapshot_proto(s, object);
    if (proto == LMP_OBJECT_NONE) return false;
    uint32_t row = s->ordinal[proto], text = s->g.proto_source[row];
    size_t length = 0;
    const char *bytes = text ? snapshot_text(s, text, &length) : NULL;
    if (!bytes || length == 0) return false;
    snprintf(source, size, "%.*s", (int)length, bytes);
    out->source = source;
    out->short_src = source[0] == '@' || source[0] == '=' ? source + 1 : source;
    out->line = (int)s->g.proto_line[row];
    out->defined = true;
    return true;
}

bool objectcell_place(const LmpSnapshot *s, uint32_t object, PanelPlace *out) {
    static char source[4096], name[160];
    *out = (PanelPlace){.source = source, .short_src = name, .line = -1};
    bool code =
        s->g.kind[object] == LMP_OBJECT_PROTO || s->g.kind[object] == LMP_OBJECT_LUA_FUNCTION;
    if (code && place_of_code(s, object, source, sizeof source, out)) return true;
    if (s->view && describe_context_line(&s->view->tables, s->g.context[object], source,
                                         sizeof source, name, sizeof name, &out->line))
        return true;
    return place_of_code(s, object, source, sizeof source, out);
}

char *objectcell_age(const LmpSnapshot *s, uint32_t object, char *out) {
    uint64_t born = snapshot_born(s, object);
    out[0] = 0;
    if (born == UINT64_MAX) return out;
    return format_span(out, s->info.clock > born ? s->info.clock - born : 0);
}

char *objectcell_objects(char *out, uint64_t count) {
    char number[LMP_NUM];
    snprintf(out, LMP_NUM + 16, "%s object%s", format_count(number, count), count == 1 ? "" : "s");
    return out;
}

bool objectcell_no_lines(const TableSource *from) {
    return !from->model->heap || from->model->heap->now.ledger.lines == LMP_LINES_OFF;
}

/* ---- columns --------------------------------------------------------------------------------- */

const LmpSnapshot *objectcell_col_whole(const TableSource *from) {
    return &from->model->heap->now;
}

double objectcell_col_retained(const TableSource *from, uint32_t row) {
    return (double)objectcell_col_whole(from)->retained[from->object(from, row)];
}

double objectcell_col_size(const TableSource *from, uint32_t row) {
    return (double)snapshot_counted(objectcell_col_whole(from), from->object(from, row));
}

double objectcell_col_class(const TableSource *from, uint32_t row) {
    return objectcell_col_whole(from)->class_of[from->object(from, row)];
}

void objectcell_col_age(const TableSource *from, uint32_t row, TableCell *cell) {
    objectcell_age(objectcell_col_whole(from), from->object(from, row), cell->text);
    cell->style = STYLE(TONE_MUTED);
}

void objectcell_col_name(const TableSource *from, uint32_t row, TableCell *cell) {
    uint32_t object = from->object(from, row);
    char text[TABLE_TEXT];
    snapshot_name(objectcell_col_whole(from), object, text, sizeof text);
    format_text(cell->text, sizeof cell->text, text, !from->ui->utf8);
    cell->style = STYLE(objectcell_tone(objectcell_col_whole(from), object));
}

void objectcell_col_site(const TableSource *from, uint32_t row, TableCell *cell) {
    char text[TABLE_TEXT];
    snapshot_site(objectcell_col_whole(from), from->object(from, row), text, sizeof text);
    format_text(cell->text, sizeof cell->text, text, !from->ui->utf8);
}

void objectcell_col_preview(const TableSource *from, uint32_t row, TableCell *cell) {
    char text[TABLE_TEXT];
    snapshot_preview(objectcell_col_whole(from), from->object(from, row), text, sizeof text);
    format_text(cell->text, sizeof cell->text, text, !from->ui->utf8);
    cell->style = STYLE(TONE_SOURCE);
}

bool objectcell_col_place(const TableSource *from, uint32_t row, PanelPlace *out) {
    return objectcell_place(objectcell_col_whole(from), from->object(from, row), out);
}
