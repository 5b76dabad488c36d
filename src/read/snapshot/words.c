/* words.c - texts put together piece by piece, safe to print: never over the end, never half a
 * character, foreign bytes by format_text's rules. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "read/snapshot/snapshot_impl.h"

static const char ellipsis[] = "\xe2\x80\xa6";

SnapWords words_begin(char *out, size_t size) {
    if (size) out[0] = 0;
    return (SnapWords){.out = out, .size = size, .full = size == 0};
}

/* What did not fit is an ellipsis, for which whole characters make room. */
static void cut(SnapWords *w) {
    size_t at = w->at, need = sizeof ellipsis;
    w->full = true;
    if (w->size < need) return;
    while (at + need > w->size || (at && (w->out[at] & 0xc0) == 0x80))
        at--;
    memcpy(w->out + at, ellipsis, need);
    w->at = at + need - 1;
}

void words_put(SnapWords *w, const char *text) {
    while (*text && !w->full) {
        uint32_t code;
        size_t n = format_utf8(text, &code);
        if (!n) n = 1;
        if (w->at + n >= w->size) {
            cut(w);
            return;
        }
        memcpy(w->out + w->at, text, n);
        w->at += n;
        w->out[w->at] = 0;
        text += n;
    }
}

void words_format(SnapWords *w, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    words_put(w, text);
}

/* Returns bytes at the end of a text that may be the beginning of a longer character. */
static size_t half_character(const char *bytes, size_t n) {
    for (size_t back = 1; back <= 3 && back <= n; back++) {
        unsigned char c = (unsigned char)bytes[n - back];
        if (c >= 0xc0) return back;
        if (c < 0x80) break;
    }
    return 0;
}

void words_bytes(SnapWords *w, const char *bytes, size_t n, size_t most, bool cut_off) {
    char raw[512], safe[512];
    if (most > sizeof raw - 1) most = sizeof raw - 1;
    bool shortened = n > most;
    if (shortened) n = most;
    for (size_t i = 0; i < n; i++)
        raw[i] = bytes[i] ? bytes[i] : 1; /* a control character like others */
    raw[n] = 0;
    if (shortened || cut_off) {
        size_t half = half_character(raw, n);
        uint32_t code;
        if (half && !format_utf8(raw + n - half, &code)) raw[n - half] = 0;
    }
    words_put(w, format_text(safe, sizeof safe, raw, 0));
    if (shortened || cut_off) words_put(w, ellipsis);
}

