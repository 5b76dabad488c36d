/* player_fill.c - the state at the playhead, as a model: figures, rates, tables, and what these
 * count from (player.h): a mark, a range, or another run beside the one that is played. That run's
 * moment stays the same: its tables are read once, and again only if more of them are asked for.
 *
 * Rates need two moments. Where the model shows one shortly before already, that will do; after a
 * jump the frame of a second before is filled in first. */
#include <string.h>

#include "read/rundiff/rundiff.h"
#include "replay/player_impl.h"

#define SECOND 1000000000ull
/* The parts that are compared; others are one's own. */
#define COMPARED (LEDGER_ALL | LEDGER_TREE_KINDS | LEDGER_TAG_LINES)
#define FOLLOWS (3 * SECOND) /* frames that are no further apart are a film */

/* ---- figures --------------------------------------------------------------------------------- */

/* Seeks a frame for these parts of the ledger. */
static LmpErr seek(LmpRecording *recording, uint32_t frame, unsigned parts) {
    bool paths = parts & (LEDGER_TREE | LEDGER_FUNCTIONS);
    return paths ? recording_seek(recording, frame) : recording_seek_lines(recording, frame);
}

/* Fills in the figures of a frame: no tables, but `parts` of them will be asked for. Errors:
 * DAMAGED. */
static LmpErr fill_frame(LmpRecording *recording, Model *model, uint32_t frame, unsigned parts) {
    LmpErr err = seek(recording, frame, parts);
    if (err) return err;
    LmpView *view = recording_view(recording);
    LmpFrameInfo info = recording_frame(recording, frame);
    bool last = frame + 1 == recording_frames(recording);
    uint32_t ended = last ? recording_ended(recording) : 0;
    ModelInput input = {.now = view->header->start_clock + info.clock,
                        .alive = !(info.flags & LMP_FRAME_END),
                        .rss = info.rss,
                        .own = view->live->resident_own};
    model_fill(model, view, &input);
    model->view = NULL;
    if (model->ledger.when == LEDGER_NOW) model->ledger.when = LEDGER_THEN;
    model->pid = view->header->pid;
    model->ended = ended;
    return LMP_OK;
}

void player_fill_whole(Player *p) {
    if (p->frames == 0) return;
    model_forget_past(&p->whole);
    fill_frame(p->recording, &p->whole, p->frames - 1, 0);
}

const Model *player_whole(const Player *p) {
    return &p->whole;
}

static bool follows(const Player *p, uint32_t before, uint32_t frame) {
    if (before == PLAYER_NONE || before > frame) return false;
    return player_clock_of(p, frame) - player_clock_of(p, before) <= FOLLOWS;
}

/* ---- another run ----------------------------------------------------------------------------- */

LmpErr player_against(Player *p, LmpRecording *other, uint32_t frame, const char *name) {
    static Model model; /* large; the display has one thread */
    Against *a = &p->against;
    LmpErr err = fill_frame(other, &model, frame, 0);
    if (err) return err;
    against_free(a);
    player_no_range(p);
    *a = (Against){.recording = other,
                   .frame = frame,
                   .name = name,
                   .moment = model_moment(&model),
                   .peak = model.stats.peak_bytes};
    a->moment.laps = UINT64_MAX; /* frames of two runs are not to be subtracted */
    p->tables = PLAYER_NONE;
    return LMP_OK;
}

void against_free(Against *a) {
    ledger_free(&a->ledger);
    *a = (Against){0};
}

static uint64_t live_of(const ModelMoment *moment) {
    uint64_t sum = 0;
    for (int k = 0; k < LMP_KINDS; k++)
        sum += moment->live[k];
    return sum;
}

/* Fills in the figures that tables compare with. */
static void against_fill(const Against *a, Model *model) {
    if (!a->recording) {
        model->against = (ModelAgainst){0};
        return;
    }
    model->against.name = a->name;
    model->against.live = live_of(&a->moment);
    model->against.peak = a->peak;
    model->held_from = a->moment;
    model->held_to.clock = 0;
}

