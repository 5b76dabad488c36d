/* viewer_heap.c - the snapshot that the display has open: read from its file when it is first asked
 * for, kept until a newer one replaces it. Reading a large one takes a while; a frame says so
 * before it begins. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/format.h"
#include "base/os.h"
#include "read/model/opened.h"
#include "viewer/viewer_impl.h"

void viewer_heap_written(Viewer *v, const char *file) {
    snprintf(v->heap_file, sizeof v->heap_file, "%s", file);
    app_offer_heap(v->app);
}

/* A message for a person, of a file rather than of a shared state. */
static const char *words_of(LmpErr err, int error) {
    switch (err) {
    case LMP_E_FOREIGN:
        return "this is no heap snapshot";
    case LMP_E_VERSION:
        return "it was written by another version of lmp";
    case LMP_E_DAMAGED:
        return "it is cut off or damaged";
    case LMP_E_NOMEM:
        return "no memory to read it";
    case LMP_E_FILE:
        return strerror(error);
    default:
        return err_message(err);
    }
}

static bool open_it(Viewer *v) {
    struct stat st;
    char bytes[LMP_NUM] = "", name[256];
    const char *failed = v->heap_file;
    OpenedFiles files = {v->heap_file, v->o->heap_older, v->o->heap_olders};
    format_text(name, sizeof name, v->heap_file, 0);
    if (stat(v->heap_file, &st) == 0) format_bytes(bytes, (uint64_t)st.st_size);
    app_say(v->app, "Reading %.80s, %s ...", name, bytes);
    viewer_paint(v);
    OpenedHeap *before = v->heap;
    errno = 0;
    LmpErr err =
        v->view ? opened_next(&v->heap, v->heap_file) : opened_open(&v->heap, &files, &failed);
    if (err) {
        int error = errno;
        v->heap = before;
        format_text(name, sizeof name, failed, 0);
        snprintf(v->result->problem, sizeof v->result->problem, "%.70s: %s", name,
                 words_of(err, error));
        app_say(v->app, "%s", v->result->problem);
        return false;
    }
    app_ui(v->app)->now = lmp_os->clock();
    app_say(v->app, "%s", "");
    return true;
}

void viewer_heap_show(Viewer *v) {
    v->dirty = v->urgent = true;
    if (!v->heap_file[0]) {
        app_offer_taking(v->app);
        return;
    }
    if ((!v->heap || strcmp(v->heap->file, v->heap_file) != 0) && !open_it(v)) {
        app_no_heap(v->app);
        if (!v->view) v->quit = true; /* there is nothing else to show */
        return;
    }
    app_show_heap(v->app, v->heap);
}
