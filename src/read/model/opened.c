/* opened.c - a bit for each thing that was made. What could not be made for want of memory is not
 * tried again: the display would hang at each key. */
#include "read/model/opened.h"

#include <stdio.h>
#include <stdlib.h>

static OpenedSnapshot *new_one(void) {
    static uint64_t serial;
    OpenedSnapshot *heap = calloc(1, sizeof *heap);
    if (heap) heap->serial = ++serial;
    return heap;
}

LmpErr opened_open(OpenedSnapshot **out, const OpenedFiles *files, const char **failed) {
    OpenedSnapshot *heap = new_one();
    *out = NULL;
    *failed = files->file;
    if (!heap) return LMP_E_NOMEM;
    if (files->progress) files->progress->part = 0;
    if (files->progress) files->progress->parts = files->olders + 1;
    LmpErr err = snapshot_open_told(&heap->now, files->file, files->progress);
    if (err) {
        free(heap);
        return err;
    }
    heap->ours = true;
    snprintf(heap->file, sizeof heap->file, "%s", files->file);
    heap->before.by = suspects_steps_by(&heap->now);
    if (files->olders > 0)
        err = compare_open_steps(&heap->before, &heap->older, files->older, files->olders,
                                 files->progress, failed);
    heap->compared = files->olders > 0 && !err;
    if (err)
        opened_close(heap);
    else
        *out = heap;
    return err;
}

/* Frees what was made of the snapshot, and the older one if that is its own. */
static void forget(OpenedSnapshot *heap) {
    for (unsigned by = 0; by < LMP_BYS; by++) {
        groups_free(&heap->groups[by]);
        compare_free(&heap->compare[by]);
    }
    for (unsigned i = 0; i < LMP_PAGES; i++)
        suspects_page_free(&heap->page[i]);
    compare_free_steps(&heap->before);
    if (heap->ours && heap->compared) snapshot_close(&heap->older);
}

/* Returns the growth of the last step that is known. A step that there is no memory for is as if
 * there were none. */
static LmpSnapshotSteps last_step(OpenedSnapshot *heap) {
    LmpSnapshotSteps step = {.by = suspects_steps_by(&heap->now)};
    heap->progress = NULL; /* who waits for the newer file */
    heap->stopped = false;
    const LmpSnapshotCompare *compare = heap->compared ? opened_compare(heap, step.by) : NULL;
    if (compare && compare_add_compared(&step, &heap->older, &heap->now, compare))
        compare_free_steps(&step);
    return step;
}

LmpErr opened_next(OpenedSnapshot **heap, const char *file, LmpProgress *progress) {
    OpenedSnapshot *next;
    const char *failed;
    LmpErr err = opened_open(&next, &(OpenedFiles){.file = file, .progress = progress}, &failed);
    if (err) return err;
    if (*heap) {
        next->before = last_step(*heap);
        forget(*heap);
        next->older = (*heap)->now;
        next->compared = true;
        free(*heap);
    }
    *heap = next;
    return LMP_OK;
}

OpenedSnapshot *opened_of(const LmpSnapshot *now, const LmpSnapshot *older) {
    OpenedSnapshot *heap = new_one();
    if (!heap) return NULL;
    heap->now = *now;
    if (older) heap->older = *older;
    heap->compared = older != NULL;
    return heap;
}

void opened_close(OpenedSnapshot *heap) {
    if (!heap) return;
    forget(heap);
    if (heap->ours) snapshot_close(&heap->now);
    free(heap);
}

static void wait_for(OpenedSnapshot *heap, LmpProgress *progress) {
    snapshot_waits(&heap->now, progress);
    if (heap->compared) snapshot_waits(&heap->older, progress);
}

bool opened_begin(OpenedSnapshot *heap) {
    if (!heap->stopped) wait_for(heap, heap->progress);
    return !heap->stopped;
}

bool opened_end(OpenedSnapshot *heap) {
    heap->stopped = heap->stopped || snapshot_stopped(&heap->now) ||
                    (heap->compared && snapshot_stopped(&heap->older));
    wait_for(heap, NULL);
    return !heap->stopped;
}

const LmpObjectGroups *opened_groups(OpenedSnapshot *heap, LmpSnapshotBy by) {
    if (!opened_has_groups(heap, by) && opened_begin(heap)) {
        heap->groups_made |= 1u << (unsigned)by;
        if (groups_make(&heap->groups[by], &heap->now, by, false) != LMP_OK)
            heap->groups[by] = (LmpObjectGroups){0};
        if (!opened_end(heap)) heap->groups_made &= ~(1u << (unsigned)by);
    }
    return heap->groups[by].group ? &heap->groups[by] : NULL;
}

const LmpSnapshotCompare *opened_compare(OpenedSnapshot *heap, LmpSnapshotBy by) {
    if (!heap->compared) return NULL;
    if (!opened_has_compare(heap, by) && opened_begin(heap)) {
        heap->compare_made |= 1u << (unsigned)by;
        if (compare_any(&heap->compare[by], &heap->older, &heap->now, by))
            heap->compare[by] = (LmpSnapshotCompare){0};
        if (!opened_end(heap)) heap->compare_made &= ~(1u << (unsigned)by);
    }
    return heap->compare[by].change ? &heap->compare[by] : NULL;
}

const LmpSuspectTable *opened_page(OpenedSnapshot *heap, LmpSuspectPage page) {
    if (!opened_has_page(heap, page) && opened_begin(heap)) {
        heap->pages_made |= 1u << (unsigned)page;
        if (suspects_page_make(&heap->page[page], &heap->now, page) != LMP_OK)
            heap->page[page] = (LmpSuspectTable){0};
        if (!opened_end(heap)) heap->pages_made &= ~(1u << (unsigned)page);
    }
    return heap->page[page].page ? &heap->page[page] : NULL;
}

const LmpSuspects *opened_suspects(OpenedSnapshot *heap) {
    if (!heap->suspects_made && opened_begin(heap)) {
        heap->suspects_made = true;
        if (suspects_make(&heap->suspects, &heap->now, heap->compared ? &heap->older : NULL,
                          &heap->before))
            heap->suspects.rows = heap->suspects.fired = 0;
        heap->suspects_made = opened_end(heap);
    }
    return &heap->suspects;
}
