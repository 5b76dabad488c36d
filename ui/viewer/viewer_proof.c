/* viewer_proof.c - finds, unasked, who holds what seems to leak: when the note first names a table
 * that grows, takes one snapshot into a directory of our own, and starts a process that reads it,
 * so that neither program nor display wait.
 *
 * The program stands while its page tables are copied: 13 ms for 256 MiB of resident memory (see
 * docs/benchmark.md), on a busy machine twice as long. No snapshot is taken beyond RESIDENT_MOST,
 * so that 50 ms are kept there, too, nor where it would have to be written in place, nor with
 * `proof = off` in the configuration. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/format.h"
#include "base/io.h"
#include "snapshot/proof.h"
#include "viewer/viewer_impl.h"

#define RESIDENT_MOST (256ull << 20) /* bytes */
#define BLOCKS_MOST 4000000u         /* the file has up to 40 bytes for each */
#define BEGIN_MOST (10000 * MS)      /* until the program takes it */
enum { READER_NICE = 10 };

/* ---- the reader ------------------------------------------------------------------------------ */

/* Writes what the snapshot shows of each wish, as the reading process. */
static _Noreturn void be_reader(const ProofWatch *watch, const char *file, int line) {
    OpenedSnapshot *heap;
    UiProof proof;
    const char *failed;
    sigset_t none;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "lmp-proof");
    setpriority(PRIO_PROCESS, 0, READER_NICE);
    sigfillset(&none); /* the handlers are the display's, and so is the terminal */
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (opened_open(&heap, &(OpenedFiles){.file = file}, &failed) != LMP_OK) _exit(1);
    for (int i = 0; i < watch->wishes; i++) {
        const LmpObjectGroup *group = proof_group(heap, watch->wish[i].line);
        if (group && proof_make(heap, group, &watch->wish[i], &proof) &&
            write(line, &proof, sizeof proof) != sizeof proof)
            _exit(1);
    }
    _exit(0);
}

static void begin_reading(Viewer *v) {
    ProofWatch *watch = &v->proof;
    int pair[2];
    watch->step = PROOF_OVER;
    viewer_opened_written(v, v->snapshot.of.file);
    if (pipe2(pair, O_CLOEXEC) != 0) return;
    watch->reader = fork();
    if (watch->reader == 0) be_reader(watch, v->snapshot.of.file, pair[1]);
    close(pair[1]);
    watch->line = pair[0];
    fcntl(watch->line, F_SETFL, O_NONBLOCK);
    if (watch->reader > 0) watch->step = PROOF_READ;
}

static void end_reading(ProofWatch *watch) {
    io_close(&watch->line);
    if (watch->reader > 0) {
        kill(watch->reader, SIGKILL);
        waitpid(watch->reader, NULL, 0);
    }
    watch->reader = 0;
    watch->step = PROOF_OVER;
}

static void hear(Viewer *v) {
    ProofWatch *watch = &v->proof;
    char stop[LMP_NUM];
    for (;;) {
        size_t room = sizeof watch->found - watch->heard;
        ssize_t n = read(watch->line, (char *)watch->found + watch->heard, room);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (n <= 0) break;
        watch->heard += (size_t)n;
    }
    end_reading(watch);
    size_t found = watch->heard / sizeof(UiProof);
    for (size_t i = found; i-- > 0;)
        proof_keep(app_ui(v->app), &watch->found[i]);
    bool last = v->snapshot.of.request == watch->request; /* else a newer one's result is shown */
    if (found == 0 || !last) return;
    app_say(v->app, "A snapshot has shown who holds it; for it the program stood %s",
            format_span(stop, v->snapshot.of.stop));
    v->dirty = true;
}

/* ---- taking it ------------------------------------------------------------------------------- */

/* Returns true if there is something to find out and the program hardly notices. */
static bool is_due(Viewer *v) {
    ProofWatch *watch = &v->proof;
    const Model *model = viewer_model(v);
    const char *wanted = config_get(&v->config, "proof");
    uint32_t state = atomic_load(&v->view->live->state);
    if ((wanted && strcmp(wanted, "off") == 0) || viewer_snapshot_busy(v) || state != LMP_RUNNING ||
        app_ui(v->app)->time.past || model->rss == 0 || model->rss > RESIDENT_MOST ||
        model->stats.live_blocks > BLOCKS_MOST)
        return false;
    watch->wishes = app_unproven(v->app, watch->wish);
    return watch->wishes > 0;
}

static void ask(Viewer *v, uint64_t now) {
    ProofWatch *watch = &v->proof;
    char place[sizeof watch->directory.path + 1];
    watch->step = PROOF_OVER;
    if (privatedir_open(&watch->directory, "lmp-note") != 0) return;
    snprintf(place, sizeof place, "%s/", watch->directory.path);
    watch->request = view_snapshot(v->view, place, LMP_SNAPSHOT_ITSELF);
    watch->since = now;
    if (watch->request) watch->step = PROOF_ASKED;
}

/* Waits until the snapshot is taken. A program that asks for no memory, or whose snapshot is
 * another one's, is not asked again. */
static void await(Viewer *v, uint64_t now) {
    ProofWatch *watch = &v->proof;
    const LmpSnapshotLive *s = &v->snapshot.of;
    bool ours = s->request == watch->request;
    if (ours && s->state == LMP_SNAPSHOT_WRITTEN) {
        begin_reading(v);
    } else if ((ours && s->state == LMP_SNAPSHOT_FAILED) ||
               atomic_load(&s->busy) == watch->request) {
        watch->step = PROOF_OVER;
    } else if (!(ours && s->state == LMP_SNAPSHOT_RUNS) && now - watch->since > BEGIN_MOST) {
        view_snapshot_no_more(v->view, watch->request);
        watch->step = PROOF_OVER;
    }
}

void viewer_watch_proof(Viewer *v, uint64_t now) {
    ProofWatch *watch = &v->proof;
    if (watch->step == PROOF_NONE && is_due(v)) ask(v, now);
    if (watch->step == PROOF_ASKED) await(v, now);
    if (watch->step == PROOF_READ) hear(v);
}

void viewer_close_proof(Viewer *v) {
    ProofWatch *watch = &v->proof;
    if (watch->step == PROOF_ASKED) view_snapshot_no_more(v->view, watch->request);
    if (watch->step == PROOF_READ) end_reading(watch);
    privatedir_close(&watch->directory);
}
