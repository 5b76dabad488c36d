/* callclasses.c - an address that would have two classes, or whose callers decide, has none. */
#include "agent/interp/callclasses.h"

#include <stdlib.h>

enum { NUMBER_DEPTH, NUMBER_DISTANCE, NUMBER_CLASS, SPAN_MOST = 4 << 20, SEVERAL = 255 };

/* Returns which of the two functions this is, LMP_CALL_THROUGH: none. */
static int through(const LmpCallClasses *c, uintptr_t ret) {
    int i = 0;
    while (i < LMP_CALL_THROUGH && c->through[i] != ret)
        i++;
    return i;
}

/* Returns the address at which a row's class would stand, 0: nowhere. */
static uintptr_t place_of(const LmpCallClasses *c, const LmpLearnedRow *row) {
    bool first = row->number[NUMBER_DEPTH] == 1,
         known = through(c, row->place[0]) < LMP_CALL_THROUGH;
    if (first) return known ? 0 : row->place[0];
    return row->number[NUMBER_DEPTH] == 2 && known ? row->place[1] : 0;
}

static void find_through(LmpCallClasses *c, const LmpLearnedRow *row, uint32_t rows) {
    int n = 0;
    for (uint32_t i = 0; i < rows && n < LMP_CALL_THROUGH; i++) {
        if (row[i].number[NUMBER_DEPTH] != 1 || !row[i].number[NUMBER_DISTANCE]) continue;
        c->through[n] = row[i].place[0];
        c->asker[n] = return_addr_find(&c->all, row[i].place[0]);
        c->distance[n++] = row[i].number[NUMBER_DISTANCE];
    }
}

void callclasses_fill(LmpCallClasses *c, const LmpLearnedRow *row, uint32_t rows) {
    uintptr_t low = UINTPTR_MAX, high = 0;
    find_through(c, row, rows);
    for (uint32_t i = 0; i < rows; i++) {
        uintptr_t at = place_of(c, &row[i]);
        if (at && at < low) low = at;
        if (at > high) high = at;
    }
    if (high < low || high - low >= SPAN_MOST) return;
    c->cls = calloc(high - low + 1, 1);
    if (!c->cls) return;
    c->base = low;
    c->span = high - low + 1;
    for (uint32_t i = 0; i < rows; i++) {
        uintptr_t at = place_of(c, &row[i]);
        if (!at) continue;
        int32_t cls = row[i].number[NUMBER_DISTANCE] ? SEVERAL : row[i].number[NUMBER_CLASS];
        uint8_t *to = &c->cls[at - low];
        *to = *to && *to != cls ? SEVERAL : (uint8_t)cls;
    }
    for (uint32_t i = 0; i < rows; i++) {
        uintptr_t at = place_of(c, &row[i]);
        if (!at) continue;
        uint8_t *to = &c->cls[at - low];
        if (*to == SEVERAL || *to == LMP_C_OTHER) *to = LMP_C_NONE;
    }
}
