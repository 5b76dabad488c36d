/* state_parts.h - where damage of a shared state is noticed: the parts that are read, and of large
 * ones where something stands. For those who draw at random, and for the fuzzer, whose inputs hold
 * their numbers. The first is the header. */
#ifndef LMP_STATE_PARTS_H
#define LMP_STATE_PARTS_H

#include <stddef.h>

#include "shared/layout.h"

#define STATE_LEAVES 4u /* there may be fewer: then nothing stands there */

#define LIVE(field) (LMP_LIVE_AT + offsetof(LmpLive, field))
#define LEAF(i, field) (LMP_LEAVES_AT + (i) * sizeof(LmpLeaf) + offsetof(LmpLeaf, field))
static const struct {
    size_t at, size;
} state_part[] = {
    {0, sizeof(LmpHeader)},
    {LMP_CONTROL_AT, sizeof(LmpControl)},
    {LMP_LIVE_AT, sizeof(LmpLive)},
    {LMP_LIVE_AT, 128},
    {LIVE(counters), sizeof(LmpCounters)},
    {LIVE(gc), 128},
    {LIVE(mark), sizeof(LmpMark)},
    {LIVE(history), 256},
    {LIVE(op), 1024},
    {LIVE(breaks), sizeof(LmpBreaksDone)},
    {LIVE(tables), sizeof(LmpTablesUsed)},
    {LIVE(tables), 128},
    {LIVE(preview_count), 8 + sizeof(LmpPreview)},
    {LIVE(leaf_base), 8 * STATE_LEAVES},
    {LMP_OVERFLOW_AT, 65536},
    {LMP_TEXT_AT, 1024},
    {LMP_FUNCTIONS_AT, 32 * sizeof(LmpFunction)},
    {LMP_SITES_AT, 64 * sizeof(LmpSite)},
    {LMP_RECORDS_AT, 128 * sizeof(LmpRecord)},
    {LMP_NODES_AT, 128 * sizeof(LmpNode)},
    {LMP_USAGES_AT, 128 * sizeof(LmpUsage)},
    {LMP_PATHS_AT, 4096},
    {LMP_MARKED_RECORDS_AT, 4096},
    {LMP_MARKED_NODES_AT, 4096},
    {LMP_LIVE_HISTORY_AT, 64 * LMP_LIVE_HISTORY * 8},
    {LMP_LIVE_HISTORY_BLOCKS_AT, 64 * LMP_LIVE_HISTORY * 4},
    {LEAF(0, touch), 64},
    {LEAF(0, entry), 4096},
    {LEAF(0, alloc_context), 4096},
    {LEAF(1, touch), 64},
    {LEAF(1, entry), 4096},
    {LIVE(laps), sizeof(LmpLaps)},
};
#undef LIVE
#undef LEAF

#endif
