/* Events: each listener has each one whole, or not at all, however slow it and others are. */
#include "serve/events.h"

#include "suite.h"

static char *heard(Listener *l, size_t most) {
    char piece[64];
    size_t n;
    FILE *out = suite_write();
    while ((n = events_take(l, piece, most)) > 0)
        fwrite(piece, 1, n, out);
    return suite_written();
}

TEST(one_after_the_other) {
    Listener a, b;
    char piece[4];
    events_begin(&a);
    ck_assert(!events_ready(&a));
    ck_assert_uint_eq(events_take(&a, piece, sizeof piece), 0);
    events_say("one", 3, false);
    events_begin(&b); /* what was said before is not for it */
    ck_assert(events_ready(&a) && !events_ready(&b));
    ck_assert_uint_eq(events_take(&a, piece, sizeof piece), 4);
    ck_assert(memcmp(piece, "data", 4) == 0);
    events_say("two", 3, false);
    events_say("three", 5, false);
    OWN(free_at) char *rest = heard(&a, 3), *other = heard(&b, 64);
    ck_assert_str_eq(rest, ": one\n\ndata: three\n\n");
    ck_assert_str_eq(other, "data: three\n\n");
    ck_assert(!events_heard_all(&a));
    events_say("end", 3, true);
    ck_assert(!events_heard_all(&a));
    OWN(free_at) char *last = heard(&a, 64);
    ck_assert_str_eq(last, "event: end\ndata: end\n\n");
    ck_assert(events_heard_all(&a) && !events_heard_all(&b));
    Listener late; /* but the end is for everybody */
    events_begin(&late);
    OWN(free_at) char *again = heard(&late, 64);
    ck_assert_str_eq(again, "event: end\ndata: end\n\n");
    events_leave(&a);
    events_leave(&b);
    events_end();
}

/* Any order of saying, taking, coming and leaving; what is left over the sanitizer would see. */
TEST(any_order) {
    enum { LISTENERS = 5, STEPS = 20000 };
    Listener l[LISTENERS];
    char got[LISTENERS][4096], data[64], piece[16];
    size_t size[LISTENERS] = {0};
    for (int i = 0; i < LISTENERS; i++)
        events_begin(&l[i]);
    for (int step = 0, said = 0; step < STEPS; step++) {
        int i = (int)suite_below(LISTENERS);
        if (suite_below(6) == 0) {
            int n = snprintf(data, sizeof data, "%d-%0*d", said++, 1 + (int)suite_below(30), 7);
            ck_assert(events_say(data, (size_t)n, false));
        } else if (suite_below(50) == 0) {
            events_leave(&l[i]);
            events_begin(&l[i]);
            size[i] = 0;
        } else {
            size_t n = events_take(&l[i], piece, 1 + suite_below(sizeof piece));
            memcpy(got[i] + size[i], piece, n);
            size[i] += n;
            got[i][size[i]] = 0;
            if (n == 0 || l[i].event) continue;
            ck_assert_int_eq(strncmp(got[i], "data: ", 6), 0); /* one whole event, and no more */
            ck_assert_ptr_eq(strstr(got[i], "7\n\n"), got[i] + size[i] - 3);
            size[i] = 0;
        }
    }
    for (int i = 0; i < LISTENERS; i++)
        events_leave(&l[i]);
    events_end();
}
