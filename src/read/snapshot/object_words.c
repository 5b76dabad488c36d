/* object_words.c - words for one object and one reference. */
#include <stdio.h>
#include <string.h>

#include "base/bisect.h"
#include "base/format.h"
#include "read/snapshot/snapshot_impl.h"

static const char ellipsis[] = "\xe2\x80\xa6", arrow[] = " \xe2\x96\xb8 ", times[] = "\xc3\x97";

static const char *class_name(const LmpSnapshot *s, uint32_t object) {
    return s->class_list[s->class_of[object]].name;
}

/* ---- objects --------------------------------------------------------------------------------- */

static void quoted_string(SnapWords *w, const LmpSnapshot *s, uint32_t object, size_t most) {
    size_t n;
    const char *text = snapshot_text(s, object, &n);
    bool shortened = n < s->g.string_length[s->ordinal[object]] || n > most;
    words_put(w, "\"");
    if (text) words_bytes(w, text, n < most ? n : most, most, false);
    words_put(w, "\"");
    if (shortened) words_put(w, ellipsis);
}

static uint32_t items_of(const LmpSnapshot *s, uint32_t table) {
    uint32_t n = 0;
    for (uint32_t e = s->g.edge_at[table]; e < s->g.edge_at[table + 1]; e++)
        n += (s->g.edge_kind[e] & LMP_EDGE_KIND) == LMP_EDGE_INDEX;
    uint32_t used = s->g.table_array_used[s->ordinal[table]];
    return n > used ? n : used;
}

static void table_name(SnapWords *w, const LmpSnapshot *s, uint32_t object) {
    const char *class = class_name(s, object);
    if (object == s->registry) {
        words_put(w, "registry");
    } else if (object == s->globals) {
        words_put(w, "_G");
    } else if (object == s->loaded) {
        words_put(w, "package.loaded");
    } else {
        words_put(w, "table ");
        if (words_place(w, s, object)) return;
        words_put(w, class);
        char number[LMP_NUM];
        if (*class == '[')
            words_format(w, "%s%s", times, format_count(number, items_of(s, object)));
    }
}

static void upvalue_name(SnapWords *w, const LmpSnapshot *s, uint32_t object) {
    uint32_t name = snap_upvalue_name(s, object);
    words_put(w, "upvalue");
    if (!name) return;
    words_put(w, " ");
    words_string(w, s, name, 64);
}

static void object_name(SnapWords *w, const LmpSnapshot *s, uint32_t object) {
    switch (s->g.kind[object]) {
    case LMP_OBJECT_STRING:
        quoted_string(w, s, object, 60);
        break;
    case LMP_OBJECT_TABLE:
        table_name(w, s, object);
        break;
    case LMP_OBJECT_UPVALUE:
        upvalue_name(w, s, object);
        break;
    case LMP_OBJECT_PROTO:
        words_function(w, s, object, "code of ");
        break;
    case LMP_OBJECT_USERDATA:
        if (strcmp(class_name(s, object), "userdata") != 0) words_put(w, "userdata ");
        words_put(w, class_name(s, object));
        break;
    default:
        words_put(w, class_name(s, object));
        break;
    }
}

const char *snapshot_name(const LmpSnapshot *s, uint32_t object, char *out, size_t size) {
    SnapWords w = words_begin(out, size);
    if (object < s->g.objects) object_name(&w, s, object);
    return out;
}

/* ---- references ------------------------------------------------------------------------------ */

static void lap_words(SnapWords *w, const LmpSnapshot *s, uint32_t frame) {
    uint32_t function = frame < s->g.frames ? s->g.frame_function[frame] : 0;
    uint32_t proto = function ? snapshot_proto(s, function) : LMP_OBJECT_NONE;
    if (proto != LMP_OBJECT_NONE) {
        words_put(w, " (");
        words_source(w, s, proto);
        int32_t line = s->g.frame_line[frame];
        if (line < 0) line = (int32_t)s->g.proto_line[s->ordinal[proto]];
        words_format(w, ":%d)", line);
    } else if (function && s->g.kind[function] == LMP_OBJECT_C_FUNCTION) {
        char name[100];
        SnapWords n = words_begin(name, sizeof name);
        words_c_function(&n, s, function);
        words_format(w, " (%s [C])", name);
    }
}

