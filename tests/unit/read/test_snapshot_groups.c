/* test_snapshot_groups.c - groups of objects and what they retain, against who dominates whom by
 * the snapshot's own tree read plainly; two heaps of one run: who survived, object by object. */
#include "suite.h"

#include "graph_random.h"
#include "read/snapshot/compare.h"
#include "read/snapshot/groups.h"

static const LmpObjectInfo info = {.pid = 1, .serial = 1, .number = 1, .realtime = 5000000000};

/* ---- groups ---------------------------------------------------------------------------------- */

/* Is anybody above i in the tree of dominators in this group? */
static bool covered(const LmpSnapshot *s, const LmpObjectGroups *groups, uint32_t i,
                    uint32_t group) {
    for (i = s->idom[i]; i != LMP_OBJECT_NONE; i = s->idom[i])
        if (groups->group_of[i] == group) return true;
    return false;
}

/* Bytes that are held no more once all of the group are gone, by the definition. */
static uint64_t freed(const LmpSnapshot *s, const LmpObjectGroups *groups, uint32_t group) {
    const LmpObjectGraph *g = &s->g;
    bool held[256] = {true};
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < g->objects; i++)
            for (uint32_t e = g->edge_at[i]; held[i] && e < g->edge_at[i + 1]; e++) {
                uint32_t to = g->edge_to[e];
                bool holds = snapshot_holds(s, e) ||
                             (!(g->edge_kind[e] & LMP_EDGE_WEAK) && held[g->edge_label[e]]);
                if (!holds || held[to] || groups->group_of[to] == group) continue;
                held[to] = more = true;
            }
    }
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < g->objects; i++)
        if (!held[i] && !snapshot_garbage(s, i)) bytes += snapshot_counted(s, i);
    return bytes;
}

static void check_groups(const LmpSnapshot *s, const LmpObjectGroups *groups, bool garbage) {
    uint32_t members = 0;
    for (uint32_t k = 0; k < groups->groups; k++) {
        const LmpObjectGroup *group = &groups->group[k];
        uint64_t size = 0, retained = 0, last = UINT64_MAX;
        ck_assert_uint_gt(group->objects, 0);
        ck_assert_uint_eq(group->first, members);
        for (uint32_t m = group->first; m < group->first + group->objects; m++) {
            uint32_t i = groups->member[m];
            ck_assert_uint_eq(groups->group_of[i], k);
            ck_assert_uint_le(s->retained[i], last);
            last = s->retained[i];
            size += snapshot_counted(s, i);
            if (!covered(s, groups, i, k)) retained += s->retained[i];
        }
        ck_assert_uint_eq(group->size, size);
        ck_assert_uint_eq(group->retained, retained);
        if (k) ck_assert_uint_ge(groups->group[k - 1].retained, group->retained);
        if (!garbage) ck_assert_uint_le(group->retained, freed(s, groups, k));
        members += group->objects;
    }
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < s->g.objects; i++) {
        bool in = i > 0 && snapshot_garbage(s, i) == garbage;
        ck_assert_int_eq(groups->group_of[i] != LMP_OBJECT_NONE, in);
        wanted += in;
    }
    ck_assert_uint_eq(members, wanted);
}

TEST(test_random_groups) {
    for (int round = 0; round < 3000; round++) {
        GraphPlan plan = {1 + (uint32_t)suite_below(40), (uint32_t)suite_below(160), suite_below(2),
                          suite_below(2), suite_below(2)};
        OWN(graph_free_at) Graph *graph = graph_random(&plan);
        const LmpObjectGraph *g = graph_done(graph);
        OWN(snapshot_close) LmpSnapshot s;
        ck_assert_int_eq(snapshot_of_graph(&s, &info, g), LMP_OK);
        for (unsigned by = 0; by < LMP_BYS; by++)
            for (int garbage = 0; garbage < 2; garbage++) {
                OWN(groups_free) LmpObjectGroups groups;
                ck_assert_int_eq(groups_make(&groups, &s, (LmpSnapshotBy)by, garbage), LMP_OK);
                check_groups(&s, &groups, garbage);
                if (by == LMP_BY_TYPE)
                    for (uint32_t i = 1; i < g->objects; i++)
                        if (groups.group_of[i] != LMP_OBJECT_NONE)
                            ck_assert_uint_eq(groups.group[groups.group_of[i]].kind, g->kind[i]);
            }
    }
}

