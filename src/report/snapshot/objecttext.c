/* objecttext.c - the words of a snapshot for files: names, steps, with contents hidden on wish. */
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/luawords.h"
#include "report/snapshot/snapshotreport_impl.h"

/* ---- what may be shown ----------------------------------------------------------------------- */

/* lmp's own words for what is in a heap, beside those of Lua. */
static const char vocabulary[] =
    "C function userdata thread upvalue code weak list integer float "
    "boolean number light registry metatable user value in local stack "
    "slot temporary call object key and FILE";

static bool is_ours(const char *text) {
    return luawords_only(text, strlen(text), vocabulary);
}

LmpErr objecttext_redact_open(SnapshotRedact *redact, const SnapshotReport *report) {
    const LmpSnapshot *s = report->s;
    const LmpObjectGraph *g = &s->g;
    *redact = (SnapshotRedact){0};
    if (!report->redact) return LMP_OK;
    redact->known = calloc((size_t)g->objects + 1, 1);
    if (!redact->known) return LMP_E_NOMEM;
    for (uint32_t i = 1; i < g->objects; i++) {
        size_t n = 0;
        const char *text = g->kind[i] == LMP_OBJECT_STRING ? snapshot_text(s, i, &n) : NULL;
        redact->known[i] = text && n > 0 && n == g->string_length[s->ordinal[i]] &&
                           (g->flags[i] & LMP_OBJECT_FIXED ||
                            (!memchr(text, ' ', n) && luawords_only(text, n, "")));
    }
    return LMP_OK;
}

void objecttext_redact_close(SnapshotRedact *redact) {
    free(redact->known);
    redact->known = NULL;
}

static bool key_shown(const SnapshotRedact *r, const LmpSnapshot *s, uint32_t object) {
    return !r->known || s->g.kind[object] != LMP_OBJECT_STRING || r->known[object];
}

/* "file 7:31" of a function or its code, by the string that names the file; that which came from no
 * file is named by its text, so there it is "?". */
static void put_source(const LmpSnapshot *s, uint32_t object, char *out, size_t size) {
    size_t length = 0;
    uint32_t proto = s->g.kind[object] == LMP_OBJECT_PROTO ? object : snapshot_proto(s, object);
    uint32_t source = proto == LMP_OBJECT_NONE ? 0 : s->g.proto_source[s->ordinal[proto]];
    const char *text = source ? snapshot_text(s, source, &length) : NULL;
    if (text && length > 1 && (text[0] == '@' || text[0] == '='))
        snprintf(out, size, "file %u:%u", s->ordinal[source], s->g.proto_line[s->ordinal[proto]]);
    else
        snprintf(out, size, "?");
}

/* Without what strings contain, and without places that objects are named by, which are keys. */
static const char *hidden_name(const SnapshotRedact *r, const LmpSnapshot *s, uint32_t object,
                               char *out, size_t size) {
    const char *kind = objectgraph_kind(s->g.kind[object]);
    char where[120];
    switch (s->g.kind[object]) {
    case LMP_OBJECT_STRING:
        snprintf(out, size, "string of %llu bytes",
                 (unsigned long long)s->g.string_length[s->ordinal[object]]);
        return out;
    case LMP_OBJECT_LUA_FUNCTION:
    case LMP_OBJECT_PROTO:
        put_source(s, object, where, sizeof where);
        snprintf(out, size, "%s (%s)", kind, where);
        return out;
    case LMP_OBJECT_TABLE:
        if (object == s->registry || object == s->globals || object == s->loaded) break;
        return objecttext_class(r, s, object, out, size);
    case LMP_OBJECT_USERDATA:
        return objecttext_class(r, s, object, out, size);
    default:
        break;
    }
    snapshot_name(s, object, out, size);
    if (!is_ours(out)) snprintf(out, size, "%s", kind);
    return out;
}

