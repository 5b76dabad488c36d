/* suspects_pages.c - what belongs on which page of Lua's own suspects, by what key objects are one
 * row, and the words. Each page is a row of the table at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "read/snapshot/snapshot_impl.h"
#include "read/snapshot/suspects_impl.h"

enum { SLOT_HASH = 24 }; /* bytes of a slot, on 64 bits */

static uint64_t slot_array(const LmpSnapshot *s) {
    return strncmp(s->info.lua, "Lua 5.5", 7) ? 16 : 9; /* in 5.5 tags stand apart */
}

/* What a row's objects are called: the one, or their class. */
static void word_what(const LmpSnapshot *s, const SuspectDraft *d, char *out, size_t size) {
    if (d->objects == 1)
        snapshot_name(s, d->object, out, size);
    else
        snprintf(out, size, "%s", s->class_list[s->class_of[d->object]].name);
}

static void word_line(const LmpSnapshot *s, const SuspectDraft *d, LmpSuspectRow *row) {
    snapshot_site(s, d->object, row->text[0], sizeof row->text[0]);
}

static void word_what_and_line(const LmpSnapshot *s, const SuspectDraft *d, LmpSuspectRow *row) {
    word_what(s, d, row->text[0], sizeof row->text[0]);
    snapshot_site(s, d->object, row->text[1], sizeof row->text[1]);
}

/* ---- references ------------------------------------------------------------------------------ */

enum { RIDX_LAST = 2 }; /* registry[1] and [2] are the main thread and the globals */

static void collect_references(SuspectMaking *m) {
    const LmpSnapshot *s = m->s;
    uint32_t registry = s->registry;
    if (registry == LMP_OBJECT_NONE) return;
    for (uint32_t e = s->g.edge_at[registry]; e < s->g.edge_at[registry + 1]; e++) {
        if ((s->g.edge_kind[e] & LMP_EDGE_KIND) != LMP_EDGE_INDEX) continue;
        if (s->g.edge_label[e] <= RIDX_LAST) continue;
        uint32_t to = s->g.edge_to[e];
        SuspectDraft *d = suspects_put(m, to, s->class_of[to], suspects_site(s, to), 0);
        if (d) d->number[2]++;
    }
}

/* ---- closures -------------------------------------------------------------------------------- */

static void put_closure(SuspectMaking *m, uint32_t i) {
    const LmpSnapshot *s = m->s;
    uint32_t kind = s->g.kind[i];
    if ((kind != LMP_OBJECT_LUA_FUNCTION && kind != LMP_OBJECT_C_FUNCTION) ||
        snapshot_garbage(s, i))
        return;
    uint32_t proto = kind == LMP_OBJECT_LUA_FUNCTION ? snapshot_proto(s, i) : LMP_OBJECT_NONE;
    uint64_t code = kind == LMP_OBJECT_C_FUNCTION ? s->g.c_address[s->ordinal[i]] : (uint64_t)proto;
    SuspectDraft *d = suspects_put(m, i, kind, code, 0);
    if (!d) return;
    d->number[2]++;
    d->number[3] += snapshot_counted(s, i);
}

/* Returns an upvalue's value: the upvalue is an object of its own in Lua functions. */
static uint32_t upvalue_value(const LmpSnapshot *s, uint32_t to) {
    if (s->g.kind[to] != LMP_OBJECT_UPVALUE) return to;
    for (uint32_t e = s->g.edge_at[to]; e < s->g.edge_at[to + 1]; e++)
        if ((s->g.edge_kind[e] & LMP_EDGE_KIND) == LMP_EDGE_VALUE) return s->g.edge_to[e];
    return LMP_OBJECT_NONE;
}