void words_string(SnapWords *w, const LmpSnapshot *s, uint32_t object, size_t most) {
    size_t n;
    const char *text = snapshot_text(s, object, &n);
    if (!text) return;
    words_bytes(w, text, n, most, n < s->g.string_length[s->ordinal[object]]);
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Returns true if the text could be written with a dot. */
static bool is_name(const char *text, size_t n) {
    if (n == 0 || n > 64 || !is_letter(text[0])) return false;
    for (size_t i = 0; i < n; i++)
        if (!is_letter(text[i]) && !(text[i] >= '0' && text[i] <= '9')) return false;
    return true;
}

void words_key(SnapWords *w, const LmpSnapshot *s, uint32_t object, bool dot) {
    size_t n;
    const char *text = snapshot_text(s, object, &n);
    if (!text) {
        words_put(w, "[?]");
    } else if (is_name(text, n) && n == s->g.string_length[s->ordinal[object]]) {
        if (dot) words_put(w, ".");
        words_string(w, s, object, n);
    } else {
        words_put(w, "[\"");
        words_string(w, s, object, 64);
        words_put(w, "\"]");
    }
}

/* ---- functions ------------------------------------------------------------------------------- */

enum { SOURCE_MOST = 60 };

/* As luaO_chunkid has it: a file's name, what "=" says, or the first line of the code. */
void words_source(SnapWords *w, const LmpSnapshot *s, uint32_t proto) {
    size_t n = 0;
    uint32_t source =
        s->g.kind[proto] == LMP_OBJECT_PROTO ? s->g.proto_source[s->ordinal[proto]] : 0;
    const char *text = source ? snapshot_text(s, source, &n) : NULL;
    if (!text) {
        words_put(w, "?");
    } else if (n && *text == '=') {
        words_bytes(w, text + 1, n - 1, SOURCE_MOST, false);
    } else if (n && *text == '@') {
        text++, n--;
        size_t skip = n > SOURCE_MOST ? n - SOURCE_MOST : 0;
        while (skip && skip < n && (text[skip] & 0xc0) == 0x80)
            skip++;
        if (skip) words_put(w, ellipsis);
        words_bytes(w, text + skip, n - skip, SOURCE_MOST, false);
    } else {
        const char *line = n ? memchr(text, '\n', n) : NULL;
        size_t first = line ? (size_t)(line - text) : n;
        words_put(w, "[string \"");
        words_bytes(w, text, first, 40, line != NULL && first <= 40);
        words_put(w, "\"]");
    }
}

/* The name that the tables have of a function, `key` as in SnapOwn.function_of: where it lives, or
 * what stands between the quotes of a traceback's wording, `method 'push'`. */
static bool known_name(SnapWords *w, const LmpSnapshot *s, uint64_t key) {
    char text[256];
    uint32_t row = keymap_get(&snap_own(s)->function_of, key, LMP_OBJECT_NONE);
    if (row == LMP_OBJECT_NONE) return false;
    const LmpTables *tables = &s->view->tables;
    tables_text(tables, tables->function[row].qualified, text, sizeof text);
    if (*text) {
        words_bytes(w, text, strlen(text), sizeof text, false);
        return true;
    }
    tables_text(tables, tables->function[row].name, text, sizeof text);
    const char *begin = strchr(text, '\''), *end = begin ? strrchr(text, '\'') : NULL;
    if (!begin || end <= begin + 1) return false;
    words_bytes(w, begin + 1, (size_t)(end - begin - 1), sizeof text, false);
    return true;
}

static bool function_name(SnapWords *w, const LmpSnapshot *s, uint32_t proto) {
    uint32_t name = snap_own(s)->proto_name[s->ordinal[proto]];
    if (name) {
        words_string(w, s, name, 64);
        return true;
    }
    size_t n;
    const char *text = snapshot_text(s, s->g.proto_source[s->ordinal[proto]], &n);
    return text && known_name(w, s, snap_code_key(text, n, s->g.proto_line[s->ordinal[proto]]));
}

void words_function(SnapWords *w, const LmpSnapshot *s, uint32_t proto, const char *what) {
    bool known = proto < s->g.objects && s->g.kind[proto] == LMP_OBJECT_PROTO;
    uint32_t line = known ? s->g.proto_line[s->ordinal[proto]] : 0;
    if (!known || line || strcmp(what, "function ") != 0) words_put(w, what);
    if (!known) {
        words_put(w, "?");
        return;
    }
    if (line == 0) {
        words_put(w, "main chunk (");
        words_source(w, s, proto);
        words_put(w, ")");
        return;
    }
    char name[96];
    SnapWords n = words_begin(name, sizeof name);
    if (function_name(&n, s, proto)) {
        words_put(w, name);
        words_put(w, " ");
    }
    words_put(w, "(");
    words_source(w, s, proto);
    words_format(w, ":%u)", line);
}

void words_c_function(SnapWords *w, const LmpSnapshot *s, uint32_t object) {
    uint64_t address = s->g.c_address[s->ordinal[object]], key = address & INT64_MAX;
    uint32_t placed = keymap_get(&snap_own(s)->c_place_of, key, LMP_OBJECT_NONE);
    if (placed != LMP_OBJECT_NONE && words_place(w, s, placed)) return;
    if (address && known_name(w, s, key)) return;
    for (uint32_t i = 0; i < LMP_OBJECT_MODULES; i++) {
        const LmpObjectModule *m = &s->info.module[i];
        if (address < m->begin || address >= m->end) continue;
        words_bytes(w, m->name, strlen(m->name), sizeof m->name, false);
        words_format(w, "+0x%llx", (unsigned long long)(address - m->base));
        return;
    }
    words_format(w, "0x%llx", (unsigned long long)address);
}

bool words_place(SnapWords *w, const LmpSnapshot *s, uint32_t object) {
    const SnapOwn *own = snap_own(s);
    uint32_t row = keymap_get(&own->place_of, object, LMP_OBJECT_NONE), way[8], depth = 0;
    if (row == LMP_OBJECT_NONE) return false;
    for (; row != LMP_OBJECT_NONE && depth < 8; row = own->place[row].above)
        way[depth++] = own->place[row].key;
    for (uint32_t i = depth; i > 0; i--) {
        if (i == depth) /* "app.cache" of a module needs no quotes */
            words_string(w, s, way[i - 1], 64);
        else
            words_key(w, s, way[i - 1], true);
    }
    return true;
}
