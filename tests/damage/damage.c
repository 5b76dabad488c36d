/* damage.c - damages recordings, heap snapshots and other files, has lmp read them, and judges.
 *
 *   damage [--seed=N] [--runs=N] [--only=N] [--readers=N] FILE...
 *
 * Run n damages one of the files (a.lmprec, a.heap; anything else is a file of nobody's) in a way
 * that the seed and n say, and has some of lmp's commands read it, each in a child of this process,
 * which is lmp, too: --wrap=main. A run fails where a reader
 *     crashes, takes more than 5 s of a processor or 60 s in all, or more than 1 GiB;
 *     fails, and does not say why;
 *     prints something else than of the sound file with status 0, and says nothing of damage.
 * The last is not asked of what has right checksums again: somebody has made that up. Files of runs
 * that failed stay as failed-N in the directory that it runs in; --only=N does run N again. */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "record_fixture.h"
#include "snapfile_fixture.h"

#include "read/ledger/ledger.h"
#include "replay/player.h"

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

enum { CPU = 5, WALL = 60, MOST_KIB = 1 << 20, FILES = 32, READERS = 64 };

typedef enum Of { OF_RECORDING, OF_SNAPSHOT, OF_OTHER, OFS } Of;
static const char *const name_of[OFS] = {"x.lmprec", "x.heap", "x.json"};
static const char *const old_of[OFS] = {"old.lmprec", "old.heap", "old.json"};

/* F is the damaged file, O the sound one. Of a dump it is not asked whether it is right: it tells
 * what lies there. */
static const struct {
    Of of;
    const char *words;
} reader[] = {
    {OF_RECORDING, "report summary F"},
    {OF_RECORDING, "report json F"},
    {OF_RECORDING, "report flat F"},
    {OF_RECORDING, "report callgraph F"},
    {OF_RECORDING, "report tree F"},
    {OF_RECORDING, "report memprof F"},
    {OF_RECORDING, "report callgrind F"},
    {OF_RECORDING, "report pprof F"},
    {OF_RECORDING, "report folded F"},
    {OF_RECORDING, "report speedscope F"},
    {OF_RECORDING, "report massif F"},
    {OF_RECORDING, "report csv F"},
    {OF_RECORDING, "report timeline F"},
    {OF_RECORDING, "report html F"},
    {OF_RECORDING, "report json F@50%"},
    {OF_RECORDING, "report summary F@peak"},
    {OF_RECORDING, "report summary --from=30% F"},
    {OF_RECORDING, "report html --from=30% --to=60% F"},
    {OF_RECORDING, "diff O F"},
    {OF_RECORDING, "diff --json F O"},
    {OF_RECORDING, "diff --html F@mark O"},
    {OF_RECORDING, "record cut --from=20% -o cut.lmprec F"},
    {OF_RECORDING, "replay F"},
    {OF_RECORDING, "dump F"},
    {OF_RECORDING, "dump --parts F"},
    {OF_RECORDING, "play F"}, /* `lmp replay` without a terminal */
    {OF_SNAPSHOT, "report summary F"},
    {OF_SNAPSHOT, "report summary --older=O F"},
    {OF_SNAPSHOT, "report json --older=F O"},
    {OF_SNAPSHOT, "report heapsnapshot F"},
    {OF_SNAPSHOT, "report csv F"},
    {OF_SNAPSHOT, "report dot F"},
    {OF_SNAPSHOT, "report holders F"},
    {OF_SNAPSHOT, "report pprof F"},
    {OF_SNAPSHOT, "report icicle F"},
    {OF_SNAPSHOT, "report treemap F"},
    {OF_SNAPSHOT, "diff O F"},
    {OF_SNAPSHOT, "diff --json F O"},
    {OF_SNAPSHOT, "heap F O"},
    {OF_SNAPSHOT, "dump F"},
    {OF_SNAPSHOT, "dump --objects=50 F"},
    {OF_OTHER, "report F"},
    {OF_OTHER, "report html F"},
    {OF_OTHER, "report json --older=O F"},
    {OF_OTHER, "diff O F"},
    {OF_OTHER, "record cut F -o cut.lmprec"},
    {OF_OTHER, "replay F"},
    {OF_OTHER, "heap F"},
    {OF_OTHER, "dump F"},
};
enum { ALL = sizeof reader / sizeof *reader };

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct Said {
    int status; /* as wait says */
    char *out, *err;
    size_t outs, errs;
    long ms, kib;
} Said;

