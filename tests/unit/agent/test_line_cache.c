/* Tests of line_cache.c: vectors and their homes beside naive lists, with memory and
 * without; that the second cache keeps what is newest, answers no other question, and that the tags
 * of one place do not push each other out of it. */

#include "agent/charge/line_cache.h"
#include "counted_maps.h"

static void end(void) {
    counted_maps_end();
}

static void begin(void) {
    suite_closes(end);
    suite_again();
    counted_maps_begin(-1);
}

/* ---- vectors --------------------------------------------------------------------------------- */

enum { VECTORS = 3000 };

static LmpCode vector[VECTORS]; /* of address 0x5000 + 48 * i; life 0: not known */
static uint32_t known;

static uintptr_t address_of(int i) {
    return 0x5000 + 48 * (uintptr_t)i;
}

static void note(LmpCodes *codes, int i) {
    bool added;
    LmpCode *code = codes_note(codes, address_of(i), &added);
    if (!code) { /* only where there is no memory, and 7 of 8 slots are used */
        ck_assert_int_eq(maps_left, 0);
        ck_assert_uint_ge(known, codes->slots / 8 * 7);
        ck_assert(!vector[i].life);
        return;
    }
    ck_assert_uint_eq(code->addr, address_of(i));
    ck_assert_int_eq(added, !vector[i].life);
    if (!added) {
        ck_assert_uint_eq(code->life, vector[i].life);
        return;
    }
    known++;
    ck_assert_uint_eq(code->life, codes->lives);
    code->function = (uint32_t)i;
    vector[i] = *code;
}

static void take(LmpCodes *codes, int i) {
    LmpCode code = {0};
    ck_assert_int_eq(codes_take(codes, address_of(i), &code), vector[i].life != 0);
    if (!vector[i].life) return;
    ck_assert_uint_eq(code.life, vector[i].life);
    ck_assert_uint_eq(code.function, (uint32_t)i);
    vector[i].life = 0;
    known--;
}

static void compare(LmpCodes *codes) {
    ck_assert_uint_eq(codes->used, known);
    ck_assert_uint_ge(codes->slots, known + known / 8);
    for (int i = 0; i < VECTORS; i++) {
        const LmpCode *code = codes_find(codes, address_of(i));
        ck_assert_msg(vector[i].life
                          ? code && code->life == vector[i].life && code->function == (uint32_t)i
                          : !code,
                      "%d", i);
    }
}

/* So many of them come and go for some time. */
static void come_and_go(LmpCodes *codes, int most) {
    for (int i = 1; i <= 4000; i++) {
        int which = (int)suite_below((uint64_t)most);
        if (suite_below(2)) {
            note(codes, which);
        } else {
            take(codes, which);
        }
        if (i % 100 == 0) compare(codes);
    }
}

TEST(vectors_are_those_noted) {
    LmpCodes codes;
    begin();
    maps_left = 0;
    ck_assert(!codes_open(&codes));
    codes_close(&codes);
    maps_left = -1;
    memset(vector, 0, sizeof vector);
    known = 0;
    ck_assert(codes_open(&codes));
    uint32_t least = codes.slots;
    come_and_go(&codes, 800); /* some 400 at once, in 1024 slots */
    ck_assert_uint_eq(codes.slots, least);
    maps_left = 0;
    come_and_go(&codes, 1700);
    for (int i = 0; i < VECTORS; i++)
        note(&codes, i);
    compare(&codes);
    ck_assert_uint_eq(codes.slots, least);
    ck_assert_uint_eq(known, least / 8 * 7);
    maps_left = -1;
    for (int i = 0; i < VECTORS; i++)
        note(&codes, i);
    ck_assert_uint_eq(known, VECTORS);
    compare(&codes);
    ck_assert_uint_eq(codes.slots, 8 * least); /* half full at most, and doubled no sooner */
    come_and_go(&codes, VECTORS);
    for (int i = 0; i < VECTORS; i++)
        take(&codes, i);
    compare(&codes);
    codes_close(&codes);
}

/* ---- homes ------------------------------------------------------------------------------------
 */

/* Enters so many homes, of which some are the same, and reads them. Returns how many were told. */
static unsigned round_trip(LmpCodes *codes, unsigned n, bool no_memory) {
    static bool in[LMP_HOMES], out[LMP_HOMES];
    LmpCode code;
    bool added;
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    if (no_memory) maps_left = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned home = (unsigned)suite_below(n < 20 ? 10 : LMP_HOMES);
        in[home] = true;
        codes_note_home(codes, codes_note(codes, 0x1000, &added), home);
    }
    maps_left = -1;
    ck_assert(codes_take(codes, 0x1000, &code));
    unsigned at = 0, home, told = 0;
    while ((home = codes_next_home(&code, &at)) < LMP_HOMES) {
        ck_assert_msg(!out[home], "%u is told twice", home);
        out[home] = true;
        told++;
    }
    for (unsigned i = 0; i < LMP_HOMES; i++) {
        ck_assert_msg(!in[i] || out[i], "%u of %u", i, n);
        if (!no_memory) ck_assert_msg(in[i] || !out[i], "%u of %u", i, n);
    }
    codes_drop(codes, &code);
    ck_assert_ptr_null(codes_find(codes, 0x1000));
    return told;
}

