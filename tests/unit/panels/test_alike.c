/* Blocks put together by what is in them: every block is in one group, equal ones in the same, and
 * no more are read than is said. */
#include "suite.h"

#include <string.h>

#include "panels/alike.h"

enum { BLOCKS = 6000 };

static MapListBlock block[BLOCKS];
static Model *m;
static Ui ui;
static Alike *alike;
static uint32_t requests, most_at_once;
static uint64_t most_bytes;

/* What is in the block at an address: strings have one of `contents` contents, tables one of three
 * sets of keys; every fiftieth is gone. */
static uint32_t contents = 10;

static LmpPreview content_of(const MapListBlock *b) {
    LmpPreview p = {.addr = b->addr};
    uint64_t n = b->addr / 64;
    if (n % 50 == 49) return p;
    bool text = b->text;
    p.valid = text ? LMP_PREVIEW_STRING : LMP_PREVIEW_SHAPE;
    p.hash = 1 + (text ? n % contents : n % 3);
    p.size = text ? 50 : 2;
    snprintf((char *)p.bytes, sizeof p.bytes, "%s-%u", text ? "session" : "id", (unsigned)p.hash);
    p.shown = (uint32_t)strlen((char *)p.bytes);
    return p;
}

static void tear_down(void) {
    alike_free(alike);
    free(m);
}

static void set_up(uint32_t count) {
    suite_closes(tear_down);
    m = calloc(1, sizeof *m);
    m->seen = LMP_SEEN_RUNNING;
    ui = (Ui){.now = 1};
    alike = alike_new();
    requests = most_at_once = 0;
    most_bytes = 0;
    contents = 10;
    for (uint32_t i = 0; i < count; i++) {
        MapListBlock *b = &block[i];
        *b = (MapListBlock){.addr = 64 * (uint64_t)i, .size = 100, .kind = LMP_STRING};
        b->text = i % 4 < 2;
        if (i % 4 == 2) b->kind = LMP_TABLE;
        if (i % 4 == 3) b->part = true;
    }
}

static bool answer(void) {
    if (!request_waits(&ui.requests, REQUEST_PREVIEW)) return false;
    const Request *r = &ui.requests.of[REQUEST_PREVIEW];
    uint64_t bytes = 0;
    ui.requests.waiting = 0;
    ck_assert(r->preview.whole);
    ck_assert_uint_le(r->preview.count, LMP_PREVIEWS);
    m->preview_count = r->preview.count;
    for (uint32_t i = 0; i < r->preview.count; i++) {
        const MapListBlock *b = &block[r->preview.addr[i] / 64];
        m->preview[i] = content_of(b);
        bytes += b->size;
    }
    m->preview_ready = true;
    requests++;
    if (r->preview.count > most_at_once) most_at_once = r->preview.count;
    if (r->preview.count > 1 && bytes > most_bytes) most_bytes = bytes;
    return true;
}

static void look(void) {
    for (int i = 0; i < 1000 && !alike_done(alike); i++) {
        alike_take(alike, m);
        alike_ask(alike, m, &ui);
        answer();
    }
    ck_assert(alike_done(alike));
}

static const AlikeGroup *group_at(uint64_t addr) {
    uint32_t count;
    const AlikeGroup *group = alike_groups(alike, &count);
    uint64_t id = alike_group_of(alike, addr);
    for (uint32_t i = 0; i < count; i++)
        if (group[i].id == id && id) return &group[i];
    return NULL;
}

static void all_are_there(uint32_t blocks) {
    uint32_t count;
    const AlikeGroup *group = alike_groups(alike, &count);
    uint64_t sum = 0, bytes = 0, all = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += group[i].blocks;
        bytes += group[i].bytes;
    }
    for (uint32_t i = 0; i < blocks; i++) {
        all += block[i].size;
        ck_assert_ptr_nonnull(group_at(block[i].addr));
    }
    ck_assert_uint_eq(sum, blocks);
    ck_assert_uint_eq(bytes, all);
}

