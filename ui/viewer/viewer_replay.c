/* viewer_replay.c - shows a moment of a recording in place of a program's present: finds the moment
 * that keys ask for, and fills the model, the output and the state of time (Ui.time) from it. The
 * recording is a file (lmp replay), or the slider's (viewer_slider.c). */
#include <string.h>

#include "base/bisect.h"
#include "base/format.h"
#include "base/os.h"
#include "recording/format/recscan.h"
#include "viewer/viewer_impl.h"
#include "widget/source.h"

#define GROWS_EVERY (1000 * MS) /* how often to look at a recording that is still written */
#define BACKLOG (2u << 20)      /* bytes of output that are enough for all lines kept */
#define FOREVER UINT64_MAX
enum { NO_NEWS = 3 }; /* looks that found nothing, before asking whether anybody writes the file */

static LmpRecording *recording_of(const Viewer *v) {
    return v->o->recording ? v->o->recording : v->slider.recording;
}

/* ---- output ---------------------------------------------------------------------------------- */

/* Finds the first piece of output that the panel needs; pieces before it are only counted. */
static uint32_t first_piece(const LmpRecording *recording, uint32_t end, uint64_t *lines,
                            uint64_t *bytes) {
    uint32_t first = end;
    uint64_t back = 0;
    while (first > 0 && back < BACKLOG)
        back += recording_output(recording, --first).n;
    *lines = *bytes = 0;
    for (uint32_t i = 0; i < first; i++) {
        LmpRecordedOutput piece = recording_output(recording, i);
        *bytes += piece.n;
        for (size_t k = 0; k < piece.n; k++)
            *lines += piece.bytes[k] == '\n';
    }
    return first;
}

/* Fills in what had been printed by then. */
static void fill_output(Viewer *v, uint64_t clock) {
    const LmpRecording *recording = recording_of(v);
    Output *output = v->o->recording ? v->output : v->slider.output;
    uint32_t n = recording_outputs(recording), end = 0;
    if (!output || n == 0) return;
    BISECT(end, n, i, recording_output(recording, i).clock <= clock);
    if (end < v->outputs) {
        uint64_t lines, bytes;
        v->outputs = first_piece(recording, end, &lines, &bytes);
        output_restart(output, lines, bytes);
    }
    for (; v->outputs < end; v->outputs++) {
        LmpRecordedOutput piece = recording_output(recording, v->outputs);
        output_feed_at(output, piece.bytes, piece.n, piece.clock);
    }
}

/* ---- the state of time ----------------------------------------------------------------------- */

static void tell_time(Viewer *v) {
    UiTime *time = &app_ui(v->app)->time;
    PlayerState state = player_state(v->player);
    bool replay = v->o->recording != NULL;
    uint64_t now = viewer_model(v)->clock;
    *time = (UiTime){.can = true,
                     .replay = replay,
                     .past = true,
                     .grows = replay && v->grows,
                     .unended = replay && v->unended,
                     .clock = state.clock,
                     .end = replay ? state.end : now,
                     .frame = state.frame,
                     .frames = state.frames,
                     .playing = state.playing,
                     .speed = state.speed,
                     .range = state.range,
                     .open = state.open,
                     .from = state.from,
                     .to = state.to,
                     .whole = replay ? player_whole(v->player) : viewer_model(v)};
}

/* Compares with another run. If that cannot be read, says so and shows the newer run alone. */
static bool compare(Viewer *v) {
    LmpErr err = player_against(v->player, v->o->against, v->o->against_frame, v->o->against_name);
    if (err) app_say(v->app, "%s cannot be compared: %s", v->o->against_name, err_message(err));
    return err != LMP_E_NOMEM;
}

static const char *find_source(void *recording, const char *source, size_t *n) {
    return kepttexts_find(recording_sources(recording), source, n);
}

