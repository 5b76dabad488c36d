/* start_options.c - the table, from the list in the header; options as text, read and written. */
#include "shared/start_options.h"

#include <stdio.h>
#include <string.h>

#define ROW(ID, ...) [START_##ID] = {__VA_ARGS__},
const LmpStartOption start_options[STARTS] = {START_OPTIONS(ROW)};
#undef ROW

static const char blanks[] = " \t\n";

/* Cuts a quoted value out, without its quotes. Returns where it ends. Without a quote there it is
 * none, and so is "". */
static char *unquote(char *from) {
    char *begin = from, *to = from;
    for (from++; *from && (*from != '\'' || from[1] == '\''); from++) {
        *to++ = *from;
        if (*from == '\'') from++;
    }
    char *end = *from ? from + 1 : from;
    *(*from ? to : begin) = 0;
    return end;
}

bool start_options_next(char **text, LmpStartWord *word) {
    char *at = *text + strspn(*text, blanks);
    if (!*at) return false;
    char *equals = at + strcspn(at, "= \t\n");
    *word = (LmpStartWord){.name = at, .value = equals};
    if (*equals == '=') {
        *equals = 0;
        word->value = equals + 1;
    }
    word->quoted = *word->value == '\'';
    if (word->quoted) {
        *text = unquote(word->value);
    } else {
        *text = word->value + strcspn(word->value, blanks);
        if (**text) *(*text)++ = 0;
    }
    return true;
}

bool start_options_add(char *out, size_t size, const char *name, const char *value) {
    size_t used = strlen(out), begun = used;
    int n = snprintf(out + used, size - used, " %s='", name);
    used += n > 0 ? (size_t)n : 0;
    for (; *value && used + 3 < size; value++) {
        out[used++] = *value;
        if (*value == '\'') out[used++] = '\'';
    }
    if (*value || used + 2 > size) {
        out[begun] = 0;
        return false;
    }
    memcpy(out + used, "'", 2);
    return true;
}