static void play(const char *file) {
    static Model model;
    LmpRecording *r;
    LmpErr err = recording_open(&r, file);
    if (err) fprintf(stderr, "%s\n", err_message(err));
    if (err) exit(1);
    Player *player = recording_frames(r) ? player_new(r) : NULL;
    for (int i = 0; player && i < 40; i++) {
        if (i == 20) player_range(player);
        if (i == 30) player_find(player, "text");
        player_step(player, i < 30 ? 1 : -1);
        player_fill(player, &model, LEDGER_ALL);
    }
    player_free(player);
    recording_close(r);
    exit(0);
}

static void be_reader(const char *words, Of of) {
    static char line[200], named[16][64], *argv[17] = {"lmp"};
    char *at = line, *word;
    int argc = 1;
    snprintf(line, sizeof line, "%s", words);
    while ((word = strsep(&at, " ")) && argc < 16) {
        char *c = word + (strncmp(word, "--older=", 8) == 0 ? 8 : 0);
        bool file = (*c == 'F' || *c == 'O') && (!c[1] || c[1] == '@');
        if (file)
            snprintf(named[argc], sizeof named[argc], "%.*s%s%s", (int)(c - word), word,
                     (*c == 'F' ? name_of : old_of)[of], c + 1);
        argv[argc] = file ? named[argc] : word;
        argc++;
    }
    if (strcmp(argv[1], "play") == 0) play(argv[2]);
    exit(__real_main(argc, argv));
}

static char *take(int fd, size_t *n) {
    *n = (size_t)lseek(fd, 0, SEEK_END);
    char *text = malloc(*n + 1);
    if (!text || pread(fd, text, *n, 0) != (ssize_t)*n) abort();
    text[*n] = 0;
    close(fd);
    return text;
}

static Said have_read(unsigned which) {
    Said said = {0};
    struct rusage used;
    int out = record_memfd(), err = record_memfd();
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        int nothing = open("/dev/null", O_RDONLY);
        setrlimit(RLIMIT_CPU, &(struct rlimit){CPU, CPU + 1});
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        alarm(WALL);
        if (dup2(nothing, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) abort();
        be_reader(reader[which].words, reader[which].of);
    }
    if (wait4(child, &said.status, 0, &used) != child) abort();
    said.ms = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
              (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
    said.kib = used.ru_maxrss;
    said.out = take(out, &said.outs);
    said.err = take(err, &said.errs);
    return said;
}

static void said_free(Said *said) {
    free(said->out);
    free(said->err);
}

static bool is_same(const Said *a, const Said *b) {
    return a->outs == b->outs && memcmp(a->out, b->out, a->outs) == 0;
}

/* What is wrong with it; NULL: nothing. */
static const char *judge(unsigned which, const Said *is, const Said *was, bool mended) {
    if (WIFSIGNALED(is->status))
        return WTERMSIG(is->status) == SIGXCPU || WTERMSIG(is->status) == SIGALRM ? "hangs"
                                                                                  : "crashes";
    if (is->kib > MOST_KIB) return "takes too much memory";
    int status = WEXITSTATUS(is->status);
    bool raw = strncmp(reader[which].words, "dump", 4) == 0;
    if (status > 3) return "ends with another status than 0 to 3";
    if (status > 0) return is->errs ? NULL : "fails, and does not say why";
    if (reader[which].of == OF_OTHER) return "takes it for one of lmp's";
    if (mended || raw || is_same(is, was) || is->errs != was->errs) return NULL;
    return strstr(is->out, "amaged") ? NULL : "says something else, and not why";
}

/* ---- what is damaged ------------------------------------------------------------------------- */

typedef struct Sample {
    const char *file;
    Of of;
    uint8_t *bytes;
    size_t size;
    RecFile plain; /* of a recording: the same with parts that are not packed */
    uint8_t *plain_bytes;
    bool read;
    Said was[READERS];
} Sample;

static Sample sample[FILES];
static unsigned samples;

static uint8_t *bytes_at(int fd, size_t n) {
    uint8_t *bytes = malloc(n + 1);
    if (!bytes || pread(fd, bytes, n, 0) != (ssize_t)n) abort();
    return bytes;
}

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static void put_file(const char *name, const uint8_t *bytes, size_t n) {
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, bytes, n) != (ssize_t)n) abort();
    close(fd);
}

