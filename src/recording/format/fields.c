/* fields.c - the table of groups and fields, from lists of the members of each struct; the compiler
 * checks that no member is in none of them. */
#include "recording/format/fields.h"

#include <string.h>

/* Each list has all members of a struct, or those of two lists together: ONE word, MANY words or a
 * TEXT, which are recorded, if NAMED under a name of old; a PART, for which there is a group of its
 * own; and members that are LEFT out. The compiler refuses a member that is in no list, at the end
 * of this file. */
#define SIZE_OF(type, member) sizeof(((type *)0)->member)
#define NAMED(name, type, member) {name, offsetof(type, member), SIZE_OF(type, member), 1, false},
#define ONE(type, member) NAMED(#member, type, member)
#define MANY(type, member)                                                                         \
    {#member, offsetof(type, member), SIZE_OF(type, member[0]),                                    \
     SIZE_OF(type, member) / SIZE_OF(type, member[0]), false},
#define TEXT(type, member) {#member, offsetof(type, member), 1, SIZE_OF(type, member), true},
#define PART(type, member)
#define LEFT(type, member)
#define WORD(name, size)                                                                           \
    { name, 0, size, 1, false }

/* clang-format off */
/* ---- once ------------------------------------------------------------------------------------ */

#define HEADER \
    ONE(LmpHeader, pid) ONE(LmpHeader, serial) ONE(LmpHeader, start_realtime) \
    ONE(LmpHeader, start_clock) TEXT(LmpHeader, program) TEXT(LmpHeader, lua) \
    TEXT(LmpHeader, lmp) ONE(LmpHeader, interval_us) ONE(LmpHeader, top) ONE(LmpHeader, before) \
    ONE(LmpHeader, forked_from) LEFT(LmpHeader, magic) \
    LEFT(LmpHeader, layout) LEFT(LmpHeader, header_size) LEFT(LmpHeader, control_size) \
    LEFT(LmpHeader, live_size) LEFT(LmpHeader, leaf_size) LEFT(LmpHeader, pid_space) \
    LEFT(LmpHeader, reserved)
static const RecField header[] = {HEADER};

/* ---- rows that never change ------------------------------------------------------------------ */

static const RecField text[] = {{"byte", 0, 1, 1, true}};

#define FUNCTION_ROW \
    ONE(LmpFunction, kind) ONE(LmpFunction, source) ONE(LmpFunction, short_src) \
    ONE(LmpFunction, linedefined) ONE(LmpFunction, name) ONE(LmpFunction, address)
static const RecField function_row[] = {FUNCTION_ROW};

#define SITE_ROW \
    ONE(LmpSite, function) ONE(LmpSite, line) ONE(LmpSite, cfunction) ONE(LmpSite, next)
static const RecField site_row[] = {SITE_ROW};

#define SITE_TEXT \
    ONE(LmpSite, text)
static const RecField site_text[] = {SITE_TEXT};

#define RECORD_ROW \
    ONE(LmpRecord, use.cls) ONE(LmpRecord, use.tag) ONE(LmpRecord, site) ONE(LmpRecord, next)
static const RecField record_row[] = {RECORD_ROW};

#define NODE_ROW \
    ONE(LmpNode, parent) ONE(LmpNode, site) ONE(LmpNode, flags) LEFT(LmpNode, path) \
    LEFT(LmpNode, callee) LEFT(LmpNode, next)
static const RecField node_row[] = {NODE_ROW};

#define PATH_ROW \
    ONE(LmpPath, node) ONE(LmpPath, record) LEFT(LmpPath, usage)
static const RecField path_row[] = {PATH_ROW};

#define EDGE_ROW \
    ONE(LmpEdge, site) ONE(LmpEdge, function)
static const RecField edge_row[] = {EDGE_ROW};

#define OVERRIDE_ROW \
    ONE(LmpOverride, made) ONE(LmpOverride, here)
static const RecField override_row[] = {OVERRIDE_ROW};

/* ---- with every frame ------------------------------------------------------------------------ */