TEST(homes_are_those_entered) {
    LmpCodes codes;
    begin();
    ck_assert(codes_open(&codes));
    for (unsigned i = 0; i < 300; i++) {
        unsigned n = 1 + (unsigned)suite_below(i % 3 ? 20 : 3000);
        ck_assert_uint_le(round_trip(&codes, n, false), n);
    }
    ck_assert_int_le(mapped, 2); /* the bits of one that is gone serve the next */
    codes_close(&codes);
    ck_assert(codes_open(&codes));
    ck_assert_uint_gt(round_trip(&codes, 100, true), 100); /* whole words */
    codes_close(&codes);
}

/* ---- the second cache ------------------------------------------------------------------------ */

TEST(answers_are_to_one_question) {
    begin();
    const LmpLineEntry asked = {.key = 0x5555000, .cfn = 64, .life = 3, .cls = 2, .row = 9};
    LmpLineEntry others[] = {asked, asked, asked, asked};
    LmpLineL2 answers = {0};
    ck_assert_uint_eq(line_l2_find(&answers, &asked), 0); /* there is no cache yet */
    others[0].key++, others[1].cfn++, others[2].life++, others[3].cls++;
    /* wherever another question may lead: to the same set, too */
    line_l2_add(&answers, &asked);
    for (uint32_t i = 0; i < answers.slots; i++)
        answers.slot[i] = asked;
    ck_assert_uint_eq(line_l2_find(&answers, &asked), 9);
    for (int i = 0; i < 4; i++)
        ck_assert_uint_eq(line_l2_find(&answers, &others[i]), 0);
    line_l2_close(&answers);
}

static LmpLineEntry numbered(uint32_t i) {
    return (LmpLineEntry){.key = 0x5000 + 4 * (uint64_t)i, .life = 1, .cls = 2, .row = i};
}

/* What is newest stays, whatever comes to a set; growing loses nothing. */
TEST(newest_answers_stay) {
    enum { FEW = 20000, MANY = 500000 };
    static bool found[FEW];
    LmpLineL2 answers = {0};
    begin();
    for (uint32_t i = 1; i < MANY; i++) {
        LmpLineEntry a = numbered(i);
        uint32_t before = answers.slots;
        bool grows = answers.pushed >= before / 16 && before < LMP_L2_MOST;
        bool looks = grows && i < FEW;
        for (uint32_t k = 1; looks && k < i; k++) {
            a = numbered(k);
            found[k] = line_l2_find(&answers, &a) == k;
        }
        a = numbered(i);
        line_l2_add(&answers, &a);
        ck_assert_uint_eq(answers.slots, !grows ? before : before ? before * 2 : LMP_L2_LEAST);
        for (uint32_t k = i; k > 0 && k + LMP_L2_WAYS > i; k--) {
            a = numbered(k);
            ck_assert_uint_eq(line_l2_find(&answers, &a), k);
        }
        unsigned lost = 0; /* the new one may push one out */
        for (uint32_t k = 1; looks && k < i; k++) {
            a = numbered(k);
            lost += found[k] && line_l2_find(&answers, &a) != k;
        }
        ck_assert_uint_le(lost, 1);
    }
    ck_assert_uint_eq(answers.slots, LMP_L2_MOST);
    line_l2_close(&answers);
}

/* Without memory there is none; what there is goes on, and nothing is asked of the system again. */
TEST(answers_without_memory) {
    LmpLineL2 answers = {0};
    begin();
    for (int maps = 0; maps < 2; maps++) {
        maps_left = maps;
        refused = 0;
        for (uint32_t i = 1; i < 20000; i++) {
            LmpLineEntry a = numbered(i);
            line_l2_add(&answers, &a);
            ck_assert_uint_eq(line_l2_find(&answers, &a), maps ? i : 0);
        }
        ck_assert_int_eq(refused, 1);
        ck_assert_uint_eq(answers.slots, maps ? LMP_L2_LEAST : 0);
        line_l2_close(&answers);
    }
}

TEST(tags_stand_beside_each_other) {
    LmpLineL2 answers = {0};
    unsigned found = 0;
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t tag = 1; tag <= 2000; tag++) {
            LmpLineEntry a = {.key = 0x5555000ull | (uint64_t)tag << 48, .life = 1, .cls = 2};
            uint32_t row = line_l2_find(&answers, &a);
            ck_assert(row == 0 || row == tag);
            found += row == tag;
            a.row = tag;
            if (!row) line_l2_add(&answers, &a);
        }
    ck_assert_uint_gt(found, 3000);
    ck_assert_uint_le(answers.slots, LMP_L2_LEAST * 2);
    line_l2_close(&answers);
}