static void add_sample(const char *file) {
    Sample *s = &sample[samples++];
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || samples > FILES) {
        fprintf(stderr, "damage: %s: %s\n", file, strerror(errno));
        exit(2);
    }
    s->file = file;
    s->of = ends_with(file, ".lmprec") ? OF_RECORDING
            : ends_with(file, ".heap") ? OF_SNAPSHOT
                                       : OF_OTHER;
    s->size = (size_t)lseek(fd, 0, SEEK_END);
    s->bytes = bytes_at(fd, s->size);
    if (s->of == OF_RECORDING) {
        s->plain = record_unpacked(fd, NULL, NULL);
        s->plain_bytes = bytes_at(s->plain.fd, s->plain.size);
    }
    close(fd);
}

/* What each reader says of it while it is sound. */
static void read_sound(Sample *s) {
    s->read = true;
    put_file(name_of[s->of], s->bytes, s->size);
    put_file(old_of[s->of], s->bytes, s->size);
    for (unsigned i = 0; i < ALL; i++) {
        if (reader[i].of != s->of) continue;
        s->was[i] = have_read(i);
        Said again = have_read(i);
        int status = WIFSIGNALED(again.status) ? 128 : WEXITSTATUS(again.status);
        if (!is_same(&s->was[i], &again) || status > 3) {
            fprintf(stderr, "damage: %s is not read alike twice: %s (%d)\n%s", s->file,
                    reader[i].words, status, again.err);
            exit(2);
        }
        said_free(&again);
    }
}

/* ---- damage ---------------------------------------------------------------------------------- */

typedef struct Bytes {
    uint8_t *at;
    size_t n;
} Bytes;

/* In place of `gone` bytes at `at` stand `n` others. */
static void replace(Bytes *b, size_t at, size_t gone, const uint8_t *by, size_t n) {
    uint8_t *made = malloc(b->n - gone + n + 1);
    if (!made) abort();
    memcpy(made, b->at, at);
    if (n > 0) memcpy(made + at, by, n);
    memcpy(made + at + n, b->at + at + gone, b->n - at - gone);
    free(b->at);
    *b = (Bytes){made, b->n - gone + n};
}

/* Short ones mostly, long ones sometimes. */
static size_t length(size_t most) {
    size_t n = 1 + suite_below(suite_below(3) ? 8 : suite_below(3) ? 200 : 20000);
    return n < most ? n : most;
}

/* A number as lengths and counts are that lie. */
static uint64_t lie(void) {
    static const uint64_t big[] = {0,       1,        127,        128,        0xffff,    1 << 20,
                                   1 << 24, 1u << 31, 0xffffffff, 1ull << 32, 1ull << 63};
    uint64_t n = suite_below(4) ? big[suite_below(sizeof big / sizeof *big)] : suite_random();
    return n - suite_below(3);
}

static void overwrite(uint8_t *at, size_t n) {
    size_t place = suite_below(n), left = n - place, size = length(left);
    uint64_t word = lie();
    switch (suite_below(5)) {
    case 0:
        at[place] ^= (uint8_t)(1u << suite_below(8));
        break;
    case 1:
        at[place] = (uint8_t)suite_random();
        break;
    case 2:
        memset(at + place, suite_below(2) ? 0 : 0xff, size);
        break;
    case 3:
        memcpy(at + place, &word, left < 8 ? left : suite_below(2) ? 8 : 4);
        break;
    default:
        for (size_t i = 0; i < size; i++)
            at[place + i] = (uint8_t)suite_random();
    }
}

