/* unknown.c - counts rows by a field that is never zero in a row that a program has made, and names
 * missing texts "?". */
#include "record/format/unknown.h"

uint64_t unknown_rows(const LmpTables *t) {
    uint64_t n = 0;
    for (uint32_t i = 1; i < tables_functions(t); i++)
        n += t->function[i].kind == 0;
    for (uint32_t i = 1; i < tables_sites(t); i++)
        n += t->site[i].function == 0;
    for (uint32_t i = 1; i < tables_records(t); i++)
        n += t->record[i].site == 0;
    for (uint32_t i = 1; i < tables_nodes(t); i++)
        n += t->node[i].site == 0;
    return n;
}

/* Texts are at least one byte and the NUL after it; all bytes of one that is not there are 0. */
static void name_text(char *text, uint32_t at) {
    if (at > 0 && at < LMP_TEXT_MAX - 1 && !text[at] && !text[at + 1]) text[at] = '?';
}

void unknown_texts(const RecMemory *m, const uint32_t have[REC_GROUPS]) {
    const LmpFunction *f = (const void *)rec_at(m, LMP_FUNCTIONS_AT);
    char *text = rec_at(m, LMP_TEXT_AT);
    uint32_t g = 0;
    while (rec_groups[g].at != LMP_FUNCTIONS_AT || rec_groups[g].section != REC_ROWS)
        g++;
    for (uint32_t i = 1; i < have[g] && i < LMP_FUNCTIONS_MAX; i++) {
        name_text(text, f[i].source);
        name_text(text, f[i].short_src);
        name_text(text, f[i].name);
    }
}
