/* heaptext.c - the words of a snapshot for files: names, steps, with contents hidden on wish; bytes
 * as JSON. */
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "report/heap/heapreport_impl.h"

/* ---- what may be shown ----------------------------------------------------------------------- */

/* Could a programmer have written it as a name? Others are data, wherever they come from. */
static bool is_word(const LmpSnapshot *s, uint32_t string) {
    enum { MOST = 40 };
    size_t n = 0;
    const char *text = snapshot_text(s, string, &n);
    if (!text || n == 0 || n > MOST || n != s->g.string_length[s->ordinal[string]]) return false;
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i && c >= '0' && c <= '9')) return false;
    }
    return true;
}

LmpErr redact_open(HeapRedact *redact, const HeapReport *report) {
    const LmpHeapGraph *g = &report->s->g;
    *redact = (HeapRedact){0};
    if (!report->redact) return LMP_OK;
    redact->known = calloc((size_t)g->objects + 1, 1);
    if (!redact->known) return LMP_E_NOMEM;
    for (uint32_t i = 1; i < g->objects; i++) {
        if (g->kind[i] == LMP_HEAP_STRING && g->flags[i] & LMP_HEAP_FIXED) redact->known[i] = 1;
        if (g->kind[i] != LMP_HEAP_PROTO) continue;
        for (uint32_t e = g->edge_at[i]; e < g->edge_at[i + 1]; e++) {
            uint32_t kind = g->edge_kind[e] & LMP_EDGE_KIND;
            bool name = kind == LMP_EDGE_CONSTANT ||
                        (kind == LMP_EDGE_DEBUG && g->edge_label[e] != 0); /* 0: the source */
            if (name && is_word(report->s, g->edge_to[e])) redact->known[g->edge_to[e]] = 1;
        }
    }
    return LMP_OK;
}

void redact_close(HeapRedact *redact) {
    free(redact->known);
    redact->known = NULL;
}

static bool key_shown(const HeapRedact *r, const LmpSnapshot *s, uint32_t object) {
    return !r->known || s->g.kind[object] != LMP_HEAP_STRING || r->known[object];
}

/* "bus.lua:31" of a function or its code; that which came from no file is named by its text, so
 * there it is "?". */
static void put_source(const LmpSnapshot *s, uint32_t object, char *out, size_t size) {
    size_t length = 0;
    char raw[100];
    uint32_t proto = s->g.kind[object] == LMP_HEAP_PROTO ? object : snapshot_proto(s, object);
    uint32_t source = proto == LMP_HEAP_NONE ? 0 : s->g.proto_source[s->ordinal[proto]];
    const char *text = source ? snapshot_text(s, source, &length) : NULL;
    bool file = text && length > 1 && (text[0] == '@' || text[0] == '=');
    snprintf(raw, sizeof raw, "%.*s", file ? (int)(length - 1) : 1, file ? text + 1 : "?");
    format_text(out, size, raw, 0);
    size_t used = strlen(out);
    if (file) snprintf(out + used, size - used, ":%u", s->g.proto_line[s->ordinal[proto]]);
}

/* Without what strings contain, and without the places that objects are named by, which are keys.
 */
static const char *hidden_name(const HeapRedact *r, const LmpSnapshot *s, uint32_t object,
                               char *out, size_t size) {
    const char *kind = heapgraph_kind(s->g.kind[object]);
    char where[120];
    switch (s->g.kind[object]) {
    case LMP_HEAP_STRING:
        snprintf(out, size, "string of %llu bytes",
                 (unsigned long long)s->g.string_length[s->ordinal[object]]);
        return out;
    case LMP_HEAP_LUA_FUNCTION:
    case LMP_HEAP_PROTO:
        put_source(s, object, where, sizeof where);
        snprintf(out, size, "%s (%s)", kind, where);
        return out;
    case LMP_HEAP_TABLE:
        if (object == s->registry || object == s->globals || object == s->loaded) break;
        return heaptext_class(r, s, object, out, size);
    case LMP_HEAP_USERDATA:
        return heaptext_class(r, s, object, out, size);
    case LMP_HEAP_THREAD:
        snprintf(out, size, "%s", kind);
        return out;
    default:
        break;
    }
    return snapshot_name(s, object, out, size);
}

