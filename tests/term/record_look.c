/* record_look.c - what is in a recording, for the tests of recorders, in lines of NAME=VALUE:
 *
 *     record_look FILE              the whole: frames, ended, complete, again, output bytes
 *     record_look FILE output       the script's output
 *     record_look FILE check        goes to every frame: those that cannot be had, those whose
 *                                   tables are of one moment, and of these the ones whose sums
 *                                   differ
 *     record_look FILE at SECONDS   the figures of the last frame before, "end": of the last one
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/kind.h"
#include "read/ledger/ledger.h"
#include "read/stats.h"
#include "recording/reader/recording.h"

static void print_figures(const char *prefix, const LmpFigure *figures, const void *of) {
    for (const LmpFigure *f = figures; f->name; f++)
        if (f->kind <= LMP_FIG_SIZE)
            printf("%s%s=%" PRId64 "\n", prefix, f->name, (int64_t)figure_number(f, of));
}

static void print_state(LmpRecording *r) {
    static LmpStats stats;
    static Ledger ledger;
    LmpView *view = recording_view(r);
    char prefix[32];
    stats_derive(view->live, view->live->clock, &stats);
    print_figures("", stats_figures, &stats);
    for (int k = 0; k < LMP_KINDS; k++) {
        snprintf(prefix, sizeof prefix, "types.%s.", kind_info[k].name);
        print_figures(prefix, kind_figures, &stats.kind[k]);
    }
    if (ledger_refresh(&ledger, &view->tables, LEDGER_SITES, view->live->clock)) return;
    for (uint32_t i = 0; i < ledger.sites; i++) {
        const LmpSiteRow *s = &ledger.site[i];
        printf("site %s:%d allocs=%" PRIu64 " live_bytes=%" PRIu64 "\n", s->short_src, s->line,
               s->tally.allocs, s->tally.live_bytes);
    }
    printf("tables=%.6f\n", (double)recording_tables_clock(r) / 1e9);
}

/* Do the lines' bytes sum up to the heap's? */
static bool sums_agree(const LmpView *view) {
    static LmpStats stats;
    static Ledger ledger;
    uint64_t sum = 0;
    stats_derive(view->live, view->live->clock, &stats);
    if (stats.lines == LMP_LINES_OFF || stats.sample > 0 ||
        ledger_refresh(&ledger, &view->tables, LEDGER_SITES, view->live->clock))
        return true;
    for (uint32_t i = 0; i < ledger.sites; i++)
        sum += ledger.site[i].tally.live_bytes;
    return sum == stats.live_bytes;
}

static void check(LmpRecording *r) {
    uint32_t lost = 0, backwards = 0, still = 0, wrong = 0;
    for (uint32_t i = 0; i < recording_frames(r); i++) {
        LmpFrameInfo frame = recording_frame(r, i);
        if (i > 0 && frame.clock < recording_frame(r, i - 1).clock) backwards++;
        if (recording_seek(r, i)) {
            lost++;
        } else if (recording_tables_read(r).consistent && (frame.flags & LMP_FRAME_TABLES)) {
            still++;
            wrong += !sums_agree(recording_view(r));
        }
    }
    printf("lost=%u\nbackwards=%u\nstill=%u\nwrong=%u\n", lost, backwards, still, wrong);
}

int main(int argc, char **argv) {
    LmpRecording *r;
    LmpErr err = argc > 1 ? recording_open(&r, argv[1]) : LMP_E_FILE;
    if (err) {
        printf("error=%s\n", err_name(err));
        return 1;
    }
    uint32_t frames = recording_frames(r);
    if (argc > 3 && frames > 0) {
        uint32_t at = strcmp(argv[3], "end") == 0
                          ? frames - 1
                          : recording_at(r, (uint64_t)(strtod(argv[3], NULL) * 1e9));
        err = recording_seek(r, at);
        if (err) printf("error=%s\n", err_name(err));
        printf("clock=%.6f\n", (double)recording_frame(r, at).clock / 1e9);
        if (!err) print_state(r);
    } else if (argc > 2 && strcmp(argv[2], "check") == 0) {
        check(r);
    } else if (argc > 2) {
        for (uint32_t i = 0; i < recording_outputs(r); i++) {
            LmpRecordedOutput piece = recording_output(r, i);
            fwrite(piece.bytes, 1, piece.n, stdout);
        }
    } else {
        printf("frames=%u\nended=%u\ncomplete=%d\nagain=%s\noutputs=%u\n", frames,
               recording_ended(r), recording_complete(r),
               recording_again(r) ? recording_again(r) : "", recording_outputs(r));
        if (frames > 0)
            printf("seconds=%.6f\n", (double)recording_frame(r, frames - 1).clock / 1e9);
    }
    recording_close(r);
    return 0;
}
