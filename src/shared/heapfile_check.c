/* heapfile_check.c - one pass over each column, for kinds, ranges, references and their labels,
 * strings, frames. */
#include "shared/heapfile_check.h"

static bool is_string(const LmpHeapGraph *g, uint32_t i) {
    return i < g->objects && g->kind[i] == LMP_HEAP_STRING;
}

static bool is_string_or_none(const LmpHeapGraph *g, uint32_t i) {
    return i == 0 || is_string(g, i);
}

static bool check_kinds(const LmpHeapGraph *g) {
    uint32_t count[LMP_HEAP_KINDS] = {0};
    for (uint32_t i = 0; i < g->objects; i++) {
        if (g->kind[i] >= LMP_HEAP_KINDS) return false;
        count[g->kind[i]]++;
    }
    for (uint32_t kind = 0; kind < LMP_HEAP_KINDS; kind++)
        if (count[kind] != g->count[kind]) return false;
    return g->objects > 0 && g->kind[0] == LMP_HEAP_ROOT && g->size[0] == 0;
}

static bool check_ranges(const LmpHeapGraph *g) {
    if (g->edge_at[0] != 0 || g->edge_at[g->objects] != g->edges) return false;
    for (uint32_t i = 0; i < g->objects; i++)
        if (g->edge_at[i] > g->edge_at[i + 1]) return false;
    return true;
}

static bool check_label(const LmpHeapGraph *g, uint32_t from, unsigned kind, uint32_t label) {
    switch (kind) {
    case LMP_EDGE_ROOT:
        return label < LMP_ROOTS;
    case LMP_EDGE_FIELD:
        return is_string(g, label);
    case LMP_EDGE_INTEGER:
    case LMP_EDGE_FLOAT:
    case LMP_EDGE_LIGHT:
        return label < g->wides;
    case LMP_EDGE_BOOLEAN:
        return label <= 1;
    case LMP_EDGE_OBJECT:
        return label < g->objects;
    case LMP_EDGE_UPVALUE:
        return g->kind[from] == LMP_HEAP_C_FUNCTION || is_string_or_none(g, label);
    case LMP_EDGE_CALL:
        return label < g->frames;
    case LMP_EDGE_LOCAL:
        return label < g->slots;
    case LMP_EDGE_LOT:
        return label < LMP_LOTS;
    default:
        return kind < LMP_EDGES;
    }
}

static bool check_edges(const LmpHeapGraph *g) {
    for (uint32_t i = 0; i < g->objects; i++)
        for (uint32_t e = g->edge_at[i]; e < g->edge_at[i + 1]; e++) {
            uint32_t label = g->edge_label[e];
            if (g->edge_to[e] >= g->objects) return false;
            if (!check_label(g, i, g->edge_kind[e] & LMP_EDGE_KIND, label)) return false;
            if (g->edge_kind[e] & LMP_EDGE_EPHEMERON && label >= g->objects) return false;
        }
    return true;
}

static bool check_strings(const LmpHeapGraph *g) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < g->count[LMP_HEAP_STRING]; i++) {
        if (g->string_shown[i] > g->string_length[i]) return false;
        bytes += g->string_shown[i];
    }
    return bytes == g->text_bytes;
}

static bool check_frames(const LmpHeapGraph *g) {
    uint64_t frames = 0;
    for (uint32_t i = 0; i < g->count[LMP_HEAP_THREAD]; i++)
        frames += g->thread_frames[i];
    if (frames > g->frames) return false;
    for (uint32_t i = 0; i < g->frames; i++)
        if (g->frame_function[i] >= g->objects) return false;
    for (uint32_t i = 0; i < g->slots; i++) {
        if (g->slot_frame[i] >= g->frames && g->slot_frame[i] != LMP_HEAP_NONE) return false;
        if (!is_string_or_none(g, g->slot_name[i])) return false;
    }
    return true;
}

static bool check_others(const LmpHeapGraph *g) {
    for (uint32_t i = 0; i < g->count[LMP_HEAP_PROTO]; i++)
        if (!is_string_or_none(g, g->proto_source[i])) return false;
    for (uint32_t i = 0; i < g->count[LMP_HEAP_LOT]; i++)
        if (g->lot_what[i] >= LMP_LOTS) return false;
    return true;
}

bool heapfile_check(const LmpHeapGraph *g) {
    return check_kinds(g) && check_ranges(g) && check_edges(g) && check_strings(g) &&
           check_frames(g) && check_others(g);
}
