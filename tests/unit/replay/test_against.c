/* Tests of two runs beside each other: whatever they are, the rows that panels see add up to the
 * newer run, their marks to the older one, and so do those below every node of the tree. */
#include "record_fixture.h"
#include "replay/player.h"

enum { FRAMES = 40 };

typedef struct Run {
    int fd;
    uint64_t start;
    LmpRecording *recording;
    LmpTally all[FRAMES], root[FRAMES]; /* of all sites; of all call paths */
    uint64_t live[FRAMES], peak[FRAMES], mallocs[FRAMES];
} Run;

static Model model;

/* A run of a state that changes at random; every frame has tables. `stacks`: with call paths. */
static Run run_new(bool stacks) {
    Recorded *s = recorded_new();
    LmpRecorder *r;
    Run run = {.fd = record_memfd(), .start = record_clock};
    static Ledger ledger;
    LmpRecorderOptions o = {.fd = run.fd};
    record_clock += SECOND;
    ck_assert_int_eq(recorder_open(&r, &s->view, &o), LMP_OK);
    for (uint32_t i = 0; i < FRAMES; i++) {
        for (uint64_t n = suite_below(8); n > 0; n--)
            recorded_change(s);
        s->tables->live->tables.stacks = stacks;
        ck_assert_int_eq(recorder_frame(r, &s->view, record_clock), LMP_OK);
        ledger_free(&ledger);
        ck_assert_int_eq(ledger_refresh(&ledger, &s->view.tables, LEDGER_SITES | LEDGER_TREE, 1),
                         LMP_OK);
        run.all[i] = ledger.all;
        run.root[i] = ledger.tree[0].retained;
        LmpStats stats;
        stats_derive(s->view.live, 1, &stats);
        run.live[i] = stats.live_bytes;
        run.peak[i] = stats.peak_bytes;
        run.mallocs[i] = stats.mallocs;
        record_clock += SECOND / 2 + suite_below(SECOND);
    }
    ck_assert_int_eq(recorder_close(r, NULL, 1), LMP_OK);
    ledger_free(&ledger);
    recorded_free(s);
    ck_assert_int_eq(recording_open_fd(&run.recording, run.fd), LMP_OK);
    ck_assert_uint_eq(recording_frames(run.recording), FRAMES);
    return run;
}

static void run_free(Run *run) {
    recording_close(run->recording);
    close(run->fd);
}

static void forget(Player *player) {
    ledger_free(&model.ledger);
    memset(&model, 0, sizeof model);
    player_free(player);
}

/* What is now, and what was then, as words that add up. */
typedef struct Sums {
    LmpThen is, was;
} Sums;

static Sums sums_of(const LmpTally *t) {
    return (Sums){{t->allocs, tally_made(t), t->live_bytes}, t->mark};
}

static void add(Sums *to, const LmpTally *t) {
    Sums s = sums_of(t);
    to->is.allocs += s.is.allocs;
    to->is.made += s.is.made;
    to->is.live += s.is.live;
    to->was.allocs += s.was.allocs;
    to->was.made += s.was.made;
    to->was.live += s.was.live;
}

static void same_then(const LmpThen *a, const LmpThen *b) {
    ck_assert_uint_eq(a->allocs, b->allocs);
    ck_assert_uint_eq(a->made, b->made);
    ck_assert_uint_eq(a->live, b->live);
}

static void same_sums(const Sums *a, const Sums *b) {
    same_then(&a->is, &b->is);
    same_then(&a->was, &b->was);
}

static Sums between(const LmpTally *old, const LmpTally *newer) {
    Sums s = {{newer->allocs, tally_made(newer), newer->live_bytes},
              {old->allocs, tally_made(old), old->live_bytes}};
    return s;
}

static void check_sites(const Ledger *l, const Sums *all) {
    Sums sites = {0}, functions = {0}, kinds = {0};
    uint64_t came = 0, went = 0;
    for (uint32_t i = 0; i < l->sites; i++) {
        const LmpSiteRow *s = &l->site[i];
        ck_assert_uint_lt(s->function, l->functions);
        ck_assert(s->details == 0 || s->first_detail + s->details <= l->details);
        add(&sites, &s->tally);
        for (int k = 0; k < LMP_KINDS; k++)
            add(&kinds, &s->kind[k].tally);
        Sums details = {0}, own = sums_of(&s->tally);
        for (uint32_t k = 0; k < s->details; k++)
            add(&details, &l->detail[s->first_detail + k].tally);
        if (s->details) same_sums(&details, &own);
        if (s->side == LMP_SIDE_CAME) came += s->tally.live_bytes;
        if (s->side == LMP_SIDE_WENT) went += s->tally.mark.live;
        if (s->side == LMP_SIDE_CAME) ck_assert_uint_eq(s->tally.mark.made, 0);
        if (s->side == LMP_SIDE_WENT) ck_assert_uint_eq(tally_made(&s->tally), 0);
        for (uint32_t k = 0; k < i; k++)
            ck_assert_uint_ne(s->id, l->site[k].id);
    }
    for (uint32_t i = 0; i < l->functions; i++)
        add(&functions, &l->function[i].shallow);
    same_sums(&sites, all);
    same_sums(&kinds, all);
    same_sums(&functions, all);
    ck_assert_uint_eq(came, model.against.came_bytes);
    ck_assert_uint_eq(went, model.against.went_bytes);
}