/* Returns the older run's id of the tag whose lines are shown. */
static uint32_t tag_there(const Against *a, const Ledger *newer) {
    const char *name = NULL;
    if (newer->of_tag & RUNJOIN_WENT) return newer->of_tag & ~RUNJOIN_WENT;
    for (uint32_t i = 0; i < newer->tags && !name; i++)
        if (newer->tag[i].id == newer->of_tag) name = newer->tag[i].name;
    for (uint32_t i = 0; name && i < a->ledger.tags; i++)
        if (strcmp(a->ledger.tag[i].name, name) == 0) return a->ledger.tag[i].id;
    return UINT32_MAX; /* no tag has it: what lines have under it is nothing */
}

static LmpErr read_there(Against *a, unsigned parts, uint32_t of_tag) {
    LmpErr err = seek(a->recording, a->frame, parts);
    if (err) return err;
    a->ledger.of_tag = of_tag;
    a->ledger.spoken = true; /* as in the model */
    err = ledger_refresh(&a->ledger, &recording_view(a->recording)->tables, parts, 0);
    if (err) return err;
    a->parts = parts;
    a->of_tag = of_tag;
    return LMP_OK;
}

/* Joins the other run's tables with those that have just been read. Errors: DAMAGED, NOMEM. */
static LmpErr against_join(Against *a, Model *model, unsigned parts) {
    RunJoined joined;
    if (!a->recording) return LMP_OK;
    parts = (parts & COMPARED) | LEDGER_SITES;
    model->against.read = false;
    model->ledger_marked = model->ledger.marked = false;
    LmpErr err = LMP_OK;
    if (parts & ~a->parts) err = read_there(a, parts | a->parts, a->of_tag);
    uint32_t tag = tag_there(a, &model->ledger);
    if (!err && (parts & LEDGER_TAG_LINES) && tag != a->of_tag) err = read_there(a, a->parts, tag);
    if (!err) err = runjoin(&model->ledger, &a->ledger, &joined);
    if (err) return err;
    ModelAgainst *shown = &model->against;
    shown->came = joined.came;
    shown->went = joined.went;
    shown->came_bytes = joined.came_bytes;
    shown->went_bytes = joined.went_bytes;
    shown->pathless = model->ledger.stacks != a->ledger.stacks;
    shown->sampled = model->ledger.sample || a->ledger.sample;
    shown->read = true;
    model->ledger_marked = true;
    return LMP_OK;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Returns the frame whose tables frame i has; PLAYER_NONE: none were recorded by then. */
static uint32_t tables_of(const Player *p, uint32_t frame) {
    for (uint32_t i = frame + 1; i-- > 0;)
        if (recording_frame(p->recording, i).flags & LMP_FRAME_TABLES) return i;
    return PLAYER_NONE;
}

/* Returns the frame whose tables are shown at frame i: before the first ones these. */
static uint32_t tables_shown(const Player *p, uint32_t frame) {
    uint32_t found = tables_of(p, frame);
    for (uint32_t i = frame + 1; found == PLAYER_NONE && i < p->frames; i++)
        if (recording_frame(p->recording, i).flags & LMP_FRAME_TABLES) found = i;
    return found;
}

/* Returns the tables about a second before those of a frame. */
static uint32_t tables_before(const Player *p, uint32_t frame) {
    uint64_t clock = player_clock_of(p, frame);
    for (uint32_t i = frame; i-- > 0;) {
        LmpFrameInfo info = recording_frame(p->recording, i);
        if (info.flags & LMP_FRAME_TABLES && info.clock + SECOND <= clock) return i;
    }
    return PLAYER_NONE;
}

/* The moment that tables count from: the beginning of the range, else the mark that the model
 * counts from. False: none, they show what happens in a second. */
static bool counts(const Player *p, const Model *model, uint32_t *from, uint32_t *to) {
    player_bounds(p, from, to);
    if (p->against.recording) return false;
    if (p->range || !model->marked || model->base >= model->marks) return p->range;
    *from = player_frame_after(p, model->mark[model->base].clock);
    return *from <= *to;
}

static LmpErr read_tables(const Player *p, Model *model, uint32_t frame, unsigned parts) {
    LmpErr err = seek(p->recording, frame, parts);
    if (err) return err;
    model->tables_clock = frame == p->at ? model->clock : player_clock_of(p, frame);
    if (!model_fill_ledger(model, recording_view(p->recording), parts)) return LMP_E_NOMEM;
    if (frame == p->at) ledger_totals(&model->ledger, &model->stats);
    return LMP_OK;
}

/* What sentences say of lines is of one moment: that of the tables. */
static void judge(const Player *p, Model *model) {
    const LmpStats of_frame = model->stats;
    ledger_totals(&model->ledger, &model->stats);
    model_fill_verdicts(model, &recording_view(p->recording)->tables);
    model->stats = of_frame;
}

/* So that later tables can count from those of this frame. */
static LmpErr hold(Player *p, Model *model, uint32_t frame, unsigned parts) {
    if (frame == p->base && !(parts & ~p->base_parts)) return LMP_OK;
    p->base = PLAYER_NONE;
    model->tables_held = false;
    LmpErr err = read_tables(p, model, frame, parts);
    if (!err) err = ledger_hold(&model->ledger);
    if (err) return err;
    p->base = frame;
    p->base_parts = parts;
    p->tables = PLAYER_NONE; /* the model's are of that moment now */
    return LMP_OK;
}

static LmpErr fill_tables(Player *p, Model *model, uint32_t frame, uint32_t base, unsigned parts) {
    bool same = frame == p->tables && base == p->base && !(parts & ~p->parts) &&
                p->when == model->ledger.when;
    uint32_t before;
    LmpErr err;
    bool there = tables_of(p, p->at) == frame; /* else the recording shows others now */
    if (same && p->tag == model->ledger.of_tag && (there || p->range)) {
        if (there) judge(p, model);
        return LMP_OK;
    }
    if (base != PLAYER_NONE) {
        err = hold(p, model, base, parts);
        if (err) return err;
    } else {
        p->base = PLAYER_NONE;
        before = tables_before(p, frame);
        model->tables_held = false;
        bool film = follows(p, p->tables, frame) && frame != p->tables;
        if (!film && before != PLAYER_NONE && before != p->tables)
            read_tables(p, model, before, parts); /* without it there are no rates */
    }
    p->tables = PLAYER_NONE;
    model->tables_held = base != PLAYER_NONE;
    err = read_tables(p, model, frame, parts);
    if (err) return err;
    judge(p, model);
    err = against_join(&p->against, model, parts);
    if (err) return err;
    p->tables = frame;
    p->parts = parts;
    p->when = model->ledger.when;
    p->tag = model->ledger.of_tag;
    return LMP_OK;
}

/* ---- all together ---------------------------------------------------------------------------- */

/* The figures of the frames that a range goes from and to. */
static LmpErr fill_range(const Player *p, Model *model) {
    static Model other; /* large; the display has one thread */
    uint32_t bound[2];
    ModelMoment *to[2] = {&model->held_from, &model->held_to};
    player_bounds(p, &bound[0], &bound[1]);
    for (int i = 0; i < 2; i++) {
        LmpErr err = fill_frame(p->recording, &other, bound[i], 0);
        if (err) return err;
        *to[i] = model_moment(&other);
    }
    if (bound[1] == p->at) model->held_to.clock = 0;
    return LMP_OK;
}

LmpErr player_fill(Player *p, Model *model, unsigned parts) {
    uint32_t from, to;
    LmpErr err;
    model->held = p->range || p->against.recording;
    against_fill(&p->against, model);
    if (p->range) {
        err = fill_range(p, model);
        if (err) return err;
    }
    if (!follows(p, p->shown, p->at)) {
        uint64_t clock = player_clock_of(p, p->at);
        model_forget_past(model);
        uint32_t before = recording_at(p->recording, clock - SECOND);
        if (clock > SECOND) fill_frame(p->recording, model, before, parts);
    }
    p->shown = PLAYER_NONE;
    err = fill_frame(p->recording, model, p->at, parts);
    if (err) return err;
    p->shown = p->at;
    model->map_cell = recording_map(p->recording, model->map); /* of the frame sought */
    bool base = counts(p, model, &from, &to);
    uint32_t tables = tables_shown(p, to), held = base ? tables_shown(p, from) : PLAYER_NONE;
    if (tables == PLAYER_NONE) return LMP_OK;
    return fill_tables(p, model, tables, held, parts | LEDGER_SITES);
}