/* Shapes of tables are made of their keys. */
static bool keys_known(const SnapshotRedact *r, const LmpSnapshot *s, uint32_t object) {
    for (uint32_t e = s->g.edge_at[object]; e < s->g.edge_at[object + 1]; e++) {
        uint32_t kind = s->g.edge_kind[e] & LMP_EDGE_KIND;
        uint32_t key = kind == LMP_EDGE_FIELD ? s->g.edge_label[e] : s->g.edge_to[e];
        bool named = kind == LMP_EDGE_FIELD || kind == LMP_EDGE_KEY;
        if (named && s->g.kind[key] == LMP_OBJECT_STRING && !r->known[key]) return false;
    }
    return true;
}

const char *objecttext_name(const SnapshotRedact *r, const LmpSnapshot *s, uint32_t object,
                            char *out, size_t size) {
    return r->known ? hidden_name(r, s, object, out, size) : snapshot_name(s, object, out, size);
}

const char *objecttext_class(const SnapshotRedact *r, const LmpSnapshot *s, uint32_t object,
                             char *out, size_t size) {
    uint32_t kind = s->g.kind[object];
    bool function = kind == LMP_OBJECT_LUA_FUNCTION || kind == LMP_OBJECT_PROTO;
    if (r->known && function) return hidden_name(r, s, object, out, size);
    snprintf(out, size, "%s", s->class_list[s->class_of[object]].name);
    if (r->known && (!is_ours(out) || (kind == LMP_OBJECT_TABLE && !keys_known(r, s, object))))
        snprintf(out, size, "%s", objectgraph_kind(kind));
    return out;
}

/* A step without what keys contain: keys that are the same have the same number. False: there is
 * nothing to hide in it. */
static bool hidden_step(const SnapshotRedact *r, const LmpSnapshot *s, uint32_t edge, char *out,
                        size_t size) {
    uint32_t label = s->g.edge_label[edge], kind = s->g.edge_kind[edge] & LMP_EDGE_KIND;
    if (kind == LMP_EDGE_FIELD && !key_shown(r, s, label))
        snprintf(out, size, "[key %u]", s->ordinal[label]);
    else if (kind == LMP_EDGE_OBJECT)
        snprintf(out, size, "[key]");
    else if (kind == LMP_EDGE_KEY)
        snprintf(out, size, "key");
    else if (kind == LMP_EDGE_CALL)
        snprintf(out, size, "call");
    else if (kind == LMP_EDGE_LOCAL)
        snprintf(out, size, "local");
    else if (kind == LMP_EDGE_UPVALUE && s->g.kind[s->g.edge_to[edge]] == LMP_OBJECT_UPVALUE)
        snprintf(out, size, "upvalue");
    else
        return false;
    return true;
}

const char *objecttext_step(const SnapshotRedact *r, const LmpSnapshot *s, uint32_t from,
                            uint32_t edge, char *out, size_t size) {
    static const char mark[] = " \xe2\x96\xb8 ";
    uint32_t weak = r->known ? snapshot_weak_table(s, edge) : LMP_OBJECT_NONE;
    if (weak != LMP_OBJECT_NONE && weak != from) {
        snprintf(out, size, "value in weak table");
        return out;
    }
    if (r->known && hidden_step(r, s, edge, out, size)) return out;
    uint32_t to = s->g.edge_to[edge];
    if (from == s->registry && (to == s->loaded || to == s->globals)) {
        snprintf(out, size, to == s->loaded ? "package.loaded" : "_G");
        return out;
    }
    snapshot_step(s, from, edge, out, size);
    if (strncmp(out, mark, sizeof mark - 1) == 0)
        memmove(out, out + sizeof mark - 1, strlen(out) - (sizeof mark - 1) + 1);
    return out;
}

const char *objecttext_program(const SnapshotReport *report, char *out, size_t size) {
    return format_text(out, size, report->redact ? "program" : report->s->info.program, 0);
}