static void check_tags(const Ledger *l, const Sums *all) {
    Sums tags = {0};
    for (uint32_t i = 0; i < l->tags; i++)
        add(&tags, &l->tag[i].tally);
    /* without any tag there is no row for what has none */
    if (tags.is.allocs) same_then(&tags.is, &all->is);
    if (tags.was.allocs) same_then(&tags.was, &all->was);
}

/* Its line has a row, which is that line, or it has made nothing. */
static void check_line(const Ledger *l, const LmpTreeRow *row) {
    bool known = row->site == 0;
    for (uint32_t k = 0; k < l->sites && !known; k++) {
        const LmpSiteRow *s = &l->site[k];
        known = s->id == row->site;
        if (!known) continue;
        ck_assert_int_eq(s->line, row->line);
        ck_assert_str_eq(s->short_src, row->short_src);
    }
    ck_assert(known || (tally_made(&row->shallow) == 0 && row->shallow.mark.made == 0));
}

static void check_tree(const Ledger *l, bool damaged) {
    uint32_t next = 1;
    Sums all = {0};
    for (uint32_t i = 0; i < l->nodes; i++) {
        const LmpTreeRow *row = &l->tree[i];
        Sums sum = sums_of(&row->shallow), retained = sums_of(&row->retained);
        add(&all, &row->shallow);
        ck_assert_uint_lt(row->function, l->functions + (i == 0));
        ck_assert(row->children == 0 || row->first == next);
        for (uint32_t k = row->first; k < row->first + row->children; k++) {
            ck_assert_uint_eq(l->tree[k].parent, i);
            ck_assert_uint_eq(l->tree[k].depth, row->depth + 1);
            add(&sum, &l->tree[k].retained);
        }
        next += row->children;
        same_sums(&sum, &retained);
        if (i > 0 && !damaged) ck_assert_str_eq(row->name, l->function[row->function].name);
        if (!damaged) check_line(l, row);
    }
    ck_assert_uint_eq(next, l->nodes);
    Sums root = sums_of(&l->tree[0].retained);
    same_sums(&all, &root);
}

/* Two runs, any moment of each, whatever parts were asked for before. */
TEST(all_adds_up) {
    Run old = run_new(true), newer = run_new(true);
    for (int round = 0; round < 12; round++) {
        uint32_t from = (uint32_t)suite_below(FRAMES);
        Player *player = player_new(newer.recording);
        bool self = round % 4 == 0; /* two moments of one run */
        LmpRecording *again = NULL;
        if (self) ck_assert_int_eq(recording_open_fd(&again, newer.fd), LMP_OK);
        const Run *other = self ? &newer : &old;
        ck_assert_int_eq(player_against(player, self ? again : old.recording, from, "old@1"),
                         LMP_OK);
        ck_assert(!player_range(player));
        for (int n = 0; n < 12; n++) {
            uint32_t to = (uint32_t)suite_below(FRAMES);
            player_go(player, recording_frame(newer.recording, to).clock);
            unsigned few = LEDGER_FUNCTIONS | (unsigned)suite_below(2) * LEDGER_TAG_LINES;
            model.ledger.of_tag = (uint32_t)suite_below(8);
            if (suite_below(2)) ck_assert_int_eq(player_fill(player, &model, few), LMP_OK);
            unsigned parts = LEDGER_ALL | LEDGER_TAG_LINES | LEDGER_TREE_KINDS;
            ck_assert_int_eq(player_fill(player, &model, parts), LMP_OK);
            Sums all = between(&other->all[from], &newer.all[to]);
            Sums told = sums_of(&model.ledger.all);
            same_sums(&all, &told);
            ck_assert(model.held && model.marked && model.ledger_marked && model.against.read);
            ck_assert_str_eq(model.against.name, "old@1");
            ck_assert_int_eq(model.since_mark.total_bytes,
                             (int64_t)(newer.live[to] - other->live[from]));
            ck_assert_uint_eq(model.against.live, other->live[from]);
            ck_assert_uint_eq(model.against.peak, other->peak[from]);
            check_sites(&model.ledger, &all);
            check_tags(&model.ledger, &all);
            check_tree(&model.ledger, false);
            all = between(&other->root[from], &newer.root[to]);
            told = sums_of(&model.ledger.tree[0].retained);
            same_sums(&all, &told);
        }
        forget(player);
        if (again) recording_close(again);
    }
    run_free(&old);
    run_free(&newer);
}