#define CONTROL \
    ONE(LmpControl, pause) ONE(LmpControl, breaks) ONE(LmpControl, break_count) \
    ONE(LmpControl, ended) LEFT(LmpControl, trap) LEFT(LmpControl, wake) LEFT(LmpControl, step) \
    LEFT(LmpControl, collect) LEFT(LmpControl, mark) LEFT(LmpControl, preview) \
    LEFT(LmpControl, viewer) LEFT(LmpControl, frame) LEFT(LmpControl, attached) \
    LEFT(LmpControl, preview_count) LEFT(LmpControl, preview_whole) \
    LEFT(LmpControl, preview_addr) LEFT(LmpControl, breaks_viewer) LEFT(LmpControl, locals) \
    LEFT(LmpControl, locals_frame) LEFT(LmpControl, memory) LEFT(LmpControl, given_back) \
    LEFT(LmpControl, snapshot) LEFT(LmpControl, snapshot_withdrawn) \
    LEFT(LmpControl, snapshot_how) LEFT(LmpControl, spare3) LEFT(LmpControl, snapshot_file) \
    LEFT(LmpControl, inside) LEFT(LmpControl, spare4) LEFT(LmpControl, inside_wish) \
    LEFT(LmpControl, peak_wake) \
    PART(LmpControl, break_row)
static const RecField control[] = {CONTROL};

#define BREAK_ROW \
    ONE(LmpBreak, kind) ONE(LmpBreak, on) ONE(LmpBreak, bytes) ONE(LmpBreak, type) \
    ONE(LmpBreak, line) ONE(LmpBreak, action) TEXT(LmpBreak, file) ONE(LmpBreak, turn)
static const RecField break_row[] = {BREAK_ROW};

#define LIVE \
    ONE(LmpLive, state) ONE(LmpLive, clock) ONE(LmpLive, resident) ONE(LmpLive, resident_own) \
    ONE(LmpLive, lines_end) LEFT(LmpLive, snapshot_before) LEFT(LmpLive, tables_frozen) \
    ONE(LmpLive, marks) ONE(LmpLive, marked) ONE(LmpLive, epoch) ONE(LmpLive, owners_known) \
    ONE(LmpLive, owners_unproven) ONE(LmpLive, epoch_length) ONE(LmpLive, hidden_leaves) \
    ONE(LmpLive, strange.apart) ONE(LmpLive, strange.mixed) ONE(LmpLive, strange.covered) \
    ONE(LmpLive, strange.passed) ONE(LmpLive, strange.clashes) \
    ONE(LmpLive, strange.other_sizes) LEFT(LmpLive, changed) \
    LEFT(LmpLive, step_done) \
    LEFT(LmpLive, collect_done) LEFT(LmpLive, mark_done) LEFT(LmpLive, preview_done) \
    LEFT(LmpLive, locals_done) LEFT(LmpLive, inside_done) LEFT(LmpLive, spare) \
    LEFT(LmpLive, leaves) LEFT(LmpLive, op) LEFT(LmpLive, preview_count) LEFT(LmpLive, preview) \
    LEFT(LmpLive, leaf_base) LEFT(LmpLive, strange.partial) LEFT(LmpLive, inside) \
    PART(LmpLive, counters) PART(LmpLive, gc) PART(LmpLive, mark) PART(LmpLive, history) \
    PART(LmpLive, breaks) PART(LmpLive, tables) PART(LmpLive, laps) PART(LmpLive, snapshot) \
    PART(LmpLive, memory) PART(LmpLive, containers) PART(LmpLive, callers)
static const RecField live[] = {LIVE};

#define COUNTERS \
    ONE(LmpCounters, live_bytes) ONE(LmpCounters, peak_bytes) ONE(LmpCounters, bias) \
    ONE(LmpCounters, peak_clock) ONE(LmpCounters, failed) ONE(LmpCounters, failed_bytes) \
    ONE(LmpCounters, before_frees) ONE(LmpCounters, before_free_bytes) \
    ONE(LmpCounters, before_reallocs) ONE(LmpCounters, before_realloc_bytes) \
    ONE(LmpCounters, dropped) ONE(LmpCounters, dropped_bytes) ONE(LmpCounters, peak_serial) \
    ONE(LmpCounters, peak_kept) MANY(LmpCounters, alloc_now) MANY(LmpCounters, free_now) \
    MANY(LmpCounters, class_peak) LEFT(LmpCounters, seq) LEFT(LmpCounters, spare0) \
    LEFT(LmpCounters, spare) PART(LmpCounters, count)