bool viewer_open_replay(Viewer *v) {
    v->player = player_new(v->o->recording);
    if (!v->player) return false;
    v->grows = v->o->grows;
    if (v->grows && v->o->recording_file) {
        v->grows = recscan_has_writer(v->o->recording_fd);
        v->unended = !v->grows;
    }
    v->dead = true; /* there is no process to look at */
    const SourcesKept kept = {find_source, v->o->recording, recording_directory(v->o->recording)};
    sources_kept(app_ui(v->app)->sources, &kept);
    v->refill = true;
    player_go(v->player, v->grows ? FOREVER : v->o->at);
    if (v->o->recording && recording_left_out(v->o->recording) > 0)
        app_say(v->app, "Tables of %llu moments had no room in this recording",
                (unsigned long long)recording_left_out(v->o->recording));
    const char *damage = v->o->recording && !v->grows ? recording_damage(v->o->recording) : NULL;
    if (damage) app_say(v->app, "This recording is damaged: %s", damage);
    if (v->o->against && !compare(v)) return false;
    tell_time(v);
    return true;
}

void viewer_close_replay(Viewer *v) {
    player_free(v->player);
    v->player = NULL;
}

/* ---- moments --------------------------------------------------------------------------------- */

/* Returns true if the wish leads past the end, which is the present. */
static bool is_present(const Viewer *v, const TimeWish *wish) {
    PlayerState state = player_state(v->player);
    bool end = state.frame + 1 == state.frames && !state.playing && !state.range;
    return !v->o->recording && (wish->what == TIME_NOW || end);
}

static void leave(Viewer *v, uint64_t now) {
    viewer_leave_past(v);
    viewer_fill(v, now);
    v->dirty = v->urgent = true;
}

static void grown_up(Viewer *v, bool unended) {
    v->grows = false;
    v->unended = unended;
    v->dirty = true;
    if (unended) app_say(v->app, "Nobody writes this recording any more, and its end is missing");
}

/* Looks whether anybody still writes the recording, when nothing has come for a while. */
static void look_for_writer(Viewer *v) {
    if (!v->o->recording_file || ++v->no_news < NO_NEWS) return;
    v->no_news = 0;
    if (recscan_has_writer(v->o->recording_fd)) return;
    LmpErr err =
        recording_refresh(recording_of(v)); /* the last part may have come after the last look */
    player_grown(v->player);
    v->refill = true;
    grown_up(v, err || !recording_complete(recording_of(v)));
}

/* A playhead at the recording's end stays there. */
static void look_whether_grown(Viewer *v, uint64_t now) {
    if (!v->grows || now - v->grown_at < GROWS_EVERY) return;
    v->grown_at = now;
    PlayerState was = player_state(v->player);
    LmpRecording *recording = recording_of(v);
    uint32_t generation = recording_generation(recording);
    if (v->o->recording_file) recscan_reopen(v->o->recording_fd, v->o->recording_file);
    if (recording_refresh(recording) != LMP_OK) {
        grown_up(v, true);
        return;
    }
    player_grown(v->player);
    PlayerState is = player_state(v->player);
    if (v->o->recording && recording_complete(recording)) grown_up(v, false);
    if (is.frames == was.frames && generation == recording_generation(recording)) {
        if (v->grows) look_for_writer(v);
        return;
    }
    v->no_news = 0;
    if (was.frame + 1 == was.frames && !was.playing && !was.range) player_go(v->player, FOREVER);
    v->refill = true;
}

bool viewer_play(Viewer *v, uint64_t now) {
    look_whether_grown(v, now);
    bool played = player_state(v->player).playing;
    if (player_tick(v->player, now)) v->refill = true;
    if (played && is_present(v, &(TimeWish){.what = TIME_PLAY})) {
        leave(v, now);
        return false;
    }
    if (played && now >= v->next) v->dirty = true; /* the clock goes on between frames */
    if (!v->refill || (played && !v->urgent && now < v->next)) {
        tell_time(v);
        return false;
    }
    return true;
}

