/* inspector_rows.c - keeps the rows as one array in depth-first order: an answer replaces or
 * extends the rows below its parent, and rows that were open before, by id, get back what was below
 * them until that is read again. Names are written as Lua would (word, ["text"], [3]), values by
 * their type: quoted strings, tables with their first keys or the number of entries. */
#include "panels/inspector/inspector_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/format.h"
#include "base/rowindex.h"
#include "widget/describe.h"

/* ---- a row in words -------------------------------------------------------------------------- */

/* Types of memory have colours; numbers and booleans have none. */
Style inspector_style(const LmpLocal *local) {
    for (int k = 0; k < LMP_KINDS; k++)
        if (strcmp(local->type, kind_info[k].name) == 0) return STYLE(TONE_KIND(k));
    return STYLE(strcmp(local->type, "nil") == 0 ? TONE_FAINT : TONE_TEXT);
}

/* Returns true if the text could stand behind a dot. */
static bool is_word(const char *text) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return text[0] && !(text[0] >= '0' && text[0] <= '9') && text[strspn(text, letters)] == 0;
}

static void quote_key(const LmpLocal *local, bool ascii, char out[INSPECTOR_NAME]) {
    LmpPreview preview = {.shown = (uint32_t)strlen(local->name)};
    char text[INSPECTOR_NAME - 4];
    preview.size = preview.shown + (local->flags & LMP_LOCAL_CUT ? 1u : 0u);
    memcpy(preview.bytes, local->name, preview.shown);
    describe_preview(text, sizeof text, &preview, ascii);
    snprintf(out, INSPECTOR_NAME, "[%s]", text);
}

char *inspector_name(const LmpLocal *local, bool ascii, char out[INSPECTOR_NAME]) {
    char text[sizeof local->name];
    format_text(text, sizeof text, local->name, ascii);
    switch (local->key) {
    case LMP_KEY_STRING:
        if (is_word(local->name) && !(local->flags & LMP_LOCAL_CUT))
            snprintf(out, INSPECTOR_NAME, "%s", text);
        else
            quote_key(local, ascii, out);
        break;
    case LMP_KEY_INTEGER:
    case LMP_KEY_OTHER:
        snprintf(out, INSPECTOR_NAME, "[%s]", text);
        break;
    case LMP_KEY_VALUE:
        snprintf(out, INSPECTOR_NAME, "user value %s", text);
        break;
    case LMP_KEY_METATABLE:
        snprintf(out, INSPECTOR_NAME, "metatable");
        break;
    default:
        snprintf(out, INSPECTOR_NAME, "%s", *text ? text : "(no name)");
    }
    return out;
}

/* Writes "{history, seen, user}", "{over 512 entries}", "{}". */
static void table_text(const LmpLocal *local, const char *keys, bool ascii,
                       char out[INSPECTOR_VALUE]) {
    char count[LMP_NUM];
    const char *more = ascii ? "..." : "…";
    bool least = local->flags & LMP_LOCAL_LEAST;
    bool all = local->flags & LMP_LOCAL_ALL && !(local->flags & LMP_LOCAL_PLAIN);
    if (local->flags & LMP_LOCAL_KEYS)
        snprintf(out, INSPECTOR_VALUE, "{%s%s%s%s}", keys, *keys && !all ? ", " : "",
                 all ? "" : more, "");
    else if (local->whole || least)
        snprintf(out, INSPECTOR_VALUE, "{%s%s %s}", least ? "over " : "",
                 format_count(count, local->whole), local->whole == 1 ? "entry" : "entries");
    else
        snprintf(out, INSPECTOR_VALUE, "{}");
}

char *inspector_value(const LmpLocal *local, bool ascii, char out[INSPECTOR_VALUE]) {
    char value[LMP_LOCAL_BYTES + 1], text[LMP_LOCAL_BYTES + 1];
    uint32_t bytes = local->size < LMP_LOCAL_BYTES ? local->size : LMP_LOCAL_BYTES;
    memcpy(value, local->value, bytes);
    value[bytes] = 0;
    for (uint32_t i = 0; i < bytes; i++) /* keys may have any bytes */
        if (value[i] == 0) value[i] = '?';
    format_text(text, sizeof text, value, ascii);
    if (strcmp(local->type, "string") == 0) {
        LmpPreview preview = {.size = local->whole, .shown = bytes};
        memcpy(preview.bytes, local->value, bytes);
        describe_preview(out, INSPECTOR_VALUE, &preview, ascii);
    } else if (strcmp(local->type, "number") == 0 || strcmp(local->type, "boolean") == 0) {
        snprintf(out, INSPECTOR_VALUE, "%s", text);
    } else if (local->flags & LMP_LOCAL_SEEN) {
        table_text(local, text, ascii, out);
    } else {
        snprintf(out, INSPECTOR_VALUE, "%s%s%s", local->type, *text ? " " : "", text);
    }
    return out;
}