bool snapshot_is_temporary(const LmpSnapshot *s, uint32_t edge) {
    uint32_t slot = s->g.edge_label[edge];
    bool local = (s->g.edge_kind[edge] & LMP_EDGE_KIND) == LMP_EDGE_LOCAL;
    return local && slot < s->g.slots && !s->g.slot_name[slot];
}

static void local_words(SnapWords *w, const LmpSnapshot *s, uint32_t slot) {
    words_put(w, arrow);
    if (slot >= s->g.slots) {
        words_put(w, "stack");
        return;
    }
    if (s->g.slot_name[slot]) {
        words_put(w, "local ");
        words_string(w, s, s->g.slot_name[slot], 64);
    } else {
        words_format(w, "%s %u",
                     s->g.slot_frame[slot] == LMP_OBJECT_NONE ? "stack slot" : "temporary",
                     s->g.slot_number[slot]);
    }
    lap_words(w, s, s->g.slot_frame[slot]);
}

static void call_words(SnapWords *w, const LmpSnapshot *s, uint32_t to, uint32_t frame) {
    words_format(w, "%scall", arrow);
    if (frame < s->g.frames) {
        char name[160];
        snapshot_name(s, to, name, sizeof name);
        size_t word = strncmp(name, "function ", 9) == 0 ? 9 : 0; /* a call says that it is one */
        words_format(w, " of %s", name + word);
        if (s->g.frame_line[frame] >= 0) words_format(w, ", line %d", s->g.frame_line[frame]);
    }
}

static int64_t wide_of(const LmpSnapshot *s, uint32_t label) {
    return label < s->g.wides ? s->g.wide[label] : 0;
}

