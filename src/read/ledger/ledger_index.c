/* ledger_index.c - what the ledger knows of each row of the tables: texts made safe, functions,
 * sites merged by line (ledger_impl.h). Each row is looked at once; only names may change later. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "read/ledger/ledger_impl.h"

enum { TEXT_MOST = 4352, SHORT_SRC_MOST = 128, NAME_MOST = 256, CHUNK = 64 * 1024 };
/* Texts of undamaged tables need far less; past this they read "?". */
static const size_t text_budget = 4 * (size_t)LMP_TEXT_MAX;

/* ---- texts ----------------------------------------------------------------------------------- */

/* Copies a text to memory that stays; NULL: no memory. */
static const char *keep(LedgerStore *s, const char *text) {
    size_t size = strlen(text) + 1;
    if (size == 1) return "";
    if (s->text_bytes + size > text_budget) return "?";
    LedgerChunk *c = s->chunks;
    if (!c || c->size - c->used < size) {
        size_t room = size > CHUNK ? size : CHUNK;
        c = malloc(sizeof *c + room);
        if (!c) return NULL;
        *c = (LedgerChunk){.next = s->chunks, .size = room};
        s->chunks = c;
    }
    char *out = memcpy(c->text + c->used, text, size);
    c->used += size;
    s->text_bytes += size;
    return out;
}