/* Shapes of tables are made of their keys. */
static bool keys_known(const HeapRedact *r, const LmpSnapshot *s, uint32_t object) {
    for (uint32_t e = s->g.edge_at[object]; e < s->g.edge_at[object + 1]; e++) {
        uint32_t kind = s->g.edge_kind[e] & LMP_EDGE_KIND;
        uint32_t key = kind == LMP_EDGE_FIELD ? s->g.edge_label[e] : s->g.edge_to[e];
        bool named = kind == LMP_EDGE_FIELD || kind == LMP_EDGE_KEY;
        if (named && s->g.kind[key] == LMP_HEAP_STRING && !r->known[key]) return false;
    }
    return true;
}

const char *heaptext_name(const HeapRedact *r, const LmpSnapshot *s, uint32_t object, char *out,
                          size_t size) {
    return r->known ? hidden_name(r, s, object, out, size) : snapshot_name(s, object, out, size);
}

const char *heaptext_class(const HeapRedact *r, const LmpSnapshot *s, uint32_t object, char *out,
                           size_t size) {
    uint32_t kind = s->g.kind[object];
    bool function = kind == LMP_HEAP_LUA_FUNCTION || kind == LMP_HEAP_PROTO;
    if (r->known && function) return hidden_name(r, s, object, out, size);
    if (r->known && kind == LMP_HEAP_TABLE && !keys_known(r, s, object))
        snprintf(out, size, "%s", heapgraph_kind(kind));
    else
        snprintf(out, size, "%s", s->class_list[s->class_of[object]].name);
    return out;
}

/* A step without what keys contain; NULL: there is nothing to hide in it. */
static const char *hidden_step(const HeapRedact *r, const LmpSnapshot *s, uint32_t edge) {
    uint32_t label = s->g.edge_label[edge];
    switch (s->g.edge_kind[edge] & LMP_EDGE_KIND) {
    case LMP_EDGE_FIELD:
        return key_shown(r, s, label) ? NULL : "[key]";
    case LMP_EDGE_OBJECT:
        return "[key]";
    case LMP_EDGE_KEY:
        return "key";
    case LMP_EDGE_CALL:
        return "call";
    case LMP_EDGE_LOCAL:
        return "local";
    default:
        return NULL;
    }
}

const char *heaptext_step(const HeapRedact *r, const LmpSnapshot *s, uint32_t from, uint32_t edge,
                          char *out, size_t size) {
    static const char mark[] = " \xe2\x96\xb8 ";
    const char *hidden = r->known ? hidden_step(r, s, edge) : NULL;
    if (hidden) {
        snprintf(out, size, "%s", hidden);
        return out;
    }
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

/* ---- JSON ------------------------------------------------------------------------------------ */

void heaptext_number(FILE *out, uint64_t n) {
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + n % 10);
    while ((n /= 10));
    fwrite(digits + at, 1, sizeof digits - at, out);
}

/* A character of up to four bytes at `at`, of n bytes in all. */
static size_t character(const char *at, size_t n, uint32_t *code) {
    char ended[5] = "";
    memcpy(ended, at, n < 4 ? n : 4);
    return format_utf8(ended, code);
}

void heaptext_json(FILE *out, const char *bytes, size_t n) {
    for (size_t i = 0; i < n;) {
        size_t plain = i;
        while (plain < n && bytes[plain] >= ' ' && bytes[plain] < 0x7f && bytes[plain] != '"' &&
               bytes[plain] != '\\' && bytes[plain] != '<')
            plain++;
        fwrite(bytes + i, 1, plain - i, out);
        if ((i = plain) == n) return;
        uint32_t c = 0;
        size_t length = bytes[i] ? character(bytes + i, n - i, &c) : 1;
        if (length == 0)
            fputs("\\ufffd", out);
        else if (c == '"' || c == '\\')
            fprintf(out, "\\%c", (int)c);
        else if (c < 0x20 || c == '<' || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029)
            fprintf(out, "\\u%04x", (unsigned)c);
        else
            fwrite(bytes + i, 1, length, out);
        i += length ? length : 1;
    }
}
