/* Requests of a browser: only with the token, and each does what its name says. */
#include "serve/control.h"

#include <sys/stat.h>
#include <unistd.h>

#include "suite.h"

static struct {
    LmpLive live;
    LmpControl control;
} state;
static LmpView view = {.live = &state.live, .control = &state.control};

static void file(const char *text, mode_t mode) {
    FILE *out = fopen("control-test", "w");
    ck_assert_ptr_nonnull(out);
    fputs(text, out);
    fclose(out);
    chmod("control-test", mode);
}

TEST(tokens) {
    static const char good[] = "Bearer 0123456789abcdef";
    static const char *const bad[] = {"",
                                      "Bearer",
                                      "Bearer ",
                                      "Bearer 0123456789abcde",
                                      "Bearer 0123456789abcdef0",
                                      "Bearer 0123456789abcdeg",
                                      "Bearer 0123456789abcdef0123456789abcdef",
                                      "bearer 0123456789abcdef",
                                      "0123456789abcdef"};
    ck_assert_str_eq(control_token(), "");
    ck_assert_int_eq(control_do("mark", good), CONTROL_OFF);
    file("0123456789abcdef\nmore\n", 0600);
    ck_assert_ptr_null(control_begin(&view, "control-test"));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(control_do("mark", bad[i]) == CONTROL_NO_TOKEN, "'%s'", bad[i]);
    ck_assert_int_eq(control_do("mark", NULL), CONTROL_NO_TOKEN);
    ck_assert_int_eq(control_do("nothing", NULL), CONTROL_NO_TOKEN);
    ck_assert_int_eq(control_do("nothing", good), CONTROL_UNKNOWN);
    ck_assert_uint_eq(atomic_load(&state.control.mark), 0);
    ck_assert_int_eq(control_do("mark", good), CONTROL_DONE);
    ck_assert_uint_eq(atomic_load(&state.control.mark), 1);
    ck_assert_int_eq(control_do("collect", good), CONTROL_DONE);
    ck_assert_uint_eq(atomic_load(&state.control.collect), 1);
    ck_assert_int_eq(control_do("step", good), CONTROL_DONE); /* it runs */
    ck_assert_uint_eq(atomic_load(&state.control.step), 0);
    ck_assert_int_eq(control_do("pause", good), CONTROL_DONE);
    ck_assert_uint_eq(atomic_load(&state.control.pause), 1);
    atomic_store(&state.live.state, LMP_PAUSED);
    ck_assert_int_eq(control_do("step", good), CONTROL_DONE);
    ck_assert_uint_eq(atomic_load(&state.control.step), 1);
    ck_assert_int_eq(control_do("resume", good), CONTROL_DONE);
    ck_assert_uint_eq(atomic_load(&state.control.pause), 0);
    unlink("control-test");
}

TEST(files) {
    const char *said;
    file("0123456789abcdef", 0644);
    said = control_begin(&view, "control-test");
    ck_assert_ptr_nonnull(strstr(said, "control-test: others than its owner"));
    file("0123456789abcde\n", 0600);
    ck_assert_ptr_nonnull(strstr(control_begin(&view, "control-test"), "fewer than 16"));
    file("0123456789 abcdef\n", 0600);
    ck_assert_ptr_nonnull(strstr(control_begin(&view, "control-test"), "has blanks"));
    unlink("control-test");
    ck_assert_ptr_nonnull(strstr(control_begin(&view, "control-test"), "No such file"));
    ck_assert_ptr_nonnull(strstr(control_begin(&view, "/dev/zero"), "it is no file"));
    ck_assert_str_eq(control_token(), "");
}

TEST(made) {
    char first[64];
    ck_assert_ptr_null(control_begin(&view, NULL));
    snprintf(first, sizeof first, "%s", control_token());
    ck_assert_uint_eq(strlen(first), 32);
    ck_assert_uint_eq(strspn(first, "0123456789abcdef"), 32);
    ck_assert_ptr_null(control_begin(&view, NULL));
    ck_assert_str_ne(first, control_token());
}