static double float_of(int64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void number_words(SnapWords *w, double value) {
    char text[64];
    snprintf(text, sizeof text, "%.14g", value);
    for (char *c = text; *c; c++)
        if (*c == ',') *c = '.'; /* some locale's */
    words_format(w, "[%s]", text);
}

static void upvalue_words(SnapWords *w, const LmpSnapshot *s, uint32_t from, uint32_t label) {
    words_format(w, "%supvalue", arrow);
    if (s->g.kind[from] == LMP_OBJECT_C_FUNCTION) {
        words_format(w, " %u", label);
    } else if (label) {
        words_put(w, " ");
        words_string(w, s, label, 64);
    }
}

uint32_t snapshot_weak_table(const LmpSnapshot *s, uint32_t edge) {
    if (edge >= s->g.edges || !snap_ephemeron(&s->g, edge)) return LMP_OBJECT_NONE;
    uint32_t after = 1;
    BISECT(after, s->g.objects, i, s->g.edge_at[i] <= edge);
    return after - 1;
}

/* From a key to its value: the table is named, or else where it was made, or what it looks like. */
static void weak_words(SnapWords *w, const LmpSnapshot *s, uint32_t table) {
    char place[160], site[160];
    SnapWords named = words_begin(place, sizeof place);
    if (words_place(&named, s, table))
        words_format(w, "%svalue in weak table %s", arrow, place);
    else if (*snapshot_site(s, table, site, sizeof site))
        words_format(w, "%svalue in weak table (%s)", arrow, site);
    else
        words_format(w, "%svalue in %s", arrow, class_name(s, table)); /* "weak {…}" */
}

const char *snapshot_step(const LmpSnapshot *s, uint32_t from, uint32_t edge, char *out,
                          size_t size) {
    SnapWords w = words_begin(out, size);
    if (edge >= s->g.edges || from >= s->g.objects) return out;
    uint32_t label = s->g.edge_label[edge], to = s->g.edge_to[edge];
    unsigned kind = s->g.edge_kind[edge] & LMP_EDGE_KIND;
    char name[120];
    uint32_t weak = snapshot_weak_table(s, edge);
    if (weak != LMP_OBJECT_NONE && weak != from) {
        weak_words(&w, s, weak);
        return out;
    }
    switch (kind) {
    case LMP_EDGE_ROOT:
        words_put(&w, objectgraph_root(label));
        break;
    case LMP_EDGE_FIELD:
        words_key(&w, s, label, true);
        break;
    case LMP_EDGE_INDEX:
        words_format(&w, "[%u]", label);
        break;
    case LMP_EDGE_INTEGER:
        words_format(&w, "[%lld]", (long long)wide_of(s, label));
        break;
    case LMP_EDGE_FLOAT:
        number_words(&w, float_of(wide_of(s, label)));
        break;
    case LMP_EDGE_BOOLEAN:
        words_put(&w, label ? "[true]" : "[false]");
        break;
    case LMP_EDGE_LIGHT:
        words_format(&w, "[light 0x%llx]", (unsigned long long)wide_of(s, label));
        break;
    case LMP_EDGE_OBJECT:
        words_format(&w, "[%s]", snapshot_name(s, label, name, sizeof name));
        break;
    case LMP_EDGE_KEY:
        words_format(&w, "%skey %s", arrow, snapshot_name(s, to, name, sizeof name));
        break;
    case LMP_EDGE_METATABLE:
        words_format(&w, "%smetatable", arrow);
        break;
    case LMP_EDGE_UPVALUE:
        upvalue_words(&w, s, from, label);
        break;
    case LMP_EDGE_VALUE:
        break; /* an upvalue and what is in it are one to a reader */
    case LMP_EDGE_USER_VALUE:
        words_format(&w, "%suser value %u", arrow, label);
        break;
    case LMP_EDGE_PROTO:
        words_format(&w, "%scode", arrow);
        break;
    case LMP_EDGE_CONSTANT:
        words_format(&w, "%sconstant %u", arrow, label);
        break;
    case LMP_EDGE_DEBUG:
        words_format(&w, "%s%s", arrow, label ? "debug information" : "source");
        break;
    case LMP_EDGE_CALL:
        call_words(&w, s, to, label);
        break;
    case LMP_EDGE_LOCAL:
        local_words(&w, s, label);
        break;
    case LMP_EDGE_THREAD:
        words_format(&w, "%sits stack", arrow);
        break;
    case LMP_EDGE_LOT:
        words_put(&w, objectgraph_lot(label));
        break;
    default:
        words_put(&w, "?");
        break;
    }
    return out;
}

/* ---- where and what -------------------------------------------------------------------------- */

const char *snapshot_site(const LmpSnapshot *s, uint32_t object, char *out, size_t size) {
    SnapWords w = words_begin(out, size);
    if (object >= s->g.objects || !s->view || !s->ledger.sites || !s->g.context[object]) return out;
    uint32_t row = ledger_site_of(&s->ledger, &s->view->tables, s->g.context[object]);
    if (row == LEDGER_NO_ROW) return out;
    const LmpSiteRow *site = &s->ledger.site[row];
    words_put(&w, site->short_src);
    if (site->line >= 0) words_format(&w, ":%d", site->line);
    return out;
}

/* A value within another's preview. */
static void value_words(SnapWords *w, const LmpSnapshot *s, uint32_t object) {
    const char *class = class_name(s, object);
    switch (s->g.kind[object]) {
    case LMP_OBJECT_STRING:
        quoted_string(w, s, object, 24);
        break;
    case LMP_OBJECT_TABLE:
        if (strcmp(class, "{}") == 0)
            words_put(w, class);
        else
            words_put(w, *class == '{' || *class == '[' ? "{\xe2\x80\xa6}" : class);
        break;
    case LMP_OBJECT_LUA_FUNCTION:
    case LMP_OBJECT_C_FUNCTION:
        words_put(w, "function");
        break;
    case LMP_OBJECT_THREAD:
        words_put(w, "coroutine");
        break;
    default:
        words_put(w, class);
        break;
    }
}

enum { ITEMS = 12 };

/* What a list of items needs before the next one: a comma, or the word that there are more. */
static bool next_item(SnapWords *w, uint32_t *items) {
    if (*items) words_put(w, ", ");
    if ((*items)++ < ITEMS) return true;
    words_put(w, ellipsis);
    return false;
}

/* Names whose value is an object, then list items, then names of plain values, which a snapshot
 * does not have. */
static void table_preview(SnapWords *w, const LmpSnapshot *s, uint32_t table) {
    const LmpObjectGraph *g = &s->g;
    uint32_t begin = g->edge_at[table], end = g->edge_at[table + 1], items = 0, named[ITEMS + 1];
    uint32_t names = 0;
    bool room = true;
    words_put(w, "{");
    for (uint32_t e = begin; e < end && room; e++) {
        unsigned kind = g->edge_kind[e] & LMP_EDGE_KIND;
        if (kind != LMP_EDGE_FIELD && kind != LMP_EDGE_INDEX) continue;
        room = next_item(w, &items);
        if (!room) break;
        if (kind == LMP_EDGE_FIELD) {
            named[names++] = g->edge_label[e];
            words_key(w, s, g->edge_label[e], false);
            words_put(w, " = ");
        }
        value_words(w, s, g->edge_to[e]);
    }
    for (uint32_t e = begin; e < end && room; e++) {
        if ((g->edge_kind[e] & LMP_EDGE_KIND) != LMP_EDGE_KEY) continue;
        bool known = g->kind[g->edge_to[e]] != LMP_OBJECT_STRING;
        for (uint32_t k = 0; k < names && !known; k++)
            known = named[k] == g->edge_to[e];
        if (known) continue;
        room = next_item(w, &items);
        if (room) words_key(w, s, g->edge_to[e], false);
    }
    words_put(w, "}");
}

static void function_preview(SnapWords *w, const LmpSnapshot *s, uint32_t function) {
    const LmpObjectGraph *g = &s->g;
    uint32_t items = 0;
    for (uint32_t e = g->edge_at[function]; e < g->edge_at[function + 1]; e++) {
        if ((g->edge_kind[e] & LMP_EDGE_KIND) != LMP_EDGE_UPVALUE) continue;
        if (!next_item(w, &items)) return;
        uint32_t to = g->edge_to[e];
        if (g->kind[function] == LMP_OBJECT_C_FUNCTION) {
            value_words(w, s, to);
            continue;
        }
        if (g->edge_label[e])
            words_string(w, s, g->edge_label[e], 40);
        else
            words_put(w, "?");
        uint32_t value = snap_edge_of(s, to, LMP_EDGE_VALUE);
        if (value == LMP_OBJECT_NONE) continue;
        words_put(w, " = ");
        value_words(w, s, value);
    }
}

static void thread_preview(SnapWords *w, const LmpSnapshot *s, uint32_t thread) {
    const uint32_t *at = snap_own(s)->frame_at;
    uint32_t row = s->ordinal[thread];
    for (uint32_t f = at[row], n = 0; f < at[row + 1]; f++, n++) {
        if (n) words_put(w, " < ");
        if (n == ITEMS) {
            words_put(w, ellipsis);
            return;
        }
        uint32_t function = s->g.frame_function[f];
        uint32_t proto = function ? snapshot_proto(s, function) : LMP_OBJECT_NONE;
        if (proto == LMP_OBJECT_NONE) {
            words_put(w, "[C]");
            continue;
        }
        words_source(w, s, proto);
        if (s->g.frame_line[f] >= 0) words_format(w, ":%d", s->g.frame_line[f]);
    }
}

static void proto_preview(SnapWords *w, const LmpSnapshot *s, uint32_t proto) {
    uint32_t row = s->ordinal[proto];
    words_source(w, s, proto);
    if (s->g.proto_line[row]) words_format(w, ":%u-%u", s->g.proto_line[row], s->g.proto_last[row]);
    words_format(w, ", %u instructions", s->g.proto_code[row]);
}

const char *snapshot_preview(const LmpSnapshot *s, uint32_t object, char *out, size_t size) {
    SnapWords w = words_begin(out, size);
    char number[LMP_NUM];
    if (object >= s->g.objects) return out;
    uint32_t row = s->ordinal[object];
    switch (s->g.kind[object]) {
    case LMP_OBJECT_STRING:
        quoted_string(&w, s, object, 400);
        break;
    case LMP_OBJECT_TABLE:
        table_preview(&w, s, object);
        break;
    case LMP_OBJECT_LUA_FUNCTION:
    case LMP_OBJECT_C_FUNCTION:
        function_preview(&w, s, object);
        break;
    case LMP_OBJECT_UPVALUE: {
        uint32_t value = snap_edge_of(s, object, LMP_EDGE_VALUE);
        if (value != LMP_OBJECT_NONE) value_words(&w, s, value);
        break;
    }
    case LMP_OBJECT_THREAD:
        thread_preview(&w, s, object);
        break;
    case LMP_OBJECT_PROTO:
        proto_preview(&w, s, object);
        break;
    case LMP_OBJECT_USERDATA:
        words_format(&w, "%s bytes", format_count(number, s->g.userdata_bytes[row]));
        break;
    case LMP_OBJECT_LOT:
        words_format(&w, "%s block%s", format_count(number, s->g.lot_blocks[row]),
                     s->g.lot_blocks[row] == 1 ? "" : "s");
        break;
    default:
        break;
    }
    return out;
}