static void upvalue_name(const LmpSnapshot *s, uint32_t function, uint32_t e, char *out,
                         size_t size) {
    size_t length = 0;
    if (s->g.kind[function] == LMP_OBJECT_C_FUNCTION) {
        snprintf(out, size, "%u", s->g.edge_label[e]);
        return;
    }
    const char *text = s->g.edge_label[e] ? snapshot_text(s, s->g.edge_label[e], &length) : NULL;
    char raw[48];
    snprintf(raw, sizeof raw, "%.*s", (int)(length < 47 ? length : 47), text ? text : "?");
    format_text(out, size, raw, 0);
}

enum { UPVALUES_NAMED = 3 };

static void word_closures(const LmpSnapshot *s, const SuspectDraft *d, LmpSuspectRow *row) {
    uint32_t most[UPVALUES_NAMED], named = 0;
    uint64_t held[UPVALUES_NAMED];
    snapshot_name(s, d->object, row->text[0], sizeof row->text[0]);
    for (uint32_t e = s->g.edge_at[d->object]; e < s->g.edge_at[d->object + 1]; e++) {
        if ((s->g.edge_kind[e] & LMP_EDGE_KIND) != LMP_EDGE_UPVALUE) continue;
        uint32_t value = upvalue_value(s, s->g.edge_to[e]);
        if (value == s->globals) continue; /* _ENV: nobody is surprised */
        uint64_t bytes = value == LMP_OBJECT_NONE ? 0 : s->retained[value];
        uint32_t at = named < UPVALUES_NAMED ? named++ : UPVALUES_NAMED;
        for (; at > 0 && held[at - 1] < bytes; at--)
            if (at < UPVALUES_NAMED) {
                most[at] = most[at - 1];
                held[at] = held[at - 1];
            }
        if (at >= UPVALUES_NAMED) continue;
        most[at] = e;
        held[at] = bytes;
    }
    size_t used = 0;
    for (uint32_t i = 0; i < named && used < sizeof row->text[1]; i++) {
        char name[64], bytes[LMP_NUM];
        upvalue_name(s, d->object, most[i], name, sizeof name);
        int n = snprintf(row->text[1] + used, sizeof row->text[1] - used, "%s%s %s", i ? ", " : "",
                         name, format_bytes(bytes, held[i]));
        used += n > 0 ? (size_t)n : 0;
    }
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* Sources that differ in numbers alone are one: `return 1`, `return 2` ... */
static uint64_t source_key(const LmpSnapshot *s, uint32_t source) {
    size_t length = 0;
    const char *text = source ? snapshot_text(s, source, &length) : NULL;
    uint64_t h = 1;
    bool digits = false;
    for (size_t i = 0; text && i < length; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        if (!digit || !digits) h = rowindex_mix(h, digit ? '0' : (unsigned char)text[i]);
        digits = digit;
    }
    return h;
}

static void collect_chunks(SuspectMaking *m) {
    const LmpSnapshot *s = m->s;
    SuspectMaking copies = {.s = s};
    if (!rowindex_open(&copies.index, 256)) {
        m->failed = true;
        return;
    }
    for (uint32_t i = 1; i < s->g.objects && suspects_go_on(m, i); i++) {
        if (s->g.kind[i] != LMP_OBJECT_PROTO || snapshot_garbage(s, i)) continue;
        uint32_t row = s->ordinal[i];
        uint64_t key = source_key(s, s->g.proto_source[row]);
        SuspectDraft *d = suspects_put(m, i, key, 0, 0);
        SuspectDraft *c = suspects_draft(
            &copies, key, (uint64_t)s->g.proto_line[row] << 32 | s->g.proto_last[row],
            s->g.proto_code[row]);
        if (!d || !c) break;
        d->number[1]++;
        d->number[3] += snapshot_counted(s, i);
        if (++c->objects > d->number[2]) d->number[2] = c->objects;
    }
    m->failed = m->failed || copies.failed;
    rowindex_close(&copies.index);
    free(copies.draft);
}

static void word_chunks(const LmpSnapshot *s, const SuspectDraft *d, LmpSuspectRow *row) {
    size_t length = 0;
    uint32_t source = s->g.proto_source[s->ordinal[d->object]];
    const char *text = source ? snapshot_text(s, source, &length) : NULL;
    char raw[sizeof row->text[0]];
    bool file = text && length > 0 && (text[0] == '@' || text[0] == '=');
    size_t skip = file ? 1 : 0, shown = length - skip < 100 ? length - skip : 100;
    if (!text || length == 0)
        snprintf(raw, sizeof raw, "(stripped)");
    else if (file)
        snprintf(raw, sizeof raw, "%.*s", (int)shown, text + skip);
    else
        snprintf(raw, sizeof raw, "[string \"%.*s%s\"]", (int)shown, text,
                 shown < length ? "..." : "");
    format_text(row->text[0], sizeof row->text[0], raw, 0);
}

/* ---- finalizers ------------------------------------------------------------------------------ */

/* In the list of those that wait, and held by nothing else: where a state is being closed, all that
 * has a __gc is in that list, dead or not. */
static bool waits(const LmpSnapshot *s, uint32_t i) {
    uint32_t edge = s->parent_edge[i];
    return s->g.flags[i] & LMP_OBJECT_FINALIZING && s->parent[i] == 0 && edge != LMP_OBJECT_NONE &&
           s->g.edge_label[edge] == LMP_ROOT_FINALIZING;
}

static void put_finalizer(SuspectMaking *m, uint32_t i) {
    const LmpSnapshot *s = m->s;
    bool found = waits(s, i);
    bool dead = snapshot_garbage(s, i) && (s->g.flags[i] & LMP_OBJECT_FINALIZER);
    if (!found && !dead) return;
    SuspectDraft *d = suspects_put(m, i, s->class_of[i], suspects_site(s, i), found);
    if (!d) return;
    d->number[2]++;
    if (s->g.kind[i] == LMP_OBJECT_USERDATA) d->number[3] += s->g.userdata_bytes[s->ordinal[i]];
}

static void word_finalizers(const LmpSnapshot *s, const SuspectDraft *d, LmpSuspectRow *row) {
    word_what_and_line(s, d, row);
    size_t used = strlen(row->text[0]);
    if (!d->key[2])
        snprintf(row->text[0] + used, sizeof row->text[0] - used, ", until the next collection");
}

/* ---- weak tables ----------------------------------------------------------------------------- */

/* Entries that the next collection takes out. */
static uint64_t leaving(const LmpSnapshot *s, uint32_t table) {
    uint64_t keys = 0, values = 0;
    for (uint32_t e = s->g.edge_at[table]; e < s->g.edge_at[table + 1]; e++) {
        uint32_t kind = s->g.edge_kind[e] & LMP_EDGE_KIND, to = s->g.edge_to[e];
        if (!(s->g.edge_kind[e] & LMP_EDGE_WEAK) || !snapshot_garbage(s, to)) continue;
        if (s->g.kind[to] == LMP_OBJECT_STRING) continue; /* the collector marks these */
        if (kind == LMP_EDGE_KEY)
            keys++;
        else if (kind != LMP_EDGE_METATABLE)
            values++;
    }
    return keys > values ? keys : values;
}

static void put_weak_table(SuspectMaking *m, uint32_t i) {
    const LmpSnapshot *s = m->s;
    uint32_t mode = s->g.flags[i] & (LMP_OBJECT_WEAK_KEYS | LMP_OBJECT_WEAK_VALUES);
    if (s->g.kind[i] != LMP_OBJECT_TABLE || !mode || snapshot_garbage(s, i)) return;
    SuspectDraft *d = suspects_put(m, i, i, 0, 0);
    if (!d) return;
    uint32_t row = s->ordinal[i];
    uint64_t out = leaving(s, i);
    d->number[2] = (uint64_t)s->g.table_array_used[row] + s->g.table_hash_used[row];
    d->number[3] = d->number[2] > out ? d->number[2] - out : 0;
}

static void word_weak(const LmpSnapshot *s, const SuspectDraft *d, LmpSuspectRow *row) {
    char name[120];
    uint32_t mode = s->g.flags[d->object];
    bool keys = mode & LMP_OBJECT_WEAK_KEYS, values = mode & LMP_OBJECT_WEAK_VALUES;
    snapshot_name(s, d->object, name, sizeof name);
    snprintf(row->text[0], sizeof row->text[0], "weak %s: %s",
             keys && values ? "keys and values"
             : keys         ? "keys"
                            : "values",
             name);
    snapshot_site(s, d->object, row->text[1], sizeof row->text[1]);
}

/* ---- strings --------------------------------------------------------------------------------- */

static void put_string(SuspectMaking *m, uint32_t i) {
    const LmpSnapshot *s = m->s;
    if (s->g.kind[i] != LMP_OBJECT_STRING || snapshot_garbage(s, i)) return;
    uint32_t row = s->ordinal[i];
    SuspectDraft *d = suspects_put(m, i, s->g.string_hash[row], s->g.string_length[row], 0);
    if (!d) return;
    uint64_t size = snapshot_counted(s, i);
    d->number[2]++;
    d->number[3] = s->g.string_length[row];
    d->number[4] += size;
    if (d->number[2] > 1) d->number[5] += size;
}

static void word_strings(const LmpSnapshot *s, const SuspectDraft *d, LmpSuspectRow *row) {
    snapshot_name(s, d->object, row->text[0], sizeof row->text[0]);
    snapshot_site(s, d->object, row->text[1], sizeof row->text[1]);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void put_table(SuspectMaking *m, uint32_t i) {
    const LmpSnapshot *s = m->s;
    if (s->g.kind[i] != LMP_OBJECT_TABLE || snapshot_garbage(s, i)) return;
    if (s->g.flags[i] & LMP_OBJECT_BEFORE) return; /* their slots count nowhere */
    uint32_t row = s->ordinal[i];
    uint64_t site = suspects_site(s, i);
    SuspectDraft *d = suspects_put(m, i, site, site == LEDGER_NO_ROW ? s->class_of[i] : 0, 0);
    if (!d) return;
    uint64_t array = s->g.table_array[row], hash = s->g.table_hash[row];
    uint64_t array_used = s->g.table_array_used[row], hash_used = s->g.table_hash_used[row];
    array_used = array_used < array ? array_used : array;
    hash_used = hash_used < hash ? hash_used : hash;
    d->number[2]++;
    d->number[3] += array + hash;
    d->number[4] += array_used + hash_used;
    d->number[5] += (array - array_used) * slot_array(s) + (hash - hash_used) * SLOT_HASH;
}

static void word_tables(const LmpSnapshot *s, const SuspectDraft *d, LmpSuspectRow *row) {
    word_line(s, d, row);
    snprintf(row->text[1], sizeof row->text[1], "%s", s->class_list[s->class_of[d->object]].name);
}

/* ---- the pages ------------------------------------------------------------------------------- */

#define TEXT(title, name)                                                                          \
    { title, LMP_CELL_TEXT, name }
#define COUNT(title, name)                                                                         \
    { title, LMP_CELL_COUNT, name }
#define BYTES(title, name)                                                                         \
    { title, LMP_CELL_BYTES, name }
#define PERCENT(title, name)                                                                       \
    { title, LMP_CELL_PERCENT, name }
/* As LmpSuspectPageInfo has it: `retains`, the two columns of the order, collect, each, word. */
#define MADE(retains, first, then, all, one, texts)                                                \
    .retained = retains, .order = {first, then}, .collect = all, .each = one, .word = texts

const LmpSuspectPageInfo suspects_pages[LMP_PAGES] = {
    [LMP_PAGE_REFERENCES] = {"references",
                             "References in the registry",
                             "C code takes such numbers with luaL_ref; until luaL_unref they hold.",
                             "Nothing is in the registry under a number of its own.",
                             {TEXT("holds", "holds"), TEXT("made at", "line"),
                              COUNT("refs", "references"), BYTES("retains", "retained")},
                             MADE(3, 3, 0, collect_references, NULL, word_what_and_line)},
    [LMP_PAGE_COROUTINES] = {"coroutines",
                             "Coroutines",
                             "One that is suspended and that nobody resumes keeps its whole stack.",
                             "There are no coroutines.",
                             {TEXT("state", "state"), TEXT("waits at", "waits_at"),
                              COUNT("coroutines", "coroutines"), BYTES("stacks", "stacks"),
                              BYTES("retains", "retained")},
                             MADE(4, 4, 0, NULL, suspects_put_coroutine, suspects_word_coroutines)},
    [LMP_PAGE_MAKERS] = {"makers",
                         "Coroutines by who made them",
                         "As coroutine.status says it; the dead have ended, or failed.",
                         "There are no coroutines.",
                         {TEXT("made at", "line"), COUNT("coroutines", "coroutines"),
                          COUNT("suspended", "suspended"), COUNT("running", "running"),
                          COUNT("normal", "normal"), COUNT("dead", "dead"),
                          BYTES("stacks", "stacks")},
                         MADE(0, 6, 0, NULL, suspects_put_maker, word_line)},
    [LMP_PAGE_CLOSURES] = {"closures",
                           "Functions and their upvalues",
                           "Each closure holds what its upvalues hold.",
                           "There are no functions.",
                           {TEXT("function", "function"), TEXT("largest upvalues", "upvalues"),
                            COUNT("closures", "closures"), BYTES("own size", "bytes"),
                            BYTES("retains", "retained")},
                           MADE(4, 4, 0, NULL, put_closure, word_closures)},
    [LMP_PAGE_CHUNKS] = {"chunks",
                         "Loaded code",
                         "Code that was loaded several times, or from texts that differ in numbers "
                         "alone, is there as often.",
                         "No code was loaded since start.",
                         {TEXT("source", "source"), COUNT("functions", "functions"),
                          COUNT("copies", "copies"), BYTES("code", "bytes")},
                         MADE(0, 3, 1, collect_chunks, NULL, word_chunks)},
    [LMP_PAGE_FINALIZERS] = {"finalizers",
                             "Waiting for their __gc",
                             "Dead, but kept with all that they hold until their __gc was called.",
                             "Nothing waits for its __gc.",
                             {TEXT("what", "what"), TEXT("made at", "line"),
                              COUNT("objects", "objects"), BYTES("for C code", "userdata_bytes"),
                              BYTES("retains", "retained")},
                             MADE(4, 4, 0, NULL, put_finalizer, word_finalizers)},
    [LMP_PAGE_WEAK] =
        {"weak",
         "Weak tables",
         "Entries stay as long as something else holds what is weak in them; strings, "
         "numbers and booleans always stay.",
         "There are no weak tables.",
         {TEXT("table", "table"), TEXT("made at", "line"), COUNT("entries", "entries"),
          COUNT("stay", "stay"), BYTES("retains", "retained")},
         MADE(4, 4, 2, NULL, put_weak_table, word_weak)},
    [LMP_PAGE_STRINGS] =
        {"strings",
         "Strings by content",
         "Strings over 40 bytes are not shared by Lua: each time one is made anew.",
         "There are no strings.",
         {TEXT("content", "content"), TEXT("made at", "line"), COUNT("copies", "copies"),
          BYTES("length", "length"), BYTES("all", "bytes"), BYTES("too many", "wasted")},
         MADE(0, 5, 4, NULL, put_string, word_strings)},
    [LMP_PAGE_TABLES] = {"tables",
                         "Tables by fill",
                         "Slots of array and hash part that have nothing in them.",
                         "There are no tables.",
                         {TEXT("made at", "line"), TEXT("such as", "class"),
                          COUNT("tables", "tables"), COUNT("slots", "slots"),
                          PERCENT("used", "used_percent"), BYTES("unused", "wasted")},
                         MADE(0, 5, 2, NULL, put_table, word_tables)},
};
