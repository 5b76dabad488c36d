/* player.c - where the playhead is and how it moves: by frames, times, marks and the clock; ranges;
 * and the moment that a person has typed, or the line of the output. The model is filled in
 * player_fill.c. */
#include <stdlib.h>
#include <string.h>

#include "replay/player_impl.h"
#include "replay/when.h"

#define SECOND 1000000000ull
enum { LINE_MOST = 4096 }; /* bytes of a line of output that are looked at */

const unsigned player_speeds[PLAYER_SPEEDS] = {1, 2, 10, 100};

Player *player_new(LmpRecording *recording) {
    Player *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->recording = recording;
    p->shown = p->tables = p->base = PLAYER_NONE;
    player_grown(p);
    return p;
}

void player_free(Player *p) {
    if (!p) return;
    ledger_free(&p->whole.ledger);
    against_free(&p->against);
    free(p->old);
    free(p);
}

/* Finds the frames again after a thinning: those that are left have other numbers. */
static void find_again(Player *p) {
    p->generation = recording_generation(p->recording);
    p->shown = p->tables = p->base = PLAYER_NONE;
    p->at = recording_at(p->recording, p->clock);
    p->begin = recording_at(p->recording, p->begin_clock);
    p->ended = recording_at(p->recording, p->ended_clock);
}

void player_grown(Player *p) {
    p->frames = recording_frames(p->recording);
    if (p->generation != recording_generation(p->recording)) find_again(p);
    p->end = p->frames ? recording_frame(p->recording, p->frames - 1).clock : 0;
    player_fill_whole(p);
}

uint64_t player_clock_of(const Player *p, uint32_t frame) {
    return recording_frame(p->recording, frame).clock;
}

PlayerState player_state(const Player *p) {
    PlayerState state = {.clock = p->clock,
                         .end = p->end,
                         .frame = p->at,
                         .frames = p->frames,
                         .playing = p->playing,
                         .speed = player_speeds[p->speed],
                         .range = p->range,
                         .open = p->open};
    uint32_t from, to;
    player_bounds(p, &from, &to);
    state.from = player_clock_of(p, from);
    state.to = player_clock_of(p, to);
    return state;
}

/* ---- where ----------------------------------------------------------------------------------- */

/* Returns the first frame at or after a moment; PLAYER_NONE: all are before it. */
uint32_t player_frame_after(const Player *p, uint64_t clock) {
    uint32_t frame = recording_at(p->recording, clock);
    if (player_clock_of(p, frame) < clock) frame++;
    return frame < p->frames ? frame : PLAYER_NONE;
}

static void go_to_frame(Player *p, uint32_t frame) {
    p->at = frame < p->frames ? frame : p->frames - 1;
    p->clock = player_clock_of(p, p->at);
}

void player_go(Player *p, uint64_t clock) {
    go_to_frame(p, recording_at(p->recording, clock));
}

void player_go_after(Player *p, uint64_t clock) {
    uint32_t frame = player_frame_after(p, clock);
    go_to_frame(p, frame);
    if (frame != PLAYER_NONE) p->clock = clock;
}

void player_step(Player *p, int frames) {
    int64_t to = (int64_t)p->at + frames;
    p->playing = false;
    go_to_frame(p, to < 0 ? 0 : to < p->frames ? (uint32_t)to : p->frames - 1);
}

void player_move(Player *p, int64_t by) {
    uint32_t was = p->at;
    uint64_t back = by < 0 ? 0 - (uint64_t)by : 0;
    uint64_t to = by < 0 ? (p->clock > back ? p->clock - back : 0) : p->clock + (uint64_t)by;
    bool playing = p->playing;
    player_go(p, to);
    /* exactly there, so that as much back and on again is the same moment */
    if (to > p->clock) p->clock = to < p->end ? to : p->end;
    if (p->at == was || (by < 0) != (p->at < was)) {
        p->at = was;
        player_step(p, by < 0 ? -1 : 1);
        p->playing = playing;
    }
}

static bool has(const Player *p, uint32_t frame, unsigned flags) {
    return (recording_frame(p->recording, frame).flags & flags) != 0;
}

