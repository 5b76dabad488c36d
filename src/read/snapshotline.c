/* snapshotline.c - one line with the number, objects, times and file of a snapshot; or why there is
 * none. */
#include "read/snapshotline.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/format.h"

/* "0.4 ms", "12 ms", "1.2 s" */
static char *time_words(char *out, uint64_t ns) {
    double ms = (double)ns / 1e6;
    if (ms < 10)
        snprintf(out, LMP_NUM, "%.1f ms", ms);
    else if (ms < 1000)
        snprintf(out, LMP_NUM, "%.0f ms", ms);
    else
        snprintf(out, LMP_NUM, "%.1f s", ms / 1e3);
    return out;
}

char *snapshotline_say(char *out, size_t size, const LmpSnapshotLive *s) {
    char file[2 * sizeof s->file], why[2 * sizeof s->why_in_place], objects[LMP_NUM], stop[LMP_NUM],
        slowest[LMP_NUM], tail[2 * sizeof s->why_in_place + 64] = "";
    format_text(file, sizeof file, s->file, 0);
    if (s->state == LMP_SNAPSHOT_FAILED) {
        const char *system = s->os_error ? err_of_file(s->os_error) : "";
        snprintf(out, size, "no snapshot: %s%s%s%s%s", s->error == LMP_E_FILE ? file : "",
                 s->error == LMP_E_FILE ? ": " : "", err_message((LmpErr)s->error),
                 *system ? ": " : "", system);
        return out;
    }
    if (s->slowest)
        snprintf(tail, sizeof tail, ", slowest operation %s", time_words(slowest, s->slowest));
    if (!s->forked && s->why_in_place[0])
        snprintf(tail, sizeof tail, " (in place: %s)",
                 format_text(why, sizeof why, s->why_in_place, 0));
    bool itself = s->how == LMP_SNAPSHOT_ITSELF;
    snprintf(out, size, "snapshot %u: %s objects, stood %s%s%s%s", s->number,
             format_count(objects, s->objects), time_words(stop, s->stop), tail,
             itself ? ", taken by itself for the note" : ": ", itself ? "" : file);
    return out;
}
