/* localwords.c - formats each type of value into the row's bytes, numbers as Lua itself prints
 * them. */
#include "agent/interp/localwords.h"

#include <stdio.h>
#include <string.h>

void localwords_bytes(LmpLocal *local, const char *bytes, size_t size) {
    local->whole = size;
    local->size = (uint32_t)(size < LMP_LOCAL_BYTES ? size : LMP_LOCAL_BYTES);
    memcpy(local->value, bytes, local->size);
}

static void set_text(LmpLocal *local, const char *text) {
    localwords_bytes(local, text, strnlen(text, LMP_LOCAL_BYTES));
}

void localwords_number(char *out, size_t size, lua_Number value) {
    snprintf(out, size, LUA_NUMBER_FMT, value);
    size_t n = strlen(out);
    if (out[strspn(out, "-0123456789")] == 0 && n + 3 < size) memcpy(out + n, ".0", 3);
}

void localwords_integer(LmpLocal *local, lua_Integer value) {
    char text[LMP_LOCAL_BYTES];
    snprintf(text, sizeof text, LUA_INTEGER_FMT, value);
    set_text(local, text);
}

void localwords_float(LmpLocal *local, lua_Number value) {
    char text[LMP_LOCAL_BYTES];
    localwords_number(text, sizeof text, value);
    set_text(local, text);
}

void localwords_boolean(LmpLocal *local, bool value) {
    set_text(local, value ? "true" : "false");
}

void localwords_address(LmpLocal *local, const void *at) {
    char text[LMP_LOCAL_BYTES];
    snprintf(text, sizeof text, "%p", at);
    set_text(local, text);
}
