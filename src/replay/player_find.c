/* player_find.c - the moment that a person has typed, or the line of the output (player.h). */
#include <stdlib.h>
#include <string.h>

#include "replay/player_impl.h"
#include "replay/when.h"

enum { LINE_MOST = 4096 }; /* bytes of a line that are looked at */

/* ---- marks ----------------------------------------------------------------------------------- */

/* Marks that the last frame knows no more, then those that it knows, as the person has named them.
 */
static WhenMark mark_of(void *context, uint32_t i) {
    const Player *p = context;
    if (i < p->olds) return (WhenMark){p->old[i].name, p->old[i].clock, p->old[i].number};
    const LmpMark *mark = &p->whole.mark[i - p->olds];
    return (WhenMark){mark->name, mark->clock, mark->number};
}

/* Once for each mark that has come. */
static void read_old_marks(Player *p) {
    uint32_t marks;
    if (p->whole.marks_all <= LMP_MARKS || p->old_of == p->whole.marks_all) return;
    free(p->old);
    p->olds = 0;
    p->old_of = p->whole.marks_all;
    if (recording_marks(p->recording, &p->old, &marks)) return;
    while (p->olds < marks && p->old[p->olds].number + LMP_MARKS <= p->whole.marks_all)
        p->olds++;
}

/* ---- output ---------------------------------------------------------------------------------- */

typedef struct Seek {
    const char *words;
    uint64_t now;
    char line[LINE_MOST];
    size_t used;
    uint64_t began; /* when the line's first bytes came */
    uint64_t first,
        next; /* of the lines that have the words: of all, after now; UINT64_MAX: none */
} Seek;

static void end_line(Seek *s) {
    s->line[s->used] = 0;
    if (s->used > 0 && strcasestr(s->line, s->words)) {
        if (s->first == UINT64_MAX) s->first = s->began;
        if (s->next == UINT64_MAX && s->began > s->now) s->next = s->began;
    }
    s->used = 0;
}

static void look_at(Seek *s, const LmpRecordedOutput *piece) {
    for (size_t i = 0; i < piece->n && s->next == UINT64_MAX; i++) {
        char c = piece->bytes[i];
        if (c == '\n' || s->used + 1 == LINE_MOST) end_line(s);
        if (c == '\n') continue;
        if (s->used == 0) s->began = piece->clock;
        s->line[s->used++] = c ? c : ' ';
    }
}

/* Finds when the words were printed, after now or else first of all. Returns false if never. */
static bool find_output(const Player *p, const char *words, uint64_t *clock) {
    static Seek s; /* large; the display has one thread */
    uint32_t n = recording_outputs(p->recording);
    s = (Seek){.words = words, .now = p->clock, .first = UINT64_MAX, .next = UINT64_MAX};
    for (uint32_t i = 0; i < n && s.next == UINT64_MAX; i++) {
        LmpRecordedOutput piece = recording_output(p->recording, i);
        look_at(&s, &piece);
    }
    end_line(&s);
    *clock = s.next != UINT64_MAX ? s.next : s.first;
    return *clock != UINT64_MAX;
}

/* ---- all together ---------------------------------------------------------------------------- */

/* The frame with the most in it, as FILE@peak has it. The peak itself lies between two frames: the
 * one in which it was noticed may come after a collection, and have next to nothing. */
static uint64_t peak_of(const Player *p) {
    LmpFrameInfo most = {.clock = p->whole.peak_clock};
    for (uint32_t i = 0; i < p->frames; i++) {
        LmpFrameInfo info = recording_frame(p->recording, i);
        if (info.live_bytes > most.live_bytes) most = info;
    }
    return most.clock;
}

bool player_find(Player *p, const char *text) {
    read_old_marks(p);
    WhenScene scene = {.now = p->clock,
                       .end = p->end,
                       .peak = peak_of(p),
                       .marks = p->olds + p->whole.marks,
                       .mark = mark_of,
                       .context = p};
    uint64_t clock;
    bool moment = when_parse(text, &scene, &clock);
    if (!moment && (!*text || !find_output(p, text, &clock))) return false;
    player_go_after(p, clock);
    return true;
}
