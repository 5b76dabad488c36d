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

/* The text of a golden file, which the caller frees; NULL: there is none. */
static char *golden_text(const char *name) {
    char path[1024];
    snprintf(path, sizeof path, TEST_GOLDEN "/%s", name);
    FILE *f = fopen(path, "r");
    if (!f) return NULL;
    size_t size = 0, room = 4096, n;
    char *text = malloc(room);
    while ((n = fread(text + size, 1, room - size - 1, f)) > 0) {
        size += n;
        if (size + 1 == room) text = realloc(text, room *= 2);
    }
    text[size] = '\0';
    fclose(f);
    return text;
}

/* Takes a link's place, too: what was equal is so no more. */
static void write_golden(const char *name, const char *text) {
    char path[1024];
    snprintf(path, sizeof path, TEST_GOLDEN "/%s", name);
    remove(path);
    FILE *f = fopen(path, "w");
    ck_assert_msg(f != NULL, "cannot write %s", path);
    fputs(text, f);
    fclose(f);
}

void suite_golden(const char *name, const char *text) {
    OWN(free_at) char *want = golden_text(name);
    if (getenv("GENERATE")) {
        if (!want || strcmp(want, text) != 0) write_golden(name, text);
        return;
    }
    ck_assert_msg(want != NULL, "no golden file %s (make it with GENERATE=1)", name);
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

void suite_golden_screen(const char *name, const char *text) {
    char size[32], like[256] = "";
    int rows = 0;
    sscanf(text, "%*dx%d", &rows);
    snprintf(size, sizeof size, "-%.*s-", (int)strcspn(text, "\n"), text);
    const char *at = strstr(name, size);
    if (at) snprintf(like, sizeof like, "%.*s.txt", (int)(at - name + strlen(size) - 1), name);
    OWN(free_at) char *first = at ? golden_text(like) : NULL, *differs = NULL;
    if (!first) {
        suite_golden(name, text);
        return;
    }
    FILE *out = open_memstream(&differs, &(size_t){0});
    fprintf(out, "%s, but for:\n", like);
    const char *other = first;
    for (int row = -1; *text; row++) {
        int n = (int)strcspn(text, "\n"), m = (int)strcspn(other, "\n");
        bool same = n == m && memcmp(text, other, (size_t)n) == 0;
        if (!same && row < rows) fprintf(out, "%d| ", row); /* tones have their row's number */
        if (!same) fprintf(out, "%.*s\n", n, text);
        text += n + 1;
        other += m + (other[m] != 0);
    }
    fclose(out);
    suite_golden(name, differs);
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