char *inspector_extent(const LmpLocal *local, char out[LMP_NUM]) {
    out[0] = 0;
    if (local->flags & LMP_LOCAL_SEEN) {
        bool all = local->flags & LMP_LOCAL_ALL && !(local->flags & LMP_LOCAL_PLAIN);
        if (local->flags & LMP_LOCAL_KEYS && !all && !(local->flags & LMP_LOCAL_LEAST))
            format_count(out, local->whole);
    } else if (strcmp(local->type, "string") == 0 && local->whole > local->size) {
        format_bytes(out, local->whole);
    }
    return out;
}

enum { MOST = 16384 /* rows in all */ };
#define ASK_AGAIN 1000000000ull /* nanoseconds */

void varrows_free(VarRows *v) {
    free(v->row);
    *v = (VarRows){0};
}

/* ---- names ----------------------------------------------------------------------------------- */

static uint64_t hash_text(uint64_t hash, const char *text) {
    for (; *text; text++)
        hash = rowindex_mix(hash, (unsigned char)*text);
    return hash;
}

/* Tells two entries with cut names apart by their places, too. */
static uint64_t id_of(uint64_t parent, const LmpLocal *value) {
    uint64_t hash = rowindex_mix(parent, value->key + 1);
    if (value->flags & LMP_LOCAL_CUT) hash = rowindex_mix(hash, value->place);
    return hash_text(hash, value->name);
}

static uint64_t id_of_frame(const LmpOp *op) {
    if (op->locals_frame >= op->frames) return 1;
    const LmpFrame *frame = &op->frame[op->locals_frame];
    return hash_text((uint64_t)(uint32_t)frame->linedefined + 1, frame->source);
}

/* Sets the width of the widest name for rows of one depth, from `first` on. */
static void set_name_width(VarRow *row, uint32_t count) {
    char name[INSPECTOR_NAME];
    int widest = 0;
    for (uint32_t i = 0; i < count; i++) {
        int w =
            row[i].kind == VAR_VALUE ? canvas_width(inspector_name(&row[i].value, false, name)) : 0;
        if (w > widest) widest = w < VAR_NAME ? w : VAR_NAME;
    }
    for (uint32_t i = 0; i < count; i++)
        row[i].name_w = (uint8_t)widest;
}

/* ---- the list -------------------------------------------------------------------------------- */

/* Returns the first row behind those below one. */
static uint32_t end_of(const VarRow *row, uint32_t rows, uint32_t at) {
    uint32_t end = at + 1;
    while (end < rows && row[end].depth > row[at].depth)
        end++;
    return end;
}

/* Puts `count` rows in place of those from `at` to `end`. Returns false: no room. */
static bool splice(VarRows *v, uint32_t at, uint32_t end, const VarRow *row, uint32_t count) {
    uint64_t rows = (uint64_t)v->rows - (end - at) + count;
    if (rows > MOST) return false;
    if (!array_room(&v->row, &v->room, rows)) return false;
    if (v->rows > end) memmove(v->row + at + count, v->row + end, (v->rows - end) * sizeof *v->row);
    if (count) memcpy(v->row + at, row, count * sizeof *row);
    v->rows = (uint32_t)rows;
    return true;
}

/* Returns true if a value can be unfolded. So can a table that was not looked at: the program says
 * why it cannot be read. */
static bool has_inside(const LmpLocal *value) {
    return value->flags & LMP_LOCAL_OPENS ||
           (strcmp(value->type, "table") == 0 && !(value->flags & LMP_LOCAL_SEEN));
}

static uint32_t find_open(const VarRow *old, uint32_t count, const VarRow *sought) {
    for (uint32_t i = 0; i < count; i++)
        if (old[i].id == sought->id && old[i].depth == sought->depth && old[i].open) return i;
    return UINT32_MAX;
}

/* Puts `fresh` rows at `at`; those that were open among `old` get back what was below them, to be
 * read again. */
