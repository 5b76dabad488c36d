/* unknown.c - see unknown.h. */
#include "record/unknown.h"

/* No row that a program has made has a zero there. */
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

void unknown_texts(const LmpTables *t, uint32_t functions) {
    for (uint32_t i = 1; i < functions && i < LMP_FUNCTIONS_MAX; i++) {
        const LmpFunction *f = &t->function[i];
        name_text(t->text, f->source);
        name_text(t->text, f->short_src);
        name_text(t->text, f->name);
    }
}