/* Finds the nearest mark's frame by its time: the frame that was taken for the mark may be
 * damaged. */
static uint32_t nearest_mark(const Player *p, int step) {
    uint32_t best = PLAYER_NONE;
    for (uint32_t i = 0; i < p->whole.marks; i++) {
        uint32_t frame = player_frame_after(p, p->whole.mark[i].clock);
        if (frame == PLAYER_NONE || (step < 0 ? frame >= p->at : frame <= p->at)) continue;
        if (best == PLAYER_NONE || (step < 0 ? frame > best : frame < best)) best = frame;
    }
    return best;
}

bool player_jump(Player *p, int step, unsigned flags) {
    uint32_t frame = flags & LMP_FRAME_MARK ? nearest_mark(p, step) : PLAYER_NONE;
    if (step < 0) {
        for (uint32_t i = p->at; i-- > 0 && (frame == PLAYER_NONE || i > frame);)
            if (has(p, i, flags)) frame = i;
    } else {
        for (uint32_t i = p->at + 1; i < p->frames && i < frame; i++)
            if (has(p, i, flags)) frame = i;
    }
    if (frame == PLAYER_NONE) return false;
    go_to_frame(p, frame);
    return true;
}

/* ---- playing --------------------------------------------------------------------------------- */

void player_play(Player *p, bool on, uint64_t now) {
    if (on && p->at + 1 >= p->frames) go_to_frame(p, 0);
    p->playing = on;
    p->then = now;
    p->clock = player_clock_of(p, p->at);
}

void player_faster(Player *p) {
    p->speed = (p->speed + 1) % PLAYER_SPEEDS;
}

bool player_tick(Player *p, uint64_t now) {
    uint32_t was = p->at;
    if (!p->playing) return false;
    uint64_t passed = now > p->then ? now - p->then : 0;
    p->then = now;
    if (passed > SECOND) passed = SECOND; /* it was asleep: nobody has seen that time pass */
    p->clock += passed * player_speeds[p->speed];
    if (p->clock >= p->end) {
        go_to_frame(p, p->frames - 1);
        p->playing = false;
        return true;
    }
    p->at = recording_at(p->recording, p->clock);
    return p->at != was;
}

uint64_t player_due(const Player *p, uint64_t now) {
    if (!p->playing) return UINT64_MAX;
    if (p->at + 1 >= p->frames) return 0;
    uint64_t next = player_clock_of(p, p->at + 1), speed = player_speeds[p->speed];
    uint64_t wait = next > p->clock ? (next - p->clock) / speed : 0;
    uint64_t passed = now > p->then ? now - p->then : 0;
    return wait > passed ? wait - passed : 0;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* The frames that a range goes from and to, in order, however they were chosen. */
void player_bounds(const Player *p, uint32_t *from, uint32_t *to) {
    uint32_t begin = p->range ? p->begin : p->at;
    uint32_t end = p->range && !p->open ? p->ended : p->at;
    *from = begin < end ? begin : end;
    *to = begin < end ? end : begin;
}

bool player_range(Player *p) {
    if (p->against.recording) return false;
    if (p->range && p->open) {
        p->open = false;
        p->ended = p->at;
        p->ended_clock = player_clock_of(p, p->at);
        return true;
    }
    p->range = p->open = true;
    p->begin = p->at;
    p->begin_clock = player_clock_of(p, p->at);
    return true;
}

bool player_span(Player *p, uint64_t from, uint64_t to) {
    if (p->against.recording) return false;
    player_no_range(p);
    player_go(p, from);
    player_range(p);
    player_go(p, to);
    return player_range(p);
}

bool player_no_range(Player *p) {
    bool was = p->range;
    p->range = p->open = false;
    return was;
}

/* ---- what a person has typed ----------------------------------------------------------------- */

/* Marks that the last frame knows no more, then those that it knows, as a person has named them. */
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

/* Returns the frame with the most in it, as FILE@peak has it. The peak itself lies between two
 * frames: the one in which it was noticed may come after a collection, and have next to nothing. */
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
