/* Tests of widget/request.h: what is put is taken once, in the order of the table, with its
 * argument. Which key puts what is tested in test_app.c. */
#include "app_play.h"
#include "suite.h"

RELEASE_AT(app_free)

static Requests requests;

TEST(nothing_waits_at_first) {
    requests.waiting = 0;
    ck_assert_ptr_null(request_take(&requests));
    for (int i = 0; i < REQUESTS; i++)
        ck_assert(!request_waits(&requests, (RequestKind)i));
}

TEST(each_is_taken_once_in_order) {
    requests.waiting = 0;
    for (int i = REQUESTS - 1; i >= 0; i--)
        request_put_kind(&requests, (RequestKind)i);
    for (int i = 0; i < REQUESTS; i++) {
        ck_assert(request_waits(&requests, (RequestKind)i));
        ck_assert_int_eq((int)request_take(&requests)->kind, i);
        ck_assert(!request_waits(&requests, (RequestKind)i));
    }
    ck_assert_ptr_null(request_take(&requests));
}

TEST(the_last_of_a_kind_counts) {
    requests.waiting = 0;
    request_put(&requests, &(Request){.kind = REQUEST_PAUSE, .pause = true});
    request_put(&requests, &(Request){.kind = REQUEST_PAUSE, .pause = false});
    ck_assert(!request_take(&requests)->pause);
    Request open = {.kind = REQUEST_OPEN, .file = {"a.lua", 1}};
    request_put(&requests, &open);
    snprintf(open.file.path, sizeof open.file.path, "b.lua");
    open.file.line = 12;
    request_put(&requests, &open);
    const Request *taken = request_take(&requests);
    ck_assert_str_eq(taken->file.path, "b.lua");
    ck_assert_int_eq(taken->file.line, 12);
    ck_assert_ptr_null(request_take(&requests));
}

TEST(steps_add_up_until_they_are_taken) {
    requests.waiting = 0;
    Request steps = {.kind = REQUEST_STEP, .steps = 2};
    request_put(&requests, &steps);
    request_put(&requests, &steps);
    ck_assert_uint_eq(request_take(&requests)->steps, 4);
    request_put(&requests, &steps);
    ck_assert_uint_eq(request_take(&requests)->steps, 2);
}

/* An interrupt makes a paused program go on: put by whoever serves the first request. */
TEST(what_is_put_while_serving_comes_next) {
    requests.waiting = 0;
    request_put_kind(&requests, REQUEST_INTERRUPT);
    request_put_kind(&requests, REQUEST_MARK);
    ck_assert_int_eq(request_take(&requests)->kind, REQUEST_INTERRUPT);
    request_put(&requests, &(Request){.kind = REQUEST_PAUSE, .pause = false});
    ck_assert_int_eq(request_take(&requests)->kind, REQUEST_PAUSE);
    ck_assert_int_eq(request_take(&requests)->kind, REQUEST_MARK);
    ck_assert_ptr_null(request_take(&requests));
}

/* Any order of putting and taking, compared with a list of what waits. */
TEST(against_a_list) {
    requests.waiting = 0;
    uint32_t steps = 0;
    bool waits[REQUESTS] = {false};
    for (int turn = 0; turn < 20000; turn++) {
        RequestKind kind = (RequestKind)suite_below(REQUESTS);
        uint32_t more = suite_below(100);
        if (suite_below(2)) {
            request_put(&requests, &(Request){.kind = kind, .steps = more});
            if (kind == REQUEST_STEP) steps = waits[kind] ? steps + more : more;
            waits[kind] = true;
            continue;
        }
        int first = 0;
        while (first < REQUESTS && !waits[first])
            first++;
        const Request *taken = request_take(&requests);
        ck_assert(!taken == (first == REQUESTS));
        if (!taken) continue;
        ck_assert_int_eq((int)taken->kind, first);
        if (first == REQUEST_STEP) ck_assert_uint_eq(taken->steps, steps);
        waits[first] = false;
    }
}

/* What moves nothing but the size of the screen, or nothing at all, asks for nothing. */
TEST(events) {
    AppOptions options = {.utf8 = true, .colours = 256, .live = true};
    OWN(app_free_at) App *app = app_new(&options);
    app_event(app, (Event){.key = K_NONE});
    app_event(app, (Event){.key = K_RESIZE});
    play_mouse(app, MOUSE_CLICK, 3, 3); /* nothing has been drawn: nothing is there */
    ck_assert_uint_eq(app_ui(app)->requests.waiting, 0);
    play_key(app, K_CTRL('Z'));
    ck_assert(play_asked(app, REQUEST_SUSPEND));
    play_key(app, 'M');
    ck_assert(play_asked(app, REQUEST_MOUSE) && !app_ui(app)->mouse);
}