static const RecField counters[] = {COUNTERS};

#define CLASS_COUNT \
    ONE(LmpClassCount, allocs) ONE(LmpClassCount, alloc_bytes) ONE(LmpClassCount, frees) \
    ONE(LmpClassCount, free_bytes) ONE(LmpClassCount, reallocs) \
    ONE(LmpClassCount, realloc_bytes) LEFT(LmpClassCount, spare)
static const RecField class_count[] = {CLASS_COUNT};

#define GC \
    ONE(LmpGc, cycles) ONE(LmpGc, mode) ONE(LmpGc, sweeping) ONE(LmpGc, now.start) \
    ONE(LmpGc, now.end) ONE(LmpGc, now.freed_bytes) ONE(LmpGc, now.freed_blocks) \
    ONE(LmpGc, now.live_bytes) ONE(LmpGc, freed_bytes) ONE(LmpGc, freed_blocks) ONE(LmpGc, full) \
    PART(LmpGc, ring)
static const RecField gc[] = {GC};

#define CYCLE \
    ONE(LmpGcCycle, start) ONE(LmpGcCycle, end) ONE(LmpGcCycle, freed_bytes) \
    ONE(LmpGcCycle, freed_blocks) ONE(LmpGcCycle, live_bytes)
static const RecField cycle[] = {CYCLE};

#define MARK \
    ONE(LmpMark, clock) TEXT(LmpMark, name) ONE(LmpMark, rows) ONE(LmpMark, records) \
    ONE(LmpMark, nodes) ONE(LmpMark, number) ONE(LmpMark, laps) MANY(LmpMark, class_live) \
    MANY(LmpMark, class_blocks) MANY(LmpMark, class_allocs) MANY(LmpMark, class_made)
static const RecField mark[] = {MARK};

#define HISTORY \
    ONE(LmpHistory, used) ONE(LmpHistory, interval) LEFT(LmpHistory, seq) \
    PART(LmpHistory, samples)
static const RecField history[] = {HISTORY};

#define POINT \
    ONE(LmpHistoryPoint, max_bytes) ONE(LmpHistoryPoint, min_bytes) \
    ONE(LmpHistoryPoint, last_bytes) MANY(LmpHistoryPoint, kind_bytes) \
    MANY(LmpHistoryPoint, held_bytes) ONE(LmpHistoryPoint, allocs) ONE(LmpHistoryPoint, frees) \
    ONE(LmpHistoryPoint, alloc_bytes) ONE(LmpHistoryPoint, free_bytes) \
    ONE(LmpHistoryPoint, gc_cycles) LEFT(LmpHistoryPoint, spare)
static const RecField point[] = {POINT};

#define BREAKS_DONE \
    ONE(LmpBreaksDone, taken) ONE(LmpBreaksDone, count) ONE(LmpBreaksDone, spent) \
    MANY(LmpBreaksDone, hits) LEFT(LmpBreaksDone, spare)
static const RecField breaks_done[] = {BREAKS_DONE};

#define LAPS \
    ONE(LmpLaps, begun) ONE(LmpLaps, least) ONE(LmpLaps, laps) ONE(LmpLaps, bytes) \
    ONE(LmpLaps, allocs) ONE(LmpLaps, duration) ONE(LmpLaps, last_bytes) \
    ONE(LmpLaps, began.clock) ONE(LmpLaps, began.allocs) ONE(LmpLaps, began.alloc_bytes) \
    ONE(LmpLaps, began.realloc_bytes) ONE(LmpLaps, began.cycles) LEFT(LmpLaps, seq) \
    LEFT(LmpLaps, spare) PART(LmpLaps, bucket) PART(LmpLaps, worst)
static const RecField laps[] = {LAPS};

static const RecField bucket[] = {WORD("laps", 8)};

#define LAP \
    ONE(LmpLap, number) ONE(LmpLap, start) ONE(LmpLap, end) ONE(LmpLap, bytes) \
    ONE(LmpLap, allocs) ONE(LmpLap, cycles) TEXT(LmpLap, name)
