/* fuzz_conditions.c - break conditions: any text is read or refused with a reason, what was read
 * can be written and read again as the same, and a row from another process is made safe. */
#include <stdlib.h>
#include <string.h>

#include "shared/breaks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds) {
    if (!holds) abort();
}

static bool ends(const char *text, size_t size) {
    return memchr(text, 0, size) != NULL;
}

static void say(const LmpBreak *b, uint64_t value) {
    char text[BREAKS_TEXT], words[BREAKS_TEXT], hit[BREAKS_WORDS];
    must(ends(breaks_text(text, sizeof text, b), sizeof text));
    must(ends(breaks_words(words, sizeof words, b), sizeof words));
    must(ends(breaks_hit_words(hit, sizeof hit, b, value), sizeof hit));
}

static void read_text(const char *text) {
    LmpBreak b, again, untouched;
    char problem[80], written[BREAKS_TEXT];
    memset(&b, 0x5a, sizeof b);
    untouched = b;
    problem[0] = 0;
    if (!breaks_parse(text, &b, problem, sizeof problem)) {
        must(memcmp(&b, &untouched, sizeof b) == 0 && problem[0] && ends(problem, sizeof problem));
        return;
    }
    must(b.kind > LMP_BREAK_NONE && b.kind < LMP_BREAK_KINDS && b.on == 1);
    must(ends(b.file, sizeof b.file) && b.type < LMP_KINDS);
    say(&b, b.bytes);
    breaks_text(written, sizeof written, &b);
    must(breaks_parse(written, &again, problem, sizeof problem));
    must(breaks_same(&b, &again));
}

static void read_lines(const char *text) {
    LmpBreak row[LMP_BREAKS + 1];
    memset(row, 0, sizeof row);
    uint32_t n = breaks_parse_lines(text, row);
    must(n <= LMP_BREAKS && row[LMP_BREAKS].kind == LMP_BREAK_NONE);
    for (uint32_t i = 0; i < n; i++)
        say(&row[i], i);
}

static void read_row(const uint8_t *data, size_t size) {
    LmpBreak b = {0};
    memcpy(&b, data, size < sizeof b ? size : sizeof b);
    breaks_check(&b);
    must(b.kind < LMP_BREAK_KINDS && ends(b.file, sizeof b.file));
    say(&b, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    read_text(text);
    read_lines(text);
    char *colon = strchr(text, ':');
    if (colon) {
        *colon = 0;
        breaks_file_is(text, colon + 1, colon + 1);
    }
    free(text);
    read_row(data, size);
    return 0;
}
