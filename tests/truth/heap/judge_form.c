/* judge_form.c - what a graph must be whatever the state has: counts, offsets, labels; and what of
 * it is reachable from the root. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "judge_impl.h"

static char said[600];

const char *judge_said(void) {
    return said;
}

bool judge_wrong(const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (!*said) vsnprintf(said, sizeof said, format, args);
    va_end(args);
    return false;
}

static bool is_text(const LmpObjectGraph *g, uint32_t n) {
    return !n || (n < g->objects && g->kind[n] == LMP_OBJECT_STRING);
}

static bool label_fits(const LmpObjectGraph *g, uint32_t from, uint64_t e) {
    uint32_t label = g->edge_label[e];
    switch (g->edge_kind[e] & LMP_EDGE_KIND) {
    case LMP_EDGE_ROOT:
        return label < LMP_ROOTS && !from;
    case LMP_EDGE_LOT:
        return label < LMP_LOTS && !from && g->kind[g->edge_to[e]] == LMP_OBJECT_LOT;
    case LMP_EDGE_FIELD:
        return label && is_text(g, label);
    case LMP_EDGE_OBJECT:
        return label && label < g->objects;
    case LMP_EDGE_INTEGER:
    case LMP_EDGE_FLOAT:
    case LMP_EDGE_LIGHT:
        return label < g->wides;
    case LMP_EDGE_UPVALUE:
        return g->kind[from] == LMP_OBJECT_C_FUNCTION || is_text(g, label);
    case LMP_EDGE_CALL:
        return label < g->frames;
    case LMP_EDGE_LOCAL:
        return label < g->slots;
    default:
        return true;
    }
}

bool judge_form(const LmpObjectGraph *g) {
    uint32_t count[LMP_OBJECT_KINDS] = {0};
    said[0] = 0;
    if (!g->objects || g->kind[0] != LMP_OBJECT_ROOT || g->edge_at[0])
        return judge_wrong("no root");
    for (uint32_t i = 0; i < g->objects; i++) {
        if (g->kind[i] >= LMP_OBJECT_KINDS) return judge_wrong("object %u: kind %u", i, g->kind[i]);
        count[g->kind[i]]++;
        if (g->edge_at[i + 1] < g->edge_at[i]) return judge_wrong("object %u: edges", i);
        for (uint32_t e = g->edge_at[i]; e < g->edge_at[i + 1]; e++) {
            if (!g->edge_to[e] || g->edge_to[e] >= g->objects)
                return judge_wrong("object %u: an edge to %u", i, g->edge_to[e]);
            if (!label_fits(g, i, e))
                return judge_wrong("object %u, kind %u: an edge of kind %u, label %u", i,
                                   g->kind[i], g->edge_kind[e], g->edge_label[e]);
        }
        if (g->kind[i] == LMP_OBJECT_ROOT || g->kind[i] == LMP_OBJECT_LOT) continue;
        if (!g->addr[i] || !g->size[i]) return judge_wrong("object %u: no address, or no size", i);
    }
    if (g->edge_at[g->objects] != g->edges) return judge_wrong("edges: not all are an object's");
    for (unsigned k = 0; k < LMP_OBJECT_KINDS; k++)
        if (count[k] != g->count[k])
            return judge_wrong("kind %u: %u, not %u", k, count[k], g->count[k]);
    for (uint32_t i = 0; i < g->slots; i++) {
        if (g->slot_frame[i] >= g->frames && g->slot_frame[i] != LMP_OBJECT_NONE)
            return judge_wrong("slot %u: frame %u", i, g->slot_frame[i]);
        if (!is_text(g, g->slot_name[i])) return judge_wrong("slot %u: name", i);
    }
    uint64_t text = 0;
    for (uint32_t i = 0; i < count[LMP_OBJECT_STRING]; i++)
        text += g->string_shown[i];
    return text == g->text_bytes || judge_wrong("texts");
}

/* ---- reachability ---------------------------------------------------------------------------- */

/* Ephemerons: again until nothing is new. */
uint8_t *judge_reach(const LmpObjectGraph *g) {
    uint8_t *held = calloc(g->objects, 1);
    uint32_t *queue = malloc(g->objects * sizeof *queue), n = 1, done = 0;
    queue[0] = 0;
    held[0] = 1;
    for (;;) {
        for (; done < n; done++) {
            uint32_t o = queue[done];
            for (uint32_t e = g->edge_at[o]; e < g->edge_at[o + 1]; e++) {
                if (g->edge_kind[e] & (LMP_EDGE_WEAK | LMP_EDGE_EPHEMERON)) continue;
                if (!held[g->edge_to[e]]) held[g->edge_to[e]] = 1, queue[n++] = g->edge_to[e];
            }
        }
        for (uint32_t i = 0; i < done; i++) {
            uint32_t o = queue[i];
            if (!(g->flags[o] & LMP_OBJECT_WEAK_KEYS)) continue;
            for (uint32_t e = g->edge_at[o]; e < g->edge_at[o + 1]; e++)
                if (g->edge_kind[e] & LMP_EDGE_EPHEMERON && held[g->edge_label[e]] &&
                    !held[g->edge_to[e]])
                    held[g->edge_to[e]] = 1, queue[n++] = g->edge_to[e];
        }
        if (done == n) break;
    }
    free(queue);
    return held;
}

bool judge_alive(const LmpObjectGraph *g) {
    uint8_t *held = judge_reach(g);
    uint32_t gone = 0, first = 0;
    said[0] = 0;
    for (uint32_t i = 1; i < g->objects; i++)
        if (!held[i] && !gone++) first = i;
    free(held);
    return !gone ||
           judge_wrong("%u objects are alive and not reached, the first of kind %u, flags %u", gone,
                       g->kind[first], g->flags[first]);
}