static const RecField lap[] = {LAP};

#define SNAPSHOT \
    ONE(LmpSnapshotLive, taken) ONE(LmpSnapshotLive, busy) ONE(LmpSnapshotLive, state) \
    ONE(LmpSnapshotLive, number) ONE(LmpSnapshotLive, request) ONE(LmpSnapshotLive, forked) \
    ONE(LmpSnapshotLive, error) ONE(LmpSnapshotLive, os_error) ONE(LmpSnapshotLive, how) \
    ONE(LmpSnapshotLive, clock) ONE(LmpSnapshotLive, stop) ONE(LmpSnapshotLive, slowest) \
    ONE(LmpSnapshotLive, live_bytes) ONE(LmpSnapshotLive, live_blocks) \
    ONE(LmpSnapshotLive, objects) ONE(LmpSnapshotLive, bytes) ONE(LmpSnapshotLive, walk) \
    TEXT(LmpSnapshotLive, why_in_place) TEXT(LmpSnapshotLive, file) LEFT(LmpSnapshotLive, seq) \
    LEFT(LmpSnapshotLive, frozen) LEFT(LmpSnapshotLive, child)
static const RecField snapshot[] = {SNAPSHOT};

#define MEMORY \
    ONE(LmpMemory, done) ONE(LmpMemory, count) ONE(LmpMemory, live) ONE(LmpMemory, own) \
    ONE(LmpMemory, before) ONE(LmpMemory, at_start) ONE(LmpMemory, ranges) \
    ONE(LmpMemory, range_changes) LEFT(LmpMemory, seq) PART(LmpMemory, range)
static const RecField memory[] = {MEMORY};

#define RANGE \
    ONE(LmpOwnRange, at) ONE(LmpOwnRange, size)
static const RecField range[] = {RANGE};

#define CONTAINERS \
    ONE(LmpContainers, rows) ONE(LmpContainers, moments) ONE(LmpContainers, looks) \
    ONE(LmpContainers, interval) ONE(LmpContainers, clock) LEFT(LmpContainers, seq) \
    PART(LmpContainers, row)
static const RecField containers[] = {CONTAINERS};

#define CONTAINED(n) ONE(LmpContainer, line[n].site) ONE(LmpContainer, line[n].each)
#define CONTAINER \
    ONE(LmpContainer, site) ONE(LmpContainer, tables) ONE(LmpContainer, entries) \
    ONE(LmpContainer, bytes) MANY(LmpContainer, entries_at) MANY(LmpContainer, tables_at) \
    CONTAINED(0) CONTAINED(1) CONTAINED(2) CONTAINED(3) CONTAINED(4) CONTAINED(5) \
    CONTAINED(6) CONTAINED(7) CONTAINED(8) CONTAINED(9) CONTAINED(10) CONTAINED(11)
static const RecField container[] = {CONTAINER};

#define CALLERS LEFT(LmpCallers, seq) LEFT(LmpCallers, spare) PART(LmpCallers, row)
#define CALLER \
    ONE(LmpCallerRow, site) ONE(LmpCallerRow, rest) MANY(LmpCallerRow, by) \
    ONE(LmpCallerRow, samples) ONE(LmpCallerRow, allocs) ONE(LmpCallerRow, bytes)
static const RecField caller[] = {CALLER};

/* ---- with tables ----------------------------------------------------------------------------- */