/* The text at an offset, kept once; `most`: bytes that are read of it. */
static bool text_at(LedgerStore *s, const LmpTables *t, uint32_t at, size_t most, LedgerText *out) {
    uint64_t key = (uint64_t)most << 32 | at;
    uint32_t known = keymap_get(&s->text_map, key, LEDGER_NO_ROW);
    if (known != LEDGER_NO_ROW) {
        *out = PILE(s->texts, LedgerText)[known];
        return true;
    }
    char raw[TEXT_MOST], safe[TEXT_MOST];
    tables_text(t, at, raw, most);
    format_text(safe, most, raw, 0);
    out->raw = keep(s, raw);
    if (!out->raw) return false;
    out->safe = strcmp(raw, safe) == 0 ? out->raw : keep(s, safe);
    if (!out->safe || !ledger_pile_reserve(&s->texts, s->text_count + 1, sizeof *out)) return false;
    if (!keymap_set(&s->text_map, key, s->text_count)) return false;
    PILE(s->texts, LedgerText)[s->text_count++] = *out;
    return true;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Makes "insert [C]" of "function 'table.insert'", of "method 'insert'" and of "insert". */
static const char *detail_name(LedgerStore *s, const char *name) {
    const char *quote = strchr(name, '\'');
    const char *end = quote ? strrchr(name, '\'') : NULL;
    if (quote && end > quote)
        name = quote + 1;
    else
        end = name + strlen(name);
    for (const char *p = name; p + 1 < end; p++)
        if (*p == '.' || *p == ':') name = p + 1;
    char out[NAME_MOST + 8];
    snprintf(out, sizeof out, "%.*s [C]", (int)(end - name), name);
    return keep(s, out);
}

/* The wording of a function: by its qualified name where one was found, as luaL_traceback does. */
static bool name_function(LedgerStore *s, const LmpTables *t, LedgerFunction *f, uint32_t name_at,
                          uint32_t qualified_at) {
    LedgerText name, qualified;
    if (!text_at(s, t, name_at, NAME_MOST, &name) ||
        !text_at(s, t, qualified_at, NAME_MOST, &qualified))
        return false;
    char made[NAME_MOST + 160];
    bool lua = f->kind == LMP_F_LUA || f->kind == LMP_F_MAIN;
    bool nameless = (!*name.safe || strcmp(name.safe, "?") == 0) && !*qualified.safe;
    bool program = s->spoken && f->kind == LMP_F_C && nameless;
    const char *worded = name.safe;
    if (s->spoken && f->kind == LMP_F_C) f->short_src = program ? LEDGER_C_CODE : "[C]";
    if (program) {
        worded = LEDGER_PROGRAM;
    } else if (*qualified.safe && f->kind != LMP_F_MAIN) {
        snprintf(made, sizeof made, "function '%s'", qualified.safe);
        worded = keep(s, made);
    } else if (!*worded && lua) {
        snprintf(made, sizeof made, "function <%s:%d>", f->short_src, f->linedefined);
        worded = keep(s, made);
    } else if (!*worded) {
        worded = *f->short_src && f->kind == LMP_F_PSEUDO ? f->short_src : "?";
    }
    const char *detail = program ? LEDGER_C_CODE : worded ? detail_name(s, worded) : NULL;
    if (!detail) return false;
    f->name = worded;
    f->detail = detail;
    f->name_at = name_at;
    f->qualified_at = qualified_at;
    return true;
}

static bool add_function(LedgerStore *s, const LmpTables *t, uint32_t row) {
    if (!ledger_pile_reserve(&s->function, row + 1, sizeof(LedgerFunction))) return false;
    const LmpFunction *from = &t->function[row];
    LedgerText short_src;
    LedgerFunction f = {.kind = read_once32(&from->kind),
                        .source_at = read_once32(&from->source),
                        .linedefined = (int32_t)read_once32(&from->linedefined)};
    if (f.linedefined < -1) f.linedefined = -1;
    if (!text_at(s, t, f.source_at, TEXT_MOST, &f.source)) return false;
    if (!text_at(s, t, read_once32(&from->short_src), SHORT_SRC_MOST, &short_src)) return false;
    f.short_src = short_src.safe;
    if (!name_function(s, t, &f, read_once32(&from->name), read_once32(&from->qualified)))
        return false;
    PILE(s->function, LedgerFunction)[row] = f;
    return true;
}

/* Rows 0 and 1 exist even when the tables are empty: references to unknown functions go to row
 * 1. */
static bool first_functions(LedgerStore *s) {
    if (!ledger_pile_reserve(&s->function, 2, sizeof(LedgerFunction))) return false;
    LedgerFunction *f = PILE(s->function, LedgerFunction);
    f[LEDGER_OTHERS] = (LedgerFunction){.kind = LMP_F_PSEUDO,
                                        .linedefined = -1,
                                        .source = {"=(others)", "=(others)"},
                                        .short_src = "(others)",
                                        .name = "(others)",
                                        .detail = "(others) [C]"};
    f[0] = f[LEDGER_OTHERS];
    s->functions = 2;
    return true;
}

static bool update_functions(LedgerStore *s, const LmpTables *t) {
    if (s->functions == 0 && !first_functions(s)) return false;
    uint32_t names = read_once32(&tables_used(t)->names), n = tables_functions(t);
    atomic_thread_fence(memory_order_acquire);
    for (uint32_t i = 1; names != s->names && i < s->functions && i < n; i++) {
        LedgerFunction *f = &PILE(s->function, LedgerFunction)[i];
        uint32_t name = read_once32(&t->function[i].name),
                 qualified = read_once32(&t->function[i].qualified);
        if ((name != f->name_at || qualified != f->qualified_at) &&
            !name_function(s, t, f, name, qualified))
            return false;
    }
    s->names = names;
    for (; s->functions < n; s->functions++)
        if (!add_function(s, t, s->functions)) return false;
    return true;
}

/* ---- sites ----------------------------------------------------------------------------------- */

/* Lua functions share the lines of their source; others have no lines to share. */
static uint64_t slot_key(const LedgerFunction *f, uint32_t function, int32_t line) {
    if (f->kind == LMP_F_LUA || f->kind == LMP_F_MAIN)
        return (uint64_t)(f->source_at & 0x7fffffff) << 32 | (uint32_t)line;
    return 1ull << 63 | (uint64_t)function << 32 | (uint32_t)line;
}

static bool find_slot(LedgerStore *s, uint32_t row, uint32_t function, int32_t line,
                      uint32_t *slot) {
    uint64_t key = slot_key(&PILE(s->function, LedgerFunction)[function], function, line);
    *slot = keymap_get(&s->slot_map, key, LEDGER_NO_ROW);
    if (*slot != LEDGER_NO_ROW) return true;
    if (!ledger_pile_reserve(&s->slot, s->slots + 1, sizeof(LedgerSlot)) ||
        !keymap_set(&s->slot_map, key, s->slots))
        return false;
    *slot = s->slots++;
    PILE(s->slot, LedgerSlot)[*slot] = (LedgerSlot){.id = row, .function = function, .line = line};
    return true;
}

static bool find_detail(LedgerStore *s, uint32_t slot, uint32_t cfunction, uint32_t *detail) {
    uint64_t key = (uint64_t)slot << 32 | cfunction;
    *detail = keymap_get(&s->detail_map, key, LEDGER_NO_ROW);
    if (*detail != LEDGER_NO_ROW) return true;
    if (!ledger_pile_reserve(&s->detail, s->details + 1, sizeof(LedgerDetail)) ||
        !keymap_set(&s->detail_map, key, s->details))
        return false;
    *detail = s->details++;
    LedgerSlot *of = &PILE(s->slot, LedgerSlot)[slot];
    PILE(s->detail, LedgerDetail)
    [*detail] = (LedgerDetail){.slot = slot, .cfunction = cfunction, .next = of->first_detail};
    of->first_detail = *detail;
    of->details++;
    return true;
}

static bool add_row(LedgerStore *s, const LmpTables *t, uint32_t row) {
    const LmpSite *site = &t->site[row];
    uint32_t function = read_once32(&site->function), c = read_once32(&site->cfunction);
    int32_t line = (int32_t)read_once32(&site->line);
    if (function == 0 || function >= s->functions) function = LEDGER_OTHERS;
    if (c >= s->functions) c = LEDGER_OTHERS;
    if (line < -1) line = -1;
    LedgerRow r = {.function = function};
    if (!ledger_pile_reserve(&s->row, row + 1, sizeof r) ||
        !find_slot(s, row, function, line, &r.slot) || !find_detail(s, r.slot, c, &r.detail))
        return false;
    LedgerSlot *slot = &PILE(s->slot, LedgerSlot)[r.slot];
    if (slot->last_row)
        PILE(s->row, LedgerRow)[slot->last_row].next = row;
    else
        slot->first_row = row;
    slot->last_row = row;
    slot->several |= slot->function != function;
    slot->text = read_once32(&site->text);
    PILE(s->row, LedgerRow)[row] = r;
    return true;
}

static bool update_tags(LedgerStore *s, const LmpTables *t) {
    if (!s->tag[0]) s->tag[0] = "(untagged)";
    for (uint32_t i = 1; i < s->tags; i++) {
        uint32_t at = read_once32(&tables_used(t)->tag[i]);
        if (s->tag[i] && s->tag_at[i] == at) continue;
        LedgerText text;
        if (!text_at(s, t, at, NAME_MOST, &text)) return false;
        s->tag[i] = text.safe;
        s->tag_at[i] = at;
    }
    return true;
}

bool index_update(LedgerStore *s, const LmpTables *t) {
    if (s->slots == 0) { /* row 0 of each stands for none */
        if (!ledger_pile_reserve(&s->slot, 1, sizeof(LedgerSlot)) ||
            !ledger_pile_reserve(&s->detail, 1, sizeof(LedgerDetail)) ||
            !ledger_pile_reserve(&s->row, 1, sizeof(LedgerRow)))
            return false;
        s->slots = s->details = s->rows = 1;
    }
    s->records = tables_records(t);
    s->nodes = tables_nodes(t);
    s->edges = tables_edges(t);
    s->overrides = tables_overrides(t);
    uint32_t n = tables_sites(t);
    s->tags = tables_tags(t);
    if (!update_functions(s, t) || !update_tags(s, t)) return false;
    for (; s->rows < n; s->rows++)
        if (!add_row(s, t, s->rows)) return false;
    return true;
}
