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

enum { ROWS = 300 };
typedef struct Screen {
    const char *row[ROWS], *tones[ROWS];
} Screen;

/* Takes a screen apart, in place. */
static Screen screen_of(char *text) {
    Screen s;
    const char **at = s.row, *line;
    for (int i = 0; i < ROWS; i++)
        s.row[i] = s.tones[i] = "";
    for (strsep(&text, "\n"); (line = strsep(&text, "\n"));) {
        if (!at) {
            int from = 0, to = 0;
            if (sscanf(line, "%d-%d", &from, &to) < 2) to = from;
            for (int i = from; *line && i <= to; i++)
                s.tones[i] = strchr(line, ' ');
        } else if (strncmp(line, "tones, ", 7) == 0) {
            at = NULL;
        } else {
            ck_assert(at < s.row + ROWS);
            *at++ = line;
        }
    }
    return s;
}

/* The screen that it has most in common with: of the same size, its name all but the last words. */
static char *screen_like(const char *name, const char *text, char *like) {
    strcpy(like, name);
    for (char *end = like; (end = strrchr(like, '-')) != NULL;) {
        strcpy(end, ".txt");
        char *first = golden_text(like);
        if (first && strncmp(first, text, strcspn(text, "\n") + 1) == 0) return first;
        free(first);
        *end = 0;
    }
    return NULL;
}

static int lines_of(const char *text) {
    int lines = 0;
    while ((text = strchr(text, '\n')))
        text++, lines++;
    return lines;
}

void suite_golden_screen(const char *name, const char *text) {
    char like[256];
    OWN(free_at) char *first = screen_like(name, text, like), *all = strdup(text);
    if (!first) {
        suite_golden(name, text);
        return;
    }
    Screen old = screen_of(first), now = screen_of(all);
    FILE *out = suite_write();
    fprintf(out, "%s, but for:\n", like);
    for (int i = 0; i < ROWS; i++)
        if (strcmp(now.row[i], old.row[i]) != 0) fprintf(out, "%d| %s\n", i, now.row[i]);
    for (int i = 0; i < ROWS; i++)
        if (strcmp(now.tones[i], old.tones[i]) != 0) fprintf(out, "%d:%s\n", i, now.tones[i]);
    OWN(free_at) char *differs = suite_written();
    suite_golden(name, lines_of(differs) < lines_of(text) ? differs : text);
}

size_t suite_wrote;
static char *written;
static FILE *writes;

FILE *suite_write(void) {
    ck_assert_ptr_null(writes);
    return writes = open_memstream(&written, &suite_wrote);
}

char *suite_written(void) {
    fclose(writes);
    writes = NULL;
    return written;
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

static char directory[] = "/tmp/lmp-suite-XXXXXX";

static void remove_directory(void) {
    char command[64];
    snprintf(command, sizeof command, "/bin/rm -rf '%s'", directory);
    ck_assert_int_eq(system(command), 0);
}

const char *suite_directory(void) {
    suite_closes(remove_directory);
    memcpy(directory + sizeof directory - 7, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(directory));
    return directory;
}