TEST(test_by_content) {
    set_up(1000);
    alike_begin(alike, ALIKE_CONTENT, block, 1000, false);
    look();
    AlikeSum sum = alike_sum(alike);
    ck_assert_uint_eq(sum.blocks, 1000);
    ck_assert_uint_eq(sum.wanted, 500);
    ck_assert_uint_eq(sum.groups, 10);
    ck_assert_uint_eq(sum.looked, 500);
    ck_assert_uint_eq(sum.compared, 490); /* 49, 149, ... are gone */
    ck_assert_uint_eq(requests, 8);
    all_are_there(1000);
    for (uint32_t i = 0; i < 1000; i++) {
        const AlikeGroup *g = group_at(block[i].addr);
        bool gone = i % 50 == 49;
        ck_assert(g->read == (block[i].text && !gone));
        if (!g->read) continue;
        ck_assert_uint_eq(g->preview.hash, 1 + i % 10);
    }
}

TEST(test_by_keys) {
    set_up(1000);
    alike_begin(alike, ALIKE_KEYS, block, 1000, false);
    look();
    ck_assert_uint_eq(alike_sum(alike).wanted, 250);
    ck_assert_uint_eq(alike_sum(alike).groups, 3);
    all_are_there(1000);
    ck_assert_str_eq((const char *)group_at(64 * 6)->preview.bytes, "id-1");
    ck_assert(group_at(64 * 6)->blocks > 70);
}

/* Of more blocks than are read the rest is there, as not compared. */
TEST(test_bounded) {
    set_up(BLOCKS);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        block[i].kind = LMP_STRING;
        block[i].part = false;
        block[i].text = true;
    }
    contents = 7;
    alike_begin(alike, ALIKE_CONTENT, block, BLOCKS, false);
    look();
    AlikeSum sum = alike_sum(alike);
    ck_assert_uint_eq(sum.wanted, BLOCKS);
    ck_assert_uint_eq(sum.looked, ALIKE_MOST);
    ck_assert_uint_le(sum.compared, ALIKE_MOST);
    ck_assert_uint_eq(requests, ALIKE_MOST / LMP_PREVIEWS);
    all_are_there(BLOCKS);
    ck_assert(!group_at(64ull * (BLOCKS - 1))->read);
}

/* Large strings are asked for in parts that the program reads at once. */
TEST(test_large) {
    set_up(100);
    for (uint32_t i = 0; i < 100; i++) {
        block[i].text = true;
        block[i].size = i == 50 ? LMP_PREVIEW_HASHED * 2ull : 1u << 20;
    }
    alike_begin(alike, ALIKE_CONTENT, block, 100, false);
    look();
    ck_assert_uint_le(most_bytes, LMP_PREVIEW_HASHED);
    ck_assert_uint_ge(requests, 25);
    all_are_there(100);
}

/* What was found stays until the next look is through, and goes at once with another choice. */
TEST(test_again) {
    uint32_t count;
    set_up(1000);
    alike_begin(alike, ALIKE_CONTENT, block, 1000, false);
    look();
    contents = 5;
    alike_begin(alike, ALIKE_CONTENT, block, 1000, true);
    ck_assert_uint_eq(alike_sum(alike).groups, 10);
    alike_ask(alike, m, &ui);
    answer();
    alike_take(alike, m);
    ck_assert_uint_eq(alike_sum(alike).groups, 10);
    look();
    ck_assert_uint_eq(alike_sum(alike).groups, 5);
    all_are_there(1000);
    alike_begin(alike, ALIKE_KEYS, block, 1000, false);
    alike_groups(alike, &count);
    ck_assert_uint_eq(count, 0);
    alike_begin(alike, ALIKE_KEYS, NULL, 0, false);
    look();
    ck_assert_uint_eq(alike_sum(alike).blocks, 0);
}

/* No answer, another's answer: it is asked again, and nothing is counted twice. */
TEST(test_no_answer) {
    set_up(200);
    alike_begin(alike, ALIKE_CONTENT, block, 200, false);
    alike_ask(alike, m, &ui);
    ui.requests.waiting = 0;
    m->preview_ready = true;
    m->preview_count = 3;
    alike_take(alike, m);
    alike_ask(alike, m, &ui);
    ck_assert(!request_waits(&ui.requests, REQUEST_PREVIEW));
    ui.now += 1500000000;
    alike_ask(alike, m, &ui);
    ck_assert(answer());
    look();
    all_are_there(200);
    m->seen = LMP_SEEN_KILLED; /* nobody answers any more */
    alike_begin(alike, ALIKE_CONTENT, block, 200, false);
    alike_ask(alike, m, &ui);
    ck_assert(!request_waits(&ui.requests, REQUEST_PREVIEW));
    ck_assert(!alike_done(alike));
}