static void put_rows(VarRows *v, uint32_t at, VarRow *fresh, uint32_t count, const VarRow *old,
                     uint32_t olds) {
    if (!splice(v, at, at, fresh, count)) return;
    for (uint32_t i = 0; i < count; i++) {
        VarRow *row = &v->row[at];
        bool opens = row->kind == VAR_VALUE && has_inside(&row->value);
        uint32_t was = opens ? find_open(old, olds, row) : UINT32_MAX;
        at++;
        if (was == UINT32_MAX) continue;
        uint32_t end = end_of(old, olds, was), below = end - was - 1;
        row->open = true;
        row->entries = old[was].entries;
        row->least = old[was].least;
        row->have = old[was].have;
        row->want = old[was].want;
        row->next = old[was].next;
        if (!splice(v, at, at, old + was + 1, below)) continue;
        for (uint32_t j = 0; j < below; j++)
            v->row[at + j].read = false;
        at += below;
    }
}

/* Returns a copy of rows, which the caller frees; NULL: none, or no memory. */
static VarRow *copy_rows(const VarRow *row, uint32_t count) {
    VarRow *copy = count ? malloc(count * sizeof *copy) : NULL;
    if (copy) memcpy(copy, row, count * sizeof *copy);
    return copy;
}

/* ---- variables ------------------------------------------------------------------------------- */

static bool same_op(const VarRows *v, const LmpOp *op) {
    return v->made && v->number == op->number && v->frame == op->locals_frame &&
           v->locals == op->locals && v->upvalues == op->upvalues &&
           v->locals_more == op->locals_more && v->upvalues_more == op->upvalues_more &&
           v->locals_state == op->locals_state && v->upvalues_state == op->upvalues_state &&
           memcmp(v->local, op->local, sizeof v->local) == 0 &&
           memcmp(v->upvalue, op->upvalue, sizeof v->upvalue) == 0;
}

static void note_op(VarRows *v, const LmpOp *op) {
    v->made = true;
    v->number = op->number;
    v->frame = op->locals_frame;
    v->locals = op->locals;
    v->upvalues = op->upvalues;
    v->locals_more = op->locals_more;
    v->upvalues_more = op->upvalues_more;
    v->locals_state = op->locals_state;
    v->upvalues_state = op->upvalues_state;
    memcpy(v->local, op->local, sizeof v->local);
    memcpy(v->upvalue, op->upvalue, sizeof v->upvalue);
}

static VarRow variable_row(uint64_t base, const LmpLocal *local, uint32_t variable) {
    VarRow row = {.value = *local, .kind = VAR_VALUE, .variable = variable};
    row.upvalue = variable >= LMP_LOCALS;
    row.id = id_of(rowindex_mix(base, variable), local);
    return row;
}

static VarRow words_row(uint64_t parent, VarKind kind, uint8_t depth, const char *words) {
    VarRow row = {.kind = (uint8_t)kind, .depth = depth, .id = rowindex_mix(parent, ~0ull)};
    snprintf(row.words, sizeof row.words, "%s", words);
    return row;
}

/* Makes rows for locals, then for upvalues under a heading, unless there are none, or none can be
 * read. */
static void make_variables(VarRows *v, const LmpOp *op) {
    VarRow row[LMP_LOCALS + LMP_UPVALUES + 3];
    uint64_t base = id_of_frame(op);
    uint32_t rows = 0, more = op->locals_more + op->upvalues_more;
    char words[56], count[LMP_NUM];
    if (op->locals_state == LMP_LOCALS_READ) {
        for (uint32_t i = 0; i < op->locals; i++)
            row[rows++] = variable_row(base, &op->local[i], i);
        bool known = op->upvalues_state == LMP_LOCALS_READ;
        if (known && op->upvalues > 0) row[rows++] = words_row(base, VAR_WORDS, 0, "upvalues");
        for (uint32_t i = 0; known && i < op->upvalues; i++)
            row[rows++] = variable_row(base, &op->upvalue[i], LMP_LOCALS + i);
        set_name_width(row, rows);
        snprintf(words, sizeof words, "… %s more, not recorded", format_count(count, more));
        if (more > 0) row[rows++] = words_row(base + 1, VAR_WORDS, 0, words);
        if (op->upvalues_state == LMP_LOCALS_NOT_NOW)
            row[rows++] = words_row(base + 2, VAR_WORDS, 0, "upvalues: unreadable just now");
    }
    uint32_t olds = v->rows;
    VarRow *old = copy_rows(v->row, olds);
    v->rows = 0;
    put_rows(v, 0, row, rows, old, old ? olds : 0);
    free(old);
    v->opens = false;
    for (uint32_t i = 0; i < rows; i++)
        v->opens |= row[i].kind == VAR_VALUE && row[i].value.flags & LMP_LOCAL_OPENS;
}