/* A list is one group: its first element retains what all of them do, once. */
TEST(test_list_counts_once) {
    OWN(graph_free_at) Graph *graph = graph_new();
    uint32_t last = 0;
    for (int i = 0; i < 1000; i++) {
        uint32_t link = graph_table(graph, 0, 0, 1, 1);
        if (last)
            graph_field(graph, last, "next", link);
        else
            graph_edge(graph, 0, link, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
        last = link;
    }
    const LmpObjectGraph *g = graph_done(graph);
    OWN(snapshot_close) LmpSnapshot s;
    OWN(groups_free) LmpObjectGroups groups;
    ck_assert_int_eq(snapshot_of_graph(&s, &info, g), LMP_OK);
    ck_assert_int_eq(groups_make(&groups, &s, LMP_BY_CLASS, false), LMP_OK);
    ck_assert_str_eq(groups.group[0].name, "{next}"); /* the last one is empty */
    ck_assert_uint_eq(groups.group[0].objects, 999);
    ck_assert_uint_eq(groups.group[0].retained, s.reachable_bytes);
}

/* ---- two heaps ------------------------------------------------------------------------------- */

enum { MANY = 1000000, SURVIVORS = 1000 };

static uint32_t birth(uint32_t cycle, uint32_t epoch) {
    return cycle << LMP_BLOCK_CYCLE_SHIFT | epoch << LMP_BLOCK_BIRTH_SHIFT | 5;
}

/* Both heaps have an object at each address: all but the survivors were made anew there. */
TEST(test_survivors_among_replaced) {
    static bool survives[MANY];
    Graph *heap[2] = {graph_new(), graph_new()};
    for (int n = 0; n < SURVIVORS;) {
        uint64_t i = suite_below(MANY);
        n += !survives[i];
        survives[i] = true;
    }
    for (int h = 0; h < 2; h++) {
        uint32_t array = graph_table(heap[h], MANY, MANY, 0, 0);
        heap[h]->object[array].birth = birth(1, 1);
        graph_edge(heap[h], 0, array, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
        for (uint32_t i = 0; i < MANY; i++) {
            uint32_t item =
                graph_object(heap[h], i % 3 ? LMP_OBJECT_TABLE : LMP_OBJECT_USERDATA, 56);
            bool anew = h == 1 && !survives[i];
            heap[h]->object[item].birth = birth(3 + i % 5 + (anew ? 5 : 0), 2 + i % 7);
            if (h == 1 && survives[i] && i % 2) heap[h]->object[item].size = 100; /* it grew */
            graph_index(heap[h], array, i + 1, item);
        }
    }
    LmpSnapshot s[2];
    LmpObjectInfo later = info;
    later.realtime += 1000000000, later.clock = 1000000000, later.number = 2;
    ck_assert_int_eq(snapshot_of_graph(&s[0], &info, graph_done(heap[0])), LMP_OK);
    ck_assert_int_eq(snapshot_of_graph(&s[1], &later, graph_done(heap[1])), LMP_OK);
    LmpSnapshotCompare compare;
    ck_assert_int_eq(compare_make(&compare, &s[0], &s[1], LMP_BY_TYPE), LMP_OK);
    ck_assert_uint_eq(compare.was[1], 1);
    for (uint32_t i = 0; i < MANY; i++)
        ck_assert_uint_eq(compare.was[i + 2], survives[i] ? i + 2 : LMP_OBJECT_NONE);
    ck_assert_uint_eq(compare.all.kept, SURVIVORS + 1);
    ck_assert_uint_eq(compare.all.made, MANY - SURVIVORS);
    ck_assert_uint_eq(compare.all.gone, MANY - SURVIVORS);
    ck_assert_uint_eq(compare.changes, 2);
    uint64_t grown = 0;
    for (uint32_t i = 1; i < MANY; i += 2)
        grown += survives[i] ? 44 : 0;
    ck_assert_int_eq(compare.all.grown_bytes, (int64_t)grown);
    compare_free(&compare);

    LmpSnapshotCompare runs; /* of another run, by counts alone, nobody survives */
    s[1].info.pid = 2;
    ck_assert_int_eq(compare_any(&runs, &s[0], &s[1], LMP_BY_TYPE), LMP_OK);
    ck_assert_uint_eq(runs.all.made, MANY + 1);
    ck_assert_uint_eq(runs.all.gone, MANY + 1);
    ck_assert_uint_eq(runs.all.kept, 0);
    compare_free(&runs);
    for (int h = 0; h < 2; h++) {
        snapshot_close(&s[h]);
        graph_free(heap[h]);
    }
}

/* Two heaps of a few objects with something of each: what is new, gone, kept, garbage in one. */
TEST(test_who_is_what) {
    Graph *heap[2] = {graph_new(), graph_new()};
    enum { KEPT, MADE_ANEW, OTHER_TYPE, BEFORE, NO_MORE_BEFORE, DROPPED, UNSORTED, ROWS };
    for (int h = 0; h < 2; h++) {
        uint32_t array = graph_table(heap[h], 9, 9, 0, 0);
        graph_edge(heap[h], 0, array, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
        heap[h]->object[array].birth = birth(1, 1);
        for (uint32_t i = 0; i < ROWS; i++) {
            bool table = i != OTHER_TYPE || h == 0;
            uint32_t item =
                graph_object(heap[h], table ? LMP_OBJECT_TABLE : LMP_OBJECT_USERDATA, 56);
            GraphObject *o = &heap[h]->object[item];
            o->birth = birth(i == MADE_ANEW ? 7 + h : 7, 7);
            if (i == BEFORE || (i == NO_MORE_BEFORE && h == 0)) {
                o->flags = LMP_OBJECT_BEFORE;
                o->birth = 0;
            }
            if (i == UNSORTED) o->addr = 16;
            if (i == DROPPED && h == 1) continue;
            graph_index(heap[h], array, i + 1, item);
        }
        uint32_t lot = graph_object(heap[h], LMP_OBJECT_LOT, 100 + 50 * (uint32_t)h);
        heap[h]->object[lot].a = LMP_LOT_HOST;
        graph_edge(heap[h], 0, lot, LMP_EDGE_LOT, LMP_LOT_HOST);
    }
    LmpSnapshot s[2];
    LmpSnapshotCompare compare;
    ck_assert_int_eq(snapshot_of_graph(&s[0], &info, graph_done(heap[0])), LMP_OK);
    ck_assert_int_eq(snapshot_of_graph(&s[1], &info, graph_done(heap[1])), LMP_OK);
    ck_assert_int_eq(compare_make(&compare, &s[0], &s[1], LMP_BY_TYPE), LMP_OK);
    static const bool is_same[ROWS] = {
        [KEPT] = true, [BEFORE] = true, [DROPPED] = true, [UNSORTED] = true};
    for (uint32_t i = 0; i < ROWS; i++)
        ck_assert_msg(compare.was[i + 2] == (is_same[i] ? i + 2 : LMP_OBJECT_NONE), "row %u", i);
    ck_assert_uint_eq(compare.all.kept, 5); /* array, kept, before, unsorted, lot */
    ck_assert_uint_eq(compare.all.made, 3);
    ck_assert_uint_eq(compare.all.gone, 4);
    ck_assert_int_eq(compare.all.grown_bytes, 50);
    compare_free(&compare);
    s[1].info.pid = 2;
    ck_assert_int_eq(compare_make(&compare, &s[0], &s[1], LMP_BY_TYPE), LMP_E_FOREIGN);
    s[1].info.pid = 1, s[1].info.realtime += 60000000000;
    ck_assert_int_eq(compare_make(&compare, &s[0], &s[1], LMP_BY_TYPE), LMP_E_FOREIGN);
    for (int h = 0; h < 2; h++) {
        snapshot_close(&s[h]);
        graph_free(heap[h]);
    }
}

TEST(test_the_main_thread_is_one) {
    Graph *heap[2] = {graph_new(), graph_new()};
    LmpSnapshot s[2];
    for (int h = 0; h < 2; h++) {
        uint32_t thread = graph_object(heap[h], LMP_OBJECT_THREAD, 64);
        graph_edge(heap[h], 0, thread, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
        if (h == 0) heap[h]->object[thread].flags = LMP_OBJECT_BEFORE;
        ck_assert_int_eq(snapshot_of_graph(&s[h], &info, graph_done(heap[h])), LMP_OK);
    }
    LmpSnapshotCompare compare;
    ck_assert_int_eq(compare_make(&compare, &s[0], &s[1], LMP_BY_CLASS), LMP_OK);
    ck_assert_uint_eq(compare.all.kept, 1);
    ck_assert_uint_eq(compare.all.made + compare.all.gone, 0);
    compare_free(&compare);
    for (int h = 0; h < 2; h++) {
        snapshot_close(&s[h]);
        graph_free(heap[h]);
    }
}

/* While a program runs, births are rewritten: epochs become longer, cycles are counted anew. */
TEST(test_rewritten_births) {
    static const struct {
        uint32_t was, is; /* births */
        bool same;
    } row[] = {
        {2000 << 8 | 200, 2000 << 8 | 100, true},
        {2000 << 8 | 199, 2000 << 8 | 100, true},
        {2000 << 8 | 200, 2000 << 8 | 200, false},
        {2000 << 8 | 200, 0 << 8 | 100, true},
        {2000 << 8 | 200, 2 << 8 | 100, true},
        {2000 << 8 | 200, 3 << 8 | 100, false},
        {2000 << 8 | 200, 2001 << 8 | 100, false},
        {0 << 8 | 0, 0 << 8 | 0, true},
        {1 << 8 | 1, 1 << 8 | 1, true},
    };
    enum { ROWS = sizeof row / sizeof *row };
    Graph *heap[2] = {graph_new(), graph_new()};
    static LmpLive live[2];
    LmpView view[2] = {{.live = &live[0]}, {.live = &live[1]}};
    LmpHeader header = {.start_clock = 77};
    LmpSnapshot s[2];
    for (int h = 0; h < 2; h++) {
        for (uint32_t i = 0; i < ROWS; i++) {
            uint32_t item = graph_table(heap[h], 0, 0, 0, 0), word = h ? row[i].is : row[i].was;
            heap[h]->object[item].birth = birth(word >> 8, word & 255);
            graph_edge(heap[h], 0, item, LMP_EDGE_ROOT, LMP_ROOT_RUNNING);
        }
        ck_assert_int_eq(snapshot_of_graph(&s[h], &info, graph_done(heap[h])), LMP_OK);
        live[h].epoch_length = h ? 2000 : 1000;
        view[h].header = &header;
        s[h].view = &view[h];
    }
    LmpSnapshotCompare compare;
    ck_assert_int_eq(compare_make(&compare, &s[0], &s[1], LMP_BY_TYPE), LMP_OK);
    for (uint32_t i = 0; i < ROWS; i++)
        ck_assert_msg((compare.was[i + 1] == i + 1) == row[i].same, "row %u", i);
    compare_free(&compare);
    for (int h = 0; h < 2; h++) {
        s[h].view = NULL; /* ours */
        snapshot_close(&s[h]);
        graph_free(heap[h]);
    }
}