#define USED \
    ONE(LmpTablesUsed, lines) ONE(LmpTablesUsed, why) ONE(LmpTablesUsed, stacks) \
    ONE(LmpTablesUsed, stacks_why) ONE(LmpTablesUsed, sample_why) ONE(LmpTablesUsed, sample) \
    ONE(LmpTablesUsed, text) ONE(LmpTablesUsed, functions) ONE(LmpTablesUsed, sites) \
    ONE(LmpTablesUsed, records) ONE(LmpTablesUsed, nodes) ONE(LmpTablesUsed, paths) \
    ONE(LmpTablesUsed, tags) ONE(LmpTablesUsed, names) ONE(LmpTablesUsed, folded) \
    ONE(LmpTablesUsed, unknown) ONE(LmpTablesUsed, unproven) ONE(LmpTablesUsed, live_history) \
    ONE(LmpTablesUsed, live_history_top) MANY(LmpTablesUsed, live_history_clock) \
    MANY(LmpTablesUsed, live_history_cycle) MANY(LmpTablesUsed, live_history_work) \
    ONE(LmpTablesUsed, live_history_list[0].rows) MANY(LmpTablesUsed, live_history_list[0].slot) \
    ONE(LmpTablesUsed, live_history_list[1].rows) MANY(LmpTablesUsed, live_history_list[1].slot) \
    ONE(LmpTablesUsed, counts) ONE(LmpTablesUsed, counts_why) ONE(LmpTablesUsed, edges) \
    ONE(LmpTablesUsed, overrides) ONE(LmpTablesUsed, hook_lost) \
    ONE(LmpTablesUsed, hook_lost_clock) \
    LEFT(LmpTablesUsed, live_history_list[0].spare) \
    LEFT(LmpTablesUsed, live_history_list[1].spare) LEFT(LmpTablesUsed, usages) \
    PART(LmpTablesUsed, tag)
static const RecField used[] = {USED};

static const RecField tag[] = {WORD("text", 4)};

#define FUNCTION_FIGURES \
    ONE(LmpFunction, qualified) ONE(LmpFunction, site) ONE(LmpFunction, calls) \
    LEFT(LmpFunction, spare0) LEFT(LmpFunction, spare)
static const RecField function_figures[] = {FUNCTION_FIGURES};

#define EDGE_FIGURES \
    ONE(LmpEdge, calls)
static const RecField edge_figures[] = {EDGE_FIGURES};

#define OVERRIDE_FIGURES \
    ONE(LmpOverride, frees) ONE(LmpOverride, free_bytes) ONE(LmpOverride, reallocs) \
    ONE(LmpOverride, realloc_bytes) ONE(LmpOverride, realloc_old)
static const RecField override_figures[] = {OVERRIDE_FIGURES};

static const RecField instructions[] = {WORD("instructions", 8)};

#define SITE_FIGURES \
    ONE(LmpSite, records) ONE(LmpSite, unproven) ONE(LmpSite, how) ONE(LmpSite, joins) \
    ONE(LmpSite, fed) ONE(LmpSite, fed_by) ONE(LmpSite, fed_bytes) ONE(LmpSite, texts) \
    ONE(LmpSite, same) ONE(LmpSite, arrays_back) ONE(LmpSite, arrays_back_bytes)
static const RecField site_figures[] = {SITE_FIGURES};

#define USAGE(type, use) \
    NAMED("use.allocs", type, use allocs) NAMED("use.bytes", type, use bytes) \
    NAMED("use.frees", type, use frees) NAMED("use.free_bytes", type, use free_bytes) \
    NAMED("use.short_lived", type, use short_lived) NAMED("use.peak_bytes", type, use peak_bytes) \
    NAMED("use.last", type, use last) NAMED("use.peak_serial", type, use peak_serial) \
    NAMED("reallocs", type, use reallocs) NAMED("realloc_bytes", type, use realloc_bytes) \
    NAMED("temporary", type, use temporary)

#define RECORD_FIGURES \
    USAGE(LmpRecord, use.) ONE(LmpRecord, here_reallocs) ONE(LmpRecord, here_realloc_bytes) \
    ONE(LmpRecord, here_frees) ONE(LmpRecord, here_free_bytes)
static const RecField record_figures[] = {RECORD_FIGURES};

#define NODE_FIGURES \
    USAGE(LmpUsage, ) LEFT(LmpUsage, cls) LEFT(LmpUsage, tag)
static const RecField node_figures[] = {NODE_FIGURES};

static const RecField live_history[] = {{"bytes", 0, 8, LMP_LIVE_HISTORY, false}};
static const RecField live_history_blocks[] = {{"blocks", 0, 4, LMP_LIVE_HISTORY, false}};

