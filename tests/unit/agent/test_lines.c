/* Tests of lines.c: the record of a place, from the caches or learned, against what it must be, for
 * places that share slots, code that dies, caches that grow and memory that is refused
 * (lines_fixture.h). What real programs do: tests/truth (lines). */
#include "lines_fixture.h"

static const LmpLineSlot *slot_of(uintptr_t pc) {
    return lines_look(&cache, pc, 0);
}

TEST(a_place_is_asked_once) {
    begin();
    LmpWhere w = at(0, 3, 0);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_uint_eq(ask(&w, LMP_C_STRING), right(0, 3, 0, LMP_C_STRING));
        ck_assert(queries == 1 && full_queries == 1 && records_asked == 1);
        ck_assert(constructor == 0 && live.tables.unknown == 1);
    }
    ck_assert_uint_eq(notified, (uintptr_t)code[0]);
    ck_assert_uint_eq(frames_pc(w.ci), w.pc); /* as it was */
    notified = 0;
    for (unsigned i = 0; i < 2; i++) { /* the same site, another class */
        ck_assert_uint_eq(ask(&w, LMP_C_TABLE_PART), right(0, 3, 0, LMP_C_TABLE_PART));
        ck_assert(queries == 1 && records_asked == 2 && live.tables.unknown == 1);
    }
    w = at(0, 4, 0); /* of the same function: its line alone */
    ck_assert_uint_eq(ask(&w, LMP_C_STRING), right(0, 4, 0, LMP_C_STRING));
    ck_assert(queries == 2 && full_queries == 1 && notified == 0);
    p.tag = 1;
    ck_assert_uint_eq(ask(&w, LMP_C_STRING), right(0, 4, 0, LMP_C_STRING));
    ck_assert(queries == 3 && records_asked == 4);
    w = at(1, 4, 0);
    ck_assert_uint_eq(ask(&w, LMP_C_STRING), right(1, 4, 0, LMP_C_STRING));
    ck_assert(full_queries == 2 && notified == (uintptr_t)code[1]);
}

TEST(a_c_function_there) {
    begin();
    answer.wants = 77777; /* no row at all is one that wants no name */
    LmpWhere w = at(0, 3, 1);
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(ask(&w, LMP_C_STRING), right(0, 3, 1, LMP_C_STRING));
        ck_assert(queries == 2 && full_queries == 2);
    }
    w = at(0, 5, 1);
    ck_assert_uint_eq(ask(&w, LMP_C_STRING), right(0, 5, 1, LMP_C_STRING));
    ck_assert(queries == 3 && full_queries == 2);
    answer.c_wants = true; /* another call may give it a name */
    w = at(0, 7, 1);
    ck_assert_uint_eq(ask(&w, LMP_C_STRING), right(0, 7, 1, LMP_C_STRING));
    ck_assert(queries == 5 && full_queries == 3);
    w = at(0, 3, 1); /* so not even of a place that is known: */
    ck_assert_uint_eq(ask(&w, LMP_C_TABLE), right(0, 3, 1, LMP_C_TABLE));
    ck_assert(queries == 7 && full_queries == 4);
    w = at(0, 3, 2); /* another one there, */
    ck_assert_uint_eq(ask(&w, LMP_C_STRING), right(0, 3, 2, LMP_C_STRING));
    w = at(0, 3, 0); /* and none */
    ck_assert_uint_eq(ask(&w, LMP_C_STRING), right(0, 3, 0, LMP_C_STRING));
    enter(1, 0);
    call(1, 0, 0, 0, pc_of(0, 3)); /* no function is there */
    w = (LmpWhere){.L = thread(1), .runs = thread(1), .ci = top(1), .pc = pc_of(0, 3)};
    ck_assert_uint_eq(ask(&w, LMP_C_STRING), record_row(UNKNOWN, LMP_C_STRING));
}

/* ---- code that dies -------------------------------------------------------------------------- */

enum { DIES = 1 };

static const unsigned places[] = {0, 1, 2, 30, 31, 100, 200, 300, 400, 500, CODE - 1};
enum { PLACES = sizeof places / sizeof *places };

