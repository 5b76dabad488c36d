/* viewer_output.c - brings the program's output from the spool, where the relay puts it, into the
 * output panel. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "pty/errorline.h"
#include "pty/spool.h"
#include "viewer/viewer_impl.h"

#define BACKLOG (4u << 20) /* older output is not worth showing */

void viewer_find_error(Viewer *v) {
    Ui *ui = app_ui(v->app);
    if (v->o->spool >= 0 && app_model(v->app)->ended > 1)
        errorline_find(v->o->spool, SPOOL_AT, ui->error, sizeof ui->error);
}

void viewer_read_spool(Viewer *v) {
    if (v->o->spool < 0 || !v->output || app_ui(v->app)->frozen) return;
    struct stat st;
    uint64_t end = fstat(v->o->spool, &st) == 0 ? (uint64_t)st.st_size : 0;
    if (end > v->spool_at + BACKLOG) {
        static const char gap[] = "\r\n[...]\r\n";
        v->spool_at = end - BACKLOG / 4;
        output_feed(v->output, gap, sizeof gap - 1);
    }
    uint64_t before = v->spool_at;
    char bytes[16384];
    for (int i = 0; i < 256; i++) {
        ssize_t n = pread(v->o->spool, bytes, sizeof bytes, (off_t)v->spool_at);
        if (n <= 0) break;
        viewer_keep_output(v, bytes, (size_t)n, lmp_os->clock());
        v->spool_at += (uint64_t)n;
        v->dirty = true;
    }
    if (v->spool_at != before)
        viewer_find_error(v); /* the error message may come after the program's end */
}

void viewer_read_notify(Viewer *v) {
    char bytes[512];
    ssize_t n = read(v->o->notify, bytes, sizeof bytes);
    if (n == 0 || (n > 0 && memchr(bytes, 'Q', (size_t)n)) ||
        (n < 0 && errno != EAGAIN && errno != EINTR)) {
        v->told = true;
    }
    /* output may come when nothing else changes any more: its last part, after the end */
    if (n > 0 && !app_ui(v->app)->frozen) v->dirty = true;
}