/* ---- what is in them ------------------------------------------------------------------------- */

/* Orders integers, then words, then other keys; the metatable comes last. */
static int rank_of(const LmpLocal *value) {
    switch (value->key) {
    case LMP_KEY_INTEGER:
        return 0;
    case LMP_KEY_STRING:
        return 1;
    case LMP_KEY_OTHER:
        return 2;
    case LMP_KEY_METATABLE:
        return 4;
    default:
        return 3;
    }
}

static int by_key(const void *a, const void *b) {
    const LmpLocal *x = &((const VarRow *)a)->value, *y = &((const VarRow *)b)->value;
    int rank = rank_of(x) - rank_of(y);
    if (rank) return rank;
    if (x->key == LMP_KEY_INTEGER) {
        long long m = strtoll(x->name, NULL, 10), n = strtoll(y->name, NULL, 10);
        return (m > n) - (m < n);
    }
    int order = x->key == LMP_KEY_STRING || x->key == LMP_KEY_OTHER ? strcmp(x->name, y->name) : 0;
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static void words_of_state(const LmpInside *inside, char *out, size_t size) {
    char why[sizeof inside->why];
    format_text(why, sizeof why, inside->why, 0);
    if (inside->state == LMP_INSIDE_UNKNOWN)
        snprintf(out, size, "unreadable here: %.38s", why);
    else if (inside->state == LMP_INSIDE_NOT_NOW)
        snprintf(out, size, "unreadable: the stack is moved");
    else
        snprintf(out, size, "nothing is there any more");
}

/* Writes "… 1,234 more": entries behind the rows that were read. */
static void words_of_more(const VarRow *parent, char *out, size_t size) {
    char count[LMP_NUM];
    if (parent->entries > parent->have)
        snprintf(out, size, "… %s%s more", parent->least ? "over " : "",
                 format_count(count, parent->entries - parent->have));
    else
        snprintf(out, size, "… more");
}

/* Makes rows of an answer that begins at 0, or goes on. */
static uint32_t make_entries(const VarRow *parent, const LmpInside *inside, VarRow *row) {
    uint8_t depth = (uint8_t)(parent->depth + 1);
    uint32_t rows = 0;
    for (uint32_t i = 0; i < inside->rows; i++) {
        row[rows] = (VarRow){.value = inside->row[i],
                             .depth = depth,
                             .variable = parent->variable,
                             .upvalue = parent->upvalue};
        row[rows].id = id_of(parent->id, &inside->row[i]);
        rows++;
    }
    /* a value that was read whole is in the order of its keys */
    if (inside->wish.from == 0 && inside->next == LMP_INSIDE_END)
        qsort(row, rows, sizeof *row, by_key);
    set_name_width(row, rows);
    return rows;
}

static void take_answer(VarRows *v, uint32_t at, const LmpInside *inside) {
    VarRow row[LMP_INSIDE_ROWS + 2], *parent = &v->row[at];
    char words[sizeof row->words], count[LMP_NUM];
    bool first = inside->wish.from == 0;
    uint32_t end = end_of(v->row, v->rows, at), begin = first ? at + 1 : end;
    uint32_t rows = make_entries(parent, inside, row);
    uint8_t depth = (uint8_t)(parent->depth + 1);
    if (begin > at + 1 && v->row[begin - 1].kind == VAR_MORE) begin--;
    if (first) {
        parent->entries = inside->entries;
        parent->least = inside->least;
        parent->have = 0;
    }
    parent->read = true;
    parent->next = inside->state == LMP_INSIDE_READ ? inside->next : LMP_INSIDE_END;
    parent->have += inside->rows;
    if (inside->state != LMP_INSIDE_READ) {
        words_of_state(inside, words, sizeof words);
        row[rows++] = words_row(parent->id, VAR_WORDS, depth, words);
    } else if (parent->next != LMP_INSIDE_END) {
        words_of_more(parent, words, sizeof words);
        row[rows] = words_row(parent->id, VAR_MORE, depth, words);
        row[rows].id -= parent->have; /* the cursor stays in its place: on the first new row */
        rows++;
    } else if (inside->unseen > 0) {
        snprintf(words, sizeof words, "%s slots are moved just now",
                 format_count(count, inside->unseen));
        row[rows++] = words_row(parent->id, VAR_WORDS, depth, words);
    } else if (parent->have == 0) {
        row[rows++] = words_row(parent->id, VAR_WORDS, depth, "nothing in it");
    }
    uint32_t olds = end - begin;
    VarRow *old = copy_rows(v->row + begin, olds);
    splice(v, begin, end, NULL, 0);
    put_rows(v, begin, row, rows, old, old ? olds : 0);
    free(old);
}

/* Finds the way from a variable to a row's value. Returns false: too deep. */
static bool way_to(const VarRows *v, uint32_t at, LmpInsideWish *wish) {
    if (v->row[at].depth > LMP_INSIDE_STEPS) return false;
    wish->steps = v->row[at].depth;
    while (v->row[at].depth > 0) {
        wish->step[v->row[at].depth - 1] = v->row[at].value.place;
        at = varrows_parent(v, at);
    }
    wish->variable = v->row[at].variable;
    return true;
}

static void ask(VarRows *v, uint32_t at, Ui *ui) {
    VarRow *row = &v->row[at];
    LmpInsideWish wish = {.number = v->number, .frame = v->frame, .rows = LMP_INSIDE_ROWS};
    wish.from = row->read ? row->next : 0;
    if (!way_to(v, at, &wish)) {
        LmpInside none = {.state = LMP_INSIDE_READ, .next = LMP_INSIDE_END};
        take_answer(v, at, &none);
        uint32_t below = at + 1;
        if (below < v->rows && v->row[below].kind == VAR_WORDS)
            snprintf(v->row[below].words, sizeof v->row[below].words, "too deep to be shown");
        return;
    }
    v->asked = wish;
    v->asked_id = row->id;
    v->asked_at = ui->now;
    v->asking = true;
    request_put(&ui->requests, &(Request){.kind = REQUEST_INSIDE, .inside = wish});
}

static bool lacks(const VarRow *row) {
    return row->open && (!row->read || (row->have < row->want && row->next != LMP_INSIDE_END));
}

void varrows_follow(VarRows *v, const Model *model, Ui *ui) {
    const LmpInside *inside = &model->inside;
    if (!same_op(v, &model->op)) {
        note_op(v, &model->op);
        make_variables(v, &model->op);
        v->asking = false;
    }
    if (v->asking && model->inside_ready && !memcmp(&inside->wish, &v->asked, sizeof v->asked)) {
        uint32_t at = varrows_find(v, v->asked_id);
        v->asking = false;
        if (at != UINT32_MAX && v->row[at].open) take_answer(v, at, inside);
    }
    if (v->asking && ui->now - v->asked_at < ASK_AGAIN) return;
    v->asking = false;
    for (uint32_t i = 0; i < v->rows && !v->asking; i++)
        if (lacks(&v->row[i])) ask(v, i, ui);
}

/* ---- what a person does ---------------------------------------------------------------------- */

/* Returns true if the row can be unfolded. */
static bool varrows_opens(const VarRows *v, uint32_t at) {
    if (at >= v->rows || v->row[at].kind == VAR_WORDS) return false;
    return v->row[at].kind == VAR_MORE || has_inside(&v->row[at].value);
}

void varrows_open(VarRows *v, uint32_t at) {
    if (!varrows_opens(v, at)) return;
    if (v->row[at].kind == VAR_MORE) {
        VarRow *parent = &v->row[varrows_parent(v, at)];
        parent->want = parent->have + LMP_INSIDE_ROWS;
        return;
    }
    v->row[at].open = true;
    v->row[at].read = false;
    v->row[at].want = LMP_INSIDE_ROWS;
}

void varrows_fold(VarRows *v, uint32_t at) {
    if (at >= v->rows || !v->row[at].open) return;
    v->row[at].open = v->row[at].read = false;
    splice(v, at + 1, end_of(v->row, v->rows, at), NULL, 0);
}

uint32_t varrows_parent(const VarRows *v, uint32_t at) {
    uint32_t up = at;
    while (up > 0 && v->row[at].depth > 0 && v->row[up].depth >= v->row[at].depth)
        up--;
    return up;
}

bool varrows_chosen(const VarRows *v, uint32_t at) {
    return at < v->rows && v->row[at].kind != VAR_WORDS;
}

uint32_t varrows_find(const VarRows *v, uint64_t id) {
    for (uint32_t i = 0; i < v->rows; i++)
        if (v->row[i].id == id && v->row[i].kind != VAR_WORDS) return i;
    return UINT32_MAX;
}