/* A run and itself: nothing came, went or changed. */
TEST(a_run_and_itself) {
    OWN(run_free) Run run = run_new(true);
    OWN(recording_close_at) LmpRecording *again;
    ck_assert_int_eq(recording_open_fd(&again, run.fd), LMP_OK);
    for (uint32_t i = 0; i < FRAMES; i++) {
        Player *player = player_new(run.recording);
        ck_assert_int_eq(player_against(player, again, i, "run"), LMP_OK);
        player_go(player, recording_frame(run.recording, i).clock);
        ck_assert_int_eq(player_fill(player, &model, LEDGER_ALL), LMP_OK);
        const Ledger *l = &model.ledger;
        ck_assert_uint_eq(model.against.came + model.against.went, 0);
        ck_assert_int_eq(model.since_mark.total_bytes, 0);
        ck_assert_int_eq(model.since_mark.total_made, 0);
        for (uint32_t k = 0; k < l->sites; k++) {
            ck_assert_uint_eq(l->site[k].tally.mark.live, l->site[k].tally.live_bytes);
            ck_assert_uint_eq(l->site[k].side, LMP_SIDE_BOTH);
        }
        for (uint32_t k = 0; k < l->nodes; k++)
            ck_assert_uint_eq(l->tree[k].retained.mark.live, l->tree[k].retained.live_bytes);
        forget(player);
    }
}

/* Where only one of the two has call paths, lines are compared all the same. */
TEST(paths_of_one) {
    for (int i = 0; i < 2; i++) {
        Run old = run_new(i == 0), newer = run_new(i == 1);
        Player *player = player_new(newer.recording);
        ck_assert_int_eq(player_against(player, old.recording, FRAMES - 1, "old"), LMP_OK);
        player_go(player, UINT64_MAX);
        ck_assert_int_eq(player_fill(player, &model, LEDGER_ALL), LMP_OK);
        ck_assert(model.against.pathless);
        const Ledger *l = &model.ledger;
        Sums all = between(&old.all[FRAMES - 1], &newer.all[FRAMES - 1]);
        check_sites(l, &all);
        for (uint32_t k = 0; k < l->nodes; k++)
            ck_assert_uint_eq(l->tree[k].retained.mark.live, l->tree[k].retained.live_bytes);
        forget(player);
        run_free(&old);
        run_free(&newer);
    }
}

/* A line under one tag: what it has less what the same line had under the tag of that name. */
TEST(lines_of_a_tag) {
    Run old = run_new(true), newer = run_new(true);
    unsigned parts = LEDGER_ALL | LEDGER_TAG_LINES;
    Player *player = player_new(newer.recording);
    ck_assert_int_eq(player_against(player, old.recording, FRAMES - 1, "old"), LMP_OK);
    player_go(player, UINT64_MAX);
    ck_assert_int_eq(player_fill(player, &model, parts), LMP_OK);
    uint32_t tags = model.ledger.tags;
    for (uint32_t i = 0; i < tags; i++) {
        model.ledger.of_tag = model.ledger.tag[i].id;
        ck_assert_int_eq(player_fill(player, &model, parts), LMP_OK);
        const LmpTagRow *tag = &model.ledger.tag[i];
        Sums lines = {0}, all = sums_of(&tag->tally);
        ck_assert_uint_eq(model.ledger.tags, tags);
        for (uint32_t k = 0; k < model.ledger.sites; k++)
            add(&lines, &model.ledger.tagged[k]);
        same_sums(&lines, &all);
    }
    forget(player);
    run_free(&old);
    run_free(&newer);
}

/* Of rubbish, and of every torn end, the display compares what there is, or nothing. */
TEST(damage_is_borne) {
    Run old = run_new(true), newer = run_new(true);
    off_t size = lseek(old.fd, 0, SEEK_END);
    char *bytes = malloc((size_t)size);
    ck_assert_int_eq(pread(old.fd, bytes, (size_t)size, 0), size);
    for (int n = 0; n < 60; n++) {
        OWN(close_at) int fd = record_memfd();
        off_t cut = n % 2 ? size : (off_t)suite_below((uint64_t)size);
        ck_assert_int_eq(pwrite(fd, bytes, (size_t)cut, 0), cut);
        for (int k = 0; n % 2 && k < 20; k++) {
            char rubbish = (char)suite_random();
            ck_assert_int_eq(pwrite(fd, &rubbish, 1, (off_t)suite_below((uint64_t)size)), 1);
        }
        LmpRecording *damaged;
        if (recording_open_fd(&damaged, fd) == LMP_OK) {
            uint32_t frames = recording_frames(damaged);
            bool swap = n % 4 < 2;
            Player *player = frames ? player_new(swap ? damaged : newer.recording) : NULL;
            if (player)
                player_against(player, swap ? newer.recording : damaged,
                               (uint32_t)suite_below(swap ? FRAMES : frames), "damaged");
            for (int k = 0; player && k < 10; k++) {
                player_go(player, suite_below(60 * SECOND));
                player_fill(player, &model, LEDGER_ALL | LEDGER_TREE_KINDS);
                if (model.against.read) check_tree(&model.ledger, true);
            }
            forget(player);
            recording_close(damaged);
        }
    }
    free(bytes);
    run_free(&old);
    run_free(&newer);
}
