/* suite.c - the random series and golden files of suites: see suite.h. */
#include "suite.h"

uint64_t suite_seed = 54;
static uint64_t state = 1;

/* xorshift64*. */
uint64_t suite_random(void) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1dull;
}

uint64_t suite_below(uint64_t n) {
    return suite_random() % n;
}

void suite_again(void) {
    state = suite_seed * 2 + 1;
}

void suite_golden(const char *name, const char *text) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", TEST_GOLDEN, name);
    bool generate = getenv("GENERATE") != NULL;
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL || generate, "no golden file %s (make it with GENERATE=1)", path);
    size_t size = 0, room = 4096, n;
    OWN(free_at) char *want = malloc(room);
    while (f && (n = fread(want + size, 1, room - size - 1, f)) > 0) {
        size += n;
        if (size + 1 == room) want = realloc(want, room *= 2);
    }
    want[size] = '\0';
    if (f) fclose(f);
    if (generate && strcmp(want, text) != 0) {
        remove(path); /* if it was a link: equal no more */
        f = fopen(path, "w");
        ck_assert_msg(f != NULL, "cannot write %s", path);
        fputs(text, f);
        fclose(f);
        return;
    }
    if (strcmp(want, text) != 0) {
        size_t at = 0;
        int line = 1;
        while (want[at] && want[at] == text[at])
            if (want[at++] == '\n') line++;
        while (at > 0 && want[at - 1] != '\n')
            at--;
        char got[256];
        snprintf(got, sizeof got, "%s.got", name);
        for (char *p = got; *p; p++)
            if (*p == '/') *p = '-';
        FILE *g = fopen(got, "w");
        if (g) {
            fputs(text, g);
            fclose(g);
        }
        size_t wide = strcspn(want + at, "\n"), wide_got = strcspn(text + at, "\n");
        ck_abort_msg("%s differs in line %d\n want: %.*s\n got:  %.*s\n(all of it in %s)", name,
                     line, (int)(wide < 400 ? wide : 400), want + at,
                     (int)(wide_got < 400 ? wide_got : 400), text + at, got);
    }
}

static void (*closes[8])(void);
static int open;

static void close_to(int n) {
    while (open > n)
        closes[--open]();
}

void suite_closes(void (*close)(void)) {
    for (int i = 0; i < open; i++)
        if (closes[i] == close) close_to(i);
    ck_assert_int_lt(open, (int)(sizeof closes / sizeof *closes));
    closes[open++] = close;
}

void suite_close(void) {
    close_to(0);
}

void suite_closed(void) {
    open = 0;
}