/* Asks for all places of a prototype, from `first` on. */
static void ask_all(int i, unsigned first) {
    for (unsigned j = first; j < PLACES; j++) {
        LmpWhere w = at(i, places[j], j % 2);
        p.tag = j % 3 == 1;
        ck_assert_uint_eq(ask(&w, LMP_C_STRING), right(i, (int)places[j], j % 2, LMP_C_STRING));
        ck_assert_uint_eq(ask_table(i, places[j], LMP_C_TABLE),
                          right(i, (int)places[j], 0, LMP_C_TABLE));
    }
}

TEST(code_dies) {
    for (unsigned first = 0; first < PLACES; first++) {
        begin();
        ck_assert(!dies(DIES));
        bool added;
        codes_note(&codes, (uintptr_t)code[DIES], &added); /* for a name only */
        ck_assert(!dies(DIES));
        for (int i = 0; i < 9; i++) /* what loses its slot is in the second cache then */
            ask_all(i % 3, first);
        unsigned before = queries;
        ck_assert(dies(DIES));
        ask_all(DIES - 1, first);
        ask_all(DIES + 1, first);
        ck_assert_uint_eq(queries, before);
        answer.life = CODE; /* another function has the address */
        ask_all(DIES, first);
        ck_assert_uint_ge(queries, before + 2 * (PLACES - first));
    }
}

/* As many places as the cache has to grow for: it is right all the while, it forgets what dies, and
 * after some rounds it knows all, here or in the second cache. */
static void check_one(unsigned n) {
    static const unsigned classes[] = {LMP_C_STRING, LMP_C_TABLE, LMP_C_TABLE_PART, LMP_C_USERDATA};
    int i = (int)(n / CODE) % PROTOS;
    unsigned place = n % CODE, kind = n * 7 % 5, cls = classes[n / 3 % 4];
    p.tag = n % 11 == 0;
    unsigned c = kind < C_FUNCTIONS ? kind : 0;
    if (kind == 4 && place > 1) {
        ck_assert_uint_eq(ask_table(i, place, cls), right(i, (int)place, 0, cls));
    } else {
        LmpWhere w = at(i, place, c);
        ck_assert_uint_eq(ask(&w, cls), right(i, (int)place, c, cls));
    }
}

TEST(the_cache_grows) {
    begin();
    unsigned before = 0;
    for (unsigned round = 0; round < 8; round++) {
        before = queries;
        for (unsigned n = 0; n < PROTOS * CODE; n++)
            check_one(n);
    }
    ck_assert_uint_eq(queries, before);
    for (int round = 0; round < 200; round++) {
        answer.life = CODE - answer.life; /* all code is another's */
        for (int j = 0; j < PROTOS; j++)
            dies(j);
        for (unsigned n = 0; n < 100; n++)
            check_one((unsigned)suite_below(PROTOS * CODE));
    }
}

/* Living answers that evict each other: an eighth of the slots at most. */
TEST(when_it_grows) {
    begin();
    unsigned grown = 0;
    size_t mask = cache.mask;
    for (unsigned n = 0; n < 40000; n++) {
        unsigned pushed = cache.pushed;
        check_one(n);
        ck_assert_uint_lt(cache.pushed, (cache.mask / sizeof *cache.slot + 1) / 8);
        if (cache.mask == mask) continue;
        ck_assert_uint_eq(pushed + 1, (mask / sizeof *cache.slot + 1) / 8);
        ck_assert_uint_eq(cache.mask, 2 * (mask + sizeof *cache.slot) - sizeof *cache.slot);
        mask = cache.mask;
        grown++;
    }
    ck_assert_uint_gt(grown, 0);
    cache.mask = (LMP_LINE_MOST - 1) * sizeof *cache.slot; /* it has what there is room for */
    cache.pushed = LMP_LINE_MOST;
    LmpWhere w[3];
    for (unsigned i = 0; i < 3; i++) { /* three places for two slots */
        w[i] = at((int)i, 9, 0);
        uint64_t key = lines_key(w[i].pc, 0);
        LmpLineSlot *slot = lines_slot(&cache, key, 0);
        *slot = (LmpLineSlot){.key = 8};
        *lines_beside(&cache, slot) = (LmpLineSlot){.key = 16};
        ask(&w[i], LMP_C_STRING);
    }
    ck_assert_uint_eq(cache.mask, (LMP_LINE_MOST - 1) * sizeof *cache.slot);
}