static void swap(uint8_t *a, uint8_t *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint8_t byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

/* Anywhere. */
static void damage_bytes(Bytes *b, const Sample *s) {
    const Sample *other = &sample[suite_below(samples)];
    size_t at = suite_below(b->n), n = length(b->n - at), from = suite_below(other->size);
    switch (suite_below(9)) {
    case 0: /* cut off */
        b->n = at;
        break;
    case 1: /* a piece is missing */
        replace(b, at, n, NULL, 0);
        break;
    case 2: { /* a piece is there twice */
        uint8_t *copy = malloc(n);
        if (!copy) abort();
        memcpy(copy, b->at + at, n);
        replace(b, suite_below(b->n), 0, copy, n);
        free(copy);
        break;
    }
    case 3: /* goes on as another file */
        replace(b, at, b->n - at, other->bytes + from, other->size - from);
        break;
    case 4: /* a piece of another one */
        n = length(other->size - from);
        replace(b, at, n < b->n - at ? n : b->n - at, other->bytes + from, n);
        break;
    case 5: { /* two pieces have changed places */
        size_t half = b->n / 2;
        if (half > 8) swap(b->at + at % (half - 4), b->at + half, length(half / 2));
        break;
    }
    case 6: /* something behind the end */
        replace(b, b->n, 0, s->bytes, 1 + suite_below(s->size));
        break;
    default:
        for (uint64_t times = 1 + suite_below(4); times > 0; times--)
            overwrite(b->at, b->n);
    }
}

/* Whole parts of a recording, as they lie there. */
static void damage_parts(Bytes *b, const Sample *s) {
    RecScan scan;
    int fd = file_fd(s->bytes, s->size);
    if (recscan_open(&scan, fd)) abort();
    const RecPart *one = &scan.part[suite_below(scan.parts)],
                  *two = &scan.part[suite_below(scan.parts)];
    size_t n = one->stored + REC_PART, m = two->stored + REC_PART;
    switch (suite_below(5)) {
    case 0:
        replace(b, one->place, n, NULL, 0);
        break;
    case 1:
        replace(b, two->place, 0, s->bytes + one->place, n);
        break;
    case 2: /* one stands in place of another */
        replace(b, two->place, m, s->bytes + one->place, n);
        break;
    case 3:
        memset(b->at + one->place, 0, n);
        break;
    default:
        overwrite(b->at + one->place + (suite_below(2) ? REC_PART : 0),
                  one->stored ? one->stored : 1);
    }
    if (suite_below(2)) b->n -= 1 + suite_below(100); /* no index */
    recscan_free(&scan);
    close(fd);
}

/* What is in a part, or what its head says, with right checksums. */
static void forge_parts(Bytes *b, const Sample *s) {
    free(b->at);
    *b = (Bytes){malloc(s->plain.size + 1), s->plain.size};
    if (!b->at) abort();
    memcpy(b->at, s->plain_bytes, b->n);
    for (uint64_t times = 1 + suite_below(3); times > 0; times--) {
        RecPart part = s->plain.part[suite_below(s->plain.parts)];
        uint8_t *stored = b->at + part.place + REC_PART;
        uint64_t *const word[] = {&part.clock, &part.base, &part.live_bytes, &part.rss,
                                  &part.tables};
        if (part.stored && suite_below(4))
            for (uint64_t k = 1 + suite_below(6); k > 0; k--)
                overwrite(stored, part.stored);
        else if (suite_below(3))
            *word[suite_below(5)] =
                suite_below(2) ? lie() : s->plain.part[suite_below(s->plain.parts)].place;
        else
            *(suite_below(2) ? &part.plain : &part.stored) = (uint32_t)lie();
        if (suite_below(9) == 0) part.kind = (uint8_t)suite_below(12);
        if (suite_below(9) == 0) part.flags = (uint8_t)suite_random();
        if (part.stored <= b->n - part.place - REC_PART)
            part.checksum = part_checksum(stored, part.stored);
        part_put(stored - REC_PART, &part);
    }
}

/* Returns whether its checksums are right again. */
static bool damage(Bytes *b, const Sample *s) {
    uint64_t how = suite_below(4);
    *b = (Bytes){malloc(s->size + 1), s->size};
    if (!b->at) abort();
    memcpy(b->at, s->bytes, s->size);
    if (s->of == OF_RECORDING && how == 0) {
        forge_parts(b, s);
        return true;
    }
    if (s->of == OF_RECORDING && how == 1)
        damage_parts(b, s);
    else
        damage_bytes(b, s);
    bool mend = s->of == OF_SNAPSHOT && how < 2;
    if (mend) file_mend(b->at, b->n);
    return mend;
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct Sum {
    unsigned files, readings, same, refused, said, failed;
    long ms, kib;
} Sum;

static void count(Sum *sum, const Said *is, const Said *was) {
    sum->readings++;
    if (is->ms > sum->ms) sum->ms = is->ms;
    if (is->kib > sum->kib) sum->kib = is->kib;
    if (is->status)
        sum->refused++;
    else if (is_same(is, was))
        sum->same++;
    else
        sum->said++;
}

static void run(uint64_t seed, unsigned n, unsigned readers, Sum *sum) {
    suite_seed = seed * 1000003 + n;
    suite_again();
    for (int i = 0; i < 8; i++)
        suite_random();
    Sample *s = &sample[suite_below(samples)];
    if (!s->read) read_sound(s);
    Bytes b;
    bool mended = damage(&b, s);
    if (b.n == s->size && memcmp(b.at, s->bytes, b.n) == 0) return free(b.at);
    put_file(name_of[s->of], b.at, b.n);
    put_file(old_of[s->of], s->bytes, s->size);
    unsigned of_it = 0, left = readers;
    for (unsigned i = 0; i < ALL; i++)
        of_it += reader[i].of == s->of;
    sum->files++;
    for (unsigned i = 0; i < ALL; i++) {
        if (reader[i].of != s->of) continue;
        bool asked = suite_below(of_it--) < left;
        if (!asked) continue;
        left--;
        Said is = have_read(i);
        const char *wrong = judge(i, &is, &s->was[i], mended);
        count(sum, &is, &s->was[i]);
        if (wrong) {
            char name[40];
            snprintf(name, sizeof name, "failed-%u-%s", n, name_of[s->of]);
            put_file(name, b.at, b.n);
            sum->failed++;
            printf("run %u of seed %llu, %s%s: lmp %s %s (status %x, %ld ms, %ld KiB)\n  %.200s\n",
                   n, (unsigned long long)seed, s->file, mended ? ", checksums right" : "",
                   reader[i].words, wrong, (unsigned)is.status, is.ms, is.kib, is.err);
            fflush(stdout);
        }
        said_free(&is);
    }
    free(b.at);
}

int __wrap_main(int argc, char **argv) {
    unsigned long long seed = 54, runs = 300, only = UINT64_MAX, readers = 4, from = 0;
    Sum sum = {0};
    for (int i = 1; i < argc; i++)
        if (sscanf(argv[i], "--seed=%llu", &seed) != 1 &&
            sscanf(argv[i], "--runs=%llu", &runs) != 1 &&
            sscanf(argv[i], "--from=%llu", &from) != 1 &&
            sscanf(argv[i], "--only=%llu", &only) != 1 &&
            sscanf(argv[i], "--readers=%llu", &readers) != 1)
            add_sample(argv[i]);
    if (samples == 0) return 2;
    if (only != UINT64_MAX) from = only, runs = only + 1, readers = READERS;
    for (unsigned long long n = from; n < runs; n++)
        run(seed, (unsigned)n, (unsigned)readers, &sum);
    printf("seed %llu: %u damaged files, %u readings: %u as of the sound file, %u refused, %u with "
           "what is damaged said or made up; slowest %ld ms, largest %ld KiB; %u failed\n",
           seed, sum.files, sum.readings, sum.same, sum.refused, sum.said, sum.ms, sum.kib,
           sum.failed);
    return sum.failed > 0;
}
