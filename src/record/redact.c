/* redact.c - see redact.h. */
#include "record/redact.h"

#include <stdio.h>
#include <string.h>

/* Hides a text of the table where it stands: nothing else moves. */
static void hide_text(LmpView *view, uint32_t at, uint32_t from) {
    char *text = view->tables.text;
    for (at += from; at < LMP_TEXT_MAX && text[at]; at++)
        text[at] = '-';
}

/* The code of a chunk is its source, as Lua has it, unless that says that it is a file's or a
 * name; what people see of it is [string "its first line"]. */
static void hide_code(LmpView *view, const LmpFunction *f) {
    static const char begins[] = "[string \"";
    const char *text = view->tables.text;
    if (f->source < LMP_TEXT_MAX && text[f->source] && text[f->source] != '@' &&
        text[f->source] != '=')
        hide_text(view, f->source, 0);
    if (f->short_src < LMP_TEXT_MAX - sizeof begins &&
        strncmp(text + f->short_src, begins, sizeof begins - 1) == 0)
        hide_text(view, f->short_src, sizeof begins - 1);
}

void redact_names(LmpView *view) {
    for (uint32_t i = 1; i < LMP_FUNCTIONS_MAX && view->tables.function[i].kind; i++)
        hide_code(view, &view->tables.function[i]);
    /* a short line could be guessed from its hash */
    for (uint32_t i = 1; i < LMP_SITES_MAX && view->tables.site[i].function; i++)
        view->tables.site[i].text = 0;
}

static void number(char *name, size_t size, const char *what, uint32_t n) {
    if (*name) snprintf(name, size, "%s %u", what, n);
}

void redact_figures(LmpView *view) {
    LmpLive *live = (LmpLive *)view->live; /* a recording's own memory */
    for (uint32_t i = 2; i < tables_tags(&view->tables); i++)
        if (live->tables.tag[i] < LMP_TEXT_MAX) hide_text(view, live->tables.tag[i], 0);
    for (uint32_t i = 0; i < LMP_MARKS; i++)
        number(live->mark[i].name, sizeof live->mark[i].name, "mark", live->mark[i].number);
    for (uint32_t i = 0; i < LMP_LAPS_WORST; i++)
        number(live->laps.worst[i].name, sizeof live->laps.worst[i].name, "frame", i + 1);
    memset(live->snapshot.file, 0, sizeof live->snapshot.file);
    for (uint32_t i = 0; i < LMP_BREAKS; i++)
        memset(view->control->break_row[i].file, 0, sizeof view->control->break_row[i].file);
}
