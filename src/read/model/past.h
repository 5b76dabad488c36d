/* past.h - what happened in an interval of the past: figures of the heap's history (LmpHistory)
 * between two moments, for the timeline. */
#ifndef LMP_MODEL_PAST_H
#define LMP_MODEL_PAST_H

#include "read/model/model.h"

typedef struct ModelPast {
    uint64_t max_bytes, min_bytes;             /* the heap, largest and least */
    uint64_t kind_bytes[LMP_KINDS];            /* by owner, when it was about at its largest */
    uint64_t held_bytes, held_kind[LMP_KINDS]; /* after the last collection by its end; 0: none */
    uint64_t allocs, frees, alloc_bytes, free_bytes, cycles; /* what happened in it */
    uint64_t length; /* nanoseconds that the five above are over: whole samples; may be 0 */
} ModelPast;

/* From the samples that overlap [from, to), nanoseconds since start. A sample still being filled,
 * and time after it in which nothing was allocated, have what lives now. */
ModelPast model_past(const Model *model, uint64_t from, uint64_t to);

/* Collector cycles finished by a moment, as far as the samples tell. */
uint32_t model_cycles_by(const Model *model, uint64_t clock);

#endif