/* ---- places of two lines --------------------------------------------------------------------- */

/* OP_SETLIST comes next: it asks for the parts of tables, and its line is another one. */
TEST(a_setlist_comes_next) {
    for (int order = 0; order < 2; order++) {
        begin();
        code[0][5] = instruction(LMP_OP_SETLIST, 0, 0);
        LmpWhere w = at(0, 4, 0);
        for (int i = 0; i < 4; i++) {
            bool part = i % 2 == order;
            uint32_t row = ask(&w, part ? LMP_C_TABLE_PART : LMP_C_STRING + (unsigned)(i / 2));
            if (part) {
                ck_assert_uint_eq(row, right(0, 5, 0, LMP_C_TABLE_PART));
                ck_assert_uint_eq(constructor, pc_of(0, 5));
                ck_assert_uint_eq(slot_of(w.pc)->row[0], 1);
            } else {
                ck_assert_uint_eq(row, right(0, 4, 0, LMP_C_STRING + (unsigned)(i / 2)));
                ck_assert_uint_eq(constructor, 0);
            }
        }
        w = at(0, 4, 1); /* not where a C function asks */
        ck_assert_uint_eq(ask(&w, LMP_C_TABLE_PART), right(0, 4, 1, LMP_C_TABLE_PART));
        ck_assert_uint_eq(constructor, 0);
        ck_assert_uint_eq(ask_table(0, 4, LMP_C_TABLE_PART), right(0, 4, 0, LMP_C_TABLE_PART));
        ck_assert_uint_eq(constructor, pc_of(0, 4));
    }
}

static LmpLineSlot *table_slot(int i, unsigned place) {
    return lines_look(&cache, pc_of(i, place) | LMP_LINE_FLAGS, (uintptr_t)protos[i]);
}

TEST(a_constructor_has_parts) {
    begin();
    code[0][3] = instruction(LMP_OP_NEWTABLE, 1, 1);
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(ask_table(0, 4, LMP_C_TABLE), right(0, 4, 0, LMP_C_TABLE));
        ck_assert(constructor == pc_of(0, 4) && table_slot(0, 4)->row[0] == 2);
    }
    ck_assert_uint_eq(queries, 1);
    uint32_t part = ask_table(0, 4, LMP_C_TABLE_PART);
    ck_assert_uint_eq(part, right(0, 4, 0, LMP_C_TABLE_PART));
    ck_assert(queries == 1 && table_slot(0, 4)->row[LMP_C_TABLE_PART] == part);
    /* It loses its slot: with the table's record that of the parts comes back, if it has some. */
    for (int round = 0; round < 2; round++) {
        LmpLineSlot *slot = table_slot(0, 4), lost = *slot;
        memset(slot, 0, sizeof *slot);
        LmpCode *c = codes_find(&codes, (uintptr_t)code[0]);
        c->more = true;
        for (unsigned cls = LMP_C_TABLE; cls <= LMP_C_TABLE_PART && round == 0;
             cls += LMP_C_TABLE_PART - LMP_C_TABLE) {
            LmpLineEntry is = {lost.key, lost.cfn, c->life, cls, lost.row[cls]};
            line_l2_add(&cache.l2, &is);
        }
        if (round == 1) code[0][3] = instruction(LMP_OP_NEWTABLE, 0, 0);
        ask_table(0, 4, LMP_C_TABLE);
        ck_assert_uint_eq(table_slot(0, 4)->row[LMP_C_TABLE_PART], round == 0 ? part : 0);
        ck_assert_uint_eq(queries, 1);
    }
    code[0][3] = instruction(LMP_OP_NEWTABLE, 1, 1);
    memset(table_slot(0, 4), 0, sizeof(LmpLineSlot));
    ask_table(0, 4, LMP_C_STRING); /* no table: nothing of parts */
    ck_assert_uint_eq(table_slot(0, 4)->row[LMP_C_TABLE_PART], 0);
    memset(table_slot(0, 4), 0, sizeof(LmpLineSlot));
    codes_find(&codes, (uintptr_t)code[0])->more = false; /* the second cache has nothing */
    ask_table(0, 4, LMP_C_TABLE);
    ck_assert_uint_eq(table_slot(0, 4)->row[LMP_C_TABLE_PART], 0);
}

