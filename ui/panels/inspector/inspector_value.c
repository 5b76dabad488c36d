/* inspector_value.c - writes names as Lua would (word, ["text"], [3]) and values by their type:
 * quoted strings, tables with their first keys or the number of entries. */
#include "panels/inspector/inspector_value.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "widget/describe.h"

/* Types of memory have colours; numbers and booleans have none. */
Style inspector_style(const LmpLocal *local) {
    for (int k = 0; k < LMP_KINDS; k++)
        if (strcmp(local->type, kind_info[k].name) == 0) return STYLE(TONE_KIND(k));
    return STYLE(strcmp(local->type, "nil") == 0 ? TONE_FAINT : TONE_TEXT);
}

/* True if the text could stand behind a dot. */
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