#define MARKED(n)                                                                                  \
    {#n ".allocs", n * sizeof(LmpMarked), 8, 1, false},                                            \
        {#n ".made", n * sizeof(LmpMarked) + 8, 8, 1, false}, {                                    \
#n ".live", n * sizeof(LmpMarked) + 16, 8, 1, false                                        \
    }
static const RecField marked[] = {MARKED(0), MARKED(1), MARKED(2), MARKED(3)};
_Static_assert(LMP_MARKED == 4 && sizeof(LmpMarked) == 24, "fields of `marked`");

static const RecField taken[] = {
    {"before", 0, 8, 1, false},
    {"after", 8, 8, 1, false},
};

static const RecField map[] = {WORD("cell", 8), {"total", 8, 8, 1, false}};

#define CELL \
    MANY(MapCell, bytes) ONE(MapCell, blocks) ONE(MapCell, capacity)
static const RecField cell[] = {CELL};

/* clang-format on */
/* ---- groups ---------------------------------------------------------------------------------- */

#define FIELDS(list) list, sizeof list / sizeof *list
#define IN_LIVE(member) (LMP_LIVE_AT + offsetof(LmpLive, member))
#define IN_EXTRA(member) (REC_EXTRA_AT + offsetof(RecExtra, member))
#define GROUP(name, section, type, most, at, count, list)                                          \
    { name, section, sizeof(type), most, at, count, FIELDS(list) }

const RecGroup rec_groups[REC_GROUPS] = {
    GROUP("header", REC_INFO, LmpHeader, 1, 0, 0, header),

    GROUP("text", REC_ROWS, char, LMP_TEXT_MAX, LMP_TEXT_AT, IN_LIVE(tables.text), text),
    GROUP("function", REC_ROWS, LmpFunction, LMP_FUNCTIONS_MAX, LMP_FUNCTIONS_AT,
          IN_LIVE(tables.functions), function_row),
    GROUP("site", REC_ROWS, LmpSite, LMP_SITES_MAX, LMP_SITES_AT, IN_LIVE(tables.sites), site_row),
    GROUP(REC_SITE_TEXT, REC_ROWS, LmpSite, LMP_SITES_MAX, LMP_SITES_AT, IN_LIVE(tables.sites),
          site_text),
    GROUP("record", REC_ROWS, LmpRecord, LMP_RECORDS_MAX, LMP_RECORDS_AT, IN_LIVE(tables.records),
          record_row),
    GROUP("node", REC_ROWS, LmpNode, LMP_NODES_MAX, LMP_NODES_AT, IN_LIVE(tables.nodes), node_row),
    GROUP("path", REC_ROWS, LmpPath, LMP_PATHS_MAX, LMP_PATHS_AT, IN_LIVE(tables.paths), path_row),
    GROUP("edge", REC_ROWS, LmpEdge, LMP_EDGES_MAX, LMP_EDGES_AT, IN_LIVE(tables.edges), edge_row),
    GROUP("override", REC_ROWS, LmpOverride, LMP_OVERRIDES_MAX, LMP_OVERRIDES_AT,
          IN_LIVE(tables.overrides), override_row),

    GROUP("control", REC_LIVE, LmpControl, 1, LMP_CONTROL_AT, 0, control),
    GROUP("break", REC_LIVE, LmpBreak, LMP_BREAKS, LMP_CONTROL_AT + offsetof(LmpControl, break_row),
          0, break_row),
    GROUP("live", REC_LIVE, LmpLive, 1, LMP_LIVE_AT, 0, live),
    GROUP("counters", REC_LIVE, LmpCounters, 1, IN_LIVE(counters), 0, counters),
    GROUP("class", REC_LIVE, LmpClassCount, LMP_CLASSES, IN_LIVE(counters.count), 0, class_count),
    GROUP("gc", REC_LIVE, LmpGc, 1, IN_LIVE(gc), 0, gc),
    GROUP("cycle", REC_LIVE, LmpGcCycle, LMP_GC_RING, IN_LIVE(gc.ring), 0, cycle),
    GROUP("mark", REC_LIVE, LmpMark, LMP_MARKS, IN_LIVE(mark), 0, mark),
    GROUP("history", REC_LIVE, LmpHistory, 1, IN_LIVE(history), 0, history),
    GROUP("point", REC_LIVE, LmpHistoryPoint, LMP_HISTORY, IN_LIVE(history.samples),
          IN_LIVE(history.used), point),
    GROUP("breaks", REC_LIVE, LmpBreaksDone, 1, IN_LIVE(breaks), 0, breaks_done),
    GROUP("laps", REC_LIVE, LmpLaps, 1, IN_LIVE(laps), 0, laps),
    GROUP("bucket", REC_LIVE, uint64_t, LMP_LAP_BUCKETS, IN_LIVE(laps.bucket), 0, bucket),
    GROUP("lap", REC_LIVE, LmpLap, LMP_LAPS_WORST, IN_LIVE(laps.worst), 0, lap),
    GROUP("snapshot", REC_LIVE, LmpSnapshotLive, 1, IN_LIVE(snapshot), 0, snapshot),
    GROUP("memory", REC_LIVE, LmpMemory, 1, IN_LIVE(memory), 0, memory),
    GROUP("range", REC_LIVE, LmpOwnRange, LMP_OWN_RANGES, IN_LIVE(memory.range), 0, range),
    GROUP("containers", REC_LIVE, LmpContainers, 1, IN_LIVE(containers), 0, containers),
    GROUP("container", REC_LIVE, LmpContainer, LMP_CONTAINERS, IN_LIVE(containers.row),
          IN_LIVE(containers.rows), container),
    GROUP("caller", REC_LIVE, LmpCallerRow, LMP_CALLERS, IN_LIVE(callers.row), 0, caller),

    GROUP("tables", REC_TABLES, LmpTablesUsed, 1, IN_LIVE(tables), 0, used),
    GROUP("tag", REC_TABLES, uint32_t, LMP_TAGS, IN_LIVE(tables.tag), 0, tag),
    GROUP("function figures", REC_TABLES, LmpFunction, LMP_FUNCTIONS_MAX, LMP_FUNCTIONS_AT,
          IN_LIVE(tables.functions), function_figures),
    GROUP("site figures", REC_TABLES, LmpSite, LMP_SITES_MAX, LMP_SITES_AT, IN_LIVE(tables.sites),
          site_figures),
    GROUP("record figures", REC_TABLES, LmpRecord, LMP_RECORDS_MAX, LMP_RECORDS_AT,
          IN_LIVE(tables.records), record_figures),
    GROUP("node figures", REC_TABLES, LmpUsage, LMP_NODES_MAX, LMP_USAGES_AT, IN_LIVE(tables.nodes),
          node_figures),
    GROUP("live history", REC_TABLES, uint64_t[LMP_LIVE_HISTORY], LMP_SITES_MAX,
          LMP_LIVE_HISTORY_AT, IN_LIVE(tables.sites), live_history),
    GROUP("live history blocks", REC_TABLES, uint32_t[LMP_LIVE_HISTORY], LMP_SITES_MAX,
          LMP_LIVE_HISTORY_BLOCKS_AT, IN_LIVE(tables.sites), live_history_blocks),
    GROUP("marked record", REC_TABLES, LmpMarked[LMP_MARKED], LMP_RECORDS_MAX,
          LMP_MARKED_RECORDS_AT, IN_LIVE(tables.records), marked),
    GROUP("marked node", REC_TABLES, LmpMarked[LMP_MARKED], LMP_NODES_MAX, LMP_MARKED_NODES_AT,
          IN_LIVE(tables.nodes), marked),
    GROUP("edge figures", REC_TABLES, LmpEdge, LMP_EDGES_MAX, LMP_EDGES_AT, IN_LIVE(tables.edges),
          edge_figures),
    GROUP("override figures", REC_TABLES, LmpOverride, LMP_OVERRIDES_MAX, LMP_OVERRIDES_AT,
          IN_LIVE(tables.overrides), override_figures),
    GROUP("site instructions", REC_TABLES, uint64_t, LMP_SITES_MAX, LMP_INSTRUCTIONS_AT,
          IN_LIVE(tables.sites), instructions),
    GROUP("taken", REC_TABLES, uint64_t[2], 1, IN_EXTRA(clock), 0, taken),
    GROUP("before", REC_TABLES, LmpCounters, 1, IN_EXTRA(before), 0, counters),
    GROUP("before class", REC_TABLES, LmpClassCount, LMP_CLASSES, IN_EXTRA(before.count), 0,
          class_count),
    GROUP("after", REC_TABLES, LmpCounters, 1, IN_EXTRA(after), 0, counters),
    GROUP("after class", REC_TABLES, LmpClassCount, LMP_CLASSES, IN_EXTRA(after.count), 0,
          class_count),
    GROUP("map", REC_TABLES, uint64_t[2], 1, IN_EXTRA(map_cell), 0, map),
    GROUP("cell", REC_TABLES, MapCell, MAPCELL_RECORDED, IN_EXTRA(map), 0, cell),
};

const char *rec_gather(const RecGroup *group, const RecMemory *m, uint32_t first, uint32_t n,
                       char *room) {
    LmpLive *of = (void *)(m->fixed + LMP_LIVE_AT);
    if (group->at != LMP_USAGES_AT || !of->tables.usages)
        return rec_at(m, group->at) + (size_t)first * group->row;
    LmpTables t = tables_at(m->tables, of); /* who has no usages may have no tables */
    LmpUsage *to = (void *)room;
    for (uint32_t i = 0; i < n; i++, to++) {
        const LmpUsage *from = tables_node_usage(&t, first + i, to);
        if (from != to) *to = *from;
    }
    return room;
}

uint32_t rec_rows(const RecGroup *group, const RecMemory *m) {
    if (!group->count_at) return group->most;
    uint32_t n = (uint32_t)rec_word(rec_at(m, group->count_at), 4);
    return n < group->most ? n : group->most;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* How many bytes the lists have, and the sum of their places, twice: each byte is there once. */
#undef NAMED
#undef ONE
#undef MANY
#undef TEXT
#undef PART
#undef LEFT
#define ONE(type, member)                                                                          \
    +((uint64_t)SIZE_OF(type, member) << 40) +                                                     \
        SIZE_OF(type, member) * (2 * offsetof(type, member) + SIZE_OF(type, member) - 1)
#define NAMED(name, type, member) ONE(type, member)
#define MANY ONE
#define TEXT ONE
#define PART ONE
#define LEFT ONE
#define COVERS(type, lists)                                                                        \
    _Static_assert((0 lists) ==                                                                    \
                       ((uint64_t)sizeof(type) << 40) + sizeof(type) * (sizeof(type) - 1),         \
                   "a member of " #type " is in no list above: is it recorded, or LEFT out?")
COVERS(LmpHeader, HEADER);
COVERS(LmpFunction, FUNCTION_ROW FUNCTION_FIGURES);
COVERS(LmpSite, SITE_ROW SITE_TEXT SITE_FIGURES);
COVERS(LmpRecord, RECORD_ROW RECORD_FIGURES);
COVERS(LmpNode, NODE_ROW);
COVERS(LmpUsage, NODE_FIGURES);
COVERS(LmpPath, PATH_ROW);
COVERS(LmpEdge, EDGE_ROW EDGE_FIGURES);
COVERS(LmpOverride, OVERRIDE_ROW OVERRIDE_FIGURES);
COVERS(LmpControl, CONTROL);
COVERS(LmpBreak, BREAK_ROW);
COVERS(LmpLive, LIVE);
COVERS(LmpCounters, COUNTERS);
COVERS(LmpClassCount, CLASS_COUNT);
COVERS(LmpGc, GC);
COVERS(LmpGcCycle, CYCLE);
COVERS(LmpMark, MARK);
COVERS(LmpHistory, HISTORY);
COVERS(LmpHistoryPoint, POINT);
COVERS(LmpBreaksDone, BREAKS_DONE);
COVERS(LmpLaps, LAPS);
COVERS(LmpLap, LAP);
COVERS(LmpSnapshotLive, SNAPSHOT);
COVERS(LmpMemory, MEMORY);
COVERS(LmpOwnRange, RANGE);
COVERS(LmpContainers, CONTAINERS);
COVERS(LmpContainer, CONTAINER);
COVERS(LmpCallers, CALLERS);
COVERS(LmpCallerRow, CALLER);
COVERS(LmpTablesUsed, USED);
COVERS(MapCell, CELL);