void viewer_fill_moment(Viewer *v, uint64_t now) {
    Model *model = app_model(v->app);
    Ui *ui = app_ui(v->app);
    v->refill = false;
    model->wanted = ui->marks;
    model->ledger.of_tag = ui->tag;
    LmpErr err = player_fill(v->player, model, app_parts(v->app));
    tell_time(v);
    fill_output(v, ui->time.clock);
    ui->now = now;
    if (err)
        app_say(v->app, "This moment cannot be shown: %s",
                err == LMP_E_DAMAGED ? "the recording is damaged there" : err_message(err));
    app_fresh(v->app, now);
}

uint64_t viewer_play_due(const Viewer *v, uint64_t now) {
    if (v->refill) return 0;
    if (!player_state(v->player).playing) return v->grows ? GROWS_EVERY : FOREVER;
    uint64_t due = player_due(v->player, now), repaint = v->next > now ? v->next - now : 0;
    uint64_t second = 250 * MS; /* of the clock */
    if (due > second) due = second;
    return due > repaint ? due : repaint;
}

/* ---- what keys ask for ----------------------------------------------------------------------- */

/* Says which frame: they may be a tenth of a second apart, which the header's clock does not
 * show. */
static void say_frame(Viewer *v) {
    char clock[LMP_NUM], number[LMP_NUM], all[LMP_NUM];
    PlayerState state = player_state(v->player);
    app_say(v->app, "Frame %s of %s, at %s", format_count(number, state.frame + 1),
            format_count(all, state.frames), format_clock_fine(clock, state.clock));
}

static void jump(Viewer *v, int step, unsigned flags, const char *what) {
    if (!player_jump(v->player, step, flags))
        app_say(v->app, "There is no %s %s this moment", what, step < 0 ? "before" : "after");
}

/* From the present one goes back first; a wish that leads on from it has no effect. */
static bool begin(Viewer *v, const TimeWish *wish) {
    bool on = wish->ns > 0 || wish->steps > 0;
    if (v->player) return true;
    if (wish->what == TIME_NOW || wish->what == TIME_NO_RANGE || wish->what == TIME_FASTER)
        return false;
    if ((wish->what == TIME_MOVE || wish->what == TIME_STEP) && on) return false;
    return viewer_enter_past(v);
}

void viewer_time(Viewer *v, const TimeWish *wish, uint64_t now) {
    if (!begin(v, wish)) return;
    Player *player = v->player;
    switch (wish->what) {
    case TIME_NOW:
        player_go(player, FOREVER);
        break;
    case TIME_GO:
        player_go(player, (uint64_t)wish->ns);
        break;
    case TIME_EVENT:
        player_go_after(player, (uint64_t)wish->ns);
        break;
    case TIME_MOVE:
        player_move(player, wish->ns);
        break;
    case TIME_STEP:
        player_step(player, wish->steps);
        break;
    case TIME_MARK:
        jump(v, wish->steps, LMP_FRAME_MARK, "mark");
        break;
    case TIME_CYCLE:
        jump(v, wish->steps, LMP_FRAME_CYCLE, "recorded cycle of the collector");
        break;
    case TIME_FIND:
        if (!player_find(v->player, wish->text))
            app_say(v->app, "Neither a moment, a mark nor a text of the output: %.80s", wish->text);
        break;
    case TIME_PLAY:
        player_play(player, !player_state(player).playing, now);
        break;
    case TIME_FASTER:
        player_faster(player);
        break;
    case TIME_RANGE:
    case TIME_SPAN:
        if (wish->what == TIME_SPAN ? !player_span(player, (uint64_t)wish->ns, (uint64_t)wish->to)
                                    : !player_range(player))
            app_say(v->app, "Tables compare with %s: ranges are for lmp replay",
                    v->o->against_name);
        break;
    case TIME_NO_RANGE:
        player_no_range(player);
        break;
    }
    v->refill = v->dirty = v->urgent = true;
    if (is_present(v, wish)) {
        leave(v, now);
        return;
    }
    tell_time(v);
    if (wish->what == TIME_STEP) say_frame(v);
}