/* By which kind of instruction. */
TEST(how_it_is_made) {
    static const struct {
        unsigned op, cls, c, table, how;
    } row[] = {
        {LMP_OP_CONCAT, LMP_C_STRING, 0, 0, LMP_HOW_CONCAT},
        {LMP_OP_CONCAT, LMP_C_STRING, 1, 0, LMP_HOW_CALL},
        {LMP_OP_CONCAT, LMP_C_TABLE, 0, 0, LMP_HOW_OTHER},
        {0, LMP_C_STRING, 0, 0, LMP_HOW_OTHER},
        {LMP_OP_CLOSURE, LMP_C_STRING, 0, 0, LMP_HOW_OTHER},
        {LMP_OP_CLOSURE, LMP_C_FUNCTION, 0, 0, LMP_HOW_CLOSURE},
        {LMP_OP_CLOSURE, LMP_C_FUNCTION_PART, 0, 0, LMP_HOW_CLOSURE},
        {0, LMP_C_FUNCTION, 0, 0, LMP_HOW_OTHER},
        {LMP_OP_CONCAT, LMP_C_FUNCTION, 0, 0, LMP_HOW_OTHER},
        {0, LMP_C_TABLE_PART, 0, 0, LMP_HOW_GROWTH},
        {0, LMP_C_TABLE_PART, 0, 1, LMP_HOW_CONSTRUCTOR},
        {0, LMP_C_TABLE, 0, 1, LMP_HOW_CONSTRUCTOR},
        {LMP_OP_CONCAT, LMP_C_STRING_PART, 0, 0, LMP_HOW_OTHER},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        begin();
        memset(site, 0, sizeof site);
        code[0][6] = instruction(row[i].op, 1, 0);
        LmpWhere w = at(0, 6, row[i].c);
        uint32_t r = row[i].table ? ask_table(0, 6, row[i].cls) : ask(&w, row[i].cls);
        ck_assert_msg(site[record[r].site].how == row[i].how, "row %zu", i);
    }
    begin();
    memset(site, 0, sizeof site);
    code[0][5] = instruction(LMP_OP_SETLIST, 0, 0);
    LmpWhere w = at(0, 4, 0);
    ck_assert_uint_eq(site[record[ask(&w, LMP_C_TABLE_PART)].site].how, LMP_HOW_CONSTRUCTOR);
    code[0][CODE] = instruction(LMP_OP_CONCAT, 0, 0);
    w = at(0, CODE, 0); /* not in the code: nothing is read there */
    ck_assert_uint_eq(site[record[ask(&w, LMP_C_STRING)].site].how, LMP_HOW_OTHER);
    w = at(1, 0, 0);
    w.pc -= LMP_INSTRUCTION; /* nor before the first one */
    ck_assert_uint_eq(site[record[ask(&w, LMP_C_TABLE_PART)].site].how, LMP_HOW_OTHER);
    w = at(0, 9, 0);
    w.pc += 2; /* nor between two instructions */
    ck_assert_uint_eq(site[record[ask(&w, LMP_C_TABLE_PART)].site].how, LMP_HOW_OTHER);
}

/* ---- frames ---------------------------------------------------------------------------------- */

TEST(sites_of_frames) {
    begin();
    lua_State *L = thread(1);
    LmpWhere w = at(0, 3, 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(lines_frame_site(&p, L, w.ci, w.pc), site_row(function_row(0), 3, 0));
        ck_assert_uint_eq(lines_frame_site(&p, L, w.ci, pc_of(0, 8)),
                          site_row(function_row(0), 8, 0)); /* a better one */
        ck_assert(queries == 2 && records_asked == 0);
    }
    ck_assert_uint_eq(frames_pc(w.ci), w.pc);
    ck_assert_uint_eq(ask(&w, LMP_C_STRING), right(0, 3, 0, LMP_C_STRING)); /* is none of those */
    ck_assert(dies(0));
    answer.life = CODE;
    ck_assert_uint_eq(lines_frame_site(&p, L, w.ci, w.pc), site_row(function_row(0), CODE + 3, 0));
    put(t[1].slot[2], LMP_AT_SLOT_TAG, 0);
    ck_assert_uint_eq(lines_frame_site(&p, L, w.ci, pc_of(0, 9)), UNKNOWN);
}

