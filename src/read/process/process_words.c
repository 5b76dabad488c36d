/* process_words.c - a sentence for each figure that is worth one; where malloc could not be read,
 * why not. */
#include "read/process/process.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/format.h"
#include "base/os.h"

static void __attribute__((format(printf, 2, 3))) say(ProcessWords *w, const char *format, ...) {
    va_list args;
    if (w->count == PROCESS_SENTENCES) return;
    va_start(args, format);
    vsnprintf(w->line[w->count++], PROCESS_SENTENCE, format, args);
    va_end(args);
}

char *process_headline(char out[PROCESS_SENTENCE], const ProcessFigures *f) {
    char lua[LMP_NUM], all[LMP_NUM];
    snprintf(out, PROCESS_SENTENCE, "Lua's blocks are %s of %s in memory",
             format_bytes(lua, f->row[PROCESS_LUA]), format_bytes(all, f->resident));
    return out;
}

/* How much would go back if what lives lay together: that is what compacting would be worth. */
static void say_free(ProcessWords *w, const ProcessFigures *f) {
    char parts[LMP_NUM], low[LMP_NUM], all[LMP_NUM];
    uint64_t pages = 0, below = 0;
    for (uint32_t i = 0; i < CHUNKS_FILL; i++) {
        pages += f->pages[i];
        if (i < 5) below += f->pages[i];
    }
    uint64_t page = lmp_os->page(), free_pages = f->row[PROCESS_FREE_PAGES] / page;
    below -= free_pages < below ? free_pages : below;
    if (f->partial || f->malloc != PROCESS_MALLOC_READ || pages == 0) return;
    say(w,
        "%s of the heap's %s pages hold something, but less than half of a page. If what lives lay "
        "together, %s more could go back.",
        format_count(low, below), format_count(all, pages),
        format_bytes(parts, f->row[PROCESS_FREE_PARTS] & ~(page - 1)));
}

static void say_count(ProcessWords *w, const ProcessFigures *f) {
    char count[LMP_NUM], before[LMP_NUM], beside[LMP_NUM];
    if (!f->asked) {
        say(w,
            "What collectgarbage(\"count\") would say is not known: the program has not asked for "
            "memory since.");
        return;
    }
    format_bytes(count, f->count);
    format_bytes(before, f->before);
    format_bytes(beside, f->beside < 0 ? 0 - (uint64_t)f->beside : (uint64_t)f->beside);
    if (f->beside > 0)
        say(w,
            "collectgarbage(\"count\") says %s: %s from before start are in it; %s are not, which "
            "C "
            "code (or a string buffer) has asked Lua's allocator for.",
            count, before, beside);
    else if (f->beside < 0)
        say(w,
            "collectgarbage(\"count\") says %s: %s from before start are in it, and %s that lmp "
            "has "
            "not seen.",
            count, before, beside);
    else
        say(w, "collectgarbage(\"count\") says %s: %s from before start are in it.", count, before);
}

static void say_malloc(ProcessWords *w, const ProcessFigures *f) {
    char bytes[LMP_NUM];
    if (f->malloc == PROCESS_MALLOC_UNKNOWN && f->other[0])
        say(w,
            "malloc is that of %s: what lies around blocks, what is free and what C code has are "
            "not "
            "told apart.",
            f->other);
    else if (f->malloc == PROCESS_MALLOC_UNKNOWN)
        say(w, "Lua's blocks are not as glibc's malloc makes them: what lies around them, what is "
               "free "
               "and what C code has are not told apart.");
    else if (f->malloc == PROCESS_MALLOC_UNREAD)
        say(w,
            "The system does not let lmp read the program's memory: what is free in the heap and "
            "what C code has are not told apart.");
    else if (f->row[PROCESS_UNTOLD] > 0)
        say(w,
            "%s of the heap are not told apart: they changed during the look, or no block of Lua's "
            "leads there.",
            format_bytes(bytes, f->row[PROCESS_UNTOLD]));
}

void process_words(ProcessWords *w, const ProcessFigures *f) {
    char bytes[LMP_NUM];
    w->count = 0;
    if (f->partial)
        say(w,
            "Lua's heap is being looked at: what in it is free, around blocks, or C code's will be "
            "told apart then.");
    else
        say_malloc(w, f);
    if (f->absent > 0)
        say(w, "%s of Lua's blocks are not in memory: never touched, or swapped out.",
            format_bytes(bytes, f->absent));
    say_free(w, f);
    if (f->asked || !f->partial) say_count(w, f);
}