#define C_FRAME ((uint64_t)0x7ffd << LMP_ADDRESS_BITS | LMP_LINE_C) /* all C frames' key */

TEST(sites_of_c_frames) {
    begin();
    queries = 0;
    for (int i = 0; i < 2; i++) {
        for (unsigned c = 1; c <= C_FUNCTIONS; c++) {
            LmpWhere w = at(0, 3, c);
            ck_assert_uint_eq(lines_c_site(&p, thread(1), w.c), site_row(c_row(c), -1, 0));
        }
        ck_assert_uint_eq(queries, C_FUNCTIONS);
    }
    answer.c_wants = true; /* which is not asked of what is known */
    ck_assert_uint_eq(lines_c_site(&p, thread(1), top(1)), site_row(c_row(C_FUNCTIONS), -1, 0));
    ck_assert_uint_eq(queries, C_FUNCTIONS);
    LmpLineSlot *own = lines_slot(&cache, C_FRAME, c_function(1));
    own->cfn = c_function(2); /* another one has its slot, */
    *lines_beside(&cache, own) = *own;
    LmpWhere w = at(0, 3, 1);
    ck_assert_uint_eq(lines_c_site(&p, thread(1), w.c), site_row(c_row(1), -1, 0));
    ck_assert_uint_eq(queries, C_FUNCTIONS + 1);
    *own = *lines_beside(&cache, own) =
        (LmpLineSlot){.key = 8, .cfn = c_function(1)}; /* or a line */
    ck_assert_uint_eq(lines_c_site(&p, thread(1), w.c), site_row(c_row(1), -1, 0));
    ck_assert_uint_eq(queries, C_FUNCTIONS + 2);
    uintptr_t closure[6] = {0, 0, 0, c_function(1)};
    t[1].slot[2 * 2][0] = (uintptr_t)closure;
    put(t[1].slot[2 * 2], LMP_AT_SLOT_TAG, LMP_TAG_C_CLOSURE);
    ck_assert_uint_eq(lines_c_site(&p, thread(1), w.c), site_row(c_row(1), -1, 0));
    put(t[1].slot[2 * 2], LMP_AT_SLOT_TAG, 0);
    ck_assert_uint_eq(lines_c_site(&p, thread(1), top(1)), UNKNOWN);
}

/* ---- no memory ------------------------------------------------------------------------------- */

/* What cannot be watched is not kept, and still right. */
TEST(no_memory_for_code) {
    begin();
    answer.no_code = true;
    code[0][5] = instruction(LMP_OP_SETLIST, 0, 0);
    code[0][8] = instruction(LMP_OP_NEWTABLE, 1, 1);
    for (size_t i = 0; i < LMP_LINE_LEAST; i++)
        cache.slot[i].key = 8; /* others have all slots */
    for (unsigned i = 1; i <= 3; i++) {
        LmpWhere w = at(0, 4, 0);
        ck_assert_uint_eq(ask(&w, LMP_C_STRING), right(0, 4, 0, LMP_C_STRING));
        ck_assert_uint_eq(ask(&w, LMP_C_TABLE_PART), right(0, 5, 0, LMP_C_TABLE_PART));
        ck_assert_uint_eq(ask_table(0, 9, LMP_C_TABLE), right(0, 9, 0, LMP_C_TABLE));
        ck_assert_uint_eq(lines_frame_site(&p, thread(1), w.ci, pc_of(0, 8)),
                          site_row(function_row(0), 8, 0));
        ck_assert_uint_eq(full_queries, 4 * i);
    }
    ck_assert_uint_eq(notified, 0);
    for (size_t i = 0; i < LMP_LINE_LEAST; i++)
        ck_assert(cache.slot[i].key == 8 && cache.slot[i].row[0] == 0);
}
